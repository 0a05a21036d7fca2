// Compares declarations with the tables that they name: a wrong name is an error at start, which says what to write. The
// database itself reads the SQL that a declaration has of its own.

import { sql } from 'kysely'
import type { Column, Table } from '../database/catalogue.ts'
import { compile, type Database, type Statement } from '../database/database.ts'
import { ServiceUnavailable } from '../errors/exceptions.ts'
import type { Field } from '../fields/field.ts'
import { rowsFor } from '../permissions/permission.ts'
import { type RowFilter, whereRows } from '../permissions/row-filter.ts'
import type { BoundResource } from './bound-resource.ts'
import { columnUses, viewPermissions } from './column-uses.ts'
import { nearestName } from './nearest-name.ts'
import { createRelatedRows } from './related-rows.ts'
import { representation } from './sql/select.ts'
import { storageColumn, storedFields } from './storage.ts'

/** What is wrong with resources of one database, a line for each mistake. Rejects if the database cannot be asked. */
export async function databaseProblems(
  database: Database,
  bindings: readonly BoundResource[],
): Promise<readonly string[]> {
  const uses = new Map(bindings.map(bound => [bound, columnUses(bound)]))
  const names = new Set([...uses.values()].flatMap(all => all.map(use => use.table!)))
  const tables = await database.catalogue.tables([...names])
  const isComplete = tables.size === names.size
  const others = isComplete ? [] : await database.catalogue.names()
  const sound: BoundResource[] = []
  const problems: string[] = []
  for (const [bound, used] of uses) {
    const table = tables.get(bound.resource.table)
    // Without its own table, the rest is not worth saying; another one that is missing is said once.
    const wrong = Map.groupBy(table === undefined ? used.slice(0, 1) : used, use => use.table!)
    const found = new Set(
      [...wrong].flatMap(([name, own]) =>
        (tables.has(name) ? own : own.slice(0, 1)).flatMap(use => wrongUse(use as Use, tables, others) ?? []),
      ),
    )
    if (table !== undefined && found.size === 0) for (const problem of tableProblems(bound, table)) found.add(problem)
    if (found.size === 0) sound.push(bound)
    problems.push(...[...found].map(problem => `resource "${bound.resource.name}": ${problem}`))
    for (const use of used) if (tables.has(use.table!)) bound.tables.set(use.table!, tables.get(use.table!)!)
  }
  return [...problems, ...(await refusedSql(database, sound))]
}

interface Use {
  readonly option: string
  readonly table: string
  readonly column: string
}

function wrongUse({ option, table: name, column }: Use, tables: ReadonlyMap<string, Table>, others: readonly string[]) {
  const table = tables.get(name)
  if (table === undefined) {
    const where = option === 'key' ? 'table' : option
    return `${where}: there is no table "${name}": ${advice(nearestName(name, others), 'make it with a migration')}`
  }
  if (table.column(column) !== undefined) return undefined
  const nearest = nearestName(
    column,
    table.columns.map(({ name }) => name),
  )
  return `${option}: table "${name}" has no column "${column}": ${advice(nearest, 'add it with a migration, or leave it out')}`
}

const advice = (nearest: string | undefined, otherwise: string): string =>
  nearest === undefined ? otherwise : `write "${nearest}", or ${otherwise}`

function* tableProblems(bound: BoundResource, table: Table): Iterable<string> {
  const { key, actions } = bound.resource
  const { type, isInteger } = table.column(key)!
  if (!isInteger && !(table.isView && type === ''))
    return yield `key: column "${key}" of table "${table.name}" is ${type === '' ? 'of no type' : `of type ${type.toLowerCase()}`}: use an integer key column for now`
  const writes = actions.includes('create') || actions.includes('update')
  if (writes) for (const [name, field] of storedFields(bound.resource)) yield* fieldProblems(name, field, table)
  if (actions.includes('create')) yield* unwrittenColumns(bound, table)
}

function* fieldProblems(name: string, field: Field, table: Table): Iterable<string> {
  const { name: column, notNull, isGenerated } = table.column(storageColumn(name, field)!)!
  if (isGenerated) yield `field "${name}": the database itself makes column "${column}": wrap the field in readOnly()`
  else if (field.nullable && notNull)
    yield `field "${name}": nullable, but column "${column}" is NOT NULL: leave out nullable, or let the column be null`
}

