// Loads the content of a data file in one transaction: all or nothing. Passwords are hashed and code is highlighted
// before the transaction begins, because both are slow.

import { hashPassword, isPasswordHash } from 'resource-api/accounts'
import { createTaskQueue, unlimitedWait } from 'resource-api/extend'
import type { Services } from '../services.ts'
import { parseData } from './data-file.ts'
import { insertGroup, insertRows, insertSnippet, insertUser, type Loading } from './insert-data.ts'

/** How many rows were loaded. */
export interface Loaded {
  readonly groups: number
  readonly users: number
  readonly snippets: number
}

/**
 * Loads groups, users and snippets. Throws DataError, whose message begins with the path of the invalid value; then
 * nothing is loaded. Groups and owners may be in the file or already in the database.
 *
 * A `password` is plain text and is hashed. A string that is a hash of this service (`$argon2id$…`) or of Django
 * (`pbkdf2_sha256$…`) is stored unchanged, so that existing users can be imported. A user without a password cannot log
 * in by password. A `token` is the token itself, in plain text.
 *
 * @example
 * await loadData(services, {
 *   groups: [{ id: 1, name: 'readers' }],
 *   users: [{ username: 'ada', password: 'correct horse', groups: [1] }],
 *   snippets: [{ owner: 'ada', code: 'print(1)' }],
 * })
 */
export async function loadData(services: Services, data: unknown): Promise<Loaded> {
  const { groups, users, snippets } = parseData(data, services.settings)
  const hashedUsers = await mapTwoAtOnce(users, async user => ({
    ...user,
    passwordHash: user.password && (await hashUnlessHashed(user.password)),
  }))
  const highlightedSnippets = await mapTwoAtOnce(snippets, async snippet => ({
    ...snippet,
    highlighted: await services.highlighter.highlight(snippet),
  }))
  await services.database.transaction(async connection => {
    const loading: Loading = { services, connection, userIds: new Map() }
    await insertRows(loading, 'groups', groups, insertGroup)
    await insertRows(loading, 'users', hashedUsers, insertUser)
    await insertRows(loading, 'snippets', highlightedSnippets, insertSnippet)
  })
  return { groups: groups.length, users: users.length, snippets: snippets.length }
}

const hashUnlessHashed = async (password: string): Promise<string> =>
  isPasswordHash(password) ? password : hashPassword(password)

// The queues of the password hasher and of the highlighter reject tasks when they are full, so at most two items run at
// once.
function mapTwoAtOnce<Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>): Promise<Result[]> {
  const queue = createTaskQueue({ maxRunning: 2, ...unlimitedWait })
  return Promise.all(items.map(item => queue.run(() => work(item))))
}
