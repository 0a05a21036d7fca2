// Inserts rows whose representations are made from their written values, so that only their keys are read.

import type { Connection } from '../../database/database.ts'
import type { KeyValue } from '../../keys/key.ts'
import type { BoundResource } from '../bound-resource.ts'
import type { WriteOptions } from '../children/children.ts'
import type { Columns } from '../hooks.ts'
import type { ManyStatements, NewKeysRow } from '../sql/many.ts'
import { runsFunctions, StaleObject } from '../write.ts'
import { canInsertTogether } from './can-insert-together.ts'
import { findKnownRows, type KnownObject, type KnownRows } from './known-rows.ts'
import type { ReadRow } from './read-row.ts'
import type { RowValues, RowWriter } from './row-writer.ts'

/** A new object. */
export interface InsertedObject {
  readonly key: KeyValue
  /** Its representation. */
  readonly data: KnownObject
}

/**
 * Inserts new rows in their order, in a transaction of their own, if nothing else is written with them. `columns`: those that the URL
 * sets. Resolves to undefined if the database must make their representations. Rejects with ConstraintViolation.
 */
export async function insertKnown(
  { bound, statements }: RowWriter,
  rows: readonly ReadRow[],
  columns: Columns,
  { isolated }: WriteOptions,
): Promise<readonly InsertedObject[] | undefined> {
  const { database, relationRows } = bound
  const { maxRows, selectKeys } = database.dialect.insertedRows
  // Otherwise, keys take as many statements as representations.
  const isUseful = selectKeys !== undefined || rows.length > maxRows(statements.columns)
  if (!isUseful || isolated || relationRows.length > 0 || runsFunctions(bound)) return undefined
  const known = canInsertTogether(bound, statements, rows) ? findKnownRows(bound, statements) : undefined
  if (known === undefined) return undefined
  const [values, objects]: [RowValues[], KnownObject[]] = [[], []]
  for (const { values: read, children, prepared } of rows) {
    if (children.length > 0) return undefined
    const row = statements.listValues(read, prepared === undefined ? columns : { ...prepared, ...columns })
    const object = known.createObject(row)
    if (object === undefined) return undefined
    values.push(row)
    objects.push(object)
  }
  const inserted =
    selectKeys === undefined
      ? await database.transaction(({ run }) => insertParts(bound, statements, { rows: values, known }, run), {
          isBrief: true,
        })
      : await insertTogether(bound, statements, values)
  if (inserted !== undefined) return addKeys(known, objects, inserted)
  known.isPlain = false
  return undefined
}

// The statement inserts no row if the table does not store rows as they are written.
async function insertTogether(
  { database }: BoundResource,
  { insertKeys }: ManyStatements,
  rows: readonly RowValues[],
): Promise<NewKeysRow | undefined> {
  const [inserted] = await database.write(insertKeys.together, database.dialect.insertedRows.bind(rows))
  return inserted?.[0] === rows.length ? inserted : undefined
}

async function insertParts(
  { database }: BoundResource,
  { insertKeys: { last: findLast, insert, after }, columns }: ManyStatements,
  { rows, known }: { readonly rows: readonly RowValues[]; readonly known: KnownRows },
  run: Connection['run'],
): Promise<NewKeysRow | undefined> {
  const { bind, maxRows } = database.dialect.insertedRows
  const [[last]] = (await run(findLast, {})) as [readonly [number | null]]
  if (last === null) return undefined
  const size = maxRows(columns)
  for (let start = 0; start < rows.length; start += size) {
    const part = rows.slice(start, start + size)
    await run(insert(part.length), bind(part))
  }
  const [inserted] = await run(after, { last })
  return inserted?.[0] === rows.length ? inserted : restart(known)
}

// Keys that are not the next ones do not tell which rows are new.
function restart(known: KnownRows): never {
  known.isPlain = false
  throw new StaleObject()
}

function addKeys(
  { keyName }: KnownRows,
  objects: readonly KnownObject[],
  inserted: NewKeysRow,
): readonly InsertedObject[] {
  const [, first, all] = inserted
  const keys = all ? (JSON.parse(all) as readonly number[]) : undefined
  return objects.map((data, index) => {
    const key = keys?.[index] ?? first! + index
    if (keyName !== undefined) data[keyName] = key
    return { key, data }
  })
}
