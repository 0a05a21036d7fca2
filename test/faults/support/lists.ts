// Checks the objects and counts of lists, in JSON and in HTML. A service caches lists, but not single objects, so a
// cache that is not invalidated is found here.

import assert from 'node:assert/strict'
import type { HttpClient } from './http.ts'
import type { Entry } from './ledger.ts'

/** A paginated list in JSON. */
interface ListPage {
  readonly count: number
  readonly results: readonly Readonly<Record<string, unknown>>[]
}

const html = { accept: 'text/html' }

/**
 * Searches the list for the unique name of the entry, in JSON and in HTML. Asserts that it contains the object of the
 * last successful response with count 1, or nothing with count 0.
 */
export async function assertFound(client: HttpClient, token: string, entry: Entry, when: string): Promise<void> {
  const path = searchPath(entry)
  const expected = entry.body === undefined ? undefined : (JSON.parse(entry.body) as ListPage['results'][number])
  const page = await readList(client, token, path)
  assert.equal(page.count, expected === undefined ? 0 : 1, `the count of ${path} ${when}`)
  const [found] = page.results
  for (const [name, value] of Object.entries(expected ?? {}))
    assert.deepEqual(found?.[name], value, `the field ${name} in ${path} ${when}`)
  assert.equal(page.results.length, page.count, `the results of ${path} ${when}`)
  const table = await assertPage(client, token, path, { count: page.count, rows: page.count }, when)
  assert.deepEqual(readShown(table), expected === undefined ? [] : listShown(expected), `the table of ${path} ${when}`)
}

// The list of snippets has no search, but the list in the administration has.
const searchPath = ({ kind, name }: Entry): string =>
  `${kind === 'users' ? '/directory/users/' : '/admin/snippets/'}?search=${name}`

/**
 * Lists what the table shows of an object and most writes change: the paths of a user's groups, which are at most three, or
 * the language of a snippet.
 */
const listShown = ({ groups, language }: Readonly<Record<string, unknown>>): readonly string[] =>
  Array.isArray(groups) ? groups.map(url => new URL(String(url)).pathname) : [String(language)]

const readShown = (table: string): readonly string[] =>
  [...table.matchAll(/<a href="(\/directory\/groups\/\d+\/)">|<td>(\w+)<\/td>/g)].map(
    ([, group, language]) => group ?? language!,
  )

/** Reads a list as JSON. */
export async function readList(client: HttpClient, token: string, path: string): Promise<ListPage> {
  const { status, text, json } = await client.get(path, { token })
  assert.equal(status, 200, `${path}: ${text}`)
  return json()
}

/** Asserts the count on the HTML page of a list, and the number of table rows. Returns the HTML of the rows. */
export async function assertPage(
  client: HttpClient,
  token: string,
  path: string,
  { count, rows }: { readonly count: number; readonly rows: number },
  when: string,
): Promise<string> {
  const { status, text } = await client.get(path, { token, headers: html })
  assert.equal(status, 200, `${path} as HTML`)
  const plain = text.replaceAll(/<[^>]*>/g, '')
  assert.match(plain, new RegExp(`"count": ${count},`), `the count in the HTML of ${path} ${when}`)
  const table = /<tbody>(.*?)<\/tbody>/s.exec(text)?.[1] ?? ''
  assert.equal(table.split('<tr>').length - 1, rows, `the rows in the HTML of ${path} ${when}`)
  return table
}
