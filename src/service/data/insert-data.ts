// Inserts the rows of a data file in one transaction. The database rejects ids and names that are taken, and groups and
// owners that do not exist.

import { type Connection, ConstraintViolation, formatDateTime } from 'resource-api'
import { accountTables } from 'resource-api/accounts'
import type { Services } from '../services.ts'
import { type Data, DataError } from './data-file.ts'

/** The state of loading one file: its transaction, and the users found so far. */
export interface Loading {
  readonly services: Services
  readonly connection: Connection
  /** The ids of users by username. */
  readonly userIds: Map<string, number>
}

type GroupRow = Data['groups'][number]
type UserRow = Data['users'][number] & { readonly passwordHash: string | undefined }
type SnippetRow = Data['snippets'][number] & { readonly highlighted: string }

/** Inserts one row; `path` is its path in the file, such as `users[3]`. Throws DataError if the database rejects it. */
export type Insert<Row> = (loading: Loading, row: Row, path: string) => Promise<void>

/** Inserts one list of the file; `list` is also the name of its table. */
export async function insertRows<Row extends { readonly id?: number | undefined }>(
  loading: Loading,
  list: string,
  rows: readonly Row[],
  insert: Insert<Row>,
): Promise<void> {
  // Rows with an id are inserted first, so that the database does not generate one of these ids for another row.
  const entries = [...rows.entries()]
  const withId = entries.filter(([, { id }]) => id !== undefined)
  const withoutId = entries.filter(([, { id }]) => id === undefined)
  for (const [index, row] of withId) await insert(loading, row, `${list}[${index}]`)
  if (withId.length > 0) await advanceKeys(loading, list)
  for (const [index, row] of withoutId) await insert(loading, row, `${list}[${index}]`)
}

export const insertGroup: Insert<GroupRow> = async ({ connection }, { id, name }, path) => {
  const row = { name, ...(id !== undefined && { id }) }
  await withDataError(
    accountTables(connection).insertInto('groups').values(row).execute(),
    `${path}: a group with this id or name already exists`,
  )
}

export const insertUser: Insert<UserRow> = async (loading, user, path) => {
  const { services, connection, userIds } = loading
  const { id, username, email, passwordHash, date_joined: dateJoined, remote_identity: remoteIdentity, token } = user
  const flags = { isActive: user.is_active, isStaff: user.is_staff, isSuperuser: user.is_superuser }
  const optionalColumns = {
    ...(id !== undefined && { id }),
    ...(dateJoined !== undefined && { dateJoined }),
    ...(remoteIdentity !== undefined && { remoteIdentity }),
  }
  const userId = await withDataError(
    services.accounts.users.create({ username, email, passwordHash, ...flags, ...optionalColumns }, connection),
    `${path}: a user with this id, username or remote identity already exists`,
  )
  userIds.set(username, userId)
  await joinGroups(loading, userId, user.groups, path)
  if (token === undefined) return
  // `afterUserCreated` may have created a token; the token in the file replaces it.
  const saving = services.accounts.tokens.regenerate(userId, connection, token)
  await withDataError(saving, `${path}.token: another user has this token`)
}

export const insertSnippet: Insert<SnippetRow> = async (loading, snippet, path) => {
  const { id, owner, created = formatDateTime(new Date())!, ...columns } = snippet
  const owner_id = await findOwner(loading, owner, path)
  const row = { ...columns, ...(id !== undefined && { id }), created, owner_id }
  await withDataError(
    loading.connection.kysely.insertInto('snippets').values(row).execute(),
    `${path}: a snippet with this id already exists`,
  )
}

async function advanceKeys({ services, connection }: Loading, table: string): Promise<void> {
  await services.database.dialect.advanceKeys(table, 'id')?.execute(connection.kysely)
}

async function joinGroups(
  { connection }: Loading,
  userId: number,
  groupIds: readonly number[],
  path: string,
): Promise<void> {
  for (const [index, groupId] of groupIds.entries()) {
    const row = { user_id: userId, group_id: groupId }
    const insertion = accountTables(connection).insertInto('user_groups').values(row)
    await withDataError(
      insertion.onConflict(conflict => conflict.doNothing()).execute(),
      `${path}.groups[${index}]: there is no group ${groupId}`,
    )
  }
}

async function findOwner({ connection, userIds }: Loading, owner: string, path: string): Promise<number> {
  const loadedId = userIds.get(owner)
  if (loadedId !== undefined) return loadedId
  const query = accountTables(connection).selectFrom('users').select('id').where('username', '=', owner)
  const row = await query.executeTakeFirst()
  if (row === undefined) throw new DataError(`${path}.owner: there is no user "${owner}"`)
  userIds.set(owner, row.id)
  return row.id
}

async function withDataError<Result>(work: Promise<Result>, message: string): Promise<Result> {
  try {
    return await work
  } catch (error) {
    throw error instanceof ConstraintViolation ? new DataError(message) : error
  }
}
