// The foreign keys of a database with one column, which are read once: tables do not change while the service runs.

import type { Database } from '../../database/database.ts'
import type { ForeignKey } from '../../database/dialect.ts'

const found = new WeakMap<Database['catalogue'], Promise<readonly ForeignKey[]>>()

/** Rejects if the database cannot be reached; the next call then reads them again. */
export function findForeignKeys({
  dialect,
  catalogue,
  kysely,
}: Pick<Database, 'dialect' | 'catalogue' | 'kysely'>): Promise<readonly ForeignKey[]> {
  const known = found.get(catalogue)
  if (known !== undefined) return known
  const reading = dialect.foreignKeys.execute(kysely).then(({ rows }) => rows)
  found.set(catalogue, reading)
  reading.catch(() => found.delete(catalogue))
  return reading
}
