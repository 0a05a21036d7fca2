// Runs compiled statements on connections of a pool, by name, so that the server plans each once per connection. Where
// a pooler changes the server under the connection, names cannot be kept (decision 024): then without.

import { createHash } from 'node:crypto'
import type pg from 'pg'
import { type Arguments, bind, type Statement, type StatementObserver } from './database.ts'
import { isUnknownStatement } from './postgres-errors.ts'
import type { PoolOptions, PostgresPool } from './postgres-pool.ts'

/** Runs a statement on a connection. */
export type Run = <Row extends readonly unknown[]>(
  client: pg.PoolClient,
  statement: Statement<Row>,
  values: Arguments,
) => Promise<readonly Row[]>

export interface Runner {
  readonly run: Run
  /** Outside a transaction, where a statement whose name the server did not know can be run again. */
  readonly runAlone: Run
}

export interface RunnerOptions extends Pick<PoolOptions, 'pooler'> {
  readonly observe?: StatementObserver
}

export function createRunner(pool: PostgresPool, { pooler, observe }: RunnerOptions): Runner {
  const nameOf = createNames()
  let isNamed = pooler !== 'transaction'
  const run: Run = async <Row extends readonly unknown[]>(
    client: pg.PoolClient,
    statement: Statement<Row>,
    values: Arguments,
  ) => {
    observe?.(statement.sql)
    const query = { text: statement.sql, values: bind(statement, values), rowMode: 'array' as const }
    try {
      const { rows } = await pool.ask(client, isNamed ? { ...query, name: nameOf(statement) } : query)
      return rows as unknown as Row[]
    } catch (error) {
      if (isNamed && isUnknownStatement((error as Error).cause)) {
        isNamed = false
        pool.report(new Error(namesAreLost, { cause: error }))
      }
      throw error
    }
  }
  return {
    run,
    runAlone: (client, statement, values) =>
      run(client, statement, values).catch(error => {
        // The server refused it before it ran.
        if (isUnknownStatement(error.cause)) return run(client, statement, values)
        throw error
      }),
  }
}

const namesAreLost =
  'the server of a connection changes between statements, as behind a pooler in transaction mode: statements have no names from now on; set DATABASE_POOLER=transaction'

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
