// The types of a resource on the wire: the objects that its responses show, the bodies that its actions take, and the query
// of its lists.

import type { AnyRecords, Joined, ShownFields, TakenFields } from '../../fields/field-types.ts'
import type { OnWire } from '../../fields/wire-names.ts'
import type { KeyTypes } from '../../keys/key.ts'
import type { FilterParameters, OrderingName } from './filter-types.ts'
import type { FilterDeclarations } from './filters.ts'
import type { OperationTypes } from './operation-types.ts'
import type { Resolved } from './resolved-fields.ts'

/** The types of a resource, for the compiler. */
export interface ResourceTypes {
  readonly name: string
  readonly key: KeyTypes
  readonly fields: AnyRecords
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

/** The values of a resource whose fields the compiler does not know. */
type AnyValues = Readonly<Record<string, unknown>>

type IsErased<T extends ResourceTypes> = string extends keyof T['fields'] ? true : false

/** The fields that an action takes or shows. */
type FieldsFor<
  T extends ResourceTypes,
  Action extends string,
  Part extends 'takes' | 'shows',
> = T['perAction'] extends {
  readonly [Name in Action]: { readonly [P in Part]: readonly (infer Names)[] }
}
  ? { readonly [Name in Names & keyof T['fields']]: T['fields'][Name] }
  : T['fields']

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
  IsErased<T> extends true ? AnyValues : OnWire<T['wire'], ShownFields<Resolved<FieldsFor<T, Action, 'shows'>, All>>>

/** The values of a new object, of a resource with these types. */
export type Created<T extends ResourceTypes, All extends ResourceTypes = T> =
  IsErased<T> extends true ? AnyValues : OnWire<T['wire'], TakenFields<Resolved<FieldsFor<T, 'create', 'takes'>, All>>>

/** The values to change, of a resource with these types. */
export type Changed<T extends ResourceTypes, All extends ResourceTypes = T> =
  IsErased<T> extends true
    ? AnyValues
    : OnWire<T['wire'], ChangedFields<Resolved<FieldsFor<T, 'update', 'takes'>, All>>>

/** The values that a view may change: all writable fields, also those that no body of an update contains. */
export type Writable<T extends ResourceTypes> =
  IsErased<T> extends true ? AnyValues : OnWire<T['wire'], ChangedFields<Resolved<T['fields'], T>>>

type ChangedFields<R extends AnyRecords> = true extends R[keyof R]['isFixed']
  ? Partial<TakenFields<ChangeableFields<R>>>
  : Partial<TakenFields<R>>

type ChangeableFields<R extends AnyRecords> = {
  readonly [Name in keyof R as R[Name] extends FixedRecord ? never : Name]: R[Name]
}

interface FixedRecord {
  readonly isFixed: true
}

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
export type Replaced<T extends ResourceTypes, All extends ResourceTypes> =
  IsErased<T> extends true
    ? AnyValues
    : OnWire<T['wire'], ReplacedFields<Resolved<FieldsFor<T, 'update', 'takes'>, All>>>

type ReplacedFields<R extends AnyRecords> = true extends R[keyof R]['isFixed']
  ? Joined<TakenFields<ChangeableFields<R>> & Partial<TakenFields<FixedFields<R>>>>
  : TakenFields<R>

type FixedFields<R extends AnyRecords> = {
  readonly [Name in keyof R as R[Name] extends FixedRecord ? Name : never]: R[Name]
}

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
  ListParameters<T, All> & PageParameters & SelectionParameters<T['operations']['parameters']>
>

type SelectionParameters<Names> = [Names] extends [never]
  ? PlainSelection
  : { readonly [Name in NamedParameter<Names, keyof PlainSelection>]?: string }

interface PlainSelection {
  /** Names of fields, separated by commas: only these are shown. */
  readonly fields?: string
  /** Names of fields, separated by commas, that are not shown. */
  readonly omit?: string
  /** Names of relations, separated by commas, that are shown as objects. */
  readonly expand?: string
}

/** The filters, the search and the order of a list, of a resource with these types. */
export type ListParameters<
  T extends ResourceTypes,
  All extends ResourceTypes,
  Names = T['operations']['parameters'],
> = FilterParameters<T, All> &
  ([Names] extends [never] ? PlainParameters<T, All> : RenamedParameters<Names, keyof T['filters'], T, All>)

interface PlainParameters<T extends ResourceTypes, All extends ResourceTypes> {
  readonly search?: string
  /** Names separated by commas; `-` means descending. */
  readonly ordering?: OrderingOf<T, All>
}

// A filter may have a name that the list does not use.
type RenamedParameters<Names, Filter, T extends ResourceTypes, All extends ResourceTypes> = {
  readonly [Name in Exclude<NamedParameter<Names, 'search'>, Filter>]?: string
} & {
  readonly [Name in Exclude<NamedParameter<Names, 'ordering'>, Filter>]?: OrderingOf<T, All>
}

type OrderingOf<T extends ResourceTypes, All extends ResourceTypes> = OrderingParameter<
  OrderingName<T, T['orderingFields'], All> & string
>

/** The names of these parameters. `Names`: those that are replaced; `never` for none. */
export type NamedParameter<Names, Parameter extends string> = [Names] extends [never]
  ? Parameter
  : Parameter extends keyof Names
    ? Names[Parameter] & string
    : Parameter

// A template of several names would grow with the square of their number.
type OrderingParameter<Name extends string> = Name | `-${Name}` | (string & Record<never, never>)
