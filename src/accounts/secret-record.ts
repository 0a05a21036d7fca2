// Records fingerprints of the secrets that encrypted the stored tokens. A process with a different secret fails at
// start, so it cannot replace tokens that it cannot decrypt. To change the secret: configure the new one with the old
// one as a fallback, run `rotate`, which re-encrypts all tokens, and remove the fallback (decision 038).

import type { Connection, Database } from '#core'
import { createEncryption, deriveSecret, type Secrets } from './encryption.ts'
import { factorContext } from './second-factor/second-factors.ts'
import { accountsKysely } from './tables.ts'
import { lostToken } from './tokens/single-tokens.ts'

/** The database contains tokens that were encrypted with a secret which is not configured. */
export class UnknownSecret extends Error {
  override name = 'UnknownSecret'
}

export interface SecretRecord {
  /** Rejects with UnknownSecret if a recorded secret is not configured. Writes nothing. */
  check(): Promise<void>
  /**
   * Checks the record like `check`, then records the current secret. If no secret is recorded yet, rejects with
   * UnknownSecret unless the configured secrets decrypt all tokens. If two processes record different first secrets
   * concurrently, one of them is rejected.
   */
  claim(): Promise<void>
  /**
   * Re-encrypts, with the current secret, all tokens that earlier secrets encrypted, and removes the earlier secrets
   * from the record. An interrupted run keeps its progress. If no configured secret decrypts a token, rejects with
   * UnknownSecret; with `lost`, such a token stays valid, and is replaced the next time it would be shown.
   */
  rotate(options: { readonly lost: boolean }): Promise<Rotation>
}

/** How many tokens were re-encrypted, and how many can no longer be shown. */
export interface Rotation {
  readonly encrypted: number
  readonly lost: number
}

export interface SecretRecordOptions {
  readonly database: Database
  readonly secrets: Secrets
}

/**
 * Creates the record of a database with the tables of `accountTables`.
 *
 * @example
 * await migrate(database, [accountTables])
 * await createSecretRecord({ database, secrets: [secret] }).claim()
 */
export function createSecretRecord({ database, secrets }: SecretRecordOptions): SecretRecord {
  const [current, ...fallbacks] = secrets.map(createFingerprint) as [string, ...string[]]
  const checkRecorded = (recorded: readonly string[]) => {
    if (recorded.some(fingerprint => fingerprint !== current && !fallbacks.includes(fingerprint)))
      throw new UnknownSecret('the database was written with a secret that is not configured')
  }
  const claimInTransaction = async (connection: Connection) => {
    const recorded = await lockRecord(connection)
    if (recorded.length === 0) await checkTokens(connection, secrets)
    checkRecorded(recorded)
    if (!recorded.includes(current)) await writeRecord([...recorded, current], connection)
  }
  return {
    check: async () => checkRecorded(await readRecord(database)),
    async claim() {
      const recorded = await readRecord(database)
      checkRecorded(recorded)
      if (!recorded.includes(current)) await database.transaction(claimInTransaction, { unbounded: true })
    },
    async rotate({ lost }) {
      if (!lost) checkRecorded(await readRecord(database))
      const reencryptions = sources.map(source => createReencryption(source, secrets, lost))
      const run = (connect: (work: (connection: Connection) => Promise<Batch>) => Promise<Batch>) =>
        sum(reencryptions.map(reencrypt => () => runInBatches(after => connect(one => reencrypt(one, after)))))
      const firstPass = await run(work => database.transaction(work))
      // Processes with an earlier secret may have written tokens meanwhile: repeats the pass while holding the lock.
      const secondPass = await database.transaction(
        async connection => {
          await lockRecord(connection)
          const rotation = await run(work => work(connection))
          await writeRecord([current], connection)
          return rotation
        },
        { unbounded: true },
      )
      return { encrypted: firstPass.encrypted + secondPass.encrypted, lost: firstPass.lost + secondPass.lost }
    },
  }
}

// Derived from the secret with HKDF, so it does not reveal the secret.
const createFingerprint = (secret: string): string => deriveSecret(secret, 'fingerprint').slice(0, 22)

async function readRecord(connection: Connection): Promise<readonly string[]> {
  const query = accountsKysely(connection).selectFrom('secret_fingerprints').select('fingerprints').where('id', '=', 1)
  const row = await query.executeTakeFirst()
  return row === undefined ? [] : JSON.parse(row.fingerprints)
}

