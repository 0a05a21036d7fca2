// The data of all sides, in one SQLite file: 10,000 users in 40 groups, 100,000 snippets with their watchers, and as many
// rows as users with keys of each kind; tests use less.

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { formatDateTime } from 'resource-api'
import { keysOf } from './keyed.ts'
import { createServiceSide, cursorPages, openBenchServices } from './service.ts'

export interface Sizes {
  readonly users: number
  readonly groups: number
  readonly snippets: number
  /** How many consecutive pages get cursors, from the beginning and again after nine tenths of the snippets. */
  readonly cursors: number
}

export const fullSizes: Sizes = { users: 10_000, groups: 40, snippets: 100_000, cursors: 1000 }

/** The database file, with the credentials and cursors for requests. */
export interface Data {
  readonly path: string
  readonly sizes: Sizes
  /** The first user's token. */
  readonly token: string
  /** Cursors of consecutive pages of snippets: from the second page on, and after nine tenths of the snippets. */
  readonly earlyCursors: readonly string[]
  readonly deepCursors: readonly string[]
}

/** Creates the file in this folder. */
export async function createData(folder: string, sizes: Sizes = fullSizes): Promise<Data> {
  const path = join(folder, 'bench.db')
  const services = openBenchServices(`sqlite:${path}`)
  try {
    await services.migrate()
    fill(path, sizes)
    const token = await services.database.transaction(connection => services.accounts.tokens.getOrCreate(1, connection))
    return { path, sizes, token, ...(await findCursors(path, sizes)) }
  } finally {
    await services.close()
  }
}

async function findCursors(path: string, sizes: Sizes): Promise<Pick<Data, 'earlyCursors' | 'deepCursors'>> {
  const { cursors, snippets } = sizes
  if (cursors === 0) return { earlyCursors: [], deepCursors: [] }
  const [start] = (await followPages(path, snippets / 10, 9)).slice(-1)
  return {
    earlyCursors: await followPages(path, 10, cursors),
    deepCursors: await followPages(path, 10, cursors - 10, start),
  }
}

// Follows the links to the next pages of this size, and returns their cursors.
async function followPages(path: string, pageSize: number, pages: number, start?: string): Promise<readonly string[]> {
  const app = await createServiceSide(path, cursorPages(pageSize))
  const cursors = start === undefined ? [] : [start]
  for (let page = 0; page < pages; page++) {
    const last = cursors.at(-1)
    const response = await app.inject(`/snippet/snippets/${last === undefined ? '' : `?cursor=${last}`}`)
    cursors.push(new URL(response.json().next).searchParams.get('cursor')!)
  }
  await app.close()
  return cursors
}

function fill(path: string, sizes: Sizes): void {
  const database = new DatabaseSync(path)
  database.exec('begin immediate')
  insertGroups(database, sizes)
  insertUsers(database, sizes)
  insertSnippets(database, sizes)
  insertWatchers(database, sizes)
  insertKeyed(database, sizes)
  database.exec('commit')
  database.close()
}

function insertGroups(database: DatabaseSync, { groups }: Sizes): void {
  const insert = database.prepare('insert into groups (id, name) values (?, ?)')
  for (let id = 1; id <= groups; id++) insert.run(id, `Group ${id}`)
}

function insertUsers(database: DatabaseSync, { users, groups }: Sizes): void {
  const insert = database.prepare(
    'insert into users (id, username, email, is_active, is_staff, is_superuser, date_joined) values (?, ?, ?, 1, 0, 0, ?)',
  )
  const join = database.prepare('insert into user_groups (user_id, group_id) values (?, ?)')
  for (let id = 1; id <= users; id++) {
    // Users did not join in the order of their ids, and some joined in the same second.
    insert.run(id, createUsername(id), `user${id}@example.org`, moment((id * 7919) % (users / 2)))
    for (let nth = 0; nth <= id % 4; nth++) join.run(id, ((id + nth * 11) % groups) + 1)
  }
}

function insertSnippets(database: DatabaseSync, { users, snippets }: Sizes): void {
  const insert = database.prepare(
    'insert into snippets (id, owner_id, created, title, code, linenos, language, style, highlighted) values (?, ?, ?, ?, ?, ?, ?, ?, ?)',
  )
  for (let id = 1; id <= snippets; id++) {
    const code = createCode(id)
    insert.run(id, (id % users) + 1, moment(id), `Snippet ${id}`, code, id % 2, 'python', 'friendly', code)
  }
}

// Every user watches the first snippet of each page up to the tenth; the first user watches half of the snippets.
function insertWatchers(database: DatabaseSync, { users, snippets }: Sizes): void {
  const insert = database.prepare('insert into watchers (snippet_id, user_id) values (?, ?)')
  for (let snippet = 1; snippet <= snippets; snippet += 2) insert.run(snippet, 1)
  for (let snippet = 1; snippet <= 100; snippet += 10)
    for (let user = 2; user <= users; user++) insert.run(snippet, user)
}

// A thousand pages of ten rows are more than the cache of a list holds.
function insertKeyed(database: DatabaseSync, { users }: Sizes): void {
  const note = 'A note with "quotes", of about a thousand characters. '.repeat(20)
  for (const [table, keyOf] of Object.entries(keysOf)) {
    const insert = database.prepare(`insert into ${table} (id, title, note, created) values (?, ?, ?, ?)`)
    for (let nth = 1; nth <= users; nth++) insert.run(keyOf(nth), `Row ${nth}`, note, moment(nth))
  }
}

// One name in twenty has a character beyond ASCII.
const createUsername = (id: number): string => `${id % 20 === 0 ? 'zoë' : 'user'}${id}`

const moment = (second: number): string => formatDateTime(new Date(Date.UTC(2024, 0, 1) + second * 1000))!

/** 11 to 41 lines with characters that JSON has to escape. */
export function createCode(id: number): string {
  const line = (nth: number) => `\tif value_${nth} == "${String(id).padStart(6, '0')}":\n\t\tprint('a\\tb', ${nth})\n`
  return `def run():\n${Array.from({ length: 5 + (id % 16) }, (_, nth) => line(nth)).join('')}`
}
