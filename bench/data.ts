// What all sides read: 10,000 users in 40 groups, and 100,000 snippets, in one SQLite file; tests take less.

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { formatDateTime } from '../src/framework/fields/date-time.ts'
import { createOurs, cursorPages, openOurs } from './ours.ts'

export interface Sizes {
  readonly users: number
  readonly groups: number
  readonly snippets: number
  /** Cursors of pages one after the other, from the beginning and from behind nine tenths of the snippets. */
  readonly cursors: number
}

export const fullSizes: Sizes = { users: 10_000, groups: 40, snippets: 100_000, cursors: 1000 }

/** The file, and what a caller needs to be let in. */
export interface Data {
  readonly path: string
  readonly sizes: Sizes
  /** The key of the first user's token. */
  readonly token: string
  /** To pages of snippets one after the other: from the second on, and behind nine tenths of the snippets. */
  readonly earlyCursors: readonly string[]
  readonly deepCursors: readonly string[]
}

/** Makes the file in this folder. */
export async function createData(folder: string, sizes: Sizes = fullSizes): Promise<Data> {
  const path = join(folder, 'bench.db')
  const parts = openOurs(`sqlite:${path}`)
  try {
    await parts.migrate()
    fill(path, sizes)
    const token = await parts.database.transaction(connection => parts.tokens.getOrCreate(1, connection))
    return { path, sizes, token, ...(await findCursors(path, sizes)) }
  } finally {
    await parts.close()
  }
}

async function findCursors(path: string, sizes: Sizes): Promise<Pick<Data, 'earlyCursors' | 'deepCursors'>> {
  const { cursors, snippets } = sizes
  if (cursors === 0) return { earlyCursors: [], deepCursors: [] }
  const [start] = (await walk(path, snippets / 10, 9)).slice(-1)
  return { earlyCursors: await walk(path, 10, cursors), deepCursors: await walk(path, 10, cursors - 10, start) }
}

// The cursors of the next pages of this size.
async function walk(path: string, pageSize: number, pages: number, start?: string): Promise<readonly string[]> {
  const app = await createOurs(path, cursorPages(pageSize))
  const cursors = start === undefined ? [] : [start]
  for (let page = 0; page < pages; page++) {
    const last = cursors.at(-1)
    const answer = await app.inject(`/snippet/snippets/${last === undefined ? '' : `?cursor=${last}`}`)
    cursors.push(new URL(answer.json().next).searchParams.get('cursor')!)
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
    insert.run(id, usernameOf(id), `user${id}@example.org`, moment((id * 7919) % (users / 2)))
    for (let nth = 0; nth <= id % 4; nth++) join.run(id, ((id + nth * 11) % groups) + 1)
  }
}

function insertSnippets(database: DatabaseSync, { users, snippets }: Sizes): void {
  const insert = database.prepare(
    'insert into snippets (id, owner_id, created, title, code, linenos, language, style, highlighted) values (?, ?, ?, ?, ?, ?, ?, ?, ?)',
  )
  for (let id = 1; id <= snippets; id++) {
    const code = codeOf(id)
    insert.run(id, (id % users) + 1, moment(id), `Snippet ${id}`, code, id % 2, 'python', 'friendly', code)
  }
}

// One name in twenty needs more than ASCII.
const usernameOf = (id: number): string => `${id % 20 === 0 ? 'zoë' : 'user'}${id}`

const moment = (second: number): string => formatDateTime(new Date(Date.UTC(2024, 0, 1) + second * 1000))!

/** 11 to 41 lines with what JSON has to escape. */
export function codeOf(id: number): string {
  const line = (nth: number) => `\tif value_${nth} == "${String(id).padStart(6, '0')}":\n\t\tprint('a\\tb', ${nth})\n`
  return `def run():\n${Array.from({ length: 5 + (id % 16) }, (_, nth) => line(nth)).join('')}`
}
