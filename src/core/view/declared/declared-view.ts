// A view that declares what its requests and responses contain: its query, body and response are fields or schemas. They are
// checked, typed, and described in `OPTIONS` and on the browsable pages (decision 066).

import type { MaybePromise } from '../../base/maybe-promise.ts'
import type { AnyTables, Database } from '../../database/database.ts'
import type { OperationOptions } from '../../describe/openapi-types.ts'
import type { DeclaredFields, FieldRecords, FilledValues } from '../../fields/declared-fields.ts'
import type { Field } from '../../fields/field.ts'
import type { Joined } from '../../fields/field-types.ts'
import type { CalledResource, HandlerContext } from '../../http/context.ts'
import type { Identity } from '../../http/identity.ts'
import type { ApiResponse, JsonText } from '../../http/response.ts'
import type { PathParameters } from '../../http/urls/path-parameters.ts'
import type { KeyValue } from '../../keys/key.ts'
import type { CheckedBody, CheckedValue, ContentSchema, GivenBody, ResponseData, Schema } from '../schemas/schema.ts'
import type { ViewOptions, ViewPolicies } from '../view.ts'

/** Describes a response; `representation` is an object of the resource as its own URL shows it. */
export type ResponseSchema = 'representation' | ContentSchema

/** The requests and responses of a view, or of one of its methods. */
export interface MethodSchemas {
  /** The parameters of the query, by fields or a Standard Schema, which gets texts. */
  readonly query?: Schema
  /** The body of POST, PUT and PATCH. A whole body that is a list is a field `list({ of: … })`. */
  readonly body?: ContentSchema
  /**
   * The body of the response, which handlers then return instead of a response; its status is 200, or the method's `status`.
   * In tests and in development, a response that does not match is a 500.
   */
  readonly response?: ResponseSchema
  /** The bodies of errors that handlers return themselves, by status. They have the usual body too, as the framework sends it. */
  readonly errors?: ErrorSchemas
}

/**
 * The bodies of errors, by status: fields, a Standard Schema, or the field of a whole body, such as `text()`. `document`: a `Document`,
 * which is sent as `text/html`, whatever the client accepts.
 */
export type ErrorSchemas = Readonly<Record<number, ContentSchema | Field | 'document'>>

/** A method with policies, and with schemas that replace those of its view. `C`: the context of its handler. */
export interface DeclaredMethod<C, User extends Identity = Identity>
  extends MethodSchemas,
    Partial<Omit<ViewPolicies<User>, 'authentication'>> {
  /** The status of the declared `response`; default 200. */
  readonly status?: number
  /** Added to the method's description in the OpenAPI document; false leaves the method out. */
  readonly openapi?: OperationOptions | false
  readonly handle: (context: C) => MaybePromise<unknown>
}

/** The handlers of a view by HTTP method, in upper case. */
export type DeclaredHandlers<C, User extends Identity = Identity> = Readonly<
  Record<string, ((context: C) => MaybePromise<unknown>) | DeclaredMethod<C, User>>
>

/** The checked input of a handler whose view declares it. */
export interface CheckedInput {
  /** The values of the declared query; undefined if none is declared. */
  readonly query: unknown
  /** The values of the declared body; undefined if none is declared, or if the method has no body. */
  readonly body: unknown
  /**
   * The values of those fields that the body contains: no defaults, and null only if the body says so. Undefined if no fields
   * declare the body.
   */
  readonly given: unknown
  /** The parameters in the path of the request, by name. */
  readonly parameters: unknown
}

/** The options of a view with schemas. */
export interface SchemaOptions<T extends AnyViewTypes> {
  /** The values of parameters in the path; a malformed one is 404. Default: texts. */
  readonly parameters?: T['parameters']
  readonly query?: T['query']
  readonly body?: T['body']
  readonly response?: T['response']
  readonly errors?: ErrorSchemas
  /** Header fields that its handlers set with `setHeaders`, by name in lower case. Default: those of the resource. */
  readonly responseHeaders?: T['headers']
}

/** The context of a handler whose view declares the header fields `H`. */
export type WithHeaders<C, H> = [H] extends [undefined]
  ? C
  : unknown extends H
    ? C
    : Omit<C, 'setHeaders'> & {
        readonly setHeaders: (values: { readonly [Name in keyof H]?: string | number | boolean | undefined }) => void
      }

/** The parameters of a path: the values of those that have fields, and the texts of the others. */
export type ReadParameters<Path extends string, P extends DeclaredFields> = [keyof P] extends [never]
  ? PathParameters<Path>
  : Joined<Omit<PathParameters<Path>, keyof P> & FilledValues<FieldRecords<P>>>

/** The types of a view, for clients. `MB` contains every method; `MQ`, `MB` and `MR` contain the schemas that methods declare. */
export interface ViewTypes<
  out Path extends string,
  out P,
  out Q,
  out B,
  out R,
  out MQ,
  out MB,
  out MR,
  out H = undefined,
