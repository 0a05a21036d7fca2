// Random tables with rows, and random lists of changes that are valid for them. What the rows have to be afterwards follows from a model
// in memory.

import { quote } from '../../src/core/database/catalogue.ts'
import { applyChanges } from '../../src/core/database/schema/apply-changes.ts'
import type { AddColumn, AlterColumn, Change } from '../../src/core/database/schema/change.ts'
import {
  type ColumnState,
  type ColumnType,
  emptyState,
  type SchemaState,
  type TableState,
} from '../../src/core/database/schema/schema-state.ts'

export type Value = string | number | boolean | null
export type Row = Readonly<Record<string, Value>>

/** Tables and their rows. */
export interface Model {
  readonly state: SchemaState
  readonly rows: Readonly<Record<string, readonly Row[]>>
}

/** The statement that writes a row. */
export const formatInsert = (table: string, row: Readonly<Record<string, Value>>): string => {
  const entries = Object.entries(row)
  const formatted = entries.map(([, value]) =>
    typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value),
  )
  return `insert into ${quote(table)} (${entries.map(([name]) => quote(name)).join()}) values (${formatted.join()})`
}

/** Random decisions, which fast-check can shrink. */
export interface Choices {
  /** An integer from 0 to `count - 1`. */
  pick(count: number): number
  /** True in one of `count` cases. */
  once(count: number): boolean
  of<Item>(items: readonly Item[]): Item
}

export function createChoices(numbers: readonly number[]): Choices {
  let index = 0
  const pick = (count: number) => (numbers[index++] ?? 0) % count
  return { pick, once: count => pick(count) === count - 1, of: items => items[pick(items.length)]! }
}

const names = ['a', 'b', 'order', 'two words', 'Title', 'naïve', '💡', 'select', 'c', 'd', 'e', 'f', 'g', 'h']
const types: readonly ColumnType[] = ['integer', 'text', 'boolean', 'number', 'decimal(10,2)', 'date', 'dateTime']

const findFree = (choices: Choices, taken: Readonly<Record<string, unknown>>, prefix: string): string => {
  const wish = `${prefix}${choices.of(names)}`
  let name = wish
  for (let number = 2; Object.hasOwn(taken, name); number++) name = `${wish}${number}`
  return name
}

const values: Readonly<Record<string, readonly Value[]>> = {
  integer: [0, 7, -3, 2 ** 40],
  text: ['x', "it's", '7', '-12', '', 'naïve 💡\n"q"'],
  boolean: [true, false],
  number: [0.5, -2, 1e10],
  'decimal(10,2)': [0.25, 12.5, -7],
  date: ['2026-01-31', '1999-12-01'],
  dateTime: ['2026-01-31T10:00:00.000000Z', '1999-12-01T00:00:00.123000Z'],
}

const pickValue = (choices: Choices, type: ColumnType): Value => choices.of(values[type as string]!)

/** A model with two to five tables and their rows. */
export function createModel(choices: Choices): Model {
  let model: Model = { state: emptyState, rows: {} }
  for (let count = 2 + choices.pick(4); count > 0; count--) model = applyToModel(model, createTable(choices, model))
  for (const table of Object.keys(model.state.tables)) model = insertRows(choices, model, table)
  return model
}

function createTable(choices: Choices, { state }: Model): Change {
  const table = findFree(choices, state.tables, 't ')
  const targets = Object.keys(state.tables).filter(name => state.tables[name]!.columns.id?.type === 'key')
  const isJoin = targets.length > 0 && choices.once(5)
  const columns: Record<string, ColumnState> = isJoin ? {} : { id: { type: 'key' } }
  const key = isJoin ? ['left', 'right'] : ['id']
  // A key is never null, and SQLite decides by the order of its tables whether a deletion sets it to null or cascades first.
  const ofKey = ({ onDelete, ...reference }: NonNullable<ColumnState['references']>) =>
    onDelete === 'set null' ? reference : { ...reference, ...(onDelete && { onDelete }) }
  if (isJoin)
    for (const name of key) columns[name] = { type: 'integer', references: ofKey(createReference(choices, targets)) }
  for (let count = choices.pick(4); count > 0; count--) {
    const name = findFree(choices, columns, '')
    columns[name] = createColumn(choices, isJoin ? targets : [...targets, table])
  }
  return { createTable: table, columns, key }
}

const createReference = (choices: Choices, targets: readonly string[]): NonNullable<ColumnState['references']> => {
  const table = choices.of(targets)
  return choices.of([{ table }, { table, onDelete: 'cascade' }, { table, onDelete: 'set null' }])
}

