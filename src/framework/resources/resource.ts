// A resource is one declaration: a table, its fields and its policies. Routes, validation, SQL, JSON and types follow from
// it. A wrong declaration is a compile error, or an error at start that names the fix.

import type { Caller, Identity } from '../authentication/identity.ts'
import type { Scheme } from '../authentication/scheme.ts'
import type { Connection, SqlValue } from '../database/database.ts'
import type { Fields, RelationTarget } from '../fields/field.ts'
import type { Key, KeyValue } from '../keys/key.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import type { Paginator } from '../pagination/paginator.ts'
import type { AuditEventOption, ViewPolicies } from '../view.ts'
import type { CompleteValues, DeclaredFields } from './declared-fields.ts'
import type { Ordering } from './sql/ordering.ts'
import type { ListView, ObjectView } from './views.ts'

/** The actions of a resource. `update` is both PUT and PATCH. */
export type Action = 'list' | 'create' | 'retrieve' | 'update' | 'destroy'

export const allActions: readonly Action[] = ['list', 'create', 'retrieve', 'update', 'destroy']

/** Values of columns that hooks write. */
export type Columns<HookColumn extends string = string> = { readonly [Name in HookColumn]?: SqlValue }

/** The context of a write, for hooks. */
export interface WriteContext<out User extends Identity = Identity> extends Caller<User> {
  readonly action: 'create' | 'update'
  /** The primary key of the changed object; undefined for a new one. */
  readonly id: KeyValue | undefined
  /** The time of the write, in the format of a date-time column. */
  readonly now: string
}

/** The context of the `validate` hook. */
export interface ValidateContext<out User extends Identity = Identity> extends WriteContext<User> {
  /** The connection for queries of the hook. */
  readonly connection: Connection
}

/** The context of a hook that runs in the transaction of the write. */
export interface TransactionContext<C = WriteContext> {
  readonly context: C
  readonly connection: Connection
}

// biome-ignore lint/suspicious/noConfusingVoidType: a hook need not return anything
export type HookResult<HookColumn extends string> = Columns<HookColumn> | void

type UnionKey<Value> = Value extends Value ? keyof Value : never

/** The return type of a hook; a compile error if it contains a column that `hookColumns` does not name. */
export type OnlyHookColumns<HookColumn extends string, Returned> = Returned &
  ([Exclude<UnionKey<Awaited<Returned>>, HookColumn>] extends [never]
    ? unknown
    : { readonly 'columns to add to "hookColumns"': Exclude<UnionKey<Awaited<Returned>>, HookColumn> })

/** The options of one action. `Name`: the names of the resource's fields. */
export interface ActionOptions<Name extends string = string, User extends Identity = Identity>
  extends Partial<Omit<ViewPolicies<User>, 'authentication'>> {
  /** The fields that the request body of a create or update may contain; default: all that are not read-only. */
  readonly takes?: readonly Name[]
  /** The fields of the response, in this order; default: all that are not write-only. */
  readonly shows?: readonly Name[]
}

/** The options of single actions. */
export type PerAction<Name extends string = string, User extends Identity = Identity> = {
  readonly [A in Action]?: ActionOptions<Name, User>
}

/** The types of a resource, for the compiler. */
export interface ResourceTypes {
  readonly fields: DeclaredFields
  readonly perAction: PerAction
  /** The names of the filters. */
  readonly filters: string
  /** The names of the fields that callers may order by. */
  readonly orderingFields: string
}

/**
 * A list below a parent object: `/authors/3/books/`. The path is below the prefix of the resource's own API, even if the
 * parent belongs to another API.
 */
export interface NestedUnder {
  readonly parent: RelationTarget
  /** The column with the parent's key; a new object gets it from the URL. */
  readonly column: string
}

/** How a resource declares the lists of its objects below those of a parent. */
export type NestedUnderOptions = {
  /** The parent resource, or the name of one in the same API; 404 if the parent object does not exist. */
  readonly parent: RelationTarget | string
} & (
  | {
      /** The relation to the parent; a new object gets it from the URL. */
      readonly field: string
    }
  | {
      /** The column with the parent's key, if no field has it: hooks write it, or the URL. */
      readonly column: string
    }
)

/**
 * The declaration of a resource. `HookColumn`: the columns that hooks write. `Prepared` and `Added`: the return types of
 * `prepare` and `beforeSave`. `User`: the type of the API's callers.
 */
export interface ResourceOptions<
  F extends DeclaredFields,
  HookColumn extends string,
  Prepared extends MaybePromise<Columns<HookColumn>> = MaybePromise<Columns<HookColumn>>,
  Added extends MaybePromise<HookResult<HookColumn>> = MaybePromise<HookResult<HookColumn>>,
  User extends Identity = Identity,
  Options extends PerAction<keyof F & string, User> = PerAction<keyof F & string, User>,
  Filter extends keyof F & string = keyof F & string,
  Ordered extends keyof F & string = keyof F & string,
