// Compares declarations with the database. A wrong table or column name is an error at start that names the fix. The
// database itself compiles the SQL that declarations contain.

import { sql } from 'kysely'
import { nearestName } from '../../base/nearest-name.ts'
import type { Column, Table } from '../../database/catalogue.ts'
import { compile, type Database, type Statement } from '../../database/database.ts'
import { listSources, rowsOf } from '../../database/row-source.ts'
import { ServiceUnavailable } from '../../errors/exceptions.ts'
import type { ColumnUse, Field } from '../../fields/field.ts'
import { findStoredField, listStoredColumns, listWrittenColumns } from '../../fields/storage.ts'
import { formatListPath } from '../../messages/title.ts'
import { createRowFilter } from '../../policy/permissions/permission.ts'
import { createWhereClause, type RowFilter } from '../../policy/permissions/row-filter.ts'
import type { BoundResource } from '../bind/bound-resource.ts'
import { listUrlColumns } from '../declare/nested-under.ts'
import type { Resource } from '../declare/resource.ts'
import { listKeyColumns, writtenFields } from '../declare/storage.ts'
import type { FilterSql } from '../query/filters/list-filters.ts'
import { findTypeProblem } from '../sql/check-column.ts'
import { createRelatedRows } from '../sql/related-rows.ts'
import { representation } from '../sql/select.ts'
import { fillHookChecks } from '../write/run-hooks.ts'
import { findKeyProblem } from './check-key.ts'
import { listColumnUses, listViewPermissions } from './column-uses.ts'
import { findTables } from './find-tables.ts'

/** Lists the mistakes of resources of one database, one line each. Rejects if the database cannot be reached. */
export async function findDatabaseProblems(
  database: Database,
  boundResources: readonly BoundResource[],
): Promise<readonly string[]> {
  const uses = new Map(boundResources.map(bound => [bound, listColumnUses(bound)]))
  const names = new Set([...uses.values()].flatMap(tableUses => tableUses.map(use => use.table!)))
  const sources = [...uses].flatMap(([bound, used]) => [bound.resource, ...used.flatMap(({ target }) => target ?? [])])
  const tables = await findTables(database, names, sources)
  const isComplete = tables.size === names.size
  const existingNames = isComplete ? [] : await database.catalogue.names()
  const validResources: BoundResource[] = []
  const problems: Problem[] = []
  for (const [bound, used] of uses) {
    const table = tables.get(bound.resource.table)
    // If the resource's own table is missing, only that is reported. Any other missing table is reported once.
    const checkedUses = Map.groupBy(table === undefined ? used.slice(0, 1) : used, use => use.table!)
    const found = new Set(
      [...checkedUses].flatMap(([name, tableUses]) =>
        (tables.has(name) ? tableUses : tableUses.slice(0, 1)).flatMap(
          use => findUseProblem(use as Use, tables, existingNames) ?? [],
        ),
      ),
    )
    if (table !== undefined && found.size === 0)
      for (const problem of listTableProblems(bound, table)) found.add(problem)
    if (found.size === 0) validResources.push(bound)
    for (const text of found) problems.push({ bound, text })
    for (const use of used) if (tables.has(use.table!)) bound.tables.set(use.table!, tables.get(use.table!)!)
    if (table !== undefined) fillHookChecks(bound, table)
  }
  return formatProblems([...problems, ...(await findRejectedSql(database, validResources))])
}

interface Problem {
  readonly bound: BoundResource
  readonly text: string
}

// A list has the mistakes of its resource too, and the administration has those of the resources that it shows.
function formatProblems(problems: readonly Problem[]): readonly string[] {
  const format = (name: string, text: string) => `resource "${name}": ${text}`
  const own = new Set(
    problems.flatMap(({ bound: { list, resource }, text }) => (list === undefined ? format(resource.name, text) : [])),
  )
  const all = problems.flatMap(({ bound: { list, resource }, text }) => {
    if (list === undefined) return format(resource.name, text)
    return own.has(format(resource.name, text)) ? [] : format(resource.name, `the list "${list}": ${text}`)
  })
  return [...new Set(all)]
}

type Use = ColumnUse & { readonly table: string }

function findUseProblem(
  { option, table: name, column, purpose, advice = missingAdvice }: Use,
  tables: ReadonlyMap<string, Table>,
  existingNames: readonly string[],
) {
  const table = tables.get(name)
  if (table === undefined) {
    const where = option === 'key' ? 'table' : option
    return `${where}: there is no table "${name}": ${formatAdvice(nearestName(name, existingNames), 'create it with a migration')}`
  }
  const found = table.column(column)
  if (found !== undefined) {
    const problem = purpose === undefined ? undefined : findPurposeProblem(table, found, purpose)
    return problem && `${option}: column "${column}" of table "${name}" ${problem}`
  }
  const nearest = nearestName(
    column,
    table.columns.map(({ name }) => name),
  )
  return `${option}: table "${name}" has no column "${column}": ${formatAdvice(nearest, advice)}`
}

