// The second factors of accounts: the secret of an authenticator app, encrypted, passkeys, and digests of recovery codes. Each code
// works once.

import { hash } from 'node:crypto'
import { sql } from 'kysely'
import {
  type Connection,
  compile,
  type Database,
  formatDateTime,
  parameter,
  parseRate,
  type RateStore,
  type Statement,
  Throttled,
} from '#core'
import { createEncryption, type Secrets } from '../encryption.ts'
import { accountsKysely } from '../tables.ts'
import { findTotpStep, randomBase32 } from './totp.ts'

export interface SecondFactor {
  /** When the authenticator app was set up; null without one. */
  readonly appSince: string | null
  /** How many passkeys there are. */
  readonly passkeys: number
  /** How many recovery codes are left. */
  readonly recoveryCodes: number
}

export interface SecondFactors {
  /** Undefined if the account has none. */
  find(userId: number): Promise<SecondFactor | undefined>
  /** Whether this is a code of the app or a recovery code that was not used before. Rejects with Throttled after too many wrong ones. */
  verify(userId: number, code: string): Promise<boolean>
  /** Stores the secret if `code` belongs to it, and resolves to the recovery codes; undefined if the code is wrong. */
  enable(userId: number, secret: string, code: string): Promise<readonly string[] | undefined>
  /** Replaces the recovery codes. */
  renewCodes(userId: number): Promise<readonly string[]>
  /** Makes recovery codes for an account that has no second factor yet; none otherwise. */
  createCodes(userId: number, connection: Connection): Promise<readonly string[]>
  /** Removes the app, or the passkey with this key; the last one with the recovery codes. Resolves to whether there was one. */
  removePart(userId: number, part: 'app' | number): Promise<boolean>
  /** Removes all. Resolves to whether the account had a second factor. */
  remove(userId: number, connection: Connection): Promise<boolean>
}

export interface SecondFactorsOptions {
  readonly database: Database
  readonly secrets: Secrets
  readonly rateStore: RateStore
  readonly clock: () => Date
}

/** The context in which the secret of an account is encrypted. */
export const factorContext = (userId: number | string): string => `second factor ${userId}`

const numberOfCodes = 10
/** Wrong codes of an account, from all addresses: with a stolen password, a code is guessed once in two years. */
const rate = parseRate('20/hour')

export function createSecondFactors({ database, secrets, rateStore, clock }: SecondFactorsOptions): SecondFactors {
  const encryption = createEncryption(secrets)
  const find = compileFind(database)
  const seconds = () => clock().getTime() / 1000
  const findRow = (userId: number, connection: Connection) => {
    const query = accountsKysely(connection).selectFrom('second_factors').where('user_id', '=', userId)
    return query.select(['sealed', 'last_step', 'created']).executeTakeFirst()
  }
  const verifyTotp = async (userId: number, code: string, connection: Connection) => {
    const row = await findRow(userId, connection)
    const secret = row && encryption.decrypt(row.sealed, factorContext(userId))
    const step = secret && findTotpStep(secret, code, { seconds: seconds(), lastStep: Number(row!.last_step) })
    if (step === undefined || step === '') return false
    // The condition decides between two requests with the same code.
    const update = accountsKysely(connection).updateTable('second_factors').set({ last_step: step })
    const own = update.where('user_id', '=', userId).where('last_step', '<', step)
    return (await own.returning('user_id').executeTakeFirst()) !== undefined
  }
  const spend = async (userId: number, code: string, connection: Connection) => {
    if (/^\d{6}$/.test(code)) return verifyTotp(userId, code, connection)
    const own = accountsKysely(connection).deleteFrom('recovery_codes').where('user_id', '=', userId)
    const used = own.where('digest', '=', digestCode(userId, code)).returning('user_id')
    return (await used.executeTakeFirst()) !== undefined
  }
  return {
    async find(userId) {
      const [appSince, passkeys, recoveryCodes] = (await database.latest(find, { id: userId }))!
      if (appSince === null && Number(passkeys) === 0) return undefined
      return { appSince, passkeys: Number(passkeys), recoveryCodes: Number(recoveryCodes) }
    },
    async verify(userId, text) {
      const reservation = await rateStore.take([{ ...rate, key: `second factor ${userId}` }])
      if (!reservation.allowed) throw new Throttled(reservation.wait / 1000)
      const isRight = await database.transaction(connection => spend(userId, normalizeCode(text), connection))
      if (isRight) await reservation.giveBack()
      return isRight
    },
    async enable(userId, secret, code) {
      const step = findTotpStep(secret, normalizeCode(code), { seconds: seconds(), lastStep: 0 })
      if (step === undefined) return undefined
      const values = {
        sealed: encryption.encrypt(secret, factorContext(userId)),
        last_step: step,
        created: formatDateTime(clock())!,
      }
      return database.transaction(async connection => {
        await lockUser(userId, connection)
        await accountsKysely(connection)
          .insertInto('second_factors')
          .values({ user_id: userId, ...values })
          .onConflict(conflict => conflict.column('user_id').doUpdateSet(values))
          .execute()
        return replaceCodes(userId, connection)
      })
    },
    renewCodes: userId => database.transaction(connection => replaceCodes(userId, connection)),
    createCodes: createFirstCodes,
    removePart: (userId, part) => database.transaction(connection => removePart(userId, part, connection)),
    async remove(userId, connection) {
      const ofUser = (table: PartTable) => accountsKysely(connection).deleteFrom(table).where('user_id', '=', userId)
      await ofUser('recovery_codes').execute()
      const removed = [await ofUser('second_factors').returning('user_id').execute()]
      removed.push(await ofUser('passkeys').returning('user_id').execute())
      return removed.flat().length > 0
    },
  }
}

