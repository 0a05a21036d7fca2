// Records writes and their responses, and later compares them with the database of the service: an acknowledged
// write must be stored byte for byte, and a write without a response must be complete or absent.

import assert from 'node:assert/strict'
import { openDatabase } from 'resource-api'
import type { Answer, HttpClient } from './http.ts'

export type Kind = 'users' | 'snippets'

/** One user or snippet, identified by its unique username or title. */
export interface Entry {
  readonly kind: Kind
  readonly name: string
  /** Its path; undefined until its creation is acknowledged. */
  path?: string
  /** The body of the last successful response; undefined if there was none, or if the object is deleted. */
  body?: string | undefined
  /** The last write, if it has no response: the sent body, or null for a deletion. */
  pending?: Readonly<Record<string, unknown>> | null | undefined
}

export interface Ledger {
  readonly entries: readonly Entry[]
  /** The number of writes by status; `none` counts writes without a response. */
  readonly answers: ReadonlyMap<string, number>
  /** Sends one write and records its response. Resolves with undefined if no response came. */
  write(client: HttpClient, token: string, entry: Entry, body: Entry['pending']): Promise<Answer | undefined>
  /** Adds an entry, which `write` will create. */
  add(kind: Kind, name: string): Entry
}

const collections = { users: '/directory/users/', snippets: '/snippet/snippets/' } as const

export function createLedger(): Ledger {
  const entries: Entry[] = []
  const answers = new Map<string, number>()
  const count = (key: string) => answers.set(key, (answers.get(key) ?? 0) + 1)
  return {
    entries,
    answers,
    add(kind, name) {
      const entry: Entry = { kind, name }
      entries.push(entry)
      return entry
    },
    async write(client, token, entry, body) {
      entry.pending = body
      const { path = collections[entry.kind] } = entry
      const method = body === null ? 'DELETE' : entry.path === undefined ? 'POST' : 'PUT'
      const answer = await client.ask(method, path, { token, ...(body && { json: body }) }).catch(() => undefined)
      count(String(answer?.status ?? 'none'))
      if (answer !== undefined && answer.status < 300) acknowledge(entry, answer)
      return answer
    },
  }
}

function acknowledge(entry: Entry, { status, text, headers }: Answer): void {
  entry.pending = undefined
  entry.body = status === 204 ? undefined : text
  if (status === 201) entry.path = new URL(headers.location!).pathname
}

/** Counts the acknowledged writes. */
export const countAcknowledged = ({ answers }: Ledger): number =>
  [...answers].reduce((sum, [status, count]) => (status.startsWith('2') ? sum + count : sum), 0)

/**
 * Compares the entries with the responses of the service and with its tables; throws at the first difference. A write
 * without a response is settled by this: from now on it counts as done or as never sent.
 */
export async function compare(
  entries: readonly Entry[],
  client: HttpClient,
  token: string,
  databaseUrl: string,
): Promise<{ readonly unanswered: number; readonly done: number }> {
  const rows = await readRows(databaseUrl)
  const unanswered = entries.filter(({ pending }) => pending !== undefined)
  let done = 0
  for (const entry of unanswered) if (await settle(entry, client, token, rows)) done++
  await runConcurrently(entries, 8, entry => check(entry, client, token, rows))
  return { unanswered: unanswered.length, done }
}

/** Ids by name. */
type Rows = Readonly<Record<Kind, ReadonlyMap<string, number>>>

/** Reads the ids of all users and snippets by name. */
export async function readRows(databaseUrl: string): Promise<Rows> {
  const database = openDatabase(databaseUrl)
  try {
    const { kysely } = database
    const users = await kysely.selectFrom('users').select(['id', 'username as name']).execute()
    const snippets = await kysely.selectFrom('snippets').select(['id', 'title as name']).execute()
    const byName = (found: unknown[]) => new Map((found as { id: number; name: string }[]).map(r => [r.name, r.id]))
    return { users: byName(users), snippets: byName(snippets) }
  } finally {
    await database.close()
  }
}

// Returns true if the write without a response was done.
async function settle(entry: Entry, client: HttpClient, token: string, rows: Rows): Promise<boolean> {
  const { pending, body, name, kind } = entry
  entry.pending = undefined
  const id = rows[kind].get(name)
  if (id === undefined) {
    // Either the creation was not done, or the deletion was.
    assert.ok(body === undefined || pending === null, `${kind} ${name} was acknowledged, then changed, and is gone`)
    entry.body = undefined
    return pending === null
  }
  entry.path ??= `${collections[kind]}${id}/`
  const { status, text } = await client.get(entry.path, { token })
  assert.equal(status, 200, `${entry.path} is in the table`)
  entry.body = text
  if (text === body) return false
  assert.ok(pending !== null && pending !== undefined, `${entry.path} is neither deleted nor unchanged`)
  assertWhole(JSON.parse(text), pending)
  return true
}

// Asserts that every sent field is stored as it was sent; groups may be in any order.
function assertWhole(found: Readonly<Record<string, unknown>>, sent: Readonly<Record<string, unknown>>): void {
  const inOrder = (value: unknown) => (Array.isArray(value) ? value.toSorted() : value)
  for (const [field, value] of Object.entries(sent))
    assert.deepEqual(inOrder(found[field]), inOrder(value), `the field ${field} of a write without an answer`)
}

async function check({ kind, name, path, body }: Entry, client: HttpClient, token: string, rows: Rows): Promise<void> {
  assert.equal(rows[kind].has(name), body !== undefined, `${kind} ${name} in the table`)
  if (path === undefined) return
  const { status, text } = await client.get(path, { token })
  assert.equal(status, body === undefined ? 404 : 200, path)
  if (body !== undefined) assert.equal(text, body, path)
}

/** Calls `work` for each item, with at most `size` calls at a time. */
export async function runConcurrently<Item>(
  items: readonly Item[],
  size: number,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < items.length) await work(items[next++]!)
  }
  await Promise.all(Array.from({ length: size }, worker))
}
