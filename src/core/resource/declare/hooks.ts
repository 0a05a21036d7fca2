// The hooks of a resource. Each takes one object: the write, its values, its caller and its request. `validate` and
// `prepare` run before the transaction of the write, the others inside it. A hook that throws rolls the write back.

import type { MaybePromise } from '../../base/maybe-promise.ts'
import type { AnyTables, Connection, SqlValue } from '../../database/database.ts'
import type { CompleteValues, NotTaken, Values } from '../../fields/declared-fields.ts'
import type { AnyRecords } from '../../fields/field-types.ts'
import type { CallContext, SetHeaders } from '../../http/context.ts'
import type { Identity } from '../../http/identity.ts'
import type { KeyValue } from '../../keys/key.ts'
import type { HookValues, StoredBy } from './column-types.ts'

/** Values of columns that hooks write. */
export type Columns<HookColumn extends string = string> = { readonly [Name in HookColumn]?: SqlValue }

type UnionKey<Value> = Value extends Value ? keyof Value : never

/**
 * A hook that returns columns. `Returned`: what it returns. `Allowed`: the columns of `hookColumns`, with the types of their values.
 * If the hook returns anything else, this is an object whose property says what is wrong. `R`: the fields of the resource.
 */
export type ColumnHook<Context, R extends AnyRecords, Allowed, Returned> = [
  Exclude<UnionKey<Awaited<Returned>>, keyof Allowed>,
] extends [never]
  ? [WrongColumn<Awaited<Returned>, Allowed>] extends [never]
    ? (context: Context) => Returned | MaybePromise<Allowed>
    : {
        readonly 'columns whose values have another type': {
          readonly [Column in WrongColumn<Awaited<Returned>, Allowed>]: Required<Allowed>[Column & keyof Allowed]
        }
      }
  : ColumnMistakes<Exclude<UnionKey<Awaited<Returned>>, keyof Allowed>, R>

type WrongColumn<Returned, Allowed> = Returned extends Returned
  ? {
      [Column in keyof Returned & keyof Allowed]: [Returned[Column]] extends [Allowed[Column]]
        ? never
        : IsLiteral<Returned[Column]> extends false
          ? [Returned[Column]] extends [Wide<Allowed[Column]>]
            ? never
            : Column
          : Column
    }[keyof Returned & keyof Allowed]
  : never

// Without a contextual type, the compiler infers `string` for a text that is a choice.
type IsLiteral<Value> = string extends Value ? false : number extends Value ? false : true

type Wide<Value> = Value extends string ? string : Value extends number ? number : Value

// The literal types of a mistake are the text of the compiler's message, so none has a name of its own.
type ColumnMistakes<Column, R extends AnyRecords> = [StoredBy<Column, R>] extends [NotTaken]
  ? { readonly 'columns to add to "hookColumns"': Column }
  : { readonly 'fields that bodies write: set them in "normalize", or make them readOnly': Column }

/** The mistakes in the option `hookColumns`; `unknown` without mistakes. */
export type HookColumnMistakes<Column, R extends AnyRecords> = [StoredBy<Column, R>] extends [NotTaken]
  ? unknown
  : { readonly 'fields that bodies write: set them in "normalize", or make them readOnly': Column }

/** The members that the argument of every hook has. */
export interface HookContext<out User extends Identity = Identity, Tables = AnyTables> extends CallContext<User> {
  /** The parameters in the path of the request, by name; undefined without a request. */
  readonly parameters: Readonly<Record<string, string>> | undefined
  /** Sets header fields of the response, as in a handler. Without effect if code called the action. */
  readonly setHeaders: SetHeaders
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
export interface ChangedObject<R extends AnyRecords, Key extends KeyValue = KeyValue> {
  readonly action: 'update'
  /** The primary key. */
  readonly key: Key
  /** The stored values of the object before the write. */
  readonly before: CompleteValues<R>
}

/** The values of a write. */
export interface WrittenValues<R extends AnyRecords> {
  /** The values that the object will have: those of the body, the unchanged ones, and defaults. */
  readonly values: CompleteValues<R>
  /** The values that the body contains. */
  readonly given: Values<R>
}

/** The argument of `validate`, `prepare` and `beforeSave`. `action` tells whether there are `key` and `before`. */
export type SaveContext<
  R extends AnyRecords = AnyRecords,
  User extends Identity = Identity,
  Tables = AnyTables,
  Key extends KeyValue = KeyValue,
> =
  | (HookContext<User, Tables> & WrittenValues<R> & NewObject)
  | (HookContext<User, Tables> & WrittenValues<R> & ChangedObject<R, Key>)

/** The argument of `afterSave`: the primary key, and the values that the object has now. */
export type AfterSaveContext<
  R extends AnyRecords = AnyRecords,
  User extends Identity = Identity,
  Tables = AnyTables,
  Key extends KeyValue = KeyValue,
> =
  | (HookContext<User, Tables> & SavedObject<R, Key> & Omit<NewObject, 'key'>)
  | (HookContext<User, Tables> & SavedObject<R, Key> & ChangedObject<R, Key>)

interface SavedObject<R extends AnyRecords, Key extends KeyValue> extends Pick<WrittenValues<R>, 'given'> {
  readonly key: Key
  readonly after: CompleteValues<R>
}

/** The argument of `beforeDestroy` and `afterDestroy`. */
export interface DestroyContext<
  R extends AnyRecords = AnyRecords,
  out User extends Identity = Identity,
  Tables = AnyTables,
  Key extends KeyValue = KeyValue,
> extends HookContext<User, Tables> {
  readonly action: 'destroy'
  /** The primary key. */
  readonly key: Key
  /** The stored values of the object. */
  readonly before: CompleteValues<R>
}

/** The hooks of a resource. `Prepared` and `Added`: the return types of `prepare` and `beforeSave`. `Row`: the columns of the table. */
export interface Hooks<
  R extends AnyRecords,
  HookColumn extends string,
  Prepared,
  Added,
  User extends Identity,
  Tables = AnyTables,
  Key extends KeyValue = KeyValue,
  Row = AnyTables,
> {
  /** Checks the object after the write, once each field is valid; throws or rejects with ValidationError. */
  readonly validate?: (context: SaveContext<R, User, Tables, Key>) => MaybePromise<void>
  /**
   * Computes columns from the values that the object will have. Runs before the transaction, so it may be slow; if the
   * object changes in the meantime, the write is retried.
   */
  readonly prepare?: ColumnHook<
    SaveContext<R, User, Tables, Key>,
    R,
    HookValues<HookColumn, R, Row, Prepared>,
    Prepared
  >
  /** Runs in the transaction, before the row is written. The columns that it returns are written too. */
  readonly beforeSave?: ColumnHook<SaveContext<R, User, Tables, Key>, R, HookValues<HookColumn, R, Row, Added>, Added>
  /** Runs in the transaction, after the row is written. */
  readonly afterSave?: (context: AfterSaveContext<R, User, Tables, Key>) => MaybePromise<void>
  /** Runs in the transaction, before the row is deleted. */
  readonly beforeDestroy?: (context: DestroyContext<R, User, Tables, Key>) => MaybePromise<void>
  /** Runs in the transaction, after the row is deleted. */
  readonly afterDestroy?: (context: DestroyContext<R, User, Tables, Key>) => MaybePromise<void>
}

type AnyHooks = { readonly [Name in keyof Hooks<AnyRecords, string, never, never, Identity>]?: unknown }

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
