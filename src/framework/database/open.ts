import type { Database, StatementObserver } from './database.ts'
import { openPostgres } from './postgres.ts'
import { openSqlite } from './sqlite.ts'

export interface OpenOptions {
  readonly observe?: StatementObserver
  readonly onError?: (error: Error) => void
}

/** The database of a URL: `sqlite:<path>` or `postgres://…`. Throws where the URL names neither. */
export function openDatabase(url: string, options: OpenOptions = {}): Database {
  if (url.startsWith('sqlite:')) return openSqlite({ ...options, path: url.slice('sqlite:'.length) })
  if (/^postgres(?:ql)?:\/\//.test(url)) return openPostgres({ ...options, url })
  throw new Error(`the database URL must begin with "sqlite:" or "postgres://"`)
}
