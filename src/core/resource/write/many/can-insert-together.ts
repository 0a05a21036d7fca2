// Decides whether one statement can insert several rows of a resource.

import type { BoundResource } from '../../bind/bound-resource.ts'
import type { ManyStatements } from '../../sql/many.ts'
import { canRecord } from './row-writer.ts'

/** Whether one statement can insert these rows. */
export const canInsertTogether = (
  bound: BoundResource,
  statements: ManyStatements,
  rows: readonly unknown[],
): boolean => rows.length > 1 && findIsTogether(bound, statements)

// Found with the first insert, because the tables are known only when Fastify is ready.
const areTogether = new WeakMap<ManyStatements, boolean>()

function findIsTogether(bound: BoundResource, statements: ManyStatements): boolean {
  const found = areTogether.get(statements) ?? canInsertMany(bound, statements.columns)
  areTogether.set(statements, found)
  return found
}

// A key that the database makes does not say to which row it belongs, unless the next one is always larger.
function canInsertMany(bound: BoundResource, columns: readonly string[]): boolean {
  const { key, table } = bound.resource
  const countsUp = key.type === 'integer' && bound.tables.get(table)?.column(key.column)?.countsUp === true
  const isOrdered = columns.includes(key.column) || (key.source === 'database' && countsUp)
  return isOrdered && columns.length > 0 && canRecord(bound, columns)
}
