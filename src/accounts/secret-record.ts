// Which secrets have encrypted what the database keeps, as fingerprints. A process with another secret is refused at
// start, instead of replacing the tokens that it cannot read. A secret changes in three steps: the new one is set with the
// earlier one as a fallback, `rotate` encrypts everything with the new one, and the fallback goes (decision 038).

import type { Connection, Database } from '../framework/database/database.ts'
import { createEncryption, deriveSecret, type Secrets } from './encryption.ts'
import { accountTables } from './tables.ts'
import { notKept } from './tokens/single-tokens.ts'

/** Something in the database was encrypted with a secret that is not among the given ones. */
export class UnknownSecret extends Error {
  override name = 'UnknownSecret'
}

export interface SecretRecord {
  /** Throws UnknownSecret where a recorded secret is not among the given ones; changes nothing. */
  check(): Promise<void>
  /**
   * As `check`, and records the current secret. If two processes record the first one at once, one is
   * refused. If nothing is recorded yet, throws UnknownSecret unless the secrets decrypt all tokens.
   */
  claim(): Promise<void>
  /**
   * Encrypts with the current secret what an earlier one encrypted, and forgets the earlier ones. An interrupted run
   * keeps what it has done. A token that no secret decrypts is UnknownSecret; with `lost`, it goes on working, and is
   * replaced when it would be shown.
   */
  rotate(options: { readonly lost: boolean }): Promise<Rotation>
}

/** How many tokens were encrypted anew, and how many can be shown no more. */
export interface Rotation {
  readonly encrypted: number
  readonly lost: number
}

export interface SecretRecordOptions {
  readonly database: Database
  readonly secrets: Secrets
}

export function createSecretRecord({ database, secrets }: SecretRecordOptions): SecretRecord {
  const [current, ...fallbacks] = secrets.map(findFingerprint) as [string, ...string[]]
  const checkKnown = (recorded: readonly string[]) => {
    if (recorded.some(fingerprint => fingerprint !== current && !fallbacks.includes(fingerprint)))
      throw new UnknownSecret('the database was written with a secret that is not among the given ones')
  }
  const claimIn = async (connection: Connection) => {
    const recorded = await lockRecord(connection)
    if (recorded.length === 0) await checkTokens(connection, secrets)
    checkKnown(recorded)
    if (!recorded.includes(current)) await writeRecord([...recorded, current], connection)
  }
  return {
    check: async () => checkKnown(await readRecord(database)),
    async claim() {
      const recorded = await readRecord(database)
      checkKnown(recorded)
      if (!recorded.includes(current)) await database.transaction(claimIn, { unbounded: true })
    },
    async rotate({ lost }) {
      if (!lost) checkKnown(await readRecord(database))
      const anew = encryptAnew(secrets, lost)
      const done = await inBatches(batch => database.transaction(connection => anew(connection, batch)))
      // Once more, for what processes with the earlier secret have written meanwhile.
      const rest = await database.transaction(
        async connection => {
          await lockRecord(connection)
          const late = await inBatches(batch => anew(connection, batch))
          await writeRecord([current], connection)
          return late
        },
        { unbounded: true },
      )
      return { encrypted: done.encrypted + rest.encrypted, lost: done.lost + rest.lost }
    },
  }
}

// A keyed hash: only somebody who has the secret can compare.
const findFingerprint = (secret: string): string => deriveSecret(secret, 'fingerprint').slice(0, 22)

async function readRecord(connection: Connection): Promise<readonly string[]> {
  const query = accountTables(connection).selectFrom('secret_fingerprints').select('fingerprints').where('id', '=', 1)
  const row = await query.executeTakeFirst()
  return row === undefined ? [] : JSON.parse(row.fingerprints)
}

// The row is locked until the transaction ends: a second process waits, and then sees what this one has recorded.
async function lockRecord(connection: Connection): Promise<readonly string[]> {
  const tables = accountTables(connection)
  const first = { id: 1, fingerprints: '[]' }
  await tables
    .insertInto('secret_fingerprints')
    .values(first)
    .onConflict(conflict => conflict.doNothing())
    .execute()
  const lock = tables.updateTable('secret_fingerprints').set({ id: 1 }).where('id', '=', 1).returning('fingerprints')
  return JSON.parse((await lock.executeTakeFirstOrThrow()).fingerprints)
}

async function writeRecord(fingerprints: readonly string[], connection: Connection): Promise<void> {
  const update = accountTables(connection).updateTable('secret_fingerprints')
  await update
    .set({ fingerprints: JSON.stringify(fingerprints) })
    .where('id', '=', 1)
    .execute()
}

const batchSize = 500

interface Batch extends Rotation {
  /** The last user of the batch; undefined where there was none. */
  readonly last: number | undefined
}

type BatchWork = (after: number) => Promise<Batch>

async function inBatches(work: BatchWork): Promise<Rotation> {
  let [encrypted, lost] = [0, 0]
  for (let after: number | undefined = Number.MIN_SAFE_INTEGER; after !== undefined; ) {
    const batch: Batch = await work(after)
    encrypted += batch.encrypted
    lost += batch.lost
    after = batch.last
  }
  return { encrypted, lost }
}

const readTokens = (connection: Connection, after: number) =>
  accountTables(connection)
    .selectFrom('tokens')
    .select(['user_id', 'sealed'])
    .where('user_id', '>', after)
    .where('sealed', '<>', notKept)
    .orderBy('user_id')
    .limit(batchSize)
    .execute()

async function checkTokens(connection: Connection, secrets: Secrets): Promise<void> {
  const encryption = createEncryption(secrets)
  await inBatches(async after => {
    const rows = await readTokens(connection, after)
    if (rows.some(({ user_id, sealed }) => encryption.decrypt(sealed, String(user_id)) === undefined))
      throw new UnknownSecret('a token was encrypted with a secret that is not among the given ones')
    return { encrypted: 0, lost: 0, last: rows.at(-1)?.user_id }
  })
}

function encryptAnew(secrets: Secrets, loses: boolean): (connection: Connection, after: number) => Promise<Batch> {
  const [current, all] = [createEncryption([secrets[0]]), createEncryption(secrets)]
  return async (connection, after) => {
    const rows = await readTokens(connection, after)
    let [encrypted, lost] = [0, 0]
    for (const { user_id, sealed } of rows) {
      const context = String(user_id)
      if (current.decrypt(sealed, context) !== undefined) continue
      const token = all.decrypt(sealed, context)
      if (token === undefined && !loses)
        throw new UnknownSecret(
          `the token of user ${user_id} was encrypted with a secret that is not among the given ones`,
        )
      const change = token === undefined ? notKept : current.encrypt(token, context)
      // A token that was replaced meanwhile stays as it is.
      const update = accountTables(connection).updateTable('tokens').set({ sealed: change }).returning('user_id')
      const { length } = await update.where('user_id', '=', user_id).where('sealed', '=', sealed).execute()
      if (token === undefined) lost += length
      else encrypted += length
    }
    return { encrypted, lost, last: rows.at(-1)?.user_id }
  }
}
