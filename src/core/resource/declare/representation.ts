// The types of a resource on the wire: the objects that its responses show, the bodies that its actions take, and the query
// of its lists.

import type { DeclaredFields } from '../../fields/declared-fields.ts'
import type {
  ChildBody,
  ConditionalName,
  HasTrait,
  Joined,
  NamedReference,
  ReferenceForm,
  ShownBy,
  ShownFields,
  TakenBy,
} from '../../fields/field-types.ts'
import type { OnWire, WireName } from '../../fields/wire-names.ts'
import type { KeyTypes, KeyValue } from '../../keys/key.ts'
import type { FilterEntry, Followed } from './filter-types.ts'
import type { FilterDeclarations } from './filters.ts'
import type { OperationTypes } from './operation-types.ts'

/** The types of a resource, for the compiler. */
export interface ResourceTypes {
  readonly name: string
  readonly key: KeyTypes
  readonly fields: DeclaredFields
  /** The names of the fields that single actions take and show. */
  readonly perAction: unknown
  /** The declared filters. */
  readonly filters: FilterDeclarations
  /** The names of the fields that callers may order by. */
  readonly orderingFields: string
  /** The names on the wire. */
  readonly wire: unknown
  /** The requests that the URLs of the resource take. */
  readonly operations: OperationTypes
}

/** A resource as a source of types. */
export interface TypedResource<out T extends ResourceTypes = ResourceTypes> {
  /** Exists only for the compiler. */
  readonly '~types'?: T
}

type TypesOf<R extends TypedResource> = NonNullable<R['~types']>

/** The names of the fields that an action takes or shows. */
type NamesFor<T extends ResourceTypes, Action extends string, Part extends 'takes' | 'shows'> = T['perAction'] extends {
  readonly [Name in Action]: { readonly [P in Part]: readonly (infer Names)[] }
}
  ? Names
  : keyof T['fields']

/** The values of a resource whose fields the compiler does not know. */
type AnyValues = Readonly<Record<string, unknown>>

type IsErased<T extends ResourceTypes> = string extends keyof T['fields'] ? true : false

/** The type of a value; `All` are the resources to which fields refer by name. */
type Resolved<Type, All extends ResourceTypes> = [Type] extends [NamedReference | readonly NamedReference[] | null]
  ? ResolvedReference<Type, All>
  : Type

type ResolvedReference<Type, All extends ResourceTypes> =
  Type extends NamedReference<infer Name, infer Form>
    ? Referred<Extract<All, { readonly name: Name }>, Form>
    : Type extends readonly NamedReference<infer Name, infer Form>[]
      ? readonly Referred<Extract<All, { readonly name: Name }>, Form>[]
      : Type

type Referred<Target extends ResourceTypes, Form extends ReferenceForm> = [Target] extends [never]
  ? Form extends { readonly kind: 'key' }
    ? KeyValue
    : unknown
  : Form extends { readonly kind: 'key' }
    ? Target['key']['shown']
    : Form extends { readonly kind: 'by'; readonly field: infer Name extends keyof Target['fields'] }
      ? ShownBy<Target['fields'][Name]>
      : Form extends { readonly kind: 'fields'; readonly names: infer Names extends keyof Target['fields'] }
        ? OnWire<Target['wire'], ShownFields<Pick<Target['fields'], Names>>>
        : Form extends { readonly kind: 'body'; readonly names: infer Names }
          ? OnWire<
              Target['wire'],
              ChildBody<
                Names extends string ? Pick<Target['fields'], Names & keyof Target['fields']> : Target['fields']
              >
            >
          : OnWire<Target['wire'], ShownFields<Target['fields']>>

/**
 * An object as the responses of an action show it. `Related`: the resources to which its fields refer by name.
 *
 * @example
 * type Order = Representation<typeof orders>
 * type ListedOrder = Representation<typeof orders, 'list'>
 * type OrderWithCustomer = Representation<typeof orders, 'retrieve', typeof customers>
 */
export type Representation<
  R extends TypedResource,
  Action extends 'list' | 'create' | 'retrieve' | 'update' = 'retrieve',
  Related extends TypedResource = R,
> = Shown<TypesOf<R>, Action, TypesOf<R> | TypesOf<Related>>

/** The object that an action shows, of a resource with these types. */
export type Shown<T extends ResourceTypes, Action extends string, All extends ResourceTypes = T> =
  IsErased<T> extends true
    ? AnyValues
    : [ConditionalName<T['fields']>] extends [never]
      ? {
          readonly [Name in NamesFor<T, Action, 'shows'> & keyof T['fields'] as ShownName<T, Name>]: Resolved<
            ShownBy<T['fields'][Name]>,
            All
          >
        }
      : Joined<
          {
            readonly [Name in Exclude<
              NamesFor<T, Action, 'shows'> & keyof T['fields'],
              ConditionalName<T['fields']>
            > as ShownName<T, Name>]: Resolved<ShownBy<T['fields'][Name]>, All>
          } & {
            readonly [Name in NamesFor<T, Action, 'shows'> &
              ConditionalName<T['fields']> &
              keyof T['fields'] as ShownName<T, Name>]?: Resolved<ShownBy<T['fields'][Name]>, All>
          }
        >

/** The name on the wire of a field that responses may contain. */
type ShownName<T extends ResourceTypes, Name extends keyof T['fields']> = [ShownBy<T['fields'][Name]>] extends [never]
  ? never
  : WireName<T['wire'], Name>

