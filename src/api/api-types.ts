// The types of an API, from which the types of its clients follow.

import type { ResourceTypes, TypedResource } from '#core'

/** The types of an API. */
export interface ApiTypes {
  readonly resources: ResourceTypes
  /** The views by path. */
  readonly views: unknown
  /** The paginator of resources that set none. */
  readonly pagination: unknown
  /** The envelope of resources that set none. */
  readonly envelope: unknown
  /** The names of query parameters that it replaces. */
  readonly parameters: unknown
}

/** An API as a source of types: the result of `createApi()`, or a profile. */
export interface TypedApi<out Types extends ApiTypes = ApiTypes> {
  /** Exists only for the compiler. */
  readonly '~api'?: Types
}

/** The types of an API with these resources, views and defaults. */
export interface DeclaredApi<Resources extends readonly TypedResource[], Views, Pages, Around, Renamed = never>
  extends ApiTypes {
  readonly resources: NonNullable<Resources[number]['~types']>
  readonly views: Views
  readonly pagination: Pages
  readonly envelope: Around
  readonly parameters: Renamed
}

/** The options of an API from which the types of its clients follow. */
export interface TypedOptions<Resources, Views, Pages, Around, Renamed> {
  readonly resources?: Resources
  readonly views?: Views
  readonly pagination?: Pages
  readonly envelope?: Around
  readonly parameters?: Renamed
}