function createColumn(choices: Choices, targets: readonly string[]): ColumnState {
  if (targets.length > 0 && choices.once(3))
    return { type: 'integer', nullable: true, references: createReference(choices, targets) }
  const type = choices.of(types)
  const value = choices.once(3) ? (pickValue(choices, type) as string | number | boolean) : undefined
  return { type, ...(choices.once(2) && { nullable: true }), ...(value !== undefined && { default: value }) }
}

function insertRows(choices: Choices, model: Model, name: string): Model {
  const table = model.state.tables[name]!
  const rows: Row[] = []
  const isJoin = table.key.length > 1
  for (let id = 1; id < 1 + choices.pick(5); id++) {
    if (!isJoin && choices.once(4)) continue
    const row: Record<string, Value> = {}
    for (const [column, { type, nullable, references }] of Object.entries(table.columns)) {
      const keys = references && (references.table === name ? rows : (model.rows[references.table] ?? []))
      if (type === 'key') row[column] = id
      else if (keys !== undefined) row[column] = keys.length === 0 ? null : choices.of(keys).id!
      else row[column] = nullable && choices.once(3) ? null : pickValue(choices, type)
    }
    const isTaken = rows.some(other => isJoin && table.key.every(column => other[column] === row[column]))
    const isComplete = Object.entries(table.columns).every(([column, { nullable }]) => nullable || row[column] !== null)
    if (!isTaken && isComplete) rows.push(row)
  }
  return { ...model, rows: { ...model.rows, [name]: rows } }
}

/** One to eight changes, each of which is valid after the ones before it, and the model after them. */
export function createChanges(
  choices: Choices,
  model: Model,
): { readonly changes: readonly Change[]; readonly after: Model } {
  const changes: Change[] = []
  let after = model
  for (let count = 1 + choices.pick(8); count > 0; count--) {
    const change = createChange(choices, after)
    if (change === undefined) continue
    changes.push(change)
    after = applyToModel(after, change)
  }
  return { changes, after }
}

type TableMaker = (choices: Choices, model: Model, table: string) => Change | undefined

const makers: readonly TableMaker[] = [
  (choices, model) => createTable(choices, model),
  dropTable,
  (choices, { state }, table) => ({ renameTable: table, to: findFree(choices, state.tables, 't ') }),
  addColumn,
  addColumn,
  addColumn,
  renameColumn,
  alterColumn,
  alterColumn,
  alterColumn,
  dropColumn,
  dropColumn,
  addIndex,
  addIndex,
  (choices, { state }, table) => {
    const name = choices.of(Object.keys(state.tables[table]!.indexes))
    return name === undefined ? undefined : { table, renameIndex: name, to: findFreeIndex(choices, state) }
  },
  (choices, { state }, table) => {
    const name = choices.of(Object.keys(state.tables[table]!.indexes))
    return name === undefined ? undefined : { table, dropIndex: name }
  },
  addCheck,
  (choices, { state }, table) => {
    const name = choices.of(Object.keys(state.tables[table]!.checks))
    return name === undefined ? undefined : { table, dropCheck: name }
  },
]

export const createChange = (choices: Choices, model: Model): Change | undefined => {
  const table = choices.of(Object.keys(model.state.tables))
  return table === undefined ? createTable(choices, model) : choices.of(makers)(choices, model, table)
}

function dropTable(_: Choices, { state }: Model, table: string): Change | undefined {
  const others = Object.entries(state.tables).filter(([name]) => name !== table)
  const isReferred = others.some(([, { columns }]) =>
    Object.values(columns).some(({ references }) => references?.table === table),
  )
  return isReferred ? undefined : { dropTable: table }
}

const findTargets = ({ state }: Model): readonly string[] =>
  Object.keys(state.tables).filter(name => state.tables[name]!.columns.id?.type === 'key')

function addColumn(choices: Choices, model: Model, table: string): Change {
  const { columns } = model.state.tables[table]!
  const name = findFree(choices, columns, '')
  const text = Object.keys(columns).find(column => columns[column]!.type === 'text' && !columns[column]!.nullable)
  if (text !== undefined && choices.once(6))
    return { table, addColumn: name, type: 'integer', nullable: true, generated: `length("${text}")` }
  const column = createColumn(choices, findTargets(model))
  const hasRows = (model.rows[table] ?? []).length > 0
  const needsFill = hasRows && !column.nullable && column.default === undefined
  const fill = needsFill || (column.references === undefined && choices.once(4))
  return {
    ...{ table, addColumn: name },
    ...column,
    ...(fill && { fill: pickValue(choices, column.type) as string | number | boolean }),
  }
}

