// Additional views of a resource, beside its five standard actions: below its list (`/books/recent/`) or below one of
// its objects (`POST /books/3/borrow/`). Each has its own handlers, schemas and policies.

import type { AnyTables, Database } from '../../database/database.ts'
import type { OperationOptions } from '../../describe/openapi-types.ts'
import type { DeclaredFields } from '../../fields/declared-fields.ts'
import type { AnyRecords } from '../../fields/field-types.ts'
import type { HandlerContext } from '../../http/context.ts'
import type { Identity } from '../../http/identity.ts'
import type { JsonText } from '../../http/response.ts'
import type { PathParameters } from '../../http/urls/path-parameters.ts'
import type { KeyValue } from '../../keys/key.ts'
import type { MessageText } from '../../messages/english.ts'
import type {
  AnyViewTypes,
  CheckedInput,
  DeclaredHandlers,
  MethodSchemas,
  ReadParameters,
  ResponseSchema,
  SchemaOptions,
  TypedHandlers,
  ViewTypes,
  WithHeaders,
} from '../../view/declared/declared-view.ts'
import type { PageAction } from '../../view/page-action.ts'
import type { ContentSchema, Schema } from '../../view/schemas/schema.ts'
import type { AuditEventOption, RawBodyOption, UnknownFields, ViewPolicies } from '../../view/view.ts'
import type { ColumnValues } from './column-types.ts'

interface ExtraViewContext<out User extends Identity, Tables, Parameters> extends HandlerContext<User> {
  readonly database: Database<Tables>
  /** The parameters in the path of the request, by name. */
  readonly parameters: Parameters
  /** The key of the nearest parent object in the path; undefined at the top level. */
  readonly parent: KeyValue | undefined
}

/** The context of a handler of a view below a list, without what the view declares. */
export interface ListContext<out User extends Identity = Identity, Tables = AnyTables, Parameters = PathParameters>
  extends ExtraViewContext<User, Tables, Parameters> {
  /** Returns an object as a GET of its URL shows it; rejects with NotFound if the caller cannot see it. */
  represent(key: KeyValue): Promise<JsonText>
}

/**
 * The context of a handler of a view below an object. The object exists and its permissions allow the request. `Values`: the
 * values of the columns that it reads. `Changed`: the values that an update takes.
 */
export interface ObjectContext<
  out User extends Identity = Identity,
  Tables = AnyTables,
  Parameters = PathParameters,
  Values = Readonly<Record<string, unknown>>,
  Key extends KeyValue = KeyValue,
  Changed = Readonly<Record<string, unknown>>,
> extends ExtraViewContext<User, Tables, Parameters> {
  readonly key: Key
  /** The values of the columns that the view lists in `columns`. */
  readonly object: Values
  /** Returns this object, or another one, as a GET of its URL shows it; rejects with NotFound if the caller cannot see it. */
  represent(key?: KeyValue): Promise<JsonText>
  /**
   * Changes this object with all permissions, checks and hooks of a PATCH by the caller, and returns what `represent` does. The
   * values may contain every writable field, also those that `perAction.update.takes` leaves out. Rejects with the exceptions of
   * a PATCH; with an Error for other fields.
   */
  update(values: Changed): Promise<JsonText>
  /**
   * Brings back this object, whose row was deleted, with the permissions, checks and hooks of a PATCH by the caller, and returns it as a
   * PATCH shows it. Rejects with ValidationError if another row has one of its unique values now.
   */
  restore(): Promise<JsonText>
}

interface ExtraViewOptions<Path extends string, User extends Identity> extends Partial<ViewPolicies<User>> {
  /**
   * The path below the list or the object, with parameters: `lines/:line/ship`. A parameter is a whole segment. Default: the
   * view's name.
   */
  readonly path?: Path
  /** Default: the resource's title and the view's name. */
  readonly name?: string
  readonly description?: MessageText
  /**
   * The texts of its methods as actions on the browsable pages, by method: `{ POST: { label: 'Ship now' } }`. Default: the view's
   * name and description.
   */
  readonly pageActions?: Readonly<
    Record<string, Pick<PageAction, 'label' | 'description' | 'done' | 'bulk' | 'menu' | 'when'>>
  >
  readonly lenientAccept?: boolean
  /** Whether its bodies may contain fields that do not exist. Default: the resource's. */
  readonly unknownFields?: UnknownFields
  /** Whether permissions and handlers get the bytes of bodies as `rawBody`. Default: as the resource. */
  readonly rawBody?: RawBodyOption
  /** Header fields that its handlers set with `setHeaders`. Default: the resource's. */
  readonly responseHeaders?: DeclaredFields
  /**
   * True: with an `Idempotency-Key`, the same request takes effect once. Its handlers must write with the `database` of their
   * context, and respond with JSON. Default: false.
   */
  readonly idempotent?: boolean
  /** Default: the resource's. */
  readonly auditEvent?: AuditEventOption
  /** Added to the description of all methods in the OpenAPI document; false leaves the view out. */
  readonly openapi?: OperationOptions | false
}

/** A view below a resource's list. `Types`: of its path and its methods, for clients. */
export interface ListView<User extends Identity = Identity, out Types = unknown>
  extends ExtraViewOptions<string, User>,
    MethodSchemas {
  /** Exists only for the compiler. */
  readonly '~types'?: Types
  /** The values of parameters in the path; a malformed one is 404. Default: texts. */
  readonly parameters?: DeclaredFields
  /** The handlers by HTTP method, in upper case. */
  readonly handlers: DeclaredHandlers<ListContext<User> & CheckedInput, User>
}

