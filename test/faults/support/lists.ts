// Lists as callers see them, in JSON and in HTML: their objects and their count. A service keeps both, unlike single
// objects, so a cache that is not invalidated shows here.

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
 * Asserts that the list that is searched for the entry's unique name has what the entry's last acknowledged answer says,
 * in JSON and in HTML: the object and the count 1, or nothing and the count 0.
 */
export async function assertFound(client: HttpClient, token: string, entry: Entry, when: string): Promise<void> {
  const path = searchPath(entry)
  const wanted = entry.body === undefined ? undefined : (JSON.parse(entry.body) as ListPage['results'][number])
  const page = await readList(client, token, path)
  assert.equal(page.count, wanted === undefined ? 0 : 1, `the count of ${path} ${when}`)
  const [found] = page.results
  for (const [name, value] of Object.entries(wanted ?? {}))
    assert.deepEqual(found?.[name], value, `the field ${name} in ${path} ${when}`)
  assert.equal(page.results.length, page.count, `the results of ${path} ${when}`)
  const marks = wanted === undefined ? [] : [markOf(wanted)]
  await assertPage(client, token, path, { count: page.count, marks }, when)
}

// The snippets' own list has no search; that of the administration has one.
const searchPath = ({ kind, name }: Entry): string =>
  `${kind === 'users' ? '/directory/users/' : '/admin/snippets/'}?search=${name}`

/** The part of an object that is new with each write and that a table shows: an e-mail address, or the code's begin. */
const markOf = ({ email, code }: Readonly<Record<string, unknown>>): string =>
  typeof code === 'string' ? code.slice('print("'.length, 'print("'.length + 36) : String(email)

/** A list as JSON. */
export async function readList(client: HttpClient, token: string, path: string): Promise<ListPage> {
  const { status, text, json } = await client.get(path, { token })
  assert.equal(status, 200, `${path}: ${text}`)
  return json()
}

/** Asserts the count of a list's page in HTML, how many rows its table has, and that the table has each mark. */
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
