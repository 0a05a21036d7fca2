// Implements `Database` for PostgreSQL with a pool: prepared statements, transactions, and Kysely on the same connections.

import { Kysely } from 'kysely'
import type pg from 'pg'
import type { MaybePromise } from '../../base/maybe-promise.ts'
import { createAnnouncements } from '../announcements.ts'
import type { AnyTables, Connection, Database, StatementObserver } from '../database.ts'
import { createTaskQueue, unlimitedWait } from '../task-queue.ts'
import { type CheckOpen, runInside } from '../transaction.ts'
import type { PoolOptions } from './pool-options.ts'
import { createPostgresTransport } from './postgres-announcements.ts'
import { postgresCatalogue } from './postgres-catalogue.ts'
import { postgresDialect } from './postgres-dialect.ts'
import { createOutcomeUnknown } from './postgres-errors.ts'
import { InnerPostgresDialect, TypingPostgresDialect } from './postgres-kysely-dialect.ts'
import { createPool, type PostgresPool } from './postgres-pool.ts'
import { runSchemaSession } from './postgres-schema-session.ts'
import { createRunner } from './postgres-statements.ts'

export interface PostgresOptions extends PoolOptions {
  readonly observe?: StatementObserver
}

/** Creates a pool; the first statement opens a connection. */
export function openPostgres<Tables = AnyTables>(options: PostgresOptions): Database<Tables> {
  const pool = createPool(options)
  const runner = createRunner(pool, options)
  const run: Connection['run'] = (statement, values) => pool.use(client => runner.runAlone(client, statement, values))
  const catalogue = postgresCatalogue(pool)
  const first: Connection['first'] = async (statement, values) => (await run(statement, values))[0]
  const runIn = <Result>(
    client: pg.PoolClient,
    work: (connection: Connection) => MaybePromise<Result>,
    unbounded: boolean,
  ): Promise<Result> =>
    runTransaction(pool, client, unbounded, commit =>
      runInside(
        { catalogue, createConnection: checkOpen => createConnection(client, unbounded, checkOpen), commit },
        work,
      ),
    )
  const transaction: Database['transaction'] = (work, { unbounded = false } = {}) =>
    pool.use(client => runIn(client, work, unbounded))
  const database: Database = {
    dialect: postgresDialect,
    catalogue,
    kysely: createKysely(() => acquireClient(pool), options.observe),
    run,
    first,
    latest: first,
    write: (statement, values) =>
      pool.use(client =>
        runner.runAlone(client, statement, values).catch(error => {
          throw pool.isLost(client) ? createOutcomeUnknown(error) : error
        }),
      ),
    transaction,
    changeSchema: (work, schemaOptions) =>
      pool.use(client =>
        runSchemaSession({
          pool,
          client,
          pooler: options.pooler,
          options: schemaOptions,
          transaction: inside => runIn(client, inside, true),
          work,
        }),
      ),
    pool: pool.state,
    announcements: createAnnouncements(() => database, createPostgresTransport(pool, options)),
    close: pool.close,
  }
  return database

  function createConnection(client: pg.PoolClient, unbounded: boolean, checkOpen: CheckOpen): Connection {
    // Code in a transaction may start several queries, and a client takes one at a time.
    const turns = createTaskQueue(unlimitedWait)
    const runOpen: Connection['run'] = async (statement, values) => {
      checkOpen()
      return turns.run(() => runner.run(client, statement, values))
    }
    return {
      run: runOpen,
      first: async (statement, values) => (await runOpen(statement, values))[0],
      get kysely() {
        const connect = async (): Promise<KyselyClient> => {
          checkOpen()
          const { query, release } = toKyselyClient(pool, client, () => undefined, unbounded)
          return { query: (text, values) => turns.run(() => query(text, values)), release }
        }
        return createKysely(connect, options.observe, InnerPostgresDialect)
      },
    }
  }
}

async function runTransaction<Result>(
  pool: PostgresPool,
  client: pg.PoolClient,
  unbounded: boolean,
  work: (commit: () => Promise<void>) => Promise<Result>,
): Promise<Result> {
  try {
    await pool.begin(client, unbounded)
    return await work(() => commit(pool, client))
  } catch (error) {
    await pool.rollback(client)
    throw error
  }
}

async function commit(pool: PostgresPool, client: pg.PoolClient): Promise<void> {
  const { command } = await pool.query(client, { text: 'commit' }).catch(error => {
    throw pool.isLost(client) ? createOutcomeUnknown(error) : error
  })
  // If an earlier statement failed and its error was ignored, PostgreSQL responds to COMMIT with ROLLBACK.
  if (command !== 'COMMIT') throw new Error('the transaction was rolled back')
}

/** A connection in the shape that Kysely's PostgreSQL driver requires. */
interface KyselyClient {
  query(text: string, values: readonly unknown[]): Promise<pg.QueryResult>
  release(): void
}

const toKyselyClient = (
  pool: PostgresPool,
  client: pg.PoolClient,
  release: () => void,
  unbounded = false,
): KyselyClient => ({
  query: (text, values) => pool.query(client, { text, values: [...values] }, unbounded ? 0 : undefined),
  release,
})

function acquireClient(pool: PostgresPool): Promise<KyselyClient> {
  const acquired = Promise.withResolvers<KyselyClient>()
  const released = Promise.withResolvers<void>()
  const use = (client: pg.PoolClient) => {
    acquired.resolve(toKyselyClient(pool, client, released.resolve))
    return released.promise
  }
  pool.use(use).catch(acquired.reject)
  return acquired.promise
}

function createKysely(
  connect: () => Promise<KyselyClient>,
  observe: StatementObserver | undefined,
  KyselyDialect = TypingPostgresDialect,
): Connection['kysely'] {
  const pool = { connect, end: async () => undefined }
  const log = ({ query }: { query: { sql: string } }) => observe?.(query.sql)
  return new Kysely({ dialect: new KyselyDialect({ pool: pool as never }), log })
}
