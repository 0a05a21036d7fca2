// Loads the content of a data file: all of it or nothing. What takes time is made before the one transaction.

import { hashPassword, isPasswordHash } from '../../accounts/passwords.ts'
import { createTaskQueue, unbounded } from '../../framework/task-queue.ts'
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
 * Loads groups, users and snippets; throws DataError with the place of what is wrong, and then nothing is loaded.
 * Groups and owners may be in the file or in the database already.
 *
 * A `password` is plain text and is stored hashed, except where the whole string is a hash that can be verified here,
 * ours (`$argon2id$…`) or Django's (`pbkdf2_sha256$…`): that one is stored as it is, so that existing users can be
 * brought along. Without a password a user cannot log in with one. A `token` is the key itself.
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
  const hashedUsers = await mapFew(users, async user => ({
    ...user,
    passwordHash: user.password && (await hashUnlessHashed(user.password)),
  }))
  const highlightedSnippets = await mapFew(snippets, async snippet => ({
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

// The queues of hashes and of pages refuse what exceeds their bounds, so only two are asked for at once.
function mapFew<Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>): Promise<Result[]> {
  const queue = createTaskQueue({ running: 2, ...unbounded })
  return Promise.all(items.map(item => queue.run(() => work(item))))
}