/** Whether the SQL of a check, a condition or a generated column names the column. */
const isInSql = ({ columns, checks, indexes }: TableState, name: string): boolean =>
  [
    ...Object.values(checks),
    ...Object.values(columns).map(({ generated }) => generated ?? ''),
    ...Object.values(indexes).map(({ where }) => where ?? ''),
  ].some(text => (text as string).includes(`"${name}"`))

const isIndexed = ({ indexes }: TableState, name: string): boolean =>
  Object.values(indexes).some(({ columns }) => columns.some(column => column.replace(/^-/, '') === name))

const isReferred = ({ state }: Model, table: string, name: string): boolean =>
  Object.values(state.tables).some(({ columns }) =>
    Object.values(columns).some(
      ({ references }) => references?.table === table && (references.column ?? 'id') === name,
    ),
  )

function renameColumn(choices: Choices, { state }: Model, table: string): Change {
  const { columns } = state.tables[table]!
  const name = choices.of(Object.keys(columns).filter(column => column !== 'id' && column !== 'left'))
  return name === undefined
    ? { renameTable: table, to: findFree(choices, state.tables, 't ') }
    : { table, renameColumn: name, to: findFree(choices, columns, '') }
}

function dropColumn(choices: Choices, model: Model, table: string): Change | undefined {
  const found = model.state.tables[table]!
  const free = Object.keys(found.columns).filter(
    name =>
      !found.key.includes(name) && !isInSql(found, name) && !isIndexed(found, name) && !isReferred(model, table, name),
  )
  return free.length === 0 ? undefined : { table, dropColumn: choices.of(free) }
}

function alterColumn(choices: Choices, model: Model, table: string): Change | undefined {
  const found = model.state.tables[table]!
  const rows = model.rows[table] ?? []
  const name = choices.of(Object.keys(found.columns).filter(column => !found.key.includes(column)))
  if (name === undefined) return undefined
  const { generated, ...column } = found.columns[name]!
  if (generated !== undefined) return undefined
  const alter = (next: ColumnState, rest: Partial<AlterColumn> = {}): Change => ({
    ...{ table, alterColumn: name },
    ...next,
    ...rest,
  })
  const { references, nullable, default: value, ...plain } = column
  const withDefault = value === undefined ? {} : { default: value }
  switch (references === undefined ? choices.pick(4) : choices.of([0, 2, 2])) {
    case 0: {
      if (!nullable) return alter({ ...column, nullable: true })
      const hasNull = rows.some(row => row[name] === null)
      // The value to fill may be one that another row has.
      const isTaken = hasNull && isIndexed(found, name)
      const isRisky = isTaken || (references !== undefined && (hasNull || references.onDelete === 'set null'))
      if (isRisky) return undefined
      const next = { ...plain, ...withDefault, ...(references && { references }) }
      const fill = hasNull || choices.once(3) ? (pickValue(choices, column.type) as string) : undefined
      return references === undefined && fill !== undefined ? alter(next, { fill }) : alter(next)
    }
    case 1: {
      const next = choices.once(2) ? undefined : (pickValue(choices, column.type) as string)
      if (references !== undefined) return undefined
      return alter({ ...plain, ...(nullable && { nullable }), ...(next !== undefined && { default: next }) })
    }
    case 2: {
      if (column.type !== 'integer' || value !== undefined) return undefined
      const next = { type: column.type, ...(nullable && { nullable }) }
      if (references !== undefined) {
        const onDelete = choices.of(['cascade', undefined] as const)
        return choices.once(2)
          ? alter(next)
          : alter({ ...next, references: { table: references.table, ...(onDelete && { onDelete }) } })
      }
      const targets = findTargets(model).filter(target =>
        rows.every(row => row[name] === null || model.rows[target]!.some(({ id }) => id === row[name])),
      )
      return targets.length === 0 ? undefined : alter({ ...next, references: { table: choices.of(targets) } })
    }
    default: {
      if (references !== undefined || isInSql(found, name) || isIndexed(found, name)) return undefined
      const type = choices.of(types)
      const isPossible = rows.every(row => row[name] === null || convert(row[name]!, column.type, type) !== undefined)
      if (!isPossible || type === column.type) return undefined
      return alter({ type, ...(nullable && { nullable }) })
    }
  }
}

const isInteger = (text: string): boolean => /^-?\d+$/.test(text)

/** The value as another type has it; undefined if this generator does not convert it. */
function convert(value: Value, from: ColumnType, to: ColumnType): Value | undefined {
  if (from === 'integer' && to === 'text') return String(value)
  if (from === 'integer' && to === 'number') return value
  if (from === 'integer' && to === 'decimal(10,2)') return Math.abs(value as number) < 1e8 ? value : undefined
  if (from === 'text' && to === 'integer') return isInteger(value as string) ? Number(value) : undefined
  if (from === 'number' && to === 'integer') return Number.isInteger(value) ? value : undefined
  return from === 'date' && to === 'text' ? value : undefined
}

