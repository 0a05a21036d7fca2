// A response as a handler returns it: a status, header fields, and a body that a renderer turns into bytes.

import { hash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { formatJson, parseExactNumbers } from '../base/exact-json.ts'
import type { MaybePromise } from '../base/maybe-promise.ts'

/** JSON as the database wrote it. It is sent without being parsed, unless a renderer needs its values. */
export class JsonText {
  readonly text: string
  #tag: string | undefined
  constructor(text: string) {
    this.text = text
  }
  /** A digest of the text, computed once: cached pages are sent many times. */
  findTag(): string {
    this.#tag ??= digest(this.text)
    return this.#tag
  }
  /** Sets the tag if it is known from an earlier text that is the same. */
  adoptTag(tag: string): void {
    this.#tag = tag
  }
  /** Called if it is a part of a body, such as an item of a list. */
  toJSON(): unknown {
    return parseExactNumbers(this.text)
  }
}

/** A digest of a text, in the alphabet of base64url: 162 bits of SHA-256, so nobody can find two texts with the same one. */
export const digest = (text: string): string => hash('sha256', text, 'base64url').slice(0, 27)

/** JSON whose tag is known before it is read, because nothing has changed since it was last read (decision 067). */
export class UnreadJson {
  readonly tag: string
  /** In UTF-16 units. */
  readonly length: number
  readonly read: () => MaybePromise<ApiResponse>
  constructor({ tag, length, read }: Pick<UnreadJson, 'tag' | 'length' | 'read'>) {
    this.tag = tag
    this.length = length
    this.read = read
  }
}

/** A JSON array whose items are JSON texts, all in memory; with a `name`, an object with the array. */
export class JsonArray extends JsonText {
  readonly name: string | undefined
  /** The JSON of each item. */
  readonly items: readonly string[]
  constructor(items: readonly string[], name?: string) {
    const text = `[${items.join(',')}]`
    super(name === undefined ? text : `{${JSON.stringify(name)}:${text}}`)
    this.items = items
    this.name = name
  }
}

/** A JSON text by its name. */
export type JsonMember = readonly [name: string, json: string]

/** A page of a list, whose items are JSON texts; without `members`, an array. */
export class JsonPage extends JsonText {
  readonly items: readonly string[]
  /** The members before the items, such as the count. */
  readonly members: readonly JsonMember[] | undefined
  constructor(items: readonly string[], members: readonly JsonMember[] | undefined, name = 'results') {
    super(members === undefined ? `[${items.join(',')}]` : formatMembers(members, items, name))
    this.items = items
    this.members = members
  }
}

function formatMembers(members: readonly JsonMember[], items: readonly string[], name: string): string {
  let text = '{'
  for (const [member, json] of members) text += `${JSON.stringify(member)}:${json},`
  return `${text}${JSON.stringify(name)}:[${items.join(',')}]}`
}

/**
 * A JSON array whose items, each JSON text, arrive in portions; with a `name`, an object with the array. It is sent with
 * constant memory.
 */
export class JsonStream {
  readonly portions: AsyncIterable<readonly string[]>
  readonly name: string | undefined
  constructor(portions: AsyncIterable<readonly string[]>, name?: string) {
    this.portions = portions
    this.name = name
  }
}

/** A finished HTML document, which is sent unchanged. Only `htmlDocumentRenderer` can render it. */
export class Document {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** The bytes of a file. They are sent unchanged, whatever the client accepts. */
export class FileContent {
  readonly stream: NodeJS.ReadableStream
  constructor(stream: NodeJS.ReadableStream) {
    this.stream = stream
  }
}

const cachedJson = new WeakMap<object, string>()

/** Freezes data that many responses share, and caches its JSON. */
export function cacheJson<Data extends object>(data: Data): Data {
  cachedJson.set(Object.freeze(data), JSON.stringify(data))
  return data
}

/** Formats a body, other than a stream or a document, as compact JSON. */
export const formatBody = (body: ResponseBody): string =>
  body instanceof JsonText ? body.text : (cachedJson.get(body as object) ?? formatJson(body))

/**
 * The body of a response: JSON text, a stream of it, a finished document or plain data; undefined for an empty body.
 */
export type ResponseBody = JsonText | JsonStream | Document | object | string | number | boolean | null | undefined

/** Header fields by lower-case name; a list is sent as several header lines. */
export type HeaderFields = Readonly<Record<string, string | string[]>>

/** Header fields in layers: a field of a later layer overrides the earlier ones. The cookies of all layers are sent. */
export type HeaderLayers = readonly (HeaderFields | undefined)[]

/** Joins the layers into the fields to be sent. */
export const joinLayers = (layers: HeaderLayers): HeaderFields => Object.assign({}, ...layers)

/**
 * Sets the header fields of each layer on a reply; later layers override earlier ones and those that hooks of the
 * application set. `Vary` is joined with that of
 * hooks: a CORS plugin sets `Vary: Origin`, and a cache must not lose it.
 */
export function setHeaders(reply: FastifyReply, layers: Iterable<HeaderFields | undefined>): FastifyReply {
  const varyOfHooks = reply.getHeader('vary')
  for (const layer of layers) if (layer !== undefined) reply.headers(layer)
  const vary = reply.getHeader('vary')
  if (varyOfHooks === undefined || varyOfHooks === vary) return reply
  return reply.header('vary', [vary, varyOfHooks].flat().join(', '))
}

/** The response of a view or exception handler. Its header fields override those of the view. */
export interface ApiResponse {
  readonly status: number
  readonly headers?: HeaderFields
  readonly body?: ResponseBody
  /**
   * Set if the body is the current representation of an object or a list: the response gets an `ETag`, and the preconditions
   * of a GET are evaluated.
   */
  readonly validators?: Validators
}

/** The validators of a representation other than its `ETag` (RFC 9110 §8.8). */
export interface Validators {
  /** An HTTP date. */
  readonly lastModified?: string
  /**
   * True: the body shows more than what `lastModified` dates, so `If-Modified-Since` is ignored: it alone never leads to 304.
   * Default: false.
   */
  readonly ignoresModifiedSince?: boolean
}

/** The validators of a representation whose time of modification is unknown. */
export const tagOnly: Validators = Object.freeze({})
