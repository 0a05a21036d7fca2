// The type of a client, which follows from the types of an API.

import type { ApiTypes, DeclaredApi, TypedApi } from '#api'
import type { ResourceTypes, TypedResource } from '#core'
import type { PathOfResource, Reserved, ResourceClient } from './resource-client.ts'
import type { ParametersOf, ViewClient } from './view-client.ts'

/** The source of a client's types: a profile, the result of `createApi()`, or resources. */
export type Source = TypedApi | readonly TypedResource[] | Readonly<Record<string, TypedResource>>

/**
 * A client of an API: its resources by name, with the methods that they offer.
 *
 * @example
 * function load(client: Client<typeof shop>) {
 *   return client.orders.list({ status: 'open' })
 * }
 */
export type Client<Api extends Source> = ApiClient<TypesOf<Api>>

type TypesOf<Api> = Api extends readonly (infer R extends TypedResource)[]
  ? ResourcesAlone<R>
  : Api extends { readonly '~api'?: infer Types extends ApiTypes }
    ? NonNullable<Types>
    : Api extends Readonly<Record<string, infer R extends TypedResource>>
      ? ResourcesAlone<R>
      : never

type ResourcesAlone<R extends TypedResource> = DeclaredApi<readonly R[], Record<never, never>, unknown, undefined>

type ApiClient<A extends ApiTypes> = TopLevel<A> & ApiMethods<A>

// A resource whose type is not known has no name here, so its use is an error.
type TopLevel<A extends ApiTypes> = {
  readonly [T in A['resources'] as string extends T['name']
    ? never
    : true extends T['operations']['only']
      ? never
      : Exclude<PathOfResource<T>, ReservedName>]: ResourceClient<T, A>
}

type ReservedName = Reserved | 'fetch'

type ByPath<All extends ResourceTypes> = { readonly [T in All as PathOfResource<T>]: T }

interface ApiMethods<A extends ApiTypes> {
  /** A resource whose path is a method of the client, such as `view`, or one with several segments. */
  resource<Path extends keyof ByPath<A['resources']> & string>(
    path: Path,
  ): ResourceClient<Extract<ByPath<A['resources']>[Path], ResourceTypes>, A>
  /** A view of the API, by the path under which it is declared: `client.view('/tags/').get()`. */
  view<Path extends keyof A['views'] & string>(
    path: Path,
    ...parameters: ParametersOf<Path, A['views'][Path]>
  ): ViewClient<A['views'][Path], never, A>
  /**
   * `fetch` with the credentials of the client, for URLs such as those of files; other origins do not get the credentials. It
   * does not check the status.
   */
  fetch(url: string, init?: RequestInit): Promise<Response>
}