const findFreeIndex = (choices: Choices, { tables }: SchemaState): string =>
  findFree(choices, Object.assign({}, tables, ...Object.values(tables).map(({ indexes }) => indexes)), 'i ')

function addIndex(choices: Choices, model: Model, table: string): Change {
  const found = model.state.tables[table]!
  const names = Object.keys(found.columns)
  const first = choices.of(names)
  const second = choices.of(names)
  const columns = first === second || choices.once(2) ? [first] : [first, second]
  const keys = (model.rows[table] ?? [])
    .filter(row => columns.every(column => row[column] !== null))
    .map(row => JSON.stringify(columns.map(column => row[column])))
  const hasGenerated = columns.some(column => found.columns[column]!.generated !== undefined)
  const unique = !hasGenerated && new Set(keys).size === keys.length && choices.once(2)
  const text = names.find(column => found.columns[column]!.type === 'text')
  return {
    ...{ table, addIndex: findFreeIndex(choices, model.state) },
    columns: columns.map(column => (choices.once(3) ? `-${column}` : column)),
    ...(unique && { unique: true }),
    ...(text !== undefined && choices.once(4) && { where: `"${text}" <> 'zzz'` }),
  }
}

function addCheck(choices: Choices, { state }: Model, table: string): Change | undefined {
  const { columns, checks } = state.tables[table]!
  const name = choices.of(
    Object.keys(columns).filter(column => ['text', 'integer'].includes(columns[column]!.type as string)),
  )
  if (name === undefined) return undefined
  const sql = columns[name]!.type === 'text' ? `"${name}" <> 'zzz'` : `"${name}" > -1000`
  return { table, addCheck: findFree(choices, checks, 'k '), sql }
}

const mapRows = (model: Model, table: string, change: (row: Row) => Row): Model['rows'] => ({
  ...model.rows,
  [table]: (model.rows[table] ?? []).map(change),
})

const renameKey = <Item>(
  all: Readonly<Record<string, Item>>,
  name: string,
  to: string,
): Readonly<Record<string, Item>> =>
  Object.fromEntries(Object.entries(all).map(([each, item]) => [each === name ? to : each, item]))

/** The tables and rows after a change. */
export function applyToModel(model: Model, change: Change): Model {
  return { state: applyChanges(model.state, [change]), rows: changeRows(model, change) }
}

function changeRows(model: Model, change: Change): Model['rows'] {
  if ('createTable' in change) return { ...model.rows, [change.createTable]: [] }
  if ('dropTable' in change)
    return Object.fromEntries(Object.entries(model.rows).filter(([name]) => name !== change.dropTable))
  if ('renameTable' in change) return renameKey(model.rows, change.renameTable, change.to)
  if ('renameColumn' in change)
    return mapRows(model, change.table, row => renameKey(row, change.renameColumn, change.to))
  if ('dropColumn' in change)
    return mapRows(model, change.table, row =>
      Object.fromEntries(Object.entries(row).filter(([name]) => name !== change.dropColumn)),
    )
  if ('addColumn' in change) return addValues(model, change)
  return 'alterColumn' in change ? alterValues(model, change) : model.rows
}

function addValues(
  model: Model,
  { table, addColumn: name, fill, default: value, generated }: AddColumn,
): Model['rows'] {
  return mapRows(model, table, row => {
    if (generated !== undefined) return row
    return { ...row, [name]: (fill ?? value ?? null) as Value }
  })
}

function alterValues(model: Model, { table, alterColumn: name, type, fill }: AlterColumn): Model['rows'] {
  const from = model.state.tables[table]!.columns[name]!.type
  return mapRows(model, table, row => {
    const value = row[name]!
    const next = value === null || from === type ? value : convert(value, from, type)!
    return { ...row, [name]: next === null && fill !== undefined ? (fill as Value) : next }
  })
}

/** The changes that create the tables of a state. */
export function createFrom({ tables }: SchemaState): readonly Change[] {
  const created = new Set<string>()
  const later: Change[] = []
  const creations = Object.entries(tables).map(([table, { columns, ...rest }]): Change => {
    created.add(table)
    const complete = Object.entries(columns).map(([name, column]) => {
      const { references, ...plain } = column
      if (references === undefined || created.has(references.table)) return [name, column]
      later.push({ table, alterColumn: name, ...column })
      return [name, plain]
    })
    return { createTable: table, columns: Object.fromEntries(complete), ...rest }
  })
  return [...creations, ...later]
}
