// The database access of hand-written code: one connection with the service's settings, and a prepared statement for each
// query. Rows are arrays, which node:sqlite creates faster than objects. The keys of a page are found in an index first, so
// that rows which the offset skips are never read.

import { hash } from 'node:crypto'
import { DatabaseSync, type StatementSync } from 'node:sqlite'

export interface Account {
  readonly id: number
  readonly username: string
  readonly isActive: boolean
}

/** `groups` are keys with commas between them; null for none. */
export type UserRow = readonly [id: number, username: string, email: string, groups: string | null]

export type SnippetRow = readonly [
  id: number,
  owner: string,
  title: string,
  code: string,
  linenos: number,
  language: string,
  style: string,
]

/** `watched` is 0 or 1. */
export type TitleRow = readonly [id: number, title: string, watched: number]

export interface NewSnippet {
  readonly title: string
  readonly code: string
  readonly linenos: boolean
  readonly language: string
  readonly style: string
}

export interface Store {
  /** The account with this token. */
  findAccount(key: string): Account | undefined
  countUsers(): number
  /** Ten users, the newest first. */
  listUsers(offset: number): readonly UserRow[]
  findUser(id: number): UserRow | undefined
  countSnippets(): number
  /** Ten snippets, the oldest first. */
  listSnippets(offset: number): readonly SnippetRow[]
  findSnippet(id: number): SnippetRow | undefined
  /** Ten snippets, the oldest first, and whether the user watches each. */
  listTitles(userId: number, offset: number): readonly TitleRow[]
  /** Inserts a snippet durably, and returns its id. */
  insertSnippet(owner: Account, snippet: NewSnippet, highlighted: string): number
  close(): void
}

export const pageSize = 10

const userColumns =
  'users.id, username, email, (select group_concat(group_id order by group_id) from user_groups where user_id = users.id)'
const snippetColumns = 'snippets.id, username, title, code, linenos, language, style'

const texts = {
  account: 'select users.id, username, is_active from tokens join users on users.id = user_id where digest = ?',
  countUsers: 'select count(*) from users',
  users: `select ${userColumns} from (select id from users order by date_joined desc, id desc limit ${pageSize} offset ?) as page join users on users.id = page.id`,
  user: `select ${userColumns} from users where id = ?`,
  countSnippets: 'select count(*) from snippets',
  snippets: `select ${snippetColumns} from (select id from snippets order by created, id limit ${pageSize} offset ?) as page join snippets on snippets.id = page.id join users on users.id = owner_id`,
  snippet: `select ${snippetColumns} from snippets join users on users.id = owner_id where snippets.id = ?`,
  titles: `select snippets.id, title, exists (select 1 from watchers where snippet_id = snippets.id and user_id = ?) from (select id from snippets order by created, id limit ${pageSize} offset ?) as page join snippets on snippets.id = page.id`,
  insert:
    'insert into snippets (owner_id, created, title, code, linenos, language, style, highlighted) values (?, ?, ?, ?, ?, ?, ?, ?)',
} as const

export function openStore(path: string): Store {
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: true, timeout: 0 })
  database.exec('pragma journal_mode = wal')
  database.exec('pragma synchronous = full')
  const statements = Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, prepare(database, text)]),
  ) as Readonly<Record<keyof typeof texts, StatementSync>>
  const count = (statement: StatementSync) => (statement.get() as unknown as [number])[0]

  return {
    findAccount(key) {
      const row = statements.account.get(hash('sha256', key)) as unknown as [number, string, number] | undefined
      return row && { id: row[0], username: row[1], isActive: row[2] === 1 }
    },
    countUsers: () => count(statements.countUsers),
    listUsers: offset => statements.users.all(offset) as unknown as UserRow[],
    findUser: id => statements.user.get(id) as unknown as UserRow | undefined,
    countSnippets: () => count(statements.countSnippets),
    listSnippets: offset => statements.snippets.all(offset) as unknown as SnippetRow[],
    findSnippet: id => statements.snippet.get(id) as unknown as SnippetRow | undefined,
    listTitles: (userId, offset) => statements.titles.all(userId, offset) as unknown as TitleRow[],
    insertSnippet(owner, { title, code, linenos, language, style }, highlighted) {
      const created = `${new Date().toISOString().slice(0, -1)}000Z`
      const values = [owner.id, created, title, code, Number(linenos), language, style, highlighted]
      return Number(statements.insert.run(...values).lastInsertRowid)
    },
    close: () => database.close(),
  }
}

function prepare(database: DatabaseSync, text: string): StatementSync {
  const statement = database.prepare(text)
  statement.setReturnArrays(true)
  return statement
}
