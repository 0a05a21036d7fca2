// Inserts rows whose representations are made from their written values, so that only their keys are read.

import { timeSlices } from '../../../base/time-slices.ts'
import type { Connection } from '../../../database/database.ts'
import type { BoundResource } from '../../bind/bound-resource.ts'
import type { Columns } from '../../declare/hooks.ts'
import type { ManyStatements } from '../../sql/many.ts'
import type { WriteOptions } from '../../validate/children.ts'
import { maxBriefRows, runsFunctions, StaleObject } from '../write.ts'
import { canInsertTogether } from './can-insert-together.ts'
import { findKnownRows, type KnownObject, type KnownRows } from './known-rows.ts'
import type { ReadRow } from './read-row.ts'
import type { RowValues, RowWriter } from './row-writer.ts'

/** A new object. */
export interface InsertedObject {
  readonly key: number
  /** The value in its path. */
  readonly name: number
  /** Its representation. */
  readonly data: KnownObject
}

/** Rows that can be inserted without reading their representations. */
export interface KnownInsert {
  readonly known: KnownRows
  readonly values: readonly RowValues[]
}

/**
 * Prepares an insert of rows with which nothing else is written. `columns`: those that the URL sets. Returns undefined if the database
 * must make the representations.
 */
export function prepareKnown(
  { bound, statements }: RowWriter,
  rows: readonly ReadRow[],
  columns: Columns,
  { isolated }: WriteOptions,
): KnownInsert | undefined {
  const { database, relationRows } = bound
  const { maxRows, selectKeys } = database.dialect.insertedRows
  // Otherwise, keys take as many statements as representations.
  const isUseful = selectKeys !== undefined || rows.length > maxRows(statements.columns)
  if (!isUseful || isolated || relationRows.length > 0 || runsFunctions(bound)) return undefined
  const known = canInsertTogether(bound, statements, rows) ? findKnownRows(bound, statements) : undefined
  if (known === undefined) return undefined
  const values: RowValues[] = []
  for (const { values: read, children, prepared } of rows) {
    const row = statements.listValues(read, prepared === undefined ? columns : { ...prepared, ...columns })
    if (children.length > 0 || !known.areKept(row)) return undefined
    values.push(row)
  }
  return { known, values }
}

/**
 * Inserts rows in their order, in a transaction of their own. Rejects with ConstraintViolation, or with StaleObject if the database
 * must make the representations after all.
 */
export async function insertKnown(
  { bound, statements }: RowWriter,
  insert: KnownInsert,
): Promise<readonly InsertedObject[]> {
  const { database } = bound
  const { known, values } = insert
  const keys =
    database.dialect.insertedRows.selectKeys === undefined
      ? await database.transaction(({ run }) => insertParts(bound, statements, insert, run), {
          isBrief: values.length <= maxBriefRows,
        })
      : await insertTogether(bound, statements, insert)
  return values.map((row, index) => {
    const key = keys[index]!
    return { key, name: key, data: known.createObject(row, key) }
  })
}

// The statement inserts no row if the table does not store rows as they are written.
async function insertTogether(
  { database }: BoundResource,
  { insertKeys }: ManyStatements,
  { known, values }: KnownInsert,
): Promise<readonly number[]> {
  const [row] = await database.write(insertKeys.together, database.dialect.insertedRows.bind(values))
  const keys = JSON.parse(`[${row![0]}]`) as number[]
  return keys.length === values.length ? keys.sort((one, other) => one - other) : restart(known)
}

async function insertParts(
  { database }: BoundResource,
  { insertKeys: { last: findLast, insert, after }, columns }: ManyStatements,
  { known, values }: KnownInsert,
  run: Connection['run'],
): Promise<readonly number[]> {
  const { bind, maxRows } = database.dialect.insertedRows
  const [[last]] = (await run(findLast, {})) as [readonly [number | null]]
  if (last === null) return restart(known)
  await timeSlices.inGroups(values, maxRows(columns), async part => void (await run(insert(part.length), bind(part))))
  const [[count, first]] = (await run(after, { last })) as [readonly [number, number]]
  // Keys that are not the next ones do not tell which rows are new.
  return count === values.length ? values.map((_, index) => first + index) : restart(known)
}

function restart(known: KnownRows): never {
  known.isPlain = false
  throw new StaleObject()
}
