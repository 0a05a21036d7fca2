// Runs compiled statements as named prepared statements, so that the server parses each once per connection. Behind a
// pooler in transaction mode, the server connection changes, so statements are sent without names (decision 024).

import type pg from 'pg'
import { type Arguments, bind, type Statement } from '../database.ts'
import type { RunnerOptions } from './pool-options.ts'
import { isUnknownStatement } from './postgres-errors.ts'
import type { PostgresPool } from './postgres-pool.ts'
import { createPreparedStatements } from './prepared-statements.ts'

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
  const prepared = createPreparedStatements(pool)
  let isNamed = pooler !== 'transaction'
  const run: Run = async <Row extends readonly unknown[]>(
    client: pg.PoolClient,
    chosen: Statement<Row>,
    values: Arguments,
  ) => {
    const statement = chosen.choose?.(values) ?? chosen
    observe?.(statement.sql)
    const query = { text: statement.sql, values: bind(statement, values), rowMode: 'array' as const }
    try {
      if (isNamed && prepared.needsRoom(client, statement)) await prepared.clear(client)
      const { rows } = await pool.query(client, isNamed ? { ...query, name: prepared.name(client, statement) } : query)
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
