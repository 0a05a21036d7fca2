// A view describes the requests and responses of its methods for the document. It does so when the document is made, so a
// service that is not asked for it does no work.

import type { JsonSchema, SchemaContext } from '../../describe/json-schema.ts'
import type { Parameter } from '../../describe/openapi-types.ts'
import type { ResourceNames } from '../../errors/exceptions.ts'
import type { Fields } from '../../fields/field.ts'
import type { ViewInfo } from '../../http/context.ts'
import type { Caller } from '../../http/identity.ts'
import type { MessageText } from '../../messages/english.ts'

/** The document that is being made. */
export interface DescriptionContext extends SchemaContext {
  /** The caller for whom it is made; undefined if it is made for everyone. */
  readonly caller: Caller | undefined
  /** Refers to the component that describes a resource in this form, such as `Create`; an empty form is its representation. */
  referTo(resource: ResourceNames, form: string, create: () => JsonSchema): JsonSchema
  /** The fields that the document shows. */
  listFields(fields: Fields): Fields
  /** The key of errors that belong to no field. */
  readonly nonFieldErrorsKey: string
  /** Describes a method of another view. */
  describe(view: ViewInfo, method: string): DescribedOperation
}

/** A header field of responses that the framework sends. */
export type ResponseHeader =
  | 'ETag'
  | 'Last-Modified'
  | 'Location'
  | 'Preference-Applied'
  | 'Content-Disposition'
  | 'Content-Range'
  | 'Retry-After'
  | 'WWW-Authenticate'
  | 'RateLimit'
  | 'RateLimit-Policy'

/** A response of a handler. */
export interface DescribedResponse {
  readonly description: MessageText
  /** The JSON of the body; undefined for none. */
  readonly schema?: JsonSchema
  /** The object in the body, without the names around it. */
  readonly object?: JsonSchema
  readonly headers?: readonly ResponseHeader[]
  /** True: the body consists of bytes of any media type. */
  readonly isFile?: boolean
  /** The media type of a body that is not written by a renderer. */
  readonly mediaType?: string
}

/** The body of a request. */
export interface DescribedBody {
  readonly required: boolean
  /** As JSON. */
  readonly schema: JsonSchema
  /** As a form; undefined if no form can contain it. */
  readonly form?: JsonSchema
  /** True: a form must be of the type `multipart/form-data`, because it contains files. */
  readonly hasFiles?: boolean
}

/** Errors that the handler of a method may raise, besides those that every view has. */
export interface DescribedErrors {
  /** The errors of invalid input, by field. */
  readonly invalid?: readonly JsonSchema[]
  /** Statuses with the usual body, and when they are the response. */
  readonly statuses?: Readonly<Record<number, MessageText>>
  /** Bodies that the handler sends itself, by status; `document`: finished HTML. */
  readonly bodies?: Readonly<Record<string, JsonSchema | 'document'>>
  /** True: the body may also be a list with the errors of each object. */
  readonly areOfItems?: boolean
  /** True: code of the application may raise others. */
  readonly mayRaiseOthers?: boolean
  /** True: the handler uses the database. */
  readonly usesDatabase?: boolean
}

/** A method of a view. */
export interface DescribedOperation {
  /** The name of a function that calls it: `listOrders`. */
  readonly id: string
  readonly summary: MessageText
  /** Default: the description of the view. */
  readonly description?: MessageText
  /** The values of the parameters in the path, by name; default: texts. */
  readonly path?: Readonly<Record<string, JsonSchema>>
  /** The parameters of the query and the header fields of the request. */
  readonly parameters?: readonly Parameter[]
  readonly body?: DescribedBody
  /** By status. */
  readonly responses: Readonly<Record<string, DescribedResponse>>
  readonly errors?: DescribedErrors
}

export type DescribeOperation = (context: DescriptionContext) => DescribedOperation