// Locks the row until the transaction ends. A concurrent process waits, and then reads the new record.
async function lockRecord(connection: Connection): Promise<readonly string[]> {
  const tables = accountsKysely(connection)
  const emptyRecord = { id: 1, fingerprints: '[]' }
  await tables
    .insertInto('secret_fingerprints')
    .values(emptyRecord)
    .onConflict(conflict => conflict.doNothing())
    .execute()
  const lock = tables.updateTable('secret_fingerprints').set({ id: 1 }).where('id', '=', 1).returning('fingerprints')
  return JSON.parse((await lock.executeTakeFirstOrThrow()).fingerprints)
}

async function writeRecord(fingerprints: readonly string[], connection: Connection): Promise<void> {
  const update = accountsKysely(connection).updateTable('secret_fingerprints')
  await update
    .set({ fingerprints: JSON.stringify(fingerprints) })
    .where('id', '=', 1)
    .execute()
}

const batchSize = 500

interface Batch extends Rotation {
  /** The last user id of the batch; undefined for an empty batch. */
  readonly last: number | undefined
}

type BatchWork = (after: number) => Promise<Batch>

async function runInBatches(work: BatchWork): Promise<Rotation> {
  let [encrypted, lost] = [0, 0]
  for (let after: number | undefined = Number.MIN_SAFE_INTEGER; after !== undefined; ) {
    const batch: Batch = await work(after)
    encrypted += batch.encrypted
    lost += batch.lost
    after = batch.last
  }
  return { encrypted, lost }
}

async function sum(works: readonly (() => Promise<Rotation>)[]): Promise<Rotation> {
  let [encrypted, lost] = [0, 0]
  for (const work of works) {
    const rotation = await work()
    encrypted += rotation.encrypted
    lost += rotation.lost
  }
  return { encrypted, lost }
}

/** A table with the columns `user_id` and `sealed`, and the context in which its texts are encrypted. */
interface Source {
  readonly table: 'tokens' | 'second_factors'
  readonly context: (userId: number) => string
}

const tokens: Source = { table: 'tokens', context: String }
const sources: readonly Source[] = [tokens, { table: 'second_factors', context: factorContext }]

// Both tables have the columns that are used here.
const readTokens = (connection: Connection, after: number, { table }: Source = tokens) =>
  accountsKysely(connection)
    .selectFrom(table as 'tokens')
    .select(['user_id', 'sealed'])
    .where('user_id', '>', after)
    .where('sealed', '<>', lostToken)
    .orderBy('user_id')
    .limit(batchSize)
    .execute()

async function checkTokens(connection: Connection, secrets: Secrets): Promise<void> {
  const encryption = createEncryption(secrets)
  await runInBatches(async after => {
    const rows = await readTokens(connection, after)
    if (rows.some(({ user_id, sealed }) => encryption.decrypt(sealed, String(user_id)) === undefined))
      throw new UnknownSecret('a token was encrypted with a secret that is not configured')
    return { encrypted: 0, lost: 0, last: rows.at(-1)?.user_id }
  })
}

function createReencryption(
  source: Source,
  secrets: Secrets,
  allowLost: boolean,
): (connection: Connection, after: number) => Promise<Batch> {
  const [currentEncryption, encryption] = [createEncryption([secrets[0]]), createEncryption(secrets)]
  return async (connection, after) => {
    const rows = await readTokens(connection, after, source)
    let [encrypted, lost] = [0, 0]
    for (const { user_id, sealed } of rows) {
      const context = source.context(user_id)
      if (currentEncryption.decrypt(sealed, context) !== undefined) continue
      const token = encryption.decrypt(sealed, context)
      if (token === undefined && !allowLost)
        throw new UnknownSecret(`the token of user ${user_id} was encrypted with a secret that is not configured`)
      const newSealed = token === undefined ? lostToken : currentEncryption.encrypt(token, context)
      // The condition on `sealed` skips a token that was replaced meanwhile.
      const update = accountsKysely(connection)
        .updateTable(source.table as 'tokens')
        .set({ sealed: newSealed })
        .returning('user_id')
      const { length } = await update.where('user_id', '=', user_id).where('sealed', '=', sealed).execute()
      if (token === undefined) lost += length
      else encrypted += length
    }
    return { encrypted, lost, last: rows.at(-1)?.user_id }
  }
}
