// Replays changes in memory: the state before a step, and its changes, give the state after it, without a database.

import { quote } from '../catalogue.ts'
import type { Change, ColumnSpecification } from './change.ts'
import type { ColumnState, IndexState, SchemaState, SqlText, TableState } from './schema-state.ts'

/** The state after the changes. Throws an Error that names what a change does not find, or finds already. */
export const applyChanges = (state: SchemaState, changes: readonly Change[]): SchemaState =>
  changes.reduce(applyChange, state)

function applyChange(state: SchemaState, change: Change): SchemaState {
  if ('createTable' in change) {
    const { createTable: name, columns, key, indexes = {}, checks = {} } = change
    const complete = mapValues(columns, completeColumn)
    const table = { columns: complete, key: key ?? findKey(name, complete), indexes, checks }
    return { ...state, tables: add(state.tables, name, table, 'table') }
  }
  if ('dropTable' in change) return dropTable(state, change.dropTable)
  if ('renameTable' in change) return renameTable(state, change.renameTable, change.to)
  if ('createView' in change) return { ...state, views: add(state.views, change.createView, change.sql, 'view') }
  if ('dropView' in change) return { ...state, views: remove(state.views, change.dropView, 'view') }
  const { table } = change
  const tables = replace(state.tables, table, 'table', found => changeTable(found, change, `table "${table}"`))
  if (!('renameColumn' in change)) return { ...state, tables }
  const { renameColumn, to } = change
  return {
    ...state,
    tables: mapReferences(tables, (target, column) => [
      target,
      target === table && column === renameColumn ? to : column,
    ]),
  }
}

type TableChange = Extract<Change, { readonly table: string }>

function changeTable(table: TableState, change: TableChange, place: string): TableState {
  const { columns, indexes, checks } = table
  if ('addColumn' in change) {
    const { table: _, addColumn: name, fill, ...column } = change
    return { ...table, columns: add(columns, name, column, `${place}: column`) }
  }
  if ('alterColumn' in change) {
    const { table: _, alterColumn: name, fill, using, ...column } = change
    return { ...table, columns: replace(columns, name, `${place}: column`, () => column) }
  }
  if ('renameColumn' in change) return renameColumn(table, change.renameColumn, change.to, place)
  if ('dropColumn' in change) return dropColumn(table, change.dropColumn, place)
  if ('addIndex' in change) {
    const { table: _, addIndex: name, ...index } = change
    checkColumns(table, index, `${place}: index "${name}"`)
    return { ...table, indexes: add(indexes, name, index, `${place}: index`) }
  }
  if ('renameIndex' in change)
    return { ...table, indexes: rename(indexes, change.renameIndex, change.to, `${place}: index`) }
  if ('dropIndex' in change) return { ...table, indexes: remove(indexes, change.dropIndex, `${place}: index`) }
  if ('addCheck' in change) return { ...table, checks: add(checks, change.addCheck, change.sql, `${place}: check`) }
  return { ...table, checks: remove(checks, change.dropCheck, `${place}: check`) }
}

/** A column as a state has it. */
export const completeColumn = (column: ColumnSpecification): ColumnState =>
  typeof column === 'object' && 'type' in column ? column : { type: column }

function findKey(table: string, columns: TableState['columns']): readonly string[] {
  const name = Object.keys(columns).find(column => columns[column]!.type === 'key') ?? 'id'
  if (Object.hasOwn(columns, name)) return [name]
  throw new Error(`table "${table}": no column is the primary key: name its columns, as in key: ["id"]`)
}

function dropTable({ tables, views }: SchemaState, name: string): SchemaState {
  const left = remove(tables, name, 'table')
  const referring = Object.keys(left).find(each =>
    Object.values(left[each]!.columns).some(({ references }) => references?.table === name),
  )
  if (referring === undefined) return { views, tables: left }
  throw new Error(`table "${name}": the table "${referring}" refers to it: drop that column, or that table, first`)
}

function renameTable({ tables, views }: SchemaState, name: string, to: string): SchemaState {
  const renamed = rename(tables, name, to, 'table')
  return { views, tables: mapReferences(renamed, (target, column) => [target === name ? to : target, column]) }
}

