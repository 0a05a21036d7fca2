// Inserts rows whose representations are made from their written values, so that only their keys are read.

import type { Connection } from '../../database/database.ts'
import type { BoundResource } from '../bound-resource.ts'
import type { InsertedRow, ManyStatements, NewKeysRow } from '../sql/many.ts'
import { StaleObject } from '../write.ts'
import { findKnownFormat } from './known-rows.ts'
import type { RowValues } from './row-writer.ts'

/**
 * Inserts several rows, and returns their keys and representations; resolves to undefined if the database must make these, or if
 * that takes no more statements.
 */
export async function insertKnown(
  bound: BoundResource,
  statements: ManyStatements,
  rows: readonly RowValues[],
  run: Connection['run'],
): Promise<readonly InsertedRow[] | undefined> {
  const { insertedRows } = bound.database.dialect
  const isOneStatement = rows.length <= insertedRows.maxRows(statements.columns)
  if (isOneStatement && insertedRows.selectKeys === undefined) return undefined
  const format = findKnownFormat(bound, statements)
  const texts = format && formatAll(rows, format.formatRest)
  if (texts === undefined) return undefined
  const insert = isOneStatement ? insertTogether : insertParts
  const inserted = await insert(bound, statements, rows, run)
  if (inserted?.[0] === rows.length) return joinKeys(format!.start, texts, inserted)
  format!.isPlain = false
  // The keys of the new rows are unknown: the transaction starts anew.
  if (inserted !== undefined && inserted[0] > 0) throw new StaleObject()
  return undefined
}

function formatAll(
  rows: readonly RowValues[],
  format: (row: RowValues) => string | undefined,
): readonly string[] | undefined {
  const texts: string[] = []
  for (const row of rows) {
    const text = format(row)
    if (text === undefined) return undefined
    texts.push(text)
  }
  return texts
}

// Inserts no row if the table does not store rows as they are written.
async function insertTogether(
  { database }: BoundResource,
  { insertKeys }: ManyStatements,
  rows: readonly RowValues[],
  run: Connection['run'],
): Promise<NewKeysRow | undefined> {
  const [inserted] = await run(insertKeys.together, database.dialect.insertedRows.bind(rows))
  return inserted
}

async function insertParts(
  { database }: BoundResource,
  { insertKeys: { last: findLast, insert, after }, columns }: ManyStatements,
  rows: readonly RowValues[],
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
  return inserted
}

function joinKeys(start: string, texts: readonly string[], [, first, all]: NewKeysRow): readonly InsertedRow[] {
  const keys = all ? (JSON.parse(all) as readonly number[]) : undefined
  return texts.map((text, index) => {
    const key = keys?.[index] ?? first! + index
    return [key, start + key + text]
  })
}
