// What must be in a service's database: what it has acknowledged, byte for byte, and of what it was asked without an
// answer all or nothing. It is kept from the answers alone, and compared with a service on the same database later.

import assert from 'node:assert/strict'
import { openDatabase } from '../../../src/framework/database/open.ts'
import type { Answer, HttpClient } from './http.ts'

export type Kind = 'users' | 'snippets'

/** One user or snippet, known by its unique name: the username or the title. */
export interface Entry {
  readonly kind: Kind
  readonly name: string
  /** Its path; undefined until its creation is acknowledged. */
  path?: string
  /** The body of the last acknowledged answer; undefined where there was none, or where it is deleted. */
  body?: string | undefined
  /** What was asked last and has no answer: the body that was sent, or null for its deletion. */
  asked?: Readonly<Record<string, unknown>> | null | undefined
}

export interface Ledger {
  readonly entries: readonly Entry[]
  /** How many writes were answered, by status; the key `none` counts those without an answer. */
  readonly answers: ReadonlyMap<string, number>
  /** Sends one write and notes what came of it: undefined where no answer came. */
  write(client: HttpClient, token: string, entry: Entry, body: Entry['asked']): Promise<Answer | undefined>
  /** An entry that is to be created. */
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
      entry.asked = body
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
  entry.asked = undefined
  entry.body = status === 204 ? undefined : text
  if (status === 201) entry.path = new URL(headers.location!).pathname
}

/** How many writes were acknowledged. */
export const acknowledged = ({ answers }: Ledger): number =>
  [...answers].reduce((sum, [status, count]) => (status.startsWith('2') ? sum + count : sum), 0)

/**
 * Compares the entries with what the service answers and what its tables hold; throws at the first difference. What was
 * asked without an answer is settled by it: it counts as done or as never asked from now on.
 */
export async function compare(
  entries: readonly Entry[],
  client: HttpClient,
  token: string,
  databaseUrl: string,
): Promise<{ readonly unanswered: number; readonly done: number }> {
  const rows = await readRows(databaseUrl)
  const unanswered = entries.filter(({ asked }) => asked !== undefined)
  let done = 0
  for (const entry of unanswered) if (await settle(entry, client, token, rows)) done++
  await inPortions(entries, 8, entry => check(entry, client, token, rows))
  return { unanswered: unanswered.length, done }
}

/** Ids by name. */
type Rows = Readonly<Record<Kind, ReadonlyMap<string, number>>>

/** Every name in the tables. */
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

// Answers whether it was done.
async function settle(entry: Entry, client: HttpClient, token: string, rows: Rows): Promise<boolean> {
  const { asked, body, name, kind } = entry
  entry.asked = undefined
  const id = rows[kind].get(name)
  if (id === undefined) {
    // Its creation never was, or its deletion was.
    assert.ok(body === undefined || asked === null, `${kind} ${name} was acknowledged, then changed, and is gone`)
    entry.body = undefined
    return asked === null
  }
  entry.path ??= `${collections[kind]}${id}/`
  const { status, text } = await client.get(entry.path, { token })
  assert.equal(status, 200, `${entry.path} is in the table`)
  entry.body = text
  if (text === body) return false
  assert.ok(asked !== null && asked !== undefined, `${entry.path} is neither deleted nor as it was`)
  assertWhole(JSON.parse(text), asked)
  return true
}

// Every field that was sent is as it was sent; the groups of a user in any order.
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

/** Does the work for each, so many at once. */
export async function inPortions<Item>(
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
