// The types of pages, and of envelopes around objects and lists.

import type { ApiTypes } from '#api'
import type { PageMember, ResourceTypes } from '#core'

/** A page of a list. */
export interface Page<Item> {
  readonly count: number
  /** The URL of the next page. */
  readonly next: string | null
  readonly previous: string | null
  readonly results: readonly Item[]
}

/** A page of a list that is counted up to a number only. */
export interface CappedPage<Item> extends Page<Item> {
  /** False: the list has more items than `count`. */
  readonly count_is_exact: boolean
}

/** A page of a list that is not counted. */
export interface UncountedPage<Item> extends Omit<Page<Item>, 'count'> {}

/** The envelope of a resource: its own, or that of the API. */
export type AroundOf<T extends ResourceTypes, A extends ApiTypes> = [T['operations']['envelope']] extends [never]
  ? A['envelope']
  : T['operations']['envelope']

/** An object in its envelope. */
export type InEnvelope<Around, Value> = Around extends { readonly one: infer Name extends string }
  ? { readonly [N in Name]: Value }
  : Value

/** The body of a list of a resource. */
export type ListBody<T extends ResourceTypes, A extends ApiTypes, Item> = PageBody<
  PagesOf<T, A>,
  AroundOf<T, A>,
  Item
> &
  ExpandedMember<AroundOf<T, A>>

/** The objects of expanded relations, by the relation and the key, if the envelope shows them apart from the items. */
type ExpandedMember<Around> = Around extends { readonly expanded: infer Name extends string }
  ? { readonly [N in Name]?: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>> }
  : unknown

/** The relations that the items of a list show as objects. */
export type ShownInItems<T extends ResourceTypes, A extends ApiTypes, Expand> =
  AroundOf<T, A> extends {
    readonly expanded: string
  }
    ? never
    : Expand

type PagesOf<T extends ResourceTypes, A extends ApiTypes> = [T['operations']['pages']] extends [never]
  ? A['pagination']
  : T['operations']['pages']

type PageBody<Pages, Around, Item> = [Pages] extends [null | undefined]
  ? ArrayBody<Around, Item>
  : Pages extends { readonly '~members'?: infer Member extends PageMember }
    ? [Member] extends [never]
      ? ArrayBody<Around, Item>
      : 'other' extends Member
        ? unknown
        : Around extends { readonly many: infer Names }
          ? Renamed<PlainPage<Member, Item>, Names>
          : PlainPage<Member, Item>
    : unknown

type PlainPage<Member extends PageMember, Item> = 'count_is_exact' extends Member
  ? CappedPage<Item>
  : 'count' extends Member
    ? Page<Item>
    : UncountedPage<Item>

type ArrayBody<Around, Item> = Around extends { readonly many: infer Names }
  ? Names extends string | { readonly results: string }
    ? Renamed<{ readonly results: readonly Item[] }, Names>
    : readonly Item[]
  : readonly Item[]

type Renamed<Page, Names> = {
  readonly [Name in keyof Page as Names extends string
    ? Name extends 'results'
      ? Names
      : Name
    : Name extends keyof Names
      ? Names[Name] extends string
        ? Names[Name]
        : never
      : Name]: Page[Name]
}
