// Writes the rows of a data file on one connection. What only the database knows is found out here: keys and names
// that are taken, groups and owners that do not exist.

import { accountTables } from '../../accounts/tables.ts'
import { type Connection, ConstraintViolation } from '../../framework/database/database.ts'
import { formatDateTime } from '../../framework/fields/date-time.ts'
import type { Services } from '../services.ts'
import { type Data, DataError } from './data-file.ts'

/** One load: its transaction, and what it knows so far. */
export interface Loading {
  readonly services: Services
  readonly connection: Connection
  /** The keys of users by name. */
  readonly userIds: Map<string, number>
}

type GroupRow = Data['groups'][number]
type UserRow = Data['users'][number] & { readonly passwordHash: string | undefined }
type SnippetRow = Data['snippets'][number] & { readonly highlighted: string }

/** Writes one row that stands at `place` in the file; throws DataError. */
export type Insert<Row> = (loading: Loading, row: Row, place: string) => Promise<void>

/** Writes a list of the file, which has the name of its table. */
export async function insertRows<Row extends { readonly id?: number | undefined }>(
  loading: Loading,
  list: string,
  rows: readonly Row[],
  insert: Insert<Row>,
): Promise<void> {
  // Given ids come first, so that the database gives none of them to another row.
  const entries = [...rows.entries()]
  const [given, open] = [entries.filter(([, { id }]) => id !== undefined), entries.filter(([, { id }]) => !id)]
  for (const [index, row] of given) await insert(loading, row, `${list}[${index}]`)
  if (given.length > 0) await advanceKeys(loading, list)
  for (const [index, row] of open) await insert(loading, row, `${list}[${index}]`)
}

export const insertGroup: Insert<GroupRow> = async ({ connection }, { id, name }, place) => {
  const row = { name, ...(id !== undefined && { id }) }
  await orFail(
    accountTables(connection).insertInto('groups').values(row).execute(),
    `${place}: a group with that id or name already exists`,
  )
}

export const insertUser: Insert<UserRow> = async (loading, user, place) => {
  const { services, connection, userIds } = loading
  const { id, username, email, passwordHash, date_joined: dateJoined, remote_identity: remoteIdentity, token } = user
  const flags = { isActive: user.is_active, isStaff: user.is_staff, isSuperuser: user.is_superuser }
  const given = {
    ...(id !== undefined && { id }),
    ...(dateJoined !== undefined && { dateJoined }),
    ...(remoteIdentity !== undefined && { remoteIdentity }),
  }
  const userId = await orFail(
    services.users.create({ username, email, passwordHash, ...flags, ...given }, connection),
    `${place}: a user with that id, username or remote identity already exists`,
  )
  userIds.set(username, userId)
  await joinGroups(loading, userId, user.groups, place)
  if (token === undefined) return
  // The hook may have made a token; it gives way to that of the file.
  const saved = services.tokens.regenerate(userId, connection, token)
  await orFail(saved, `${place}.token: another user has this token`)
}

export const insertSnippet: Insert<SnippetRow> = async (loading, snippet, place) => {
  const { id, owner, created = formatDateTime(new Date())!, ...columns } = snippet
  const owner_id = await findOwner(loading, owner, place)
  const row = { ...columns, ...(id !== undefined && { id }), created, owner_id }
  await orFail(
    loading.connection.kysely.insertInto('snippets').values(row).execute(),
    `${place}: a snippet with that id already exists`,
  )
}

async function advanceKeys({ services, connection }: Loading, table: string): Promise<void> {
  await services.database.dialect.advanceKeys(table, 'id')?.execute(connection.kysely)
}

async function joinGroups(
  { connection }: Loading,
  userId: number,
  groupIds: readonly number[],
  place: string,
): Promise<void> {
  for (const [index, groupId] of groupIds.entries()) {
    const row = { user_id: userId, group_id: groupId }
    const insertion = accountTables(connection).insertInto('user_groups').values(row)
    await orFail(
      insertion.onConflict(conflict => conflict.doNothing()).execute(),
      `${place}.groups[${index}]: there is no group ${groupId}`,
    )
  }
}

async function findOwner({ connection, userIds }: Loading, owner: string, place: string): Promise<number> {
  const known = userIds.get(owner)
  if (known !== undefined) return known
  const query = accountTables(connection).selectFrom('users').select('id').where('username', '=', owner)
  const row = await query.executeTakeFirst()
  if (row === undefined) throw new DataError(`${place}.owner: there is no user "${owner}"`)
  userIds.set(owner, row.id)
  return row.id
}

async function orFail<Result>(work: Promise<Result>, problem: string): Promise<Result> {
  try {
    return await work
  } catch (error) {
    throw error instanceof ConstraintViolation ? new DataError(problem) : error
  }
}