const missingAdvice = 'add it with a migration, or remove it from the declaration'

function findPurposeProblem(table: Table, column: Column, purpose: NonNullable<Use['purpose']>): string | undefined {
  const { name, type, kind, isGenerated } = column
  const isOnly = (columns: readonly string[]) => columns.length === 1 && table.column(columns[0]!) === column
  if (purpose !== 'place') {
    const isUnique = table.constraints.some(
      ({ kind, columns, isPartial }) => kind === 'unique' && !isPartial && isOnly(columns),
    )
    return isUnique || table.isView ? undefined : `is not unique, so ${uniqueAdvice[purpose]}`
  }
  const advice = `name an integer column that contains only the place in the list`
  if (table.primaryKey.includes(name)) return `is the key: ${advice}`
  if (table.constraints.some(({ kind, columns }) => kind === 'foreign key' && columns.includes(name)))
    return `refers to other rows: ${advice}`
  if (isGenerated) return `is generated by the database: ${advice}`
  // Columns of SQLite may have no type.
  return kind === 'integer' || type === '' ? undefined : `is of type ${type}: ${advice}`
}

const uniqueAdvice = {
  single: 'an object could have several: add a UNIQUE constraint with a migration, or write "many" instead of "one"',
  unshared:
    'a write of one object could change that of another: add a UNIQUE constraint with a migration, or set shared: true',
} as const

const formatAdvice = (nearest: string | undefined, otherwise: string): string =>
  nearest === undefined ? otherwise : `write "${nearest}", or ${otherwise}`

function* listTableProblems(bound: BoundResource, table: Table): Iterable<string> {
  const { key, actions, declaredTable } = bound.resource
  const writing = actions.filter(action => action !== 'list' && action !== 'retrieve')
  if (declaredTable !== undefined && table.isView && writing.length > 0)
    return yield `actions: "${table.name}" is a view, which can only be read: write actions: ["list", "retrieve"]`
  const keyProblem = findKeyProblem(key, table)
  if (keyProblem !== undefined) return yield `key: ${keyProblem}`
  if (bound.database.dialect.hasTypedColumns)
    for (const [name, field] of Object.entries(bound.resource.fields)) yield* listTypeProblems(name, field, table)
  const writes = actions.includes('create') || actions.includes('update')
  if (writes) for (const [name, field] of writtenFields(bound.resource)) yield* listFieldProblems(name, field, table)
  if (actions.includes('create')) yield* listUnwrittenColumns(bound, table)
}

function* listTypeProblems(name: string, field: Field, table: Table): Iterable<string> {
  for (const { column, path, field: stored } of listStoredColumns(name, field)) {
    const problem = findTypeProblem(stored, table.column(column)!)
    if (problem) yield `field "${path}": ${problem}`
  }
}

function* listFieldProblems(name: string, field: Field, table: Table): Iterable<string> {
  for (const written of listWrittenColumns(name, field)) {
    const { name: column, notNull, isGenerated } = table.column(written)!
    const isNullable = field.nullable || findStoredField({ [name]: field }, written)?.[1].nullable
    if (isGenerated) yield `field "${name}": the database generates column "${column}": wrap the field in readOnly()`
    else if (isNullable && notNull)
      yield `field "${name}": nullable, but column "${column}" is NOT NULL: remove nullable, or make the column nullable`
  }
}

// The URL of a list below a parent sets the column of a read-only relation. No other URL does.
function* listUnsetParents(resource: Resource, table: Table, written: readonly string[]): Iterable<string> {
  const { fields, nestedUnder } = resource
  const path = formatListPath(resource)
  for (const { column, only, through } of nestedUnder) {
    if (through !== undefined) continue
    const { notNull, isGenerated } = table.column(column)!
    if (written.includes(column)) continue
    const other = only ? nestedUnder.find(parent => parent.column !== column)?.parent : undefined
    const url = other === undefined ? path : `${formatListPath(other)}…${path}`
    const [field] = findStoredField(fields, column) ?? []
    if (isGenerated)
      yield `nestedUnder: the database generates column "${column}", and a create below the parent would write it: remove the action "create"`
    else if (notNull && !(only && other === undefined))
      yield `nestedUnder: field "${field}" is read-only, and a create at ${url} writes nothing to its column "${column}", which is NOT NULL: ${only ? '' : 'set only: true, '}return it from "prepare", or let bodies write the field`
  }
}

