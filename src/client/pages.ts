// The types of pages, and of envelopes around objects and lists.

import type { ApiTypes } from '#api'
import type { PageMember, ResourceTypes, Shown } from '#core'
import type { Known } from './known.ts'
import type { FieldsOf, Selected } from './selection.ts'

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
  ? { readonly [N in Name]?: ExpandedObjects }
  : Around extends { readonly expanded: { readonly name: infer Name extends string; readonly always: true } }
    ? { readonly [N in Name]: ExpandedObjects }
    : Around extends { readonly expanded: { readonly name: infer Name extends string } }
      ? { readonly [N in Name]?: ExpandedObjects }
      : unknown

type ExpandedObjects = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>

/** The response to a GET of an object. */
export type Retrieved<Around, Value> = Around extends { readonly expanded: { readonly objects: true } }
  ? InEnvelope<Around, Value> & ExpandedMember<Around>
  : InEnvelope<Around, Value>

/** An item of a list, for a query with these names. `C`: true if it chooses a set of fields. */
export type Item<T extends ResourceTypes, A extends ApiTypes, F, O, E, C> = Selected<
  Shown<T, 'list', Known<T, A>>,
  T,
  A['resources'],
  FieldsOf<T, F, C>,
  O,
  ShownInItems<T, A, E>
>

/** The response to a GET of an object, for a query with these names. */
export type FoundObject<T extends ResourceTypes, A extends ApiTypes, F, O, E, C> = Retrieved<
  AroundOf<T, A>,
  Selected<Shown<T, 'retrieve', Known<T, A>>, T, A['resources'], FieldsOf<T, F, C>, O, ShownInObject<T, A, E>>
>

/** The relations that the items of a list show as objects. */
type ShownInItems<T extends ResourceTypes, A extends ApiTypes, Expand> =
  AroundOf<T, A> extends {
    readonly expanded: string | { readonly name: string }
  }
    ? never
    : Expand

/** The relations that a single object shows as objects. */
type ShownInObject<T extends ResourceTypes, A extends ApiTypes, Expand> =
  AroundOf<T, A> extends { readonly expanded: { readonly objects: true } } ? never : Expand

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
