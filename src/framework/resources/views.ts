// Additional views of a resource, beside its five standard actions: below its list (`/books/recent/`) or below one of
// its objects (`POST /books/3/borrow/`). Each has its own handlers, fields and policies.

import type { Identity } from '../authentication/identity.ts'
import type { HandlerContext } from '../context.ts'
import type { AnyTables, Database } from '../database/database.ts'
import type { KeyValue } from '../keys/key.ts'
import type { ApiResponse, JsonText } from '../response.ts'
import type { PathParameters } from '../urls/path-parameters.ts'
import type { AuditEventOption, MethodOptions, ViewPolicies } from '../view.ts'
import type { DeclaredFields, Values } from './declared-fields.ts'

/** The context of a handler of a view below a list. */
export interface ListContext<
  F extends DeclaredFields = DeclaredFields,
  out User extends Identity = Identity,
  Tables = AnyTables,
  Path extends string = string,
> extends HandlerContext<User> {
  readonly database: Database<Tables>
  /**
   * The values of the request body, by field name. For POST, a field that is not sent has its default value. For PUT
   * and PATCH, it is missing; {@link defaultValues} returns the defaults.
   */
  readonly values: Values<F>
  /** The parameters in the path of the request, by name. */
  readonly parameters: PathParameters<Path>
  /** The key of the nearest parent object in the path; undefined at the top level. */
  readonly parent: KeyValue | undefined
  /** Returns an object as a GET of its URL shows it; rejects with NotFound if the caller cannot see it. */
  represent(key: KeyValue): Promise<JsonText>
}

/** The context of a handler of a view below an object. The object exists and its permissions allow the request. */
export interface ObjectContext<
  F extends DeclaredFields = DeclaredFields,
  out User extends Identity = Identity,
  Tables = AnyTables,
  Column extends string = string,
  Key extends KeyValue = KeyValue,
  Path extends string = string,
> extends ListContext<F, User, Tables, Path> {
  readonly key: Key
  /** The values of the columns that the view lists in `columns`. */
  readonly object: Readonly<Record<Column, unknown>>
}

type ExtraHandler<C> = (context: C) => ApiResponse | Promise<ApiResponse>

interface ExtraView<C, F extends DeclaredFields, User extends Identity, Path extends string>
  extends Partial<ViewPolicies<User>> {
  /**
   * The path below the list or the object, with parameters: `lines/:line/ship`. A parameter is a whole segment. Default: the
   * view's name.
   */
  readonly path?: Path
  /** Default: the resource's title and the view's name. */
  readonly name?: string
  readonly description?: string
  readonly lenientAccept?: boolean
  /**
   * True: with an `Idempotency-Key`, the same request takes effect once. Its handlers must write with the `database` of their
   * context, and respond with JSON. Default: false.
   */
  readonly idempotent?: boolean
  /** Default: the resource's. */
  readonly auditEvent?: AuditEventOption
  /** The fields of the request body; default: none. */
  readonly fields?: F
  /** The handlers by HTTP method, in upper case. */
  readonly handlers: Readonly<
    Record<string, ExtraHandler<C> | (Omit<MethodOptions<User>, 'handle'> & { readonly handle: ExtraHandler<C> })>
  >
}

/** A view below a resource's list. */
export type ListView<
  F extends DeclaredFields = DeclaredFields,
  User extends Identity = Identity,
  Tables = AnyTables,
  Path extends string = string,
> = ExtraView<ListContext<F, User, Tables, Path>, F, User, Path>

/** A view below an object. */
export interface ObjectView<
  F extends DeclaredFields = DeclaredFields,
  User extends Identity = Identity,
  Tables = AnyTables,
  Column extends string = string,
  Key extends KeyValue = KeyValue,
  Path extends string = string,
> extends ExtraView<ObjectContext<F, User, Tables, Column, Key, Path>, F, User, Path> {
  /** The columns of the object that handlers read. */
  readonly columns?: readonly Column[]
}

/** The type of {@link listView}, in an API whose callers are of the type `User`. */
export type DefineListView<User extends Identity, Tables = AnyTables> = <
  const F extends DeclaredFields,
  const Path extends string = string,
>(
  view: ListView<F, User, Tables, Path>,
) => ListView<DeclaredFields, User>

/** The type of {@link objectView}, in an API whose callers are of the type `User`. */
export type DefineObjectView<
  User extends Identity,
  Tables = AnyTables,
  Key extends KeyValue = KeyValue,
  ColumnOfTable extends string = string,
> = <const F extends DeclaredFields, const Column extends ColumnOfTable = never, const Path extends string = string>(
  view: ObjectView<F, User, Tables, Column, Key, Path>,
) => ObjectView<DeclaredFields, User>

/** Views below an object, by the last part of their path. */
export type ObjectViews<User extends Identity = Identity> = Readonly<Record<string, ObjectView<DeclaredFields, User>>>

/** Declares the views of a resource with an `objectView` that knows the type of its key and the names of its columns. */
export type DeclareObjectViews<
  User extends Identity,
  Tables,
  Key extends KeyValue,
  ColumnOfTable extends string,
> = (define: { readonly objectView: DefineObjectView<User, Tables, Key, ColumnOfTable> }) => ObjectViews<User>

/** Declares a view below a list; `values` has the types of its fields. */
export const listView: DefineListView<Identity> = view => view as unknown as ListView

/** Declares a view below an object; `values` has the types of its fields. */
export const objectView: DefineObjectView<Identity> = view => view as unknown as ObjectView
