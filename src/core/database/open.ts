import type { AnyTables, Database, StatementObserver } from './database.ts'
import type { PoolOptions } from './postgres/pool-options.ts'
import { openPostgres } from './postgres/postgres.ts'
import { openReplicated } from './postgres/replicas.ts'
import { openSqlite } from './sqlite/sqlite.ts'

export interface OpenOptions {
  /** For PostgreSQL: pool sizes and timeouts. */
  readonly postgres?: Omit<PoolOptions, 'url' | 'onError'>
  /** For PostgreSQL: replicas for reads. */
  readonly replicaUrls?: readonly string[]
  readonly observe?: StatementObserver
  readonly onError?: (error: Error) => void
}

/** The file path in a database URL; undefined for PostgreSQL and for a database in memory. */
export const findSqliteFile = (url: string): string | undefined =>
  url.startsWith('sqlite:') && url !== 'sqlite::memory:' ? url.slice('sqlite:'.length) : undefined

/** Opens the database of a URL: `sqlite:<path>`, `sqlite::memory:` or `postgres://…`. Throws for any other URL. */
export function openDatabase<Tables = AnyTables>(url: string, options: OpenOptions = {}): Database<Tables> {
  const { postgres, replicaUrls = [], ...observers } = options
  if (url.startsWith('sqlite:')) return openSqlite({ ...observers, path: url.slice('sqlite:'.length) })
  if (!/^postgres(?:ql)?:\/\//.test(url)) throw new Error(`the database URL must begin with "sqlite:" or "postgres://"`)
  const poolOptions = { ...postgres, ...observers, url }
  return replicaUrls.length === 0 ? openPostgres(poolOptions) : openReplicated({ ...poolOptions, replicaUrls })
}
