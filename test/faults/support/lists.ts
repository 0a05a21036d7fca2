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
  const marks = expected === undefined ? [] : [readMark(expected)]
  await assertPage(client, token, path, { count: page.count, marks }, when)
}

// The list of snippets has no search, but the list in the administration has.
const searchPath = ({ kind, name }: Entry): string =>
  `${kind === 'users' ? '/directory/users/' : '/admin/snippets/'}?search=${name}`

/** Returns a text that changes with each write and is shown in tables: the e-mail address, or the start of the code. */
const readMark = ({ email, code }: Readonly<Record<string, unknown>>): string =>
  typeof code === 'string' ? code.slice('print("'.length, 'print("'.length + 36) : String(email)

/** Reads a list as JSON. */
export async function readList(client: HttpClient, token: string, path: string): Promise<ListPage> {
  const { status, text, json } = await client.get(path, { token })
  assert.equal(status, 200, `${path}: ${text}`)
  return json()
}

/** Asserts the count on the HTML page of a list, the number of table rows, and that the table contains each mark. */
export async function assertPage(
  client: HttpClient,
  token: string,
  path: string,
  { count, marks }: { readonly count: number; readonly marks: readonly string[] },
  when: string,
): Promise<void> {
  const { status, text } = await client.get(path, { token, headers: html })
  assert.equal(status, 200, `${path} as HTML`)
  const plain = text.replaceAll(/<[^>]*>/g, '')
  assert.match(plain, new RegExp(`"count": ${count},`), `the count in the HTML of ${path} ${when}`)
  const table = /<tbody>(.*?)<\/tbody>/s.exec(text)?.[1] ?? ''
  assert.equal(table.split('<tr>').length - 1, marks.length, `the rows in the HTML of ${path} ${when}`)
  for (const mark of marks) assert.ok(table.includes(mark), `${mark} in the HTML of ${path} ${when}`)
}