type PartTable = 'second_factors' | 'passkeys' | 'recovery_codes'

type FactorRow = readonly [appSince: string | null, passkeys: number | string, recoveryCodes: number | string]

// One row, whether the user has a second factor or not.
function compileFind(database: Database): Statement<FactorRow> {
  const ofUser = sql`where user_id = ${parameter('id')}`
  const appSince = sql`(select ${database.dialect.dateTime(sql.ref('created'))} from second_factors ${ofUser})`
  return compile(
    database,
    sql`select ${appSince}, (select count(*) from passkeys ${ofUser}), (select count(*) from recovery_codes ${ofUser})`,
  )
}

async function hasParts(userId: number, connection: Connection): Promise<boolean> {
  const ofUser = (table: 'second_factors' | 'passkeys') =>
    accountsKysely(connection).selectFrom(table).select('user_id').where('user_id', '=', userId)
  return (await ofUser('second_factors').unionAll(ofUser('passkeys')).executeTakeFirst()) !== undefined
}

/** Waits for another request that adds or removes a part, so that an account has recovery codes if it has a part. */
const lockUser = (userId: number, connection: Connection) =>
  accountsKysely(connection).updateTable('users').set({ id: userId }).where('id', '=', userId).execute()

async function createFirstCodes(userId: number, connection: Connection): Promise<readonly string[]> {
  await lockUser(userId, connection)
  return (await hasParts(userId, connection)) ? [] : replaceCodes(userId, connection)
}

async function removePart(userId: number, part: 'app' | number, connection: Connection): Promise<boolean> {
  await lockUser(userId, connection)
  const tables = accountsKysely(connection)
  const removed =
    part === 'app'
      ? tables.deleteFrom('second_factors').where('user_id', '=', userId)
      : tables.deleteFrom('passkeys').where('user_id', '=', userId).where('id', '=', part)
  if ((await removed.returning('user_id').executeTakeFirst()) === undefined) return false
  if (!(await hasParts(userId, connection)))
    await tables.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
  return true
}

async function replaceCodes(userId: number, connection: Connection): Promise<readonly string[]> {
  const tables = accountsKysely(connection)
  // 80 bits each, so that nobody finds one by its digest.
  const codes = Array.from({ length: numberOfCodes }, () => randomBase32(16))
  await tables.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
  await tables
    .insertInto('recovery_codes')
    .values(codes.map(code => ({ user_id: userId, digest: digestCode(userId, code) })))
    .execute()
  return codes.map(code => code.replaceAll(/.{4}(?=.)/g, '$&-'))
}

const digestCode = (userId: number, code: string): string => hash('sha256', `${userId} ${code}`)

/** Apps and people write codes with spaces and hyphens. */
const normalizeCode = (text: string): string => text.replaceAll(/[\s-]/g, '').toUpperCase()
