// The statements that write several objects of a resource. Those that load the objects are in load-many.ts.

import { sql } from 'kysely'
import { createBoundedMap } from '../../base/bounded-map.ts'
import type { Table } from '../../database/catalogue.ts'
import { compile, parameter, type Statement } from '../../database/database.ts'
import type { InsertedColumn } from '../../database/dialect.ts'
import { rowsOf } from '../../database/row-source.ts'
import { findPublicIdentifier, type KeyValue } from '../../keys/key.ts'
import type { Resource } from '../declare/resource.ts'
import type { WrittenColumns } from '../declare/storage.ts'
import { formatKeyList, isListed, isNamed } from './key-list.ts'
import { createLoadStatements, findKeyColumns, type LoadSource, type LoadStatements } from './load-many.ts'
import type { RelatedRows } from './related-rows.ts'
import { createValueLister, type ListValues } from './row-values.ts'
import { objectPermissionColumns, representation } from './select.ts'
import { listTableParts } from './table-parts.ts'
import { assignments, createNewValue, formatRemoval, insertion } from './write.ts'

/** The key of a new object; its representation; what its path contains, unless that is the key. */
export type InsertedRow = readonly [key: KeyValue, json?: string, name?: KeyValue]

/** One of the tables that store a row, as a resource of its own. */
export interface RowPart {
  readonly resource: Resource
  readonly statements: ManyStatements
}

/** Statements of several objects. Parameters: those of `Statements`, `keys` (see `formatKeys`), and `rows` (see `Dialect.records`). */
export interface ManyStatements extends LoadStatements {
  /** The representations of written objects by their keys, and what their paths contain. */
  readonly written: Readonly<
    Record<'create' | 'update', Statement<readonly [key: KeyValue, json: string, name: KeyValue]>>
  >
  /** The columns that the permissions of written objects read. */
  readonly permitted: Readonly<Record<'create' | 'update', Statement<readonly [key: KeyValue, object: string]>>>
  /** The columns that an insert writes. */
  readonly columns: readonly string[]
  /** The values of a new row, in the order of `columns`. */
  readonly listValues: ListValues
  /** Whether one statement can insert several rows. The tables are known when Fastify is ready. */
  insertsTogether(): boolean
  /** Whether one parameter can express the values of these columns of several rows. */
  canRecord(columns: readonly string[]): boolean
  /** The columns whose values are the texts of JSON. */
  listJsonColumns(columns: readonly string[]): ReadonlySet<string>
  /** Inserts one row: one parameter per column. */
  readonly insert: Statement<readonly [key: KeyValue]>
  /** Inserts this number of rows, at most `Dialect.insertedRows.maxRows`; `isShown`: returns their representations too. */
  insertMany(count: number, isShown: boolean): Statement<InsertedRow>
  /** The columns that an update can change. */
  readonly changed: readonly string[]
  /** Changes a locked row: two parameters per column, like `Statements.update`. */
  readonly update: Statement
  /** Changes these columns of locked rows to those of `rows`, which contain the key too. */
  updateMany(columns: readonly string[]): Statement
  readonly remove: Statement
  /** The tables that store a row, if its table extends another one: the one that is extended comes first. */
  readonly parts?: readonly RowPart[]
  formatKeys(keys: readonly KeyValue[]): string
  formatNames(names: readonly KeyValue[]): string
  /** The same for what bodies contain instead of the keys of children. */
  formatChildNames(names: readonly KeyValue[]): string
}

/** What the statements are made of: a bound resource has all of it. */
export interface StatementSource extends LoadSource {
  readonly related: RelatedRows
  readonly columns: WrittenColumns
  readonly tables: ReadonlyMap<string, Table>
}

/** The columns with their types, which are known when Fastify is ready. */
export function listInsertedColumns(
  { resource, tables }: Pick<StatementSource, 'resource' | 'tables'>,
  names: readonly string[],
): readonly InsertedColumn[] {
  const table = tables.get(resource.table)
  return names.map(name => ({ name, plainType: table?.column(name)?.plainType ?? '' }))
}