// A column gets its value from a field, a hook, the URL of a nested list, or a default of the database.
function* listUnwrittenColumns({ resource }: BoundResource, table: Table): Iterable<string> {
  const { fields, hookColumns, filledColumns, prepare, beforeSave, key } = resource
  const byFields = Object.entries(fields).flatMap(([name, field]) =>
    field.readOnly ? [] : listWrittenColumns(name, field),
  )
  const hasHook = prepare !== undefined || beforeSave !== undefined
  const written = findColumns(table, [
    ...byFields,
    ...listKeyColumns(resource),
    ...(hasHook ? hookColumns : filledColumns.create.map(({ column }) => column)),
    ...listUrlColumns(resource),
    ...listSources(resource).flatMap(({ parentRows }) => parentRows?.link ?? []),
  ])
  yield* listUnsetParents(resource, table, [...byFields, ...hookColumns])
  const unwritten = table.columns.filter(column => !written.has(column))
  const fromHooks = findColumns(table, hookColumns)
  const notReturned = unwritten.filter(column => fromHooks.has(column) && column.notNull).map(({ name }) => name)
  if (notReturned.length > 0)
    yield `hookColumns: nothing writes ${formatColumns(notReturned)} of table "${table.name}", which ${are(notReturned)} NOT NULL: return ${them(notReturned)} from "prepare" or "beforeSave"`
  const keyColumn = table.column(key.column)
  const lacksValue = (column: Column) =>
    !column.hasDefault && !fromHooks.has(column) && (column.notNull || (column === keyColumn && !table.isView))
  const missing = unwritten.filter(lacksValue).map(({ name }) => name)
  if (missing.length > 0)
    yield `create: nothing writes ${formatColumns(missing)} of table "${table.name}", which ${are(missing)} NOT NULL or the key and ${missing.length === 1 ? 'has' : 'have'} no default: add a field, name ${them(missing)} in "hookColumns" and return ${them(missing)} from "prepare", or remove the action "create"`
}

const findColumns = (table: Table, names: readonly string[]): ReadonlySet<Column> =>
  new Set(names.map(name => table.column(name)!))

const formatColumns = (names: readonly string[]): string =>
  `${names.length === 1 ? 'column' : 'columns'} ${names.map(name => `"${name}"`).join(', ')}`
const are = ({ length }: readonly string[]): string => (length === 1 ? 'is' : 'are')
const them = ({ length }: readonly string[]): string => (length === 1 ? 'it' : 'them')

// Compiles all SQL in one round trip. Only if that fails, it compiles each part to find the rejected ones.
async function findRejectedSql(
  database: Database,
  boundResources: readonly BoundResource[],
): Promise<readonly Problem[]> {
  const statements = boundResources.flatMap(bound => [
    ...listRowFilters(bound).map(filter => compileProbe(bound, bound.resource.fields, filter)),
    ...bound.filters.compileAll().map(filter => compileFilterProbe(bound, filter)),
  ])
  if ((await findRejection(database, statements)) === undefined) return []
  const problems: Problem[] = []
  for (const bound of boundResources) {
    const { fields } = bound.resource
    const checkStatement = async (where: string, statement: Statement, advice = '') => {
      const reason = await findRejection(database, [statement])
      if (reason !== undefined)
        problems.push({ bound, text: `${where}: the database rejects its SQL: ${reason}${advice}` })
    }
    for (const [name, field] of Object.entries(fields))
      await checkStatement(`field "${name}"`, compileProbe(bound, { [name]: field }))
    for (const filter of listRowFilters(bound))
      if (filter !== undefined)
        await checkStatement('the row filter of its permissions', compileProbe(bound, {}, filter))
    for (const filter of bound.filters.compileAll())
      await checkStatement(
        `filters: "${filter.filter.parameter}"`,
        compileFilterProbe(bound, filter),
        filter.filter.advice,
      )
  }
  return problems
}

/** A statement that uses the SQL of these fields and of the filter. */
const compileProbe = (
  { database, resource, api }: BoundResource,
  fields: BoundResource['resource']['fields'],
  filter?: RowFilter,
): Statement =>
  compile(database, () => {
    const columns =
      Object.keys(fields).length === 0 ? sql`1` : representation(database, resource, fields, createRelatedRows(api))
    return sql`select ${columns} from ${rowsOf(resource)} ${createWhereClause(database.dialect, resource.table, filter)}`
  })

const compileFilterProbe = ({ database, resource }: BoundResource, { condition }: FilterSql): Statement =>
  compile(database, sql`select 1 from ${rowsOf(resource)} where ${condition}`)

function listRowFilters({ resource, plans }: BoundResource): readonly (RowFilter | undefined)[] {
  const views = Object.values(resource.objectViews ?? {}).map(view => createRowFilter(listViewPermissions(view)))
  return [...new Set([undefined, ...Object.values(plans).map(({ filter }) => filter), ...views])]
}

async function findRejection({ catalogue }: Database, statements: readonly Statement[]): Promise<string | undefined> {
  try {
    await catalogue.compile(statements)
    return undefined
  } catch (error) {
    if (error instanceof ServiceUnavailable) throw error
    return (error as Error).message
  }
}