// A column gets its value from a field, from a hook, from the URL below a parent, or from the database.
function* unwrittenColumns({ resource }: BoundResource, table: Table): Iterable<string> {
  const { fields, hookColumns, prepare, beforeSave, nestedUnder, key } = resource
  const byFields = Object.entries(fields).flatMap(([name, field]) =>
    field.readOnly ? [] : (storageColumn(name, field) ?? []),
  )
  const hasHook = prepare !== undefined || beforeSave !== undefined
  const written = columnsOf(table, [
    ...byFields,
    ...(hasHook ? hookColumns : []),
    ...nestedUnder.map(({ column }) => column),
  ])
  const open = table.columns.filter(column => !written.has(column))
  const nulls = columnsOf(table, hookColumns)
  const withoutHook = open.filter(column => nulls.has(column) && column.notNull).map(({ name }) => name)
  if (withoutHook.length > 0)
    yield `hookColumns: nothing writes ${named(withoutHook)} of table "${table.name}", which ${are(withoutHook)} NOT NULL: return ${them(withoutHook)} from "prepare" or "beforeSave"`
  const keyColumn = table.column(key)
  const isLost = (column: Column) =>
    !column.hasDefault && !nulls.has(column) && (column.notNull || (column === keyColumn && !table.isView))
  const lost = open.filter(isLost).map(({ name }) => name)
  if (lost.length > 0)
    yield `create: nothing writes ${named(lost)} of table "${table.name}", which ${are(lost)} NOT NULL or the key and ${lost.length === 1 ? 'has' : 'have'} no default: add a field, name ${them(lost)} in "hookColumns" and return ${them(lost)} from "prepare", or leave out the action "create"`
}

const columnsOf = (table: Table, names: readonly string[]): ReadonlySet<Column> =>
  new Set(names.map(name => table.column(name)!))

const named = (names: readonly string[]): string =>
  `${names.length === 1 ? 'column' : 'columns'} ${names.map(name => `"${name}"`).join(', ')}`
const are = ({ length }: readonly string[]): string => (length === 1 ? 'is' : 'are')
const them = ({ length }: readonly string[]): string => (length === 1 ? 'it' : 'them')

// All of it is read at once; only when something is wrong is it looked for.
async function refusedSql(database: Database, bindings: readonly BoundResource[]): Promise<readonly string[]> {
  const all = bindings.flatMap(bound => filtersOf(bound).map(filter => probe(bound, bound.resource.fields, filter)))
  if ((await refusal(database, all)) === undefined) return []
  const problems: string[] = []
  for (const bound of bindings) {
    const { name: resource, fields } = bound.resource
    const tell = async (where: string, statement: Statement) => {
      const reason = await refusal(database, [statement])
      if (reason !== undefined)
        problems.push(`resource "${resource}": ${where}: the database refuses its SQL: ${reason}`)
    }
    for (const [name, field] of Object.entries(fields)) await tell(`field "${name}"`, probe(bound, { [name]: field }))
    for (const filter of filtersOf(bound))
      if (filter !== undefined) await tell('the filter of its permissions', probe(bound, {}, filter))
  }
  return problems
}

/** Every object with these fields, as a list shows it. */
const probe = (
  { database, resource, rowsOf }: BoundResource,
  fields: BoundResource['resource']['fields'],
  filter?: RowFilter,
): Statement =>
  compile(database, () => {
    const shown =
      Object.keys(fields).length === 0 ? sql`1` : representation(database, resource, fields, createRelatedRows(rowsOf))
    return sql`select ${shown} from ${sql.table(resource.table)} ${whereRows(resource.table, filter)}`
  })

function filtersOf({ resource, plans }: BoundResource): readonly (RowFilter | undefined)[] {
  const views = Object.values(resource.objectViews ?? {}).map(view => rowsFor(viewPermissions(view)))
  return [...new Set([undefined, ...Object.values(plans).map(({ filter }) => filter), ...views])]
}

async function refusal({ catalogue }: Database, statements: readonly Statement[]): Promise<string | undefined> {
  try {
    await catalogue.compile(statements)
    return undefined
  } catch (error) {
    if (error instanceof ServiceUnavailable) throw error
    return (error as Error).message
  }
}
