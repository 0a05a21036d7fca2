// The passkeys of accounts. Each challenge works once, and a passkey whose counter does not grow is refused as a copy.

import { type Connection, ConstraintViolation, type Database, formatDateTime, isObject } from '#core'
import { accountsKysely } from '../tables.ts'
import { createUsedOnce } from '../used-once.ts'
import {
  type Challenge,
  type Credential,
  createWebauthn,
  type PasskeyAnswer,
  PasskeyRefused,
  type PasskeyRequest,
  readAnswer,
  type WebauthnOptions,
} from './webauthn.ts'

export interface Passkey {
  readonly id: number
  readonly name: string
  readonly created: string
  /** Null before the first login. */
  readonly lastUsed: string | null
}

export interface Passkeys {
  list(userId: number): Promise<readonly Passkey[]>
  /** Counts the passkeys that the transaction sees. */
  count(userId: number, connection: Connection): Promise<number>
  requestCreation(user: { readonly id: number; readonly username: string }): Promise<PasskeyRequest>
  /** Stores a passkey; `prepare` runs before, in the same transaction. Rejects with PasskeyRefused. */
  create<Result>(
    userId: number,
    name: string,
    answer: PasskeyAnswer,
    prepare: (connection: Connection) => Promise<Result>,
  ): Promise<Result>
  /** Asks for a passkey of this user, or without one for any that the device has. */
  requestUse(userId?: number): Promise<PasskeyRequest>
  /** Resolves to the key of the user. Without `userId`, the device must have verified the person. Rejects with PasskeyRefused. */
  verify(answer: PasskeyAnswer, userId?: number): Promise<number>
  /** Resolves to whether the user has this passkey. */
  rename(userId: number, id: number, name: string): Promise<boolean>
}

export interface PasskeysOptions extends WebauthnOptions {
  readonly database: Database
}

export function createPasskeys(options: PasskeysOptions): Passkeys {
  const { database, clock } = options
  const webauthn = createWebauthn(options)
  const usedOnce = createUsedOnce(database, clock)
  const now = () => formatDateTime(clock())!
  const spend = async ({ text, expires }: Challenge, connection: Connection) => {
    if (!(await usedOnce.use(`passkey ${text}`, expires, connection)))
      throw new PasskeyRefused('the challenge was used before')
  }
  const list = (userId: number) => database.transaction(connection => readPasskeys('user_id', userId, connection))
  const listCredentials = async (userId: number) => (await list(userId)).map(({ credential }) => credential)
  return {
    list,
    count: async (userId, connection) => (await readPasskeys('user_id', userId, connection)).length,
    requestCreation: async user => webauthn.requestCreation(user, await listCredentials(user.id)),
    async create(userId, name, answer, prepare) {
      const { challenge, credential } = await webauthn.verifyCreation(answer, userId)
      const row = { ...toRow(credential), user_id: userId, name, created: now() }
      const store = async (connection: Connection) => {
        await spend(challenge, connection)
        const result = await prepare(connection)
        await accountsKysely(connection).insertInto('passkeys').values(row).execute()
        return result
      }
      return database.transaction(store).catch(error => {
        throw error instanceof ConstraintViolation ? new PasskeyRefused('the passkey is stored already') : error
      })
    },
    requestUse: async userId => webauthn.requestUse(userId, userId === undefined ? [] : await listCredentials(userId)),
    async verify(answer, userId) {
      const { id, response } = readAnswer(answer)
      const [row] = await database.transaction(connection => readPasskeys('credential', id, connection))
      if (row === undefined || (userId !== undefined && row.userId !== userId))
        throw new PasskeyRefused('the passkey is not one of the account')
      if (userId === undefined && readUserHandle(response) !== String(row.userId))
        throw new PasskeyRefused('the passkey is one of another account')
      const { challenge, counter } = await webauthn.verifyUse(answer, userId, row.credential)
      return database.transaction(async connection => {
        await spend(challenge, connection)
        const update = accountsKysely(connection).updateTable('passkeys').set({ counter, last_used: now() })
        // Another request may have used or removed it meanwhile.
        const own = update.where('id', '=', row.id).where('counter', '=', row.credential.counter)
        if ((await own.returning('id').executeTakeFirst()) !== undefined) return row.userId
        throw new PasskeyRefused('the passkey was used or removed meanwhile')
      })
    },
    rename: (userId, id, name) =>
      database.transaction(async connection => {
        const update = accountsKysely(connection).updateTable('passkeys').set({ name }).where('id', '=', id)
        return (await update.where('user_id', '=', userId).returning('id').executeTakeFirst()) !== undefined
      }),
  }
}

interface StoredPasskey extends Passkey {
  readonly userId: number
  readonly credential: Credential
}

async function readPasskeys(
  column: 'user_id' | 'credential',
  value: number | string,
  connection: Connection,
): Promise<readonly StoredPasskey[]> {
  const query = accountsKysely(connection).selectFrom('passkeys').selectAll().where(column, '=', value)
  const rows = await query.orderBy('id').execute()
  return rows.map(row => ({
    id: Number(row.id),
    name: row.name,
    created: row.created,
    lastUsed: row.last_used,
    userId: Number(row.user_id),
    credential: {
      id: row.credential,
      publicKey: Uint8Array.from(Buffer.from(row.public_key, 'base64url')),
      counter: Number(row.counter),
      transports: JSON.parse(row.transports),
    },
  }))
}

const toRow = ({ id, publicKey, counter, transports }: Credential) => ({
  credential: id,
  public_key: Buffer.from(publicKey).toString('base64url'),
  counter,
  transports: JSON.stringify(listTransports(transports)),
})

// The browser sends them, and gets them back as hints.
const listTransports = (transports: unknown): readonly string[] =>
  Array.isArray(transports)
    ? transports.filter(name => typeof name === 'string' && /^[a-z-]{1,20}$/.test(name)).slice(0, 10)
    : []

const readUserHandle = (response: unknown): string => {
  const { userHandle } = isObject(response) ? response : {}
  return Buffer.from(typeof userHandle === 'string' ? userHandle : '', 'base64url').toString()
}
