// The request as policies, hooks and handlers receive it.

import type { FastifyRequest } from 'fastify'
import type { Connection, Database } from '../database/database.ts'
import type { KeyValue } from '../keys/key.ts'
import type { MessageText } from '../messages/english.ts'
import type { FileSigner } from './files/file-signer.ts'
import type { Caller, Identity } from './identity.ts'
import type { RequestBody } from './parsers/request-body.ts'
import type { JsonText } from './response.ts'
import type { UrlEnd } from './urls/trailing-slash.ts'

/** A request after authentication. `User` is the type of the API's callers. */
export interface RequestContext<out User extends Identity = Identity> extends Caller<User> {
  readonly request: FastifyRequest
  readonly view: ViewInfo
  /**
   * In upper case. It differs from the request's own method when a page or `OPTIONS` checks which methods are allowed.
   */
  readonly method: string
  /** The URL of the API as the client sees it: origin and prefix, without a trailing slash. */
  readonly baseUrl: string
  /**
   * The bytes of the body, if the view or its resource has the option `rawBody`: exactly as they arrived, to check a signature.
   * Undefined for methods without a body, and when a page or `OPTIONS` checks which methods are allowed.
   */
  readonly rawBody?: Buffer | undefined
}

/** Sets header fields of a response, by their names in lower case. */
export type SetHeaders = (values: Readonly<Record<string, string | number | boolean | undefined>>) => void

/** The argument of a handler: a request that passed all checks, with its parsed body. */
export interface HandlerContext<out User extends Identity = Identity> extends RequestContext<User> {
  readonly requestBody: RequestBody
  /** Sets header fields of the response that the view or its resource declares in `responseHeaders`. An error has none of them. */
  readonly setHeaders: SetHeaders
  /** The header fields that `setHeaders` has set. */
  readonly ownHeaders?: Readonly<Record<string, string>> | undefined
  /** If code called the action: the path of the request that would do the same. */
  readonly calledPath?: string
}

/**
 * The context from which code calls the actions of resources, as in `orders.create(values, context)`: that of a handler, of
 * a hook, or of `createContext`.
 */
export interface CallContext<out User extends Identity = Identity> extends Caller<User> {
  /** Undefined if a command calls the action. */
  readonly request: FastifyRequest | undefined
  /** The view of the request, or of the called action. */
  readonly view: ViewInfo
  /** The URL of the API as the client sees it: origin and prefix, without a trailing slash. */
  readonly baseUrl: string
  /** The bytes of the body, if the view has the option `rawBody`; undefined if code calls the action. */
  readonly rawBody?: Buffer | undefined
  /** The transaction in which the action runs; default: that of the calling code, or a new one. */
  readonly connection?: Connection
  /** Set by `ignorePermissions`. */
  readonly ignoresPermissions?: boolean
}

/** The result of a called create or update: the object as a response would show it to the caller. */
export interface CalledObject<Key extends KeyValue = KeyValue, Values = Readonly<Record<string, unknown>>> {
  /** The primary key. */
  readonly key: Key
  readonly values: Values
}

/** The name and the table of a resource whose action is called. */
export interface CalledResource {
  readonly name: string
  readonly table: string
}

/** The values of a called action, by field: as in a JSON body, but undefined is the same as an absent field. */
export type CalledValues = Readonly<Record<string, unknown>>

/** What has happened to a row since some time, as one change. */
export interface RowChange {
  readonly key: KeyValue
  /** The ids of the recorded changes that have the row as it was before them. */
  readonly formerIds: readonly number[]
  /** Whether the row did not exist before. */
  readonly isNew: boolean
  readonly isDeleted: boolean
}

/** A change in the list of a caller. */
export interface RowEvent {
  /** `visible` and `hidden`: a changed row has entered or left the list. */
  readonly event: 'created' | 'changed' | 'deleted' | 'visible' | 'hidden'
  /** The value in the URL of the object. */
  readonly key: KeyValue
  /** The JSON of the object; undefined if it is not in the list any more. */
  readonly object?: string
  /** What has happened to the row. */
  readonly change: RowChange
}

/** Finds what changes of rows, by their keys, are in the list of a caller. */
export type FindRowEvents = (changes: { readonly rows: ReadonlyMap<string, RowChange> }) => Promise<readonly RowEvent[]>

/** Runs actions of the API's resources. Each rejects as the response to a request would, or with an Error. */
export interface ActionCalls {
  create(resource: CalledResource, values: CalledValues, context: CallContext): Promise<CalledObject>
  update(resource: CalledResource, key: KeyValue, values: CalledValues, context: CallContext): Promise<CalledObject>
  destroy(resource: CalledResource, key: KeyValue, context: CallContext): Promise<void>
  /** Like `update`, but the values may also contain the writable fields that the body of an update cannot. */
  change(resource: CalledResource, key: KeyValue, values: CalledValues, context: CallContext): Promise<CalledObject>
  /** Like `update` without values, for a row that was deleted. Resolves to the object as a PATCH shows it. */
  restore(resource: CalledResource, key: KeyValue, context: CallContext): Promise<JsonText>
  /** Returns an object as a GET of its URL shows it; rejects with NotFound if the caller cannot see it. */
  represent(resource: CalledResource, key: KeyValue, context: HandlerContext): Promise<JsonText>
  /**
   * Prepares the events of a list as the caller sees it, with this query (`status=open`). Rejects as the list does, and for a parameter
   * that the list does not have.
   */
  followList(resource: CalledResource, query: string, context: CallContext): Promise<FindRowEvents>
}

/** The parameters of a path, by name; `key` names the object. */
export type UrlParameters = Readonly<Record<string, KeyValue>>

/** The part of a view that policies and handlers may read. */
export interface ViewInfo {
  /** The name that programs use: in metrics, and in the option `pages` of `browsable()`. */
  readonly id: string
  /** The name that people see. */
  readonly name: string
  /** The path pattern, below the API's prefix; it ends with a slash. */
  readonly path: string
  /** The end of the API's URLs: `/`, or empty if links have no trailing slash. */
  readonly urlEnd: UrlEnd
  readonly description: MessageText
  /** The path of the API as clients see it, without a trailing slash. */
  readonly root: string
  /**
   * The prefix that the API is mounted at, without a trailing slash. It differs from `root` if a proxy strips part of
   * the path.
   */
  readonly prefix: string
  /** Whether the view has an authentication scheme. Without one, every refusal is 403 (AUTH-GEN-5). */
  readonly hasSchemes: boolean
  readonly refusal: Refusal
  /** Signs the URLs of files; undefined if the API has no secret. */
  readonly fileSigner: FileSigner | undefined
  /** The time of the API. */
  readonly clock: () => Date
  /** Finds the language of the API that the request prefers; null if it prefers none, or if there is no request. */
  readonly findLanguage: (request: FastifyRequest) => string | null
  /** The database for queries of permissions and handlers: inside a transaction, that transaction. Throws if the API has none. */
  readonly connection: () => Database
  /** The actions of the API's resources, for `orders.create(values, context)`. */
  readonly calls: ActionCalls
  /** Builds the URL of a resource or of a view; {@link reverse} calls it. */
  readonly reverse: (target: CalledResource | string, parameters: UrlParameters, baseUrl: string) => string
}

/** The refusal of callers without an identity: 401 with this challenge, or 403 if there is none (AUTH-GEN-5). */
export interface Refusal {
  readonly challenge: string | undefined
  /** The challenge of a 403; default: a 403 has none (AUTH-GEN-6). */
  readonly forbiddenChallenge?: string
}
