// Writes rows that two tables store: those of a table that extends another one. The row of the table that is extended comes first, because it
// may make the key, and is removed last, because the other one refers to it.

import type { Arguments, Connection, Statement } from '../../../database/database.ts'
import type { KeyValue } from '../../../keys/key.ts'
import type { Columns } from '../../declare/hooks.ts'
import type { InsertedRow, RowPart } from '../../sql/many.ts'
import { toAssignments } from '../write.ts'
import type { RowValues, RowWriter } from './row-writer.ts'

/** Inserts the parts of rows, each with `insert`; resolves to the keys. `columns`: those of the values. */
export async function insertParts(
  [first, ...others]: readonly RowPart[],
  columns: readonly string[],
  rows: readonly RowValues[],
  insert: (part: RowPart, rows: readonly RowValues[]) => Promise<readonly InsertedRow[]>,
): Promise<readonly InsertedRow[]> {
  const take = ({ statements }: RowPart, keys: readonly InsertedRow[]): readonly RowValues[] => {
    const places = statements.columns.map(column => columns.indexOf(column))
    return rows.map((row, index) => places.map(place => (place < 0 ? keys[index]![0] : row[place]!)))
  }
  const keys = await insert(first!, take(first!, []))
  for (const part of others) await insert(part, take(part, keys))
  return keys
}

/** Changes the parts of a row. */
export async function updateParts(
  { related }: Pick<RowWriter, 'related'>,
  connection: Connection,
  parts: readonly RowPart[],
  { id, changes }: { readonly id: KeyValue; readonly changes: Columns },
): Promise<void> {
  for (const { statements } of parts) {
    const { changed, update } = statements
    if (!changed.some(column => Object.hasOwn(changes, column))) continue
    await connection.run(update, { ...toAssignments(changed, changes), id, ...related })
  }
}

/** Changes the parts of rows in the same columns, each with `update`. The values of a row end with its key. */
export async function updateManyParts(
  parts: readonly RowPart[],
  columns: readonly string[],
  rows: readonly RowValues[],
  update: (part: RowPart, columns: readonly string[], rows: readonly RowValues[]) => Promise<unknown>,
): Promise<void> {
  for (const part of parts) {
    const own = columns.filter(column => part.statements.changed.includes(column))
    const places = [...own.map(column => columns.indexOf(column)), columns.length]
    const values = rows.map(row => places.map(place => row[place]!))
    if (own.length > 0) await update(part, own, values)
  }
}

/** Removes the parts of rows. A deletion that leaves the rows changes the table with the time of the deletion. */
export async function removeParts(connection: Connection, parts: readonly RowPart[], values: Arguments): Promise<void> {
  const left = parts.find(({ resource }) => resource.deletedColumn !== undefined)
  const removals: readonly Statement[] = (left === undefined ? parts.toReversed() : [left]).map(
    ({ statements }) => statements.remove,
  )
  for (const remove of removals) await connection.run(remove, values)
}
