// Runs compiled statements as named prepared statements, so that the server parses each once per connection. Behind a
// pooler in transaction mode, the server connection changes, so statements are sent without names (decision 024).

import { createHash } from 'node:crypto'
import type pg from 'pg'
import { type Arguments, bind, type Statement } from './database.ts'
import type { RunnerOptions } from './pool-options.ts'
import { isUnknownStatement } from './postgres-errors.ts'
import type { PostgresPool } from './postgres-pool.ts'

/** Runs a statement on a connection. */
export type Run = <Row extends readonly unknown[]>(
  client: pg.PoolClient,
  statement: Statement<Row>,
  values: Arguments,
) => Promise<readonly Row[]>

export interface Runner {
  readonly run: Run
  /** Runs a statement outside a transaction, and once more if the server does not know the prepared statement. */
  readonly runAlone: Run
}

export function createRunner(pool: PostgresPool, { pooler, observe }: RunnerOptions): Runner {
  const findName = createNameCache()
  let isNamed = pooler !== 'transaction'
  const run: Run = async <Row extends readonly unknown[]>(
    client: pg.PoolClient,
    statement: Statement<Row>,
    values: Arguments,
  ) => {
    observe?.(statement.sql)
    const query = { text: statement.sql, values: bind(statement, values), rowMode: 'array' as const }
    const name = isNamed ? findName(statement) : undefined
    try {
      const { rows } = await pool.query(client, name === undefined ? query : { ...query, name })
      return rows as unknown as Row[]
    } catch (error) {
      if (isNamed && isUnknownStatement((error as Error).cause)) {
        isNamed = false
        pool.report(new Error(namesLostMessage, { cause: error }))
      }
      throw error
    }
  }
  return {
    run,
    runAlone: (client, statement, values) =>
      run(client, statement, values).catch(error => {
        // The server rejected the statement before running it.
        if (isUnknownStatement(error.cause)) return run(client, statement, values)
        throw error
      }),
  }
}

const namesLostMessage =
  'the server of a connection changes between statements, as behind a pooler in transaction mode: statements have no names from now on; set DATABASE_POOLER=transaction'

/**
 * The most prepared statements of a connection. Callers choose the shapes of lists, and the server keeps each statement until
 * the connection ends.
 */
export const maxPrepared = 500

/**
 * Derives the name from the SQL text: equal texts share a prepared statement, and different texts never share a name.
 * Undefined once there are too many statements.
 */
function createNameCache(): (statement: Statement) => string | undefined {
  const cached = new WeakMap<Statement, string | undefined>()
  const names = new Set<string>()
  const createName = (statement: Statement) => {
    const name = createHash('sha256').update(statement.sql).digest('hex').slice(0, 40)
    if (!names.has(name) && names.size >= maxPrepared) return undefined
    names.add(name)
    return name
  }
  return statement => {
    if (!cached.has(statement)) cached.set(statement, createName(statement))
    return cached.get(statement)
  }
}