function renameColumn(table: TableState, name: string, to: string, place: string): TableState {
  const toNew = (column: string) => (column === name ? to : column)
  const columns = mapValues(table.columns, column =>
    column.generated === undefined ? column : { ...column, generated: renameInSql(column.generated, name, to) },
  )
  return {
    ...table,
    columns: rename(columns, name, to, `${place}: column`),
    key: table.key.map(toNew),
    indexes: mapValues(table.indexes, index => ({
      ...index,
      columns: index.columns.map(column => (column.startsWith('-') ? `-${toNew(column.slice(1))}` : toNew(column))),
      ...(index.where !== undefined && { where: renameInSql(index.where, name, to) }),
    })),
    checks: mapValues(table.checks, check => renameInSql(check, name, to)),
  }
}

// SQL that was derived from a declaration names columns in quotation marks.
const renameInSql = (sql: SqlText, name: string, to: string): SqlText => {
  const replaceIn = (text: string) => text.replaceAll(quote(name), quote(to))
  return typeof sql === 'string' ? replaceIn(sql) : { sqlite: replaceIn(sql.sqlite), postgres: replaceIn(sql.postgres) }
}

function dropColumn(table: TableState, name: string, place: string): TableState {
  const index = Object.keys(table.indexes).find(each => namesColumn(table.indexes[each]!, name))
  if (index !== undefined)
    throw new Error(`${place}: the index "${index}" has the column "${name}": drop the index first`)
  if (table.key.includes(name)) throw new Error(`${place}: the column "${name}" is a part of the primary key`)
  return { ...table, columns: remove(table.columns, name, `${place}: column`) }
}

const namesColumn = ({ columns }: IndexState, name: string): boolean =>
  columns.includes(name) || columns.includes(`-${name}`)

function checkColumns({ columns }: TableState, index: IndexState, place: string): void {
  const unknown = index.columns.find(column => !Object.hasOwn(columns, column.replace(/^-/, '')))
  if (unknown !== undefined) throw new Error(`${place}: there is no column "${unknown.replace(/^-/, '')}"`)
}

function mapReferences(
  tables: SchemaState['tables'],
  change: (table: string, column: string) => readonly [table: string, column: string],
): SchemaState['tables'] {
  return mapValues(tables, table => ({
    ...table,
    columns: mapValues(table.columns, column => {
      if (column.references === undefined) return column
      const { table: target, column: targetColumn = 'id' } = column.references
      const [newTarget, newColumn] = change(target, targetColumn)
      if (newTarget === target && newColumn === targetColumn) return column
      return {
        ...column,
        references: { ...column.references, table: newTarget, ...(newColumn !== 'id' && { column: newColumn }) },
      }
    }),
  }))
}

type Named<Value> = Readonly<Record<string, Value>>

function add<Value>(all: Named<Value>, name: string, value: Value, what: string): Named<Value> {
  if (Object.hasOwn(all, name)) throw new Error(`${what} "${name}" exists already`)
  return { ...all, [name]: value }
}

function replace<Value>(all: Named<Value>, name: string, what: string, change: (value: Value) => Value): Named<Value> {
  checkExists(all, name, what)
  return { ...all, [name]: change(all[name]!) }
}

function remove<Value>(all: Named<Value>, name: string, what: string): Named<Value> {
  checkExists(all, name, what)
  return Object.fromEntries(Object.entries(all).filter(([each]) => each !== name))
}

// Keeps the order, which is that of the columns.
function rename<Value>(all: Named<Value>, name: string, to: string, what: string): Named<Value> {
  checkExists(all, name, what)
  if (Object.hasOwn(all, to)) throw new Error(`${what} "${to}" exists already`)
  return Object.fromEntries(Object.entries(all).map(([each, value]) => [each === name ? to : each, value]))
}

function checkExists(all: Named<unknown>, name: string, what: string): void {
  if (!Object.hasOwn(all, name)) throw new Error(`${what} "${name}" does not exist`)
}

const mapValues = <Value, Result>(all: Named<Value>, change: (value: Value) => Result): Named<Result> =>
  Object.fromEntries(Object.entries(all).map(([name, value]) => [name, change(value)]))