/** Creates the statements of a resource. `added`: columns that they write besides those of the resource. */
export function createManyStatements(source: StatementSource, added: readonly string[] = []): ManyStatements {
  const { database, resource, tables, plans, related } = source
  const columns = {
    create: [...new Set([...source.columns.create, ...added])],
    update: [...new Set([...source.columns.update, ...added])],
  }
  const { dialect } = database
  const { key } = resource
  const [table, rows] = [sql.table(resource.table), rowsOf(resource)]
  const { keyColumn, identifier, rowName } = findKeyColumns(dialect, resource)
  const hasKey = isListed(dialect, key, keyColumn, parameter('keys'))
  const written = (action: 'create' | 'update') =>
    compile<readonly [key: KeyValue, json: string, name: KeyValue]>(database, () => {
      const json = dialect.text(representation(database, resource, plans[action].shows, related))
      return sql`select ${keyColumn}, ${json}, ${rowName} from ${rows} where ${hasKey}`
    })
  const permitted = (action: 'create' | 'update') =>
    compile<readonly [key: KeyValue, object: string]>(database, () => {
      const object = objectPermissionColumns(database, resource, plans[action].writtenPermissions)
      return sql`select ${keyColumn}, ${dialect.text(object)} from ${rows} where ${hasKey}`
    })
  const findKind = (name: string) => tables.get(resource.table)?.column(name)?.kind ?? 'other'
  const canRecord = (names: readonly string[]) => names.every(name => dialect.canRecord(findKind(name)))
  let insertsTogether: boolean | undefined
  return {
    ...createLoadStatements(source),
    insertsTogether() {
      insertsTogether ??= columns.create.length > 0 && isOrdered(source, columns.create) && canRecord(columns.create)
      return insertsTogether
    },
    canRecord,
    listJsonColumns: names => new Set(names.filter(name => findKind(name) === 'json')),
    written: { create: written('create'), update: written('update') },
    permitted: { create: permitted('create'), update: permitted('update') },
    columns: columns.create,
    listValues: createValueLister(resource, columns.create),
    insert: compile(database, () => sql`insert into ${table} ${insertion(columns.create)} returning ${keyColumn}`),
    insertMany: createInsertFinder(source, columns.create),
    changed: columns.update,
    update: compile(
      database,
      () =>
        sql`update ${table} set ${assignments(resource, columns.update, related)} where ${isNamed(dialect, key, keyColumn, parameter('id'))}`,
    ),
    updateMany: createUpdateFinder(source),
    remove: compile(database, () => sql`${formatRemoval(dialect, resource)} where ${hasKey}`),
    ...(resource.parentRows && { parts: createParts({ ...source, columns }) }),
    formatKeys: keys => formatKeyList(dialect, key, keys),
    formatNames: names => formatKeyList(dialect, identifier, names),
    formatChildNames: names => formatKeyList(dialect, findPublicIdentifier(key), names),
  }
}

// The statements of the parts write columns of their own tables only.
const createParts = (source: StatementSource): readonly RowPart[] =>
  listTableParts(source.resource).map(({ resource, link, has }) => {
    const { create, update } = source.columns
    const columns = {
      create: [...(link === undefined ? [] : [link]), ...create.filter(has)],
      update: update.filter(has),
    }
    return { resource, statements: createManyStatements({ ...source, resource, columns }) }
  })

// A key that the database makes does not say to which row it belongs, unless the next one is always larger.
function isOrdered({ resource: { table, key }, tables }: StatementSource, columns: readonly string[]): boolean {
  const countsUp = () => key.type === 'integer' && tables.get(table)?.column(key.column)?.countsUp === true
  return columns.includes(key.column) || (key.source === 'database' && countsUp())
}

function createInsertFinder(source: StatementSource, columns: readonly string[]): ManyStatements['insertMany'] {
  const { database } = source
  const statements = createBoundedMap<string, Statement<InsertedRow>>({ maxSize: 128 })
  return (count, isShown) => {
    const shape = database.dialect.insertedRows.shape(count)
    const name = `${shape} ${isShown}`
    const found = statements.get(name)
    if (found !== undefined) return found
    const statement = compile<InsertedRow>(database, () => insertRows(source, columns, { count: shape, isShown }))
    statements.set(name, statement)
    return statement
  }
}

function insertRows(
  source: StatementSource,
  columns: readonly string[],
  { count, isShown }: { readonly count: number; readonly isShown: boolean },
) {
  const { database, resource, plans, related } = source
  const { dialect } = database
  const { keyColumn, identifier, rowName } = findKeyColumns(dialect, resource)
  const names = sql.join(columns.map(name => sql.id(name)))
  const rows = dialect.insertedRows.select(listInsertedColumns(source, columns), count)
  const json = () => dialect.text(representation(database, resource, plans.create.shows, related))
  const andName = identifier.column === resource.key.column ? sql`` : sql`, ${rowName}`
  const andShown = isShown ? sql`, ${json()}${andName}` : sql``
  return sql`insert into ${sql.table(resource.table)} (${names}) ${rows} returning ${keyColumn}${andShown}`
}

function createUpdateFinder(source: StatementSource): ManyStatements['updateMany'] {
  const statements = createBoundedMap<string, Statement>({ maxSize: 64 })
  return columns => {
    const name = JSON.stringify(columns)
    const found = statements.get(name)
    if (found !== undefined) return found
    const statement = compile(source.database, () => updateRows(source, columns))
    statements.set(name, statement)
    return statement
  }
}

function updateRows({ database, resource, related }: StatementSource, columns: readonly string[]) {
  const { table, key } = resource
  const values = columns.map(
    name => sql`${sql.id(name)} = ${createNewValue(resource, name, related, sql.id('given', name))}`,
  )
  const rows = database.dialect.records(table, [...columns, key.column], parameter('rows'))
  return sql`update ${sql.table(table)} set ${sql.join(values)} from (${rows}) as given where ${findKeyColumns(database.dialect, resource).keyColumn} = ${sql.id('given', key.column)}`
}
