// Loads the content of a data file in one transaction: all or nothing. Slow work, such as hashing passwords, is done
// before the transaction begins.

import type { Database } from '#core'
import type { CheckedRows, Fixture, PreparedRows } from './fixture.ts'
import { readMembers } from './read-rows.ts'

/** How many rows of each list were loaded. */
export type Loaded = Readonly<Record<string, number>>

/** The lists that a data file may have, in the order in which they are inserted. */
export type Fixtures = Readonly<Record<string, Fixture>>

export interface DataTarget {
  readonly database: Database
  readonly fixtures: Fixtures
}

/**
 * Loads groups, users and the lists of the profiles. Rejects with DataError, whose message begins with the path of the
 * invalid value; then nothing is loaded. Rows may refer to rows of earlier lists and of the database.
 *
 * A `password` is plain text and is hashed. A string that is a hash of this service (`$argon2id$…`) or of Django
 * (`pbkdf2_sha256$…`) is stored unchanged, so that existing users can be imported. A user without a password cannot log
 * in by password. A `token` is the token itself, in plain text.
 *
 * @example
 * await loadData(services, {
 *   groups: [{ id: 1, name: 'readers' }],
 *   users: [{ username: 'ada', password: 'correct horse', groups: [1] }],
 * })
 */
export async function loadData({ database, fixtures }: DataTarget, data: unknown): Promise<Loaded> {
  const lists = readMembers('', data, Object.keys(fixtures))
  const checked: CheckedRows[] = []
  for (const [list, fixture] of Object.entries(fixtures))
    checked.push(await fixture.read(list, Object.hasOwn(lists, list) ? lists[list] : []))
  const prepared: PreparedRows[] = []
  for (const rows of checked) prepared.push(await rows.prepare())
  await database.transaction(async connection => {
    const loading = { database, connection, foundKeys: new Map() }
    for (const rows of prepared) await rows.insert(loading)
  })
  return Object.fromEntries(Object.keys(fixtures).map((list, index) => [list, checked[index]!.rows.length]))
}
