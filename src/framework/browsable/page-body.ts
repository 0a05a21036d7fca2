// The body of a response as data for a page: of a stream that has no end in sight, its beginning. A page that is made of much
// is made in slices of time.

import { parseBoth, parseExactly, parseIntegers } from '../exact-json.ts'
import { JsonArray, JsonStream, jsonOf, type ResponseBody } from '../response.ts'
import { timeSlices } from '../time-slices.ts'
import { type KeptHtml, longestKept } from './kept-html.ts'

export interface PageBody {
  /** The JSON, under which parts of the page are kept; undefined where it is too long for that. */
  readonly json: string | undefined
  /** The body as data, for reading alone: other pages have it too. */
  readonly body: unknown
  /** The body as data whose numbers keep their digits. */
  exact(): unknown
  /** A copy of the body. */
  copy(): unknown
  /** Is there more than this? */
  readonly isCut: boolean
}

/** How many items of a list without pages a page shows. */
export const mostItems = 50

export async function pageBody(body: ResponseBody, kept: KeptHtml): Promise<PageBody> {
  if (body instanceof JsonArray) return bodyOfItems(body.items, kept)
  return body instanceof JsonStream ? bodyOfItems(await firstItems(body), kept) : bodyOf(jsonOf(body), kept)
}

async function bodyOf(json: string, kept: KeptHtml, isCut = false): Promise<PageBody> {
  if (json.length <= longestKept) {
    const body = kept.of(json, 'data', () => parseIntegers(json))
    return { json, body, exact: () => parseExactly(json), copy: () => parseIntegers(json), isCut }
  }
  const { data, exact } = await timeSlices.run(() => parseBoth(json))
  return { json: undefined, body: data, exact: () => exact, copy: () => parseIntegers(json), isCut }
}

async function firstItems({ portions }: JsonStream): Promise<readonly string[]> {
  const items: string[] = []
  for await (const portion of portions) {
    items.push(...portion)
    if (items.length > mostItems) break
  }
  return items
}

async function bodyOfItems(all: readonly string[], kept: KeptHtml): Promise<PageBody> {
  const [items, isCut] = [all.slice(0, mostItems), all.length > mostItems]
  const length = items.reduce((sum, item) => sum + item.length, 0)
  if (length <= longestKept) return bodyOf(`[${items.join(',')}]`, kept, isCut)
  const parsed = await timeSlices.map(items, parseBoth)
  return {
    json: undefined,
    body: parsed.map(({ data }) => data),
    exact: () => parsed.map(({ exact }) => exact),
    copy: () => items.map(item => parseIntegers(item)),
    isCut,
  }
}
