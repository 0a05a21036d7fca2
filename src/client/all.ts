// Reads all pages of a list.

import { ClientError } from './errors.ts'
import type { RequestOptions } from './options.ts'
import { type Connection, type Received, send } from './send.ts'

/** A method that yields what it reads. */
export type ReadAll<Query, Item> = (query?: Query, options?: RequestOptions) => AsyncGenerator<Item, void>

/** Yields the items of a list, page by page. Rejects with ClientError. */
export async function* readAll(
  connection: Connection,
  path: string,
  query: URLSearchParams,
  options: RequestOptions | undefined,
): AsyncGenerator<unknown> {
  for (let current = query; ; ) {
    const received = await send(connection, { method: 'GET', path, query: current, options })
    const next = findNext(connection, received)
    yield* findItems(connection, received)
    if (next === undefined) return
    // The request goes to the URL of the list, so its credentials go nowhere else.
    const { searchParams } = new URL(next, connection.base)
    if (String(searchParams) === String(current)) throw unreadable('the page links to itself as the next one')
    current = searchParams
  }
}

function findItems({ options }: Connection, { data }: Received): readonly unknown[] {
  if (Array.isArray(data)) return data
  const named = Object(data)[options.pages?.results ?? 'results']
  const items = Array.isArray(named) ? named : findLists(data)[0]
  if (items === undefined) throw unreadable('the response contains no list')
  return items
}

const findLists = (data: unknown): readonly (readonly unknown[])[] => Object.values(Object(data)).filter(Array.isArray)

function findNext({ options }: Connection, { data, response }: Received): string | undefined {
  const name = options.pages?.next ?? 'next'
  const page = Object(data)
  if (!Array.isArray(data) && Object.hasOwn(page, name)) return page[name] ?? undefined
  const link = /<([^>]*)>; *rel="?next"?/.exec(response.headers.get('link') ?? '')?.[1]
  // A list that is alone in its envelope is complete.
  if (link === undefined && !Array.isArray(data) && Object.keys(page).length > 1)
    throw unreadable(`the page has no member "${name}": name it in the option "pages"`)
  return link
}

const unreadable = (message: string): ClientError => new ClientError('unreadable', message)