/** A view below an object. */
export interface ObjectView<User extends Identity = Identity, out Types = unknown>
  extends Omit<ListView<User>, 'handlers' | '~types'> {
  /** Exists only for the compiler. */
  readonly '~types'?: Types
  /** The columns of the object that handlers read. */
  readonly columns?: readonly string[]
  /** The handlers by HTTP method, in upper case. */
  readonly handlers: DeclaredHandlers<ObjectContext<User> & CheckedInput, User>
}

/** The options of a view whose handlers get the context `C`. */
interface TypedView<C, T extends AnyViewTypes, User extends Identity>
  extends Omit<ExtraViewOptions<T['path'], User>, 'responseHeaders'>,
    SchemaOptions<T> {
  /** The handlers by HTTP method, in upper case: functions, or objects with policies and schemas of their own. */
  readonly handlers: TypedHandlers<WithHeaders<C, T['headers']>, T, User>
}

interface TypedObjectView<C, Column extends string, T extends AnyViewTypes, User extends Identity>
  extends TypedView<C, T, User> {
  /** The columns of the object that handlers read. */
  readonly columns?: readonly Column[]
}

/** The type of {@link listView}, in an API whose callers are of the type `User`. */
export type DefineListView<User extends Identity, Tables = AnyTables> = <
  const Path extends string = string,
  P extends DeclaredFields = Record<never, never>,
  Q extends Schema | undefined = undefined,
  B extends ContentSchema | undefined = undefined,
  R extends ResponseSchema | undefined = undefined,
  MQ = Record<never, never>,
  MB = Record<never, never>,
  MR = Record<never, never>,
  H extends DeclaredFields | undefined = undefined,
>(
  view: TypedView<ListContext<User, Tables, ReadParameters<Path, P>>, ViewTypes<Path, P, Q, B, R, MQ, MB, MR, H>, User>,
) => ListView<User, ViewTypes<Path, P, Q, B, R, MQ, MB, MR, H>>

/**
 * The type of {@link objectView}, in an API whose callers are of the type `User`. `Known`: the resource, if there is only one to which
 * the view can belong.
 */
export type DefineObjectView<
  User extends Identity,
  Tables = AnyTables,
  Known extends KnownResource = UnknownResource,
> = <
  const Column extends Known['column'] = never,
  const Path extends string = string,
  P extends DeclaredFields = Record<never, never>,
  Q extends Schema | undefined = undefined,
  B extends ContentSchema | undefined = undefined,
  R extends ResponseSchema | undefined = undefined,
  MQ = Record<never, never>,
  MB = Record<never, never>,
  MR = Record<never, never>,
  H extends DeclaredFields | undefined = undefined,
>(
  view: TypedObjectView<
    ObjectContext<User, Tables, ReadParameters<Path, P>, ReadColumns<Column, Known>, Known['key'], Known['changed']>,
    Column,
    ViewTypes<Path, P, Q, B, R, MQ, MB, MR, H>,
    User
  >,
) => ObjectView<User, ViewTypes<Path, P, Q, B, R, MQ, MB, MR, H>>

/** What an object view knows of its resource: its key, columns and fields, and the values that an update takes. */
export interface KnownResource {
  readonly key: KeyValue
  readonly column: string
  readonly changed: unknown
  readonly fields: AnyRecords
  /** The columns of its table with their types; any if the application does not declare its tables. */
  readonly row: unknown
}

interface UnknownResource extends KnownResource {
  readonly changed: Readonly<Record<string, unknown>>
}

type ReadColumns<Column extends string, Known extends KnownResource> = string extends keyof Known['fields']
  ? Readonly<Record<Column, unknown>>
  : ColumnValues<Column, Known['fields'], Known['row']>

/** Views below a list, by the last part of their path. */
export type ListViews<User extends Identity = Identity> = Readonly<Record<string, ListView<User>>>

/** The methods of a list's own URL. */
export type ListMethods<User extends Identity = Identity> = Pick<
  ListView<User>,
  '~types' | 'query' | 'body' | 'response' | 'handlers' | 'idempotent'
>

/** The methods of an object's own URL. */
export type ObjectMethods<User extends Identity = Identity> = Pick<
  ObjectView<User>,
  '~types' | 'query' | 'body' | 'response' | 'columns' | 'handlers' | 'idempotent'
>

/** Views below an object, by the last part of their path. */
export type ObjectViews<User extends Identity = Identity> = Readonly<Record<string, ObjectView<User>>>

/**
 * Declares the views of a resource with an `objectView` that knows the type of its key, its columns, and the values that
 * an update takes.
 */
export type DeclareObjectViews<
  User extends Identity,
  Tables,
  Known extends KnownResource,
  Declared extends ObjectViews<User> | Partial<ObjectMethods<User>>,
> = (define: { readonly objectView: DefineObjectView<User, Tables, Known> }) => Declared

/** Declares a view below a list; its handlers get the types of its schemas. */
export const listView: DefineListView<Identity> = view => view as unknown as ListView<Identity, never>

/** Declares a view below an object; its handlers get the types of its schemas. */
export const objectView: DefineObjectView<Identity> = view => view as unknown as ObjectView<Identity, never>
