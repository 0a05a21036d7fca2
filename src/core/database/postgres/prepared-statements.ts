// The names of prepared statements. Callers choose the shapes of lists, and the server keeps each statement until the
// connection ends, so a full connection deallocates all of them and starts again with those that are still in use.

import { createHash } from 'node:crypto'
import type pg from 'pg'
import type { Statement } from '../database.ts'
import type { PostgresPool } from './postgres-pool.ts'

/** The most prepared statements of a connection. */
export const maxPrepared = 500

export interface PreparedStatements {
  /** Whether the connection must be cleared before it can prepare the statement. */
  needsRoom(client: pg.PoolClient, statement: Statement): boolean
  /** Deallocates all statements of the connection. */
  clear(client: pg.PoolClient): Promise<void>
  /**
   * The name of the statement on the connection. It derives from the SQL text: equal texts share a prepared statement, and
   * different texts never share a name.
   */
  name(client: pg.PoolClient, statement: Statement): string
}

export function createPreparedStatements(pool: PostgresPool): PreparedStatements {
  const hash = createHashCache()
  const connections = new WeakMap<pg.PoolClient, Prepared>()
  const find = (client: pg.PoolClient): Prepared => {
    const kept = connections.get(client)
    if (kept !== undefined) return kept
    const prepared = { hashes: new Set<string>(), generation: 0 }
    connections.set(client, prepared)
    return prepared
  }
  return {
    needsRoom(client, statement) {
      const { hashes } = find(client)
      return hashes.size >= maxPrepared && !hashes.has(hash(statement))
    },
    async clear(client) {
      const forgotten = find(client)
      // A new generation of names: the driver sends a statement once per name.
      connections.set(client, { hashes: new Set(), generation: forgotten.generation + 1 })
      await pool.query(client, { text: 'deallocate all' })
      forgetTexts(
        client,
        [...forgotten.hashes].map(each => formatName(each, forgotten)),
      )
    },
    name(client, statement) {
      const prepared = find(client)
      const found = hash(statement)
      prepared.hashes.add(found)
      return formatName(found, prepared)
    },
  }
}

/** The statements of a connection since it was last cleared. */
interface Prepared {
  readonly hashes: Set<string>
  /** How many times the connection has been cleared. */
  readonly generation: number
}

const formatName = (hash: string, { generation }: Prepared): string =>
  generation === 0 ? hash : `${hash}_${generation}`

function createHashCache(): (statement: Statement) => string {
  const cached = new WeakMap<Statement, string>()
  return statement => {
    const kept = cached.get(statement)
    if (kept !== undefined) return kept
    const hash = createHash('sha256').update(statement.sql).digest('hex').slice(0, 40)
    cached.set(statement, hash)
    return hash
  }
}

// The driver keeps the text of each name until the connection ends, and has no method that removes one.
function forgetTexts(client: pg.PoolClient, names: readonly string[]): void {
  const { parsedStatements } = (client as unknown as DriverClient).connection
  for (const name of names) delete parsedStatements[name]
}

interface DriverClient {
  readonly connection: { readonly parsedStatements: Record<string, string> }
}
