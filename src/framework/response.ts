// What a handler gives back: a status, header fields, and content that a renderer turns into bytes.

import { formatJson } from './exact-json.ts'

/** JSON as the database wrote it; it goes to the client unread unless someone must look inside. */
export class JsonText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** An array of items that are JSON texts, all of them here. */
export class JsonArray extends JsonText {
  readonly items: readonly string[]
  constructor(items: readonly string[]) {
    super(`[${items.join(',')}]`)
    this.items = items
  }
}

/** An array whose items, each JSON text, arrive in portions; sent with flat memory. */
export class JsonStream {
  readonly portions: AsyncIterable<readonly string[]>
  constructor(portions: AsyncIterable<readonly string[]>) {
    this.portions = portions
  }
}

/** A document in its final form: only a renderer of its media type takes it. */
export class Document {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

const texts = new WeakMap<object, string>()

/** Data that goes out again and again, frozen; its JSON is written once. */
export function writtenOnce<Data extends object>(data: Data): Data {
  texts.set(Object.freeze(data), JSON.stringify(data))
  return data
}

/** The compact JSON of content that is no stream and no document. */
export const jsonOf = (body: ResponseBody): string =>
  body instanceof JsonText ? body.text : (texts.get(body as object) ?? formatJson(body))

/** What an answer says: JSON text, a stream of it, a finished document, plain data; undefined for an empty body. */
export type ResponseBody = JsonText | JsonStream | Document | object | string | number | boolean | null | undefined

/** Header fields by lower-case name; a list stands for several lines. */
export type HeaderFields = Readonly<Record<string, string | string[]>>

/** Header fields in layers: a field of a later one replaces that of the earlier ones. Cookies are all set. */
export type HeaderLayers = readonly (HeaderFields | undefined)[]

/** The fields as they will be sent. */
export const joinLayers = (layers: HeaderLayers): HeaderFields => Object.assign({}, ...layers)

/** What a view or the exception handler answers; its header fields stand above those of the view. */
export interface ApiResponse {
  readonly status: number
  readonly headers?: HeaderFields
  readonly body?: ResponseBody
}
