// PostgreSQL through a pool: named prepared statements, and a bound on everything that can wait.

import { createHash } from 'node:crypto'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { ServiceUnavailable, ValidationError } from '../errors/exceptions.ts'
import {
  type Arguments,
  bind,
  type Connection,
  ConstraintViolation,
  type Database,
  type Statement,
  type StatementObserver,
} from './database.ts'
import { postgresFunctions } from './json.ts'

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string
  /** The most connections of this process; default 10. */
  readonly poolSize?: number
  /** How long a request waits for a connection, in milliseconds; default 5000. */
  readonly connectionTimeout?: number
  /** How long a statement may run, in milliseconds; default 30000. */
  readonly statementTimeout?: number
  readonly observe?: StatementObserver
  /** Told of connections that were lost while idle. */
  readonly onError?: (error: Error) => void
}

const constraintCodes = new Set(['23505', '23503'])
// Beyond the range or the length of a column that is narrower than its field.
const dataCodes = new Set(['22003', '22001', '22008'])
// Connection exceptions, too many connections, shutdown, timeouts, deadlock, serialization: the same request may succeed soon.
const transientCodes = /^(?:08...|53...|57...|55P03|40P01|40001|E[A-Z]+)$/

/** Opens a pool; the first statement connects. */
export function openPostgres(options: PostgresOptions): Database {
  const { observe } = options
  const pool = createPool(options)
  const kysely = new Kysely({ dialect: new PostgresDialect({ pool }), log: observer(observe) })
  const names = createNames()
  const run = <Row extends readonly unknown[]>(
    target: pg.Pool | pg.PoolClient,
    statement: Statement<Row>,
    values: Arguments,
  ) => query<Row>(target, names(statement), statement, values, observe)

  return {
    functions: postgresFunctions,
    kysely,
    run: (statement, values) => run(pool, statement, values),
    latest: async (statement, values) => (await run(pool, statement, values))[0],
    first: async (statement, values) => (await run(pool, statement, values))[0],
    write: (statement, values) => run(pool, statement, values),
    transaction: work =>
      transact(pool, client =>
        work({
          run: (statement, values) => run(client, statement, values),
          first: async (statement, values) => (await run(client, statement, values))[0],
          get kysely() {
            return kyselyOn(client, observe)
          },
        }),
      ),
    close: () => pool.end(),
  }
}

function createPool(options: PostgresOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize ?? 10,
    connectionTimeoutMillis: options.connectionTimeout ?? 5000,
    statement_timeout: options.statementTimeout ?? 30_000,
    lock_timeout: options.statementTimeout ?? 30_000,
    idle_in_transaction_session_timeout: 2 * (options.statementTimeout ?? 30_000),
    application_name: 'resource-api',
    types: { getTypeParser: typeParser } as pg.CustomTypesConfig,
  })
  // Without a listener, a connection lost while idle would end the process.
  pool.on('error', error => options.onError?.(error))
  return pool
}

async function query<Row extends readonly unknown[]>(
  target: pg.Pool | pg.PoolClient,
  name: string,
  statement: Statement<Row>,
  values: Arguments,
  observe: StatementObserver | undefined,
): Promise<readonly Row[]> {
  observe?.(statement.sql)
  try {
    const config: pg.QueryArrayConfig = {
      name,
      text: statement.sql,
      values: bind(statement, values),
      rowMode: 'array',
    }
    const result = await target.query<Row & unknown[]>(config)
    return result.rows
  } catch (error) {
    throw translate(error)
  }
}

async function transact<Result>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
  const client = await pool.connect().catch(error => {
    throw translate(error)
  })
  try {
    await client.query('begin')
    const result = await work(client)
    // COMMIT of a transaction that failed unnoticed answers ROLLBACK: then nothing was written.
    const { command } = await client.query('commit')
    if (command !== 'COMMIT') throw new Error('the transaction was rolled back')
    client.release()
    return result
  } catch (error) {
    await client.query('rollback').then(
      () => client.release(),
      failure => client.release(failure),
    )
    throw translate(error)
  }
}

// Kysely on a client that is already in a transaction, through the shape that it asks of a pool.
function kyselyOn(client: pg.PoolClient, observe: StatementObserver | undefined): Connection['kysely'] {
  const reserved = {
    query: (text: string, values: readonly unknown[]) =>
      client.query(text, [...values]).catch(error => {
        throw translate(error)
      }),
    release: () => undefined,
  }
  const pool = { connect: async () => reserved, end: async () => undefined }
  return new Kysely({ dialect: new PostgresDialect({ pool: pool as never }), log: observer(observe) })
}

const observer = (observe: StatementObserver | undefined) => (event: { level: string; query: { sql: string } }) =>
  observe?.(event.query.sql)

/** A statement's name is made of its text, so that equal texts share a plan, and different ones never a name. */
function createNames(): (statement: Statement) => string {
  const names = new WeakMap<Statement, string>()
  return statement => {
    const known = names.get(statement)
    if (known !== undefined) return known
    const name = createHash('sha256').update(statement.sql).digest('hex').slice(0, 40)
    names.set(statement, name)
    return name
  }
}

// Keys are bigint; none exceeds 2^53 - 1, so that a number holds them.
function typeParser(oid: number, format?: 'text' | 'binary') {
  return oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text')
}

function translate(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const code = (error as { code?: string }).code ?? ''
  if (constraintCodes.has(code)) return new ConstraintViolation(error.message, { cause: error })
  if (dataCodes.has(code)) return Object.assign(new ValidationError('A value is out of range.'), { cause: error })
  if (transientCodes.test(code) || isLost(error.message))
    return Object.assign(new ServiceUnavailable(), { cause: error })
  return error
}

// The pool and the client report these without a code.
const isLost = (message: string): boolean =>
  /^timeout exceeded when trying to connect|^Connection terminated/.test(message)
