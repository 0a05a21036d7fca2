// An answer's content as data for a page: of a stream that has no end in sight, its beginning.

import { parseExactly } from '../exact-json.ts'
import { JsonArray, JsonStream, jsonOf, type ResponseBody } from '../response.ts'
import type { KeptHtml } from './kept-html.ts'

export interface PageBody {
  readonly json: string
  /** The same as data, for reading alone: other pages have it too. */
  readonly body: unknown
  /** Is there more than this? */
  readonly isCut: boolean
}

/** How many items of a list without pages a page shows. */
export const mostItems = 50

export async function pageBody(body: ResponseBody, kept: KeptHtml): Promise<PageBody> {
  const { json, isCut } = await textOf(body)
  return { json, body: kept.of(json, 'data', () => parseExactly(json)), isCut }
}

async function textOf(body: ResponseBody): Promise<{ readonly json: string; readonly isCut: boolean }> {
  if (body instanceof JsonArray) return firstItems(body.items)
  if (!(body instanceof JsonStream)) return { json: jsonOf(body), isCut: false }
  const items: string[] = []
  for await (const portion of body.portions) {
    items.push(...portion)
    if (items.length > mostItems) break
  }
  return firstItems(items)
}

const firstItems = (items: readonly string[]): { readonly json: string; readonly isCut: boolean } => ({
  json: `[${items.slice(0, mostItems).join(',')}]`,
  isCut: items.length > mostItems,
})
