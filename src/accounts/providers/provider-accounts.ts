// The accounts of people who log in with a provider. They are found by issuer and subject only: names and email addresses can change at a
// provider, and another person may get them (decision 142).

import { sql } from 'kysely'
import { type Connection, ConstraintViolation, type Database, formatDateTime, readValue, ValidationError } from '#core'
import { emailField } from '../fields.ts'
import { accountsKysely } from '../tables.ts'
import { checkUsername } from '../username-key.ts'
import { parseUsername, type Users } from '../users.ts'
import type { ProviderAccount, ProviderClaims } from './provider-settings.ts'

/** Why a person gets no account. */
export type Refusal = 'taken' | 'username' | 'linked'

export interface ProviderAccounts {
  /** Finds or creates the account of a person, sets its groups and rights, and returns its key. */
  findOrCreate(claims: ProviderClaims, account: ProviderAccount): Promise<number | Refusal>
  /** Links the person to an existing account; `linked` if the person has another account. */
  link(claims: ProviderClaims, userId: number): Promise<number | Refusal>
}

export interface ProviderAccountsOptions {
  readonly database: Database
  readonly users: Users
  readonly clock: () => Date
}

export function createProviderAccounts({ database, users, clock }: ProviderAccountsOptions): ProviderAccounts {
  const insert = async ({ iss: issuer, sub: subject }: ProviderClaims, userId: number, connection: Connection) => {
    const row = { user_id: userId, issuer, subject, created: formatDateTime(clock())! }
    await accountsKysely(connection).insertInto('provider_accounts').values(row).execute()
    return userId
  }
  const create = async (claims: ProviderClaims, account: ProviderAccount, connection: Connection) => {
    const username = await parseUsername(account.username)
    if (username === undefined) return 'username'
    const email = await readEmail(account.email)
    if (await isTaken(username, email, { database, connection })) return 'taken'
    return insert(claims, await users.create({ username, email }, connection), connection)
  }
  const findOrCreate: ProviderAccounts['findOrCreate'] = async (claims, account) => {
    try {
      return await database.transaction(async connection => {
        const id = (await findUser(claims, connection)) ?? (await create(claims, account, connection))
        if (typeof id === 'number') await applyRights(id, account, connection)
        return id
      })
    } catch (error) {
      if (!(error instanceof ConstraintViolation)) throw error
      // Another request has created the account, or one with its name, at the same time.
      return database.transaction(async connection => (await findUser(claims, connection)) ?? 'taken')
    }
  }
  return {
    findOrCreate,
    async link(claims, userId) {
      const find = (connection: Connection) => findUser(claims, connection)
      try {
        const found = await database.transaction(
          async connection => (await find(connection)) ?? insert(claims, userId, connection),
        )
        return found === userId ? userId : 'linked'
      } catch (error) {
        if (error instanceof ConstraintViolation) return 'linked'
        throw error
      }
    },
  }
}

async function findUser({ iss, sub }: ProviderClaims, connection: Connection): Promise<number | undefined> {
  const query = accountsKysely(connection).selectFrom('provider_accounts').select('user_id')
  const row = await query.where('issuer', '=', iss).where('subject', '=', sub).executeTakeFirst()
  return row && Number(row.user_id)
}

// An account with the same email address may belong to somebody else: its owner has to link it.
async function isTaken(
  username: string,
  email: string,
  { database, connection }: { readonly database: Database; readonly connection: Connection },
): Promise<boolean> {
  try {
    await checkUsername(username, { connection })
  } catch (error) {
    if (error instanceof ValidationError) return true
    throw error
  }
  if (email === '') return false
  const { lowerText } = database.dialect
  const isSame = sql<boolean>`${lowerText(sql.ref('email'))} = ${lowerText(sql`${email}`)}`
  const row = await accountsKysely(connection).selectFrom('users').select('id').where(isSame).executeTakeFirst()
  return row !== undefined
}

// An address that is no address is left out: the provider, not the person, would have to correct it.
async function readEmail(email: unknown): Promise<string> {
  try {
    return email === undefined ? '' : await readValue(emailField, email, { baseUrl: '', route: () => undefined })
  } catch (error) {
    if (error instanceof ValidationError) return ''
    throw error
  }
}

async function applyRights(id: number, { groups, isStaff }: ProviderAccount, connection: Connection): Promise<void> {
  const tables = accountsKysely(connection)
  if (isStaff !== undefined) await tables.updateTable('users').set({ is_staff: isStaff }).where('id', '=', id).execute()
  if (groups === undefined) return
  const named = groups.filter(name => typeof name === 'string')
  const rows =
    named.length === 0 ? [] : await tables.selectFrom('groups').select('id').where('name', 'in', named).execute()
  const before = await tables.selectFrom('user_groups').select('group_id').where('user_id', '=', id).execute()
  const [wanted, current] = [new Set(rows.map(row => Number(row.id))), new Set(before.map(row => Number(row.group_id)))]
  const added = [...wanted].filter(group => !current.has(group))
  const removed = [...current].filter(group => !wanted.has(group))
  if (removed.length > 0)
    await tables.deleteFrom('user_groups').where('user_id', '=', id).where('group_id', 'in', removed).execute()
  if (added.length > 0)
    await tables
      .insertInto('user_groups')
      .values(added.map(group_id => ({ user_id: id, group_id })))
      .execute()
}
