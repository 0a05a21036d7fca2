// The database as it is used by hand: one connection with the service's settings, and a prepared statement for each
// question. Rows are arrays, which node:sqlite makes faster than objects.

import { hash } from 'node:crypto'
import { DatabaseSync, type StatementSync } from 'node:sqlite'

export interface Account {
  readonly id: number
  readonly username: string
  readonly isActive: boolean
}

export type UserRow = readonly [id: number, username: string, email: string]

export type SnippetRow = readonly [
  id: number,
  owner: string,
  title: string,
  code: string,
  linenos: number,
  language: string,
  style: string,
]

export interface Store {
  /** Whose token has this key. */
  findAccount(key: string): Account | undefined
  countUsers(): number
  /** Ten users, the newest first. */
  listUsers(offset: number): readonly UserRow[]
  /** The keys of the groups of up to ten users, by user. */
  listGroups(users: readonly UserRow[]): ReadonlyMap<number, readonly number[]>
  findUser(id: number): { readonly user: UserRow; readonly groups: readonly number[] } | undefined
  countSnippets(): number
  /** Ten snippets, the oldest first. */
  listSnippets(offset: number): readonly SnippetRow[]
  findSnippet(id: number): SnippetRow | undefined
  close(): void
}

export const pageSize = 10

export function openStore(path: string): Store {
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: true, timeout: 0 })
  database.exec('pragma journal_mode = wal')
  database.exec('pragma synchronous = full')
  const prepare = (text: string): StatementSync => {
    const statement = database.prepare(text)
    statement.setReturnArrays(true)
    return statement
  }
  const account = prepare(
    'select users.id, username, is_active from tokens join users on users.id = user_id where digest = ?',
  )
  const count = prepare('select count(*) from users')
  const page = prepare(
    `select id, username, email from users order by date_joined desc, id desc limit ${pageSize} offset ?`,
  )
  const groups = prepare(
    `select user_id, group_id from user_groups where user_id in (${Array(pageSize).fill('?')}) order by user_id, group_id`,
  )
  const user = prepare(
    'select id, username, email, group_id from users left join user_groups on user_id = id where id = ? order by group_id',
  )
  const snippets = prepare('select count(*) from snippets')
  const snippetPage = prepare(
    `select snippets.id, username, title, code, linenos, language, style from snippets join users on users.id = owner_id order by created, snippets.id limit ${pageSize} offset ?`,
  )
  const snippet = prepare(
    'select snippets.id, username, title, code, linenos, language, style from snippets join users on users.id = owner_id where snippets.id = ?',
  )

  return {
    findAccount(key) {
      const row = account.get(hash('sha256', key)) as unknown as [number, string, number] | undefined
      return row && { id: row[0], username: row[1], isActive: row[2] === 1 }
    },
    countUsers: () => (count.get() as unknown as [number])[0],
    listUsers: offset => page.all(offset) as unknown as UserRow[],
    listGroups(users) {
      const byUser = new Map(users.map(([id]) => [id, [] as number[]]))
      const keys = Array.from({ length: pageSize }, (_, index) => users[index]?.[0] ?? null)
      for (const [user, group] of groups.all(...keys) as unknown as [number, number][]) byUser.get(user)!.push(group)
      return byUser
    },
    findUser(id) {
      const rows = user.all(id) as unknown as [...UserRow, group: number | null][]
      const [first] = rows
      if (first === undefined) return undefined
      const [key, username, email, group] = first
      return { user: [key, username, email], groups: group === null ? [] : rows.map(row => row[3]!) }
    },
    countSnippets: () => (snippets.get() as unknown as [number])[0],
    listSnippets: offset => snippetPage.all(offset) as unknown as SnippetRow[],
    findSnippet: id => snippet.get(id) as unknown as SnippetRow | undefined,
    close: () => database.close(),
  }
}