> extends Partial<ViewPolicies<User>> {
  readonly authentication?: readonly Scheme<User>[]
  readonly table: string
  /** The primary key; default: `integerKey()`, an integer in the column `id` that the database generates. */
  readonly key?: Key
  /**
   * The unique field that the URLs of objects contain instead of the key. Its values may change, and the URLs with them.
   */
  readonly lookup?: keyof F & string
  readonly fields: F
  /**
   * Columns to order by; `-` means descending. The primary key breaks ties. A column that can be null must belong to
   * a nullable field.
   */
  readonly ordering?: readonly string[]
  /** Fields that `?search=` searches, ignoring the case of ASCII letters. */
  readonly searchFields?: readonly (keyof F & string)[]
  /** Fields that callers may filter by: `?shelf=read` shows the rows whose field equals the value. */
  readonly filters?: readonly Filter[]
  /** Fields that callers may order by: `?ordering=-title`. */
  readonly orderingFields?: readonly Ordered[]
  /** Default: all actions. */
  readonly actions?: readonly Action[]
  /** Options of single actions. */
  readonly perAction?: Options
  readonly description?: string
  /**
   * The name of one object, in the singular: `Address`. It appears in the names of the views; their ids, such as
   * `addresses-list`, contain the resource's name. Default: the singular of the resource's name.
   */
  readonly title?: string
  /** The field that labels an object on the browsable pages, such as `username`. */
  readonly objectName?: keyof F & string
  /** The audit event of successful requests, for all views of the resource that do not declare their own. */
  readonly auditEvent?: AuditEventOption
  /** The paginator of lists; null for none. Default: the API's. */
  readonly pagination?: Paginator | null
  /** Columns that hooks write and no field shows. */
  readonly hookColumns?: readonly HookColumn[]
  /** Additional methods of the list's URL, such as `DELETE /books/`. They have the policies of the list. */
  readonly listMethods?: Pick<ListView<DeclaredFields, User>, 'fields' | 'handlers'>
  /** Views below the list's URL, by the last part of their path: `/books/recent/`. */
  readonly listViews?: Readonly<Record<string, ListView<DeclaredFields, User>>>
  /** Views below an object's URL, by the last part of their path: `/books/3/borrow/`. */
  readonly objectViews?: Readonly<Record<string, ObjectView<DeclaredFields, User>>>
  /** Parent resources: each of their objects gets a list of this resource below its URL. */
  readonly nestedUnder?: readonly NestedUnderOptions[]
  /** Sets of fields whose combined values must be unique. */
  readonly uniqueTogether?: readonly (readonly (keyof F & string)[])[]
  /** Checks the object after the write, once each field is valid; throws or rejects with ValidationError. */
  readonly validate?: (values: CompleteValues<F>, context: ValidateContext<User>) => MaybePromise<void>
  /**
   * Computes columns from the values that the object will have. Runs before the transaction, so it may be slow; if the
   * object changes in the meantime, the write is retried.
   */
  readonly prepare?: (values: CompleteValues<F>, context: WriteContext<User>) => OnlyHookColumns<HookColumn, Prepared>
  /** Runs in the transaction, before the row is written. The columns that it returns are written too. */
  readonly beforeSave?: (
    values: CompleteValues<F>,
    transaction: TransactionContext<WriteContext<User>>,
  ) => OnlyHookColumns<HookColumn, Added>
  /** Runs in the transaction, after the row is written. */
  afterSave?(key: KeyValue, transaction: TransactionContext<WriteContext<User>>): MaybePromise<void>
  /** Runs in the transaction, before the row is deleted. */
  beforeDestroy?(key: KeyValue, transaction: TransactionContext<Caller<User>>): MaybePromise<void>
  /** Runs in the transaction, after the row is deleted. */
  afterDestroy?(key: KeyValue, transaction: TransactionContext<Caller<User>>): MaybePromise<void>
}

/**
 * A declared resource. `Types` are the types of its declaration, from which those of representations and request bodies
 * follow. An API whose callers are of the type `User` accepts it, and so does any API whose own user type extends `User`.
 */
export interface Resource<
  out Name extends string = string,
  out Types extends ResourceTypes = ResourceTypes,
  in User extends Identity = Identity,
> extends Omit<
      ResourceOptions<Fields, string, MaybePromise<Columns<string>>, MaybePromise<HookResult<string>>, User>,
      | 'authentication'
      | 'fields'
      | 'key'
      | 'lookup'
      | 'objectName'
      | 'actions'
      | 'perAction'
      | 'ordering'
      | 'hookColumns'
      | 'description'
      | 'title'
      | 'nestedUnder'
      | 'uniqueTogether'
    >,
    RelationTarget {
  /** Exists only for the compiler. */
  readonly '~types'?: Types
  readonly name: Name
  readonly authentication?: readonly Scheme[]
  readonly fields: Fields
  readonly actions: readonly Action[]
  readonly perAction: PerAction<string, User>
  readonly ordering: readonly Ordering[]
  readonly hookColumns: readonly string[]
  readonly description: string
  readonly title: string
  readonly nestedUnder: readonly NestedUnder[]
  readonly uniqueTogether: readonly (readonly string[])[]
}