/** The names of the fields that the body of an action may contain. */
type TakenName<T extends ResourceTypes, Action extends string> = {
  [Name in NamesFor<T, Action, 'takes'> & keyof T['fields']]: [TakenBy<T['fields'][Name]>] extends [never]
    ? never
    : Name
}[NamesFor<T, Action, 'takes'> & keyof T['fields']]

type OptionalName<T extends ResourceTypes, Name extends keyof T['fields']> = {
  [N in Name]: HasTrait<T['fields'][N], 'optional'> extends true ? N : never
}[Name]

type FixedName<T extends ResourceTypes, Name extends keyof T['fields']> = {
  [N in Name]: HasTrait<T['fields'][N], 'fixed'> extends true ? N : never
}[Name]

/** A body with these fields, of which some may be left out. */
type Body<
  T extends ResourceTypes,
  Name extends keyof T['fields'],
  Optional extends keyof T['fields'],
  All extends ResourceTypes = T,
> =
  IsErased<T> extends true
    ? AnyValues
    : Renamed<
        T['wire'],
        Joined<
          { readonly [N in Exclude<Name, Optional>]: Resolved<TakenBy<T['fields'][N]>, All> } & {
            readonly [N in Name & Optional]?: Resolved<TakenBy<T['fields'][N]>, All>
          }
        >
      >

type Renamed<Wire, Declared> = Wire extends undefined ? Declared : OnWire<Wire, Declared>

/** The values of a new object, of a resource with these types. */
export type Created<T extends ResourceTypes, All extends ResourceTypes = T> = Body<
  T,
  TakenName<T, 'create'>,
  OptionalName<T, TakenName<T, 'create'>>,
  All
>

/** The values to change, of a resource with these types. */
export type Changed<T extends ResourceTypes, All extends ResourceTypes = T> = Partial<
  Body<T, Exclude<TakenName<T, 'update'>, FixedName<T, TakenName<T, 'update'>>>, never, All>
>

/** The values that a view may change: all writable fields, also those that no body of an update contains. */
export type Writable<T extends ResourceTypes> = Changed<
  Omit<T, 'perAction'> & { readonly perAction: Record<never, never> }
>

/** The body of a POST that creates an object. */
export type CreateBody<R extends TypedResource, Related extends TypedResource = R> = Created<
  TypesOf<R>,
  TypesOf<R> | TypesOf<Related>
>

/** The body of a PUT. It may repeat the value of a fixed field. */
export type UpdateBody<R extends TypedResource, Related extends TypedResource = R> = Replaced<
  TypesOf<R>,
  TypesOf<R> | TypesOf<Related>
>

/** The values that replace those of an object, of a resource with these types. */
export type Replaced<T extends ResourceTypes, All extends ResourceTypes> = Body<
  T,
  TakenName<T, 'update'>,
  OptionalName<T, TakenName<T, 'update'>> | FixedName<T, TakenName<T, 'update'>>,
  All
>

/** The body of a PATCH: the fields to change. */
export type PatchBody<R extends TypedResource, Related extends TypedResource = R> = Changed<
  TypesOf<R>,
  TypesOf<R> | TypesOf<Related>
>

/** The parameters that the list of every resource may have; which of them it has depends on its paginator. */
export interface PageParameters {
  readonly page?: number | 'last'
  readonly page_size?: number
  readonly limit?: number
  readonly offset?: number
  readonly cursor?: string
}

/**
 * The query of a list: its filters, `search`, `ordering`, what it shows, and the parameters of its paginator. `Related`: the
 * resources to which fields refer by name.
 */
export type Query<R extends TypedResource, Related extends TypedResource = R> = Parameters<
  TypesOf<R>,
  TypesOf<R> | TypesOf<Related>
>

type Parameters<T extends ResourceTypes, All extends ResourceTypes> = Joined<
  ListParameters<T, All> &
    PageParameters & {
      /** Names of fields, separated by commas: only these are shown. */
      readonly fields?: string
      /** Names of fields, separated by commas, that are not shown. */
      readonly omit?: string
      /** Names of relations, separated by commas, that are shown as objects. */
      readonly expand?: string
    }
>

/** The filters, the search and the order of a list, of a resource with these types. */
export type ListParameters<T extends ResourceTypes, All extends ResourceTypes> = FilterParameters<T, All> & {
  readonly search?: string
  /** Names separated by commas; `-` means descending. */
  readonly ordering?: OrderingParameter<OrderingName<T, T['orderingFields'], All>>
}

type FilterParameters<T extends ResourceTypes, All extends ResourceTypes> = {
  readonly [Entry in FilterEntry<T['filters'], FilteredBy<T, All>> as Entry['name']]?: Entry['value']
}

/** The values that filters compare: one item of a list; if the compiler does not know it, any value that is not an object. */
type FilteredBy<T extends ResourceTypes, All extends ResourceTypes> = {
  [Name in keyof T['filters'] & string]: FilteredAt<Followed<T, Name, All>, All>
}

type FilteredAt<Found extends { readonly name: string; readonly field: unknown }, All extends ResourceTypes> = {
  readonly name: Found['name']
  readonly value: unknown extends Found['field'] ? string | number | boolean : FilterValue<Found['field'], All>
}

type FilterValue<F, All extends ResourceTypes> = ItemOf<
  Exclude<Resolved<[TakenBy<F>] extends [never] ? ShownBy<F> : TakenBy<F>, All>, null>
>

type ItemOf<Value> = Value extends readonly (infer Item)[] ? Item : Value
type OrderingName<T extends ResourceTypes, Name extends string, All extends ResourceTypes> = Name extends string
  ? Followed<T, Name, All>['name']
  : never

// A template of several names would grow with the square of their number.
type OrderingParameter<Name extends string> = Name | `-${Name}` | (string & Record<never, never>)
