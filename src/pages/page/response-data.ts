// The response body as data for a page. Only the first items of a streamed list are read. Long bodies are parsed in
// time slices.

import {
  createTag,
  formatBody,
  formatTag,
  isPromise,
  JsonArray,
  JsonStream,
  type MaybePromise,
  parseExactNumbers,
  parseIntegers,
  parseTwice,
  type ResponseBody,
  timeSlices,
} from '#core'
import { type HtmlCache, maxJsonLength } from '../html/html-cache.ts'

export interface ResponseData {
  /** The JSON that is the cache key for parts of the page; undefined if it is too long to be cached. */
  readonly json: string | undefined
  /** The body as data, shared with other pages: do not change it. */
  readonly body: unknown
  /** The body as data; its numbers keep all digits. */
  exact(): unknown
  /** A copy of the body. */
  copy(): unknown
  /** Whether the list has more items than `body`. */
  readonly isTruncated: boolean
  /** The `ETag` of the same response as JSON; not for streams. */
  etag(): string
}

type ParsedData = Omit<ResponseData, 'etag'>

/** Maximum number of items that a page shows of an unpaginated list. */
export const maxItems = 50

/** Reads the data; a promise only for lists and long bodies. */
export function readResponseData(body: ResponseBody, htmlCache: HtmlCache): MaybePromise<ResponseData> {
  const parsing = parseBody(body, htmlCache)
  const addTag = (parsed: ParsedData): ResponseData => ({ ...parsed, etag: () => formatTag(createTag(body)) })
  return isPromise(parsing) ? parsing.then(addTag) : addTag(parsing)
}

function parseBody(body: ResponseBody, htmlCache: HtmlCache): MaybePromise<ParsedData> {
  if (body instanceof JsonArray) return parseItems(body, body.items, htmlCache)
  return body instanceof JsonStream
    ? readFirstItems(body).then(items => parseItems(body, items, htmlCache))
    : parseJson(formatBody(body), htmlCache)
}

function parseJson(json: string, htmlCache: HtmlCache, isTruncated = false): MaybePromise<ParsedData> {
  if (json.length > maxJsonLength) return parseLongJson(json, isTruncated)
  const body = htmlCache.getOrCreate(json, 'data', () => parseIntegers(json))
  return { json, body, exact: () => parseExactNumbers(json), copy: () => parseIntegers(json), isTruncated }
}

async function parseLongJson(json: string, isTruncated: boolean): Promise<ParsedData> {
  const { data, exact } = await timeSlices.run(() => parseTwice(json))
  return { json: undefined, body: data, exact: () => exact, copy: () => parseIntegers(json), isTruncated }
}

async function readFirstItems({ portions }: JsonStream): Promise<readonly string[]> {
  const items: string[] = []
  for await (const portion of portions) {
    for (const item of portion) items.push(item)
    if (items.length > maxItems) break
  }
  return items
}

async function parseItems(
  { name }: JsonArray | JsonStream,
  allItems: readonly string[],
  htmlCache: HtmlCache,
): Promise<ParsedData> {
  const [items, isTruncated] = [allItems.slice(0, maxItems), allItems.length > maxItems]
  const length = items.reduce((sum, item) => sum + item.length, 0)
  if (length <= maxJsonLength) return parseJson(new JsonArray(items, name).text, htmlCache, isTruncated)
  const parsed = await timeSlices.map(items, parseTwice)
  const wrap = (list: readonly unknown[]) => (name === undefined ? list : { [name]: list })
  return {
    json: undefined,
    body: wrap(parsed.map(({ data }) => data)),
    exact: () => wrap(parsed.map(({ exact }) => exact)),
    copy: () => wrap(items.map(item => parseIntegers(item))),
    isTruncated,
  }
}
