// The hooks of a resource. Each takes one object: the write, its values, its caller and its request. `validate` and
// `prepare` run before the transaction of the write, the others inside it. A hook that throws rolls the write back.

import type { MaybePromise } from '../../base/maybe-promise.ts'
import type { AnyTables, Connection, SqlValue } from '../../database/database.ts'
import type { CompleteValues, DeclaredFields, Values } from '../../fields/declared-fields.ts'
import type { CallContext } from '../../http/context.ts'
import type { Identity } from '../../http/identity.ts'
import type { KeyValue } from '../../keys/key.ts'

/** Values of columns that hooks write. */
export type Columns<HookColumn extends string = string> = { readonly [Name in HookColumn]?: SqlValue }

// biome-ignore lint/suspicious/noConfusingVoidType: a hook need not return anything
export type HookResult<HookColumn extends string> = Columns<HookColumn> | void

type UnionKey<Value> = Value extends Value ? keyof Value : never

/** The return type of a hook; a compile error if it contains a column that `hookColumns` does not name. */
export type OnlyHookColumns<HookColumn extends string, Returned> = Returned &
  ([Exclude<UnionKey<Awaited<Returned>>, HookColumn>] extends [never]
    ? unknown
    : { readonly 'columns to add to "hookColumns"': Exclude<UnionKey<Awaited<Returned>>, HookColumn> })

/** The members that the argument of every hook has. */
export interface HookContext<out User extends Identity = Identity, Tables = AnyTables> extends CallContext<User> {
  /** The parameters in the path of the request, by name; undefined without a request. */
  readonly parameters: Readonly<Record<string, string>> | undefined
  /** The time of the write, in the format of a date-time column. */
  readonly now: string
  /** The transaction of the write. In `validate` and `prepare`, which run before it, a connection to read with. */
  readonly connection: Connection<Tables>
}

/** An object that is being created. */
export interface NewObject {
  readonly action: 'create'
  readonly key: undefined
  readonly before: undefined
}

/** An object that is being changed. */
export interface ChangedObject<F extends DeclaredFields, Key extends KeyValue = KeyValue> {
  readonly action: 'update'
  /** The primary key. */
  readonly key: Key
  /** The stored values of the object before the write. */
  readonly before: CompleteValues<F>
}

/** The values of a write. */
export interface WrittenValues<F extends DeclaredFields> {
  /** The values that the object will have: those of the body, the unchanged ones, and defaults. */
  readonly values: CompleteValues<F>
  /** The values that the body contains. */
  readonly given: Values<F>
}

/** The argument of `validate`, `prepare` and `beforeSave`. `action` tells whether there are `key` and `before`. */
export type SaveContext<
  F extends DeclaredFields = DeclaredFields,
  User extends Identity = Identity,
  Tables = AnyTables,
  Key extends KeyValue = KeyValue,
> =
  | (HookContext<User, Tables> & WrittenValues<F> & NewObject)
  | (HookContext<User, Tables> & WrittenValues<F> & ChangedObject<F, Key>)

/** The argument of `afterSave`: the primary key, and the values that the object has now. */
export type AfterSaveContext<
  F extends DeclaredFields = DeclaredFields,
  User extends Identity = Identity,
  Tables = AnyTables,
  Key extends KeyValue = KeyValue,
> =
  | (HookContext<User, Tables> & SavedObject<F, Key> & Omit<NewObject, 'key'>)
  | (HookContext<User, Tables> & SavedObject<F, Key> & ChangedObject<F, Key>)

interface SavedObject<F extends DeclaredFields, Key extends KeyValue> extends Pick<WrittenValues<F>, 'given'> {
  readonly key: Key
  readonly after: CompleteValues<F>
}

/** The argument of `beforeDestroy` and `afterDestroy`. */
export interface DestroyContext<
  F extends DeclaredFields = DeclaredFields,
  out User extends Identity = Identity,
  Tables = AnyTables,
  Key extends KeyValue = KeyValue,
> extends HookContext<User, Tables> {
  readonly action: 'destroy'
  /** The primary key. */
  readonly key: Key
  /** The stored values of the object. */
  readonly before: CompleteValues<F>
}

/** The hooks of a resource. `Prepared` and `Added`: the return types of `prepare` and `beforeSave`. */
export interface Hooks<
  F extends DeclaredFields,
  HookColumn extends string,
  Prepared extends MaybePromise<Columns<HookColumn>>,
  Added extends MaybePromise<HookResult<HookColumn>>,
  User extends Identity,
  Tables = AnyTables,
  Key extends KeyValue = KeyValue,
> {
  /** Checks the object after the write, once each field is valid; throws or rejects with ValidationError. */
  readonly validate?: (context: SaveContext<F, User, Tables, Key>) => MaybePromise<void>
  /**
   * Computes columns from the values that the object will have. Runs before the transaction, so it may be slow; if the
   * object changes in the meantime, the write is retried.
   */
  readonly prepare?: (context: SaveContext<F, User, Tables, Key>) => OnlyHookColumns<HookColumn, Prepared>
  /** Runs in the transaction, before the row is written. The columns that it returns are written too. */
  readonly beforeSave?: (context: SaveContext<F, User, Tables, Key>) => OnlyHookColumns<HookColumn, Added>
  /** Runs in the transaction, after the row is written. */
  readonly afterSave?: (context: AfterSaveContext<F, User, Tables, Key>) => MaybePromise<void>
  /** Runs in the transaction, before the row is deleted. */
  readonly beforeDestroy?: (context: DestroyContext<F, User, Tables, Key>) => MaybePromise<void>
  /** Runs in the transaction, after the row is deleted. */
  readonly afterDestroy?: (context: DestroyContext<F, User, Tables, Key>) => MaybePromise<void>
}

type AnyHooks = { readonly [Name in keyof Hooks<DeclaredFields, string, never, never, Identity>]?: unknown }

/** Whether a write runs hooks. Only then is the object loaded for them. */
export function hasHooks(resource: AnyHooks, action: 'create' | 'update' | 'destroy'): boolean {
  const { validate, prepare, beforeSave, afterSave, beforeDestroy, afterDestroy } = resource
  return Boolean(
    action === 'destroy' ? (beforeDestroy ?? afterDestroy) : (validate ?? prepare ?? beforeSave ?? afterSave),
  )
}

/** Whether writes run hooks inside their transaction. */
export const hasTransactionHooks = ({ beforeSave, afterSave, beforeDestroy, afterDestroy }: AnyHooks): boolean =>
  Boolean(beforeSave ?? afterSave ?? beforeDestroy ?? afterDestroy)