> {
  readonly path: Path
  readonly parameters: P
  readonly query: Q
  readonly body: B
  readonly response: R
  readonly queries: MQ
  readonly bodies: MB
  readonly responses: MR
  /** The header fields of responses; undefined if the view declares none. */
  readonly headers: H
}

/** The types of any view. */
export type AnyViewTypes = ViewTypes<string, unknown, unknown, unknown, unknown, unknown, unknown, unknown, unknown>

/** The typed handlers of a view with the types `T`; `C` is the context of its handlers. A method inherits each schema that it does not declare. */
export type TypedHandlers<C, T extends AnyViewTypes, User extends Identity> = {
  readonly [M in keyof T['bodies']]:
    | Handle<C, CheckedValue<T['query']>, InheritedBody<M, T['body']>, InheritedGiven<M, T['body']>, T['response']>
    | TypedMethod<C, M, T, User>
} & { readonly [M in keyof T['queries']]: { readonly query?: T['queries'][M] & Schema } | CallableFunction } & {
  readonly [M in keyof T['responses']]: { readonly response?: T['responses'][M] & ResponseSchema } | CallableFunction
}

interface TypedMethod<C, M extends keyof T['bodies'], T extends AnyViewTypes, User extends Identity>
  extends Partial<Omit<ViewPolicies<User>, 'authentication'>>,
    Pick<DeclaredMethod<C, User>, 'status' | 'errors' | 'openapi'> {
  readonly query?: Schema
  readonly body?: T['bodies'][M] & ContentSchema
  readonly response?: ResponseSchema
  readonly handle: Handle<
    C,
    CheckedValue<OwnOrInherited<T['queries'], M, T['query']>>,
    unknown extends T['bodies'][M] ? InheritedBody<M, T['body']> : CheckedBody<M, T['bodies'][M]>,
    unknown extends T['bodies'][M] ? InheritedGiven<M, T['body']> : GivenBody<T['bodies'][M]>,
    OwnOrInherited<T['responses'], M, T['response']>
  >
}

type Handle<C, Query, Body, Given, R> = (
  context: C & { readonly query: Query; readonly body: Body; readonly given: Given },
) => MaybePromise<HandlerResult<R>>

type HandlerResult<R> = [R] extends [undefined] ? ApiResponse : R extends 'representation' ? JsonText : ResponseData<R>

/** The schema of the method, or else the schema of its view. */
export type OwnOrInherited<Declared, Method, Inherited> = Method extends keyof Declared
  ? unknown extends Declared[Method]
    ? Inherited
    : Declared[Method]
  : Inherited

type InheritedBody<Method, B> = Method extends 'GET' | 'HEAD' | 'OPTIONS' | 'DELETE'
  ? undefined
  : CheckedBody<Method, B>

type InheritedGiven<Method, B> = Method extends 'GET' | 'HEAD' | 'OPTIONS' | 'DELETE' ? undefined : GivenBody<B>

/** The context of a handler of a plain view. */
export interface ViewContext<P extends DeclaredFields, out User extends Identity, Tables = AnyTables>
  extends HandlerContext<User> {
  readonly parameters: ReadParameters<string, P>
  /** The database of the API. */
  readonly database: Database<Tables>
  /**
   * Returns an object of a resource as a GET of its URL shows it; rejects with NotFound if a row filter hides it from the caller.
   * The permissions of the view decide who may call this.
   */
  represent(resource: CalledResource, key: KeyValue): Promise<JsonText>
}

/** A plain view with schemas, for the option `views` of an API. */
export type DeclaredView<C, T extends AnyViewTypes, User extends Identity> = Omit<
  ViewOptions<User>,
  | '~types'
  | 'handlers'
  | 'forms'
  | 'descriptions'
  | 'operations'
  | 'listMetadata'
  | 'pathParameters'
  | 'responseHeaders'
> &
  SchemaOptions<T> & {
    readonly handlers: TypedHandlers<WithHeaders<C, T['headers']>, T, User>
  }

/** The type of {@link view}, in an API whose callers are of the type `User`, for a database with these tables. */
export type DefineView<User extends Identity, Tables = AnyTables> = <
  const P extends DeclaredFields = Record<never, never>,
  const Q extends Schema | undefined = undefined,
  const B extends ContentSchema | undefined = undefined,
  const R extends ResponseSchema | undefined = undefined,
  MQ = Record<never, never>,
  MB = Record<never, never>,
  MR = Record<never, never>,
  const H extends DeclaredFields | undefined = undefined,
>(
  view: DeclaredView<ViewContext<P, User, Tables>, ViewTypes<string, P, Q, B, R, MQ, MB, MR, H>, User>,
) => ViewOptions<User, ViewTypes<string, P, Q, B, R, MQ, MB, MR, H>>
