// A resource is one declaration: a table, its fields, and who may do what. Routes, validation, SQL, JSON and types
// follow from it. A wrong declaration is a compile error, or an error at start that says what to write.

import type { Caller } from '../authentication/identity.ts'
import type { Connection, SqlValue } from '../database/database.ts'
import type { Fields, RelationTarget } from '../fields/field.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import type { Paginator } from '../pagination/paginator.ts'
import type { AuditedAs, ViewPolicies } from '../view.ts'
import type { Complete, DeclaredFields } from './declared-fields.ts'
import type { ListView, ObjectView } from './extra-view.ts'
import type { Ordering } from './sql/ordering.ts'

/** What can be done with a resource. `update` is both PUT and PATCH. */
export type Action = 'list' | 'create' | 'retrieve' | 'update' | 'destroy'

export const everyAction: readonly Action[] = ['list', 'create', 'retrieve', 'update', 'destroy']

/** Values of columns that no field writes. */
export type Columns<Hidden extends string = string> = { readonly [Name in Hidden]?: SqlValue }

/** What a hook knows of the write. */
export interface WriteContext extends Caller {
  readonly action: 'create' | 'update'
  /** The key of the object that is changed; undefined for a new one. */
  readonly id: number | undefined
  /** The moment of the write, as a date-time column keeps it. */
  readonly now: string
}

/** What a resource's own validation knows of the write. */
export interface ValidateContext extends WriteContext {
  /** For what has to be looked up. */
  readonly connection: Connection
}

/** What a hook inside the write's transaction knows. */
export interface TransactionContext<C = WriteContext> {
  readonly context: C
  readonly connection: Connection
}

// biome-ignore lint/suspicious/noConfusingVoidType: a hook need not answer anything
export type Addition<Hidden extends string> = Columns<Hidden> | void

type KeyOf<Value> = Value extends Value ? keyof Value : never

/** What a hook returns; an error of the compiler if it has a column that `hidden` does not name. */
export type OnlyHidden<Hidden extends string, Returned> = Returned &
  ([Exclude<KeyOf<Awaited<Returned>>, Hidden>] extends [never]
    ? unknown
    : { readonly 'columns to add to "hookColumns"': Exclude<KeyOf<Awaited<Returned>>, Hidden> })

/** What one action has of its own. */
export interface ActionOptions<Name extends string = string> extends Partial<Omit<ViewPolicies, 'authentication'>> {
  /** The fields that it shows and takes; default: all of them. */
  readonly fields?: readonly Name[]
}

/** The list of a resource below the URL of another one: `/authors/3/books/`. */
export interface NestedUnder {
  /** The other resource; an object that it does not have is 404. */
  readonly parent: RelationTarget
  /** The column that holds the other's key; a new object gets it from the URL. */
  readonly column: string
}

/**
 * A resource as it is declared. `Hidden` are the columns that hooks write and no field shows; `Prepared` and `Added` are
 * what `prepare` and `beforeSave` return.
 */
export interface ResourceOptions<
  F extends DeclaredFields,
  Hidden extends string,
  Prepared extends MaybePromise<Columns<Hidden>> = MaybePromise<Columns<Hidden>>,
  Added extends MaybePromise<Addition<Hidden>> = MaybePromise<Addition<Hidden>>,
> extends Partial<ViewPolicies> {
  readonly table: string
  /** The primary key's column; default `id`. */
  readonly key?: string
  readonly fields: F
  /**
   * Columns to order by, `-` before one for descending; the key decides among equals. A column that may be null has to
   * be a nullable field.
   */
  readonly ordering?: readonly string[]
  /** Fields in whose texts `?search=` looks, without regard to the case of ASCII letters. */
  readonly searchFields?: readonly (keyof F & string)[]
  /** Fields whose values callers may ask for: `?shelf=read`. */
  readonly filters?: readonly (keyof F & string)[]
  /** Fields that callers may order by: `?ordering=-title`. */
  readonly orderingFields?: readonly (keyof F & string)[]
  /** Default: all five. */
  readonly actions?: readonly Action[]
  /** What single actions have of their own. */
  readonly perAction?: { readonly [A in Action]?: ActionOptions<keyof F & string> }
  readonly description?: string
  /**
   * What one object is called, in the singular: `Address`. The views are named after it, for people; programs know them
   * by ids such as `addresses-list`. Default: the singular of the resource's name.
   */
  readonly title?: string
  /** The field that names an object to people, such as `username`: for the browsable pages. */
  readonly objectName?: keyof F & string
  /** How an audit log names requests that succeed, for all views of the resource that do not name their own. */
  readonly auditEvent?: AuditedAs
  /** How lists are cut into pages; null for not at all. Default: the API's. */
  readonly pagination?: Paginator | null
  /** Columns that hooks write and no field shows. */
  readonly hookColumns?: readonly Hidden[]
  /** What the list's own URL does beside the actions: `DELETE /books/`. The policies are those of the list. */
  readonly listMethods?: Pick<ListView, 'fields' | 'handlers'>
  /** Views below the list's URL, by the last part of their path: `/books/recent/`. */
  readonly listViews?: Readonly<Record<string, ListView>>
  /** Views below an object's URL, by the last part of their path: `/books/3/borrow/`. */
  readonly objectViews?: Readonly<Record<string, ObjectView>>
  /** Other resources below whose objects this one is listed and created too. */
  readonly nestedUnder?: readonly NestedUnder[]
  /** Fields that no two objects have the same values of. */
  readonly uniqueTogether?: readonly (readonly (keyof F & string)[])[]
  /** Looks at the object as it will be, once each field is right; throws ValidationError, now or later. */
  readonly validate?: (values: Complete<F>, context: ValidateContext) => MaybePromise<void>
  /**
   * Computes columns from the object's values as they will be. Runs before the transaction, so it may take its time;
   * should the object change meanwhile, the write begins again.
   */
  readonly prepare?: (values: Complete<F>, context: WriteContext) => OnlyHidden<Hidden, Prepared>
  /** Runs in the transaction, before the row is written; what it answers is written too. */
  readonly beforeSave?: (values: Complete<F>, transaction: TransactionContext) => OnlyHidden<Hidden, Added>
  /** Runs in the transaction, after the row is written. */
  readonly afterSave?: (key: number, transaction: TransactionContext) => MaybePromise<void>
  /** Runs in the transaction, before the row is deleted. */
  readonly beforeDestroy?: (key: number, transaction: TransactionContext<Caller>) => MaybePromise<void>
  /** Runs in the transaction, after the row is deleted. */
  readonly afterDestroy?: (key: number, transaction: TransactionContext<Caller>) => MaybePromise<void>
}

/** A declared resource. Hooks are called with the values that its own fields made. */
export interface Resource
  extends Omit<
      ResourceOptions<Fields, string>,
      | 'fields'
      | 'key'
      | 'actions'
      | 'perAction'
      | 'ordering'
      | 'hidden'
      | 'description'
      | 'title'
      | 'nestedUnder'
      | 'uniqueTogether'
    >,
    RelationTarget {
  readonly fields: Fields
  readonly actions: readonly Action[]
  readonly perAction: { readonly [A in Action]?: ActionOptions }
  readonly ordering: readonly Ordering[]
  readonly hookColumns: readonly string[]
  readonly description: string
  readonly title: string
  readonly nestedUnder: readonly NestedUnder[]
  readonly uniqueTogether: readonly (readonly string[])[]
}
