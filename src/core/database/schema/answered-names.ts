// Applies the answers about names: which tables and columns are dropped, and which have new names.

import type { Change } from './change.ts'
import type { Draft } from './draft.ts'
import { type Answers, WrongAnswer } from './question.ts'
import { isSame } from './same-state.ts'
import type { SchemaState, TableState } from './schema-state.ts'

type ColumnName = readonly [table: string, column: string]

export interface AnsweredNames {
  /** Former names of tables with the new ones. */
  readonly tables: ReadonlyMap<string, string>
  /** Former names of columns with the new ones, by the new name of the table. */
  readonly columns: ReadonlyMap<string, ReadonlyMap<string, string>>
  /** By their former names. */
  readonly dropped: { readonly tables: readonly string[]; readonly columns: readonly ColumnName[] }
}

/** Throws WrongAnswer if an answer names what is not there, or would drop what is still declared. */
export function resolveAnswers(from: SchemaState, to: SchemaState, { renames, drops }: Answers): AnsweredNames {
  const isTable = (name: string) => Object.hasOwn(from.tables, name)
  const tables = new Map([...renames].filter(([name]) => isTable(name)))
  const droppedTables = [...drops].filter(isTable)
  const columns = renameColumns({ from, to, tables, renames, droppedTables })
  const droppedColumns = [...drops]
    .filter(name => !isTable(name))
    .map(name => findColumn(from, tables, name, `--drop ${name}`))
  for (const name of droppedTables) checkDroppedTable(from, to, { tables, columns }, name)
  for (const name of droppedColumns) checkDroppedColumn(from, to, { tables, columns }, name)
  for (const [name, newName] of tables) {
    if (droppedTables.includes(name)) tables.delete(name)
    else if (!Object.hasOwn(to.tables, newName))
      throw new WrongAnswer(`--rename ${name}=${newName}: no declared table has the name "${newName}"`)
  }
  return {
    tables,
    columns,
    dropped: { tables: droppedTables, columns: droppedColumns.filter(([table]) => !droppedTables.includes(table)) },
  }
}

interface RenamedColumns extends Pick<AnsweredNames, 'tables'>, Pick<Answers, 'renames'> {
  readonly from: SchemaState
  readonly to: SchemaState
  readonly droppedTables: readonly string[]
}

function renameColumns({ from, to, tables, renames, droppedTables }: RenamedColumns): AnsweredNames['columns'] {
  const columns = new Map<string, Map<string, string>>()
  for (const [name, newName] of renames) {
    if (Object.hasOwn(from.tables, name)) continue
    const flag = `--rename ${name}=${newName}`
    const [table, column] = findColumn(from, tables, name, flag)
    if (droppedTables.includes(table)) continue
    const newTable = tables.get(table) ?? table
    const newColumn = newName.slice(newName.lastIndexOf('.') + 1)
    if (![table, newTable].includes(newName.slice(0, -newColumn.length - 1)) || !hasColumn(to, newTable, newColumn))
      throw new WrongAnswer(`${flag}: the declared table "${newTable}" has no column "${newColumn}"`)
    columns.set(newTable, (columns.get(newTable) ?? new Map<string, string>()).set(column, newColumn))
  }
  return columns
}

// A table may have its former name or its new one.
function findColumn(from: SchemaState, tables: ReadonlyMap<string, string>, name: string, flag: string): ColumnName {
  const end = name.lastIndexOf('.')
  const [table, column] = [name.slice(0, Math.max(end, 0)), name.slice(end + 1)]
  const former = [...tables].find(([, newName]) => newName === table)?.[0] ?? table
  if (hasColumn(from, former, column)) return [former, column]
  throw new WrongAnswer(
    end === -1
      ? `${flag}: there is no table "${name}"`
      : `${flag}: there is no column "${column}" of a table "${table}"`,
  )
}

const hasColumn = ({ tables }: SchemaState, table: string, column: string): boolean =>
  Object.hasOwn(tables, table) && Object.hasOwn(tables[table]!.columns, column)

type Renames = Pick<AnsweredNames, 'tables' | 'columns'>

function checkDroppedTable(from: SchemaState, to: SchemaState, { tables, columns }: Renames, name: string): void {
  const newName = tables.get(name) ?? name
  const target = to.tables[newName]
  const isReplaced =
    target === undefined ||
    (!tables.has(name) && [...tables.values()].includes(name)) ||
    !hasSameKey(from.tables[name]!, target, columns.get(newName))
  if (!isReplaced) throw new WrongAnswer(`--drop ${name}: the table is still declared`)
}

/** Whether a table keeps its primary key. No change can give it another one. */
export const hasSameKey = (table: TableState, target: TableState, renames?: ReadonlyMap<string, string>): boolean =>
  isSame(
    table.key.map(column => renames?.get(column) ?? column),
    target.key,
  )

function checkDroppedColumn(from: SchemaState, to: SchemaState, names: Renames, [table, column]: ColumnName): void {
  const newTable = names.tables.get(table) ?? table
  const renames = names.columns.get(newTable) ?? new Map<string, string>()
  const target = to.tables[newTable]?.columns[column]
  const isReplaced =
    target === undefined ||
    [...renames.values()].includes(column) ||
    isComputedAnew(from.tables[table]!.columns[column]!, target)
  if (renames.has(column) || !isReplaced)
    throw new WrongAnswer(`--drop ${table}.${column}: the column is still declared`)
}

/** Whether a column that stored values becomes a generated one. */
export const isComputedAnew = (
  column: { readonly generated?: unknown },
  target: { readonly generated?: unknown },
): boolean => column.generated === undefined && target.generated !== undefined

/** Renames tables, then columns. Names that are exchanged get a temporary one in between. */
export function addRenames(draft: Draft, tables: AnsweredNames['tables'], columns: AnsweredNames['columns']): void {
  const isTable = (name: string) => Object.hasOwn(draft.state.tables, name)
  addInOrder(draft, tables, isTable, (renameTable, to) => ({ renameTable, to }))
  for (const [table, renames] of columns) {
    const isColumn = (name: string) => Object.hasOwn(draft.state.tables[table]!.columns, name)
    addInOrder(draft, renames, isColumn, (renameColumn, to) => ({ table, renameColumn, to }))
  }
}

function addInOrder(
  draft: Draft,
  renames: ReadonlyMap<string, string>,
  isTaken: (name: string) => boolean,
  toChange: (name: string, to: string) => Change,
): void {
  let left = [...renames].filter(([name, to]) => name !== to)
  while (left.length > 0) {
    const possible = left.find(([, to]) => !isTaken(to))
    const [name, to] = possible ?? left[0]!
    const isCircle = left.some(([other]) => other === to)
    if (possible === undefined && !isCircle) throw new WrongAnswer(`--rename ${name}=${to}: "${to}" exists already`)
    const temporary = `${name}_renamed`
    draft.add(toChange(name, possible === undefined ? temporary : to))
    left = left.flatMap(rename => (rename[0] !== name ? [rename] : possible === undefined ? [[temporary, to]] : []))
  }
}
