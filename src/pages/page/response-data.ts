// The response body as data for a page. Only the first items of a streamed list are read. Long bodies are parsed in
// time slices.

import {
  createTag,
  formatBody,
  formatTag,
  JsonArray,
  JsonStream,
  parseExactNumbers,
  parseIntegers,
  parseTwice,
  type ResponseBody,
  timeSlices,
} from '#core'

export interface ResponseData {
  readonly body: unknown
  /** The body as data; its numbers keep all digits. */
  exact(): unknown
  /** Whether parsing the body has taken a time slice. */
  readonly isLong: boolean
  /** Whether the list has more items than `body`. */
  readonly isTruncated: boolean
  /** The `ETag` of the same response as JSON; not for streams. */
  etag(): string
}

type ParsedData = Omit<ResponseData, 'etag'>

/** The longest JSON that is parsed at once, in UTF-16 units. */
const maxShortLength = 64 * 1024
/** Maximum number of items that a page shows of an unpaginated list. */
export const maxItems = 50

/** Reads the data. */
export const readResponseData = async (body: ResponseBody): Promise<ResponseData> => ({
  ...(await parseBody(body)),
  etag: () => formatTag(createTag(body)),
})

async function parseBody(body: ResponseBody): Promise<ParsedData> {
  if (body instanceof JsonArray) return parseItems(body, body.items)
  return body instanceof JsonStream ? parseItems(body, await readFirstItems(body)) : parseJson(formatBody(body))
}

async function parseJson(json: string, isTruncated = false): Promise<ParsedData> {
  if (json.length <= maxShortLength)
    return { body: parseIntegers(json), exact: () => parseExactNumbers(json), isTruncated, isLong: false }
  const { data, exact } = await timeSlices.run(() => parseTwice(json))
  return { body: data, exact: () => exact, isTruncated, isLong: true }
}

async function readFirstItems({ portions }: JsonStream): Promise<readonly string[]> {
  const items: string[] = []
  for await (const portion of portions) {
    for (const item of portion) items.push(item)
    if (items.length > maxItems) break
  }
  return items
}

async function parseItems({ name }: JsonArray | JsonStream, allItems: readonly string[]): Promise<ParsedData> {
  const [items, isTruncated] = [allItems.slice(0, maxItems), allItems.length > maxItems]
  const length = items.reduce((sum, item) => sum + item.length, 0)
  if (length <= maxShortLength) return parseJson(new JsonArray(items, name).text, isTruncated)
  const parsed = await timeSlices.map(items, parseTwice)
  const wrap = (list: readonly unknown[]) => (name === undefined ? list : { [name]: list })
  return {
    body: wrap(parsed.map(({ data }) => data)),
    exact: () => wrap(parsed.map(({ exact }) => exact)),
    isTruncated,
    isLong: true,
  }
}
