// The statements that read and write several objects of a resource.

import { sql } from 'kysely'
import { createBoundedMap } from '../../base/bounded-map.ts'
import type { Table } from '../../database/catalogue.ts'
import { compile, type Database, parameter, type Statement } from '../../database/database.ts'
import type { InsertedColumn, Sql } from '../../database/dialect.ts'
import { findPathIdentifier } from '../../fields/identifier.ts'
import { findPublicIdentifier, type KeyValue } from '../../keys/key.ts'
import { createWhereClause } from '../../policy/permissions/row-filter.ts'
import type { Resource } from '../declare/resource.ts'
import type { WrittenColumns } from '../declare/storage.ts'
import type { ActionPlans } from './action-plan.ts'
import { formatKeyList, isListed, isNamed } from './key-list.ts'
import type { RelatedRows } from './related-rows.ts'
import { createValueLister, type ListValues } from './row-values.ts'
import { representation, snapshotObject } from './select.ts'
import { assignments, createNewValue, insertion } from './write.ts'

/** The key of an object, its state (see `Statements.load`), and what bodies contain instead of the key. */
export type LoadedRow = readonly [key: KeyValue, snapshot: string, name: KeyValue]

/** The key of a new object; its representation; what its path contains, unless that is the key. */
export type InsertedRow = readonly [key: KeyValue, json?: string, name?: KeyValue]

/** Statements of several objects. Parameters: those of `Statements`, `keys` (see `formatKeys`), and `rows` (see `Dialect.records`). */
export interface ManyStatements {
  /** The objects with these keys that the row filter of the action shows, locked in the order of their keys. */
  readonly lock: Readonly<Record<'update' | 'destroy', Statement<LoadedRow>>>
  /** The objects that the values in `keys` name (see `formatNames`). */
  readonly loadNamed: Readonly<Record<'update' | 'destroy', Statement<LoadedRow>>>
  /** The same, locked in the order of their keys. */
  readonly lockNamed: Readonly<Record<'update' | 'destroy', Statement<LoadedRow>>>
  /** The representations of written objects by their keys, and what their paths contain. */
  readonly written: Readonly<
    Record<'create' | 'update', Statement<readonly [key: KeyValue, json: string, name: KeyValue]>>
  >
  /**
   * The children of the parent with the key `owner`, if the row filter of the action shows them, at most `limit`; `isListed`: only
   * those that the values in `keys` name (see `formatChildNames`).
   */
  loadChildren(action: 'update' | 'destroy', link: ChildLink, isListed: boolean): Statement<LoadedRow>
  /** The same, locked. */
  lockChildren(action: 'update' | 'destroy', link: ChildLink, isListed: boolean): Statement<LoadedRow>
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
  formatKeys(keys: readonly KeyValue[]): string
  formatNames(names: readonly KeyValue[]): string
  /** The same for what bodies contain instead of the keys of children. */
  formatChildNames(names: readonly KeyValue[]): string
}

/**
 * The column that connects children with their parent: `reverse` is a column of the children with the key of the parent; `column` is one
 * of the parent with the key of its only child.
 */
export type ChildLink =
  | { readonly reverse: string }
  | { readonly parent: Pick<Resource, 'table' | 'key'>; readonly column: string }

/** What the statements are made of: a bound resource has all of it. */
export interface StatementSource {
  readonly database: Database
  readonly resource: Resource
  readonly plans: ActionPlans
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
export function createManyStatements(
  { database, resource, tables, plans, related, columns: own }: StatementSource,
  added: readonly string[] = [],
): ManyStatements {
  const columns = { create: [...new Set([...own.create, ...added])], update: [...new Set([...own.update, ...added])] }
  const { dialect } = database
  const { key } = resource
  const table = sql.table(resource.table)
  const keyColumn = sql.ref(`${resource.table}.${key.column}`)
  const identifier = findPathIdentifier(resource)
  const pathColumn = sql.ref(`${resource.table}.${identifier.column}`)
  const publicIdentifier = findPublicIdentifier(key)
  const nameColumn = sql.ref(`${resource.table}.${publicIdentifier.column}`)
  const hasKey = isListed(dialect, key, keyColumn, parameter('keys'))
  const load = (action: 'update' | 'destroy', condition: Sql, name = nameColumn) => {
    const snapshot = dialect.text(snapshotObject(database, resource, action, plans[action].permissions))
    const where = createWhereClause(resource.table, plans[action].filter, condition)
    return sql`select ${keyColumn}, ${snapshot}, ${name} from ${table} ${where}`
  }
  // Two transactions that lock rows in the same order cannot wait for each other.
  const andLocked = sql`order by ${keyColumn} ${dialect.forUpdate}`
  const lock = (action: 'update' | 'destroy') =>
    compile<LoadedRow>(database, () => sql`${load(action, hasKey)} ${andLocked}`)
  const findNamed = (action: 'update' | 'destroy', end: Sql) =>
    compile<LoadedRow>(database, () => {
      const isFound = isListed(dialect, identifier, pathColumn, parameter('keys'))
      return sql`${load(action, isFound, pathColumn)} ${end}`
    })
  const written = (action: 'create' | 'update') =>
    compile<readonly [key: KeyValue, json: string, name: KeyValue]>(database, () => {
      const json = dialect.text(representation(database, resource, plans[action].shows, related))
      return sql`select ${keyColumn}, ${json}, ${pathColumn} from ${table} where ${hasKey}`
    })
  const inserts = createBoundedMap<string, Statement<InsertedRow>>({ maxSize: 128 })
  const insertRows = (count: number) => {
    const names = sql.join(columns.create.map(name => sql.id(name)))
    const rows = dialect.insertedRows.select(listInsertedColumns({ resource, tables }, columns.create), count)
    return sql`insert into ${table} (${names}) ${rows}`
  }
  const insertMany = (count: number, isShown: boolean) => {
    const json = () => dialect.text(representation(database, resource, plans.create.shows, related))
    const andName = identifier.column === key.column ? sql`` : sql`, ${pathColumn}`
    const andShown = isShown ? sql`, ${json()}${andName}` : sql``
    return sql`${insertRows(count)} returning ${keyColumn}${andShown}`
  }
  const updates = createBoundedMap<string, Statement>({ maxSize: 64 })
  const updateMany = (changed: readonly string[]) => {
    const values = changed.map(
      name => sql`${sql.id(name)} = ${createNewValue(resource, name, related, sql.id('given', name))}`,
    )
    const rows = dialect.records(resource.table, [...changed, key.column], parameter('rows'))
    return sql`update ${table} set ${sql.join(values)} from (${rows}) as given where ${keyColumn} = ${sql.id('given', key.column)}`
  }
  const children = new Map<string, Statement<LoadedRow>>()
  const isChild = (link: ChildLink) =>
    'reverse' in link
      ? sql`${sql.ref(`${resource.table}.${link.reverse}`)} = ${parameter('owner')}`
      : sql`${keyColumn} = (${selectReference(database, link.parent, link.column)})`
  const andLimited = sql` limit ${parameter('limit')}`
  const findChildren = (verb: 'load' | 'lock', action: 'update' | 'destroy', link: ChildLink, areNamed: boolean) => {
    const place = 'reverse' in link ? link.reverse : `of ${link.parent.table}.${link.column}`
    const name = `${verb} ${action} ${areNamed} ${place}`
    const end = verb === 'load' ? sql`order by ${keyColumn}` : andLocked
    const condition = () =>
      areNamed
        ? sql`${isChild(link)} and ${isListed(dialect, publicIdentifier, nameColumn, parameter('keys'))}`
        : isChild(link)
    const statement =
      children.get(name) ??
      compile<LoadedRow>(database, () => sql`${load(action, condition())} ${end}${areNamed ? sql`` : andLimited}`)
    children.set(name, statement)
    return statement
  }
  const findKind = (name: string) => tables.get(resource.table)?.column(name)?.kind ?? 'other'
  const canRecord = (names: readonly string[]) => names.every(name => dialect.canRecord(findKind(name)))
  let insertsTogether: boolean | undefined
  return {
    // A key that the database makes does not say to which row it belongs, unless the next one is always larger.
    insertsTogether() {
      const countsUp = () => key.type === 'integer' && tables.get(resource.table)?.column(key.column)?.countsUp === true
      const isOrdered = () => columns.create.includes(key.column) || (key.source === 'database' && countsUp())
      insertsTogether ??= columns.create.length > 0 && isOrdered() && canRecord(columns.create)
      return insertsTogether
    },
    canRecord,
    listJsonColumns: names => new Set(names.filter(name => findKind(name) === 'json')),
    lock: { update: lock('update'), destroy: lock('destroy') },
    loadNamed: { update: findNamed('update', sql``), destroy: findNamed('destroy', sql``) },
    lockNamed: { update: findNamed('update', andLocked), destroy: findNamed('destroy', andLocked) },
    written: { create: written('create'), update: written('update') },
    loadChildren: (action, link, areNamed) => findChildren('load', action, link, areNamed),
    lockChildren: (action, link, areNamed) => findChildren('lock', action, link, areNamed),
    columns: columns.create,
    listValues: createValueLister(resource, columns.create),
    insert: compile(database, () => sql`insert into ${table} ${insertion(columns.create)} returning ${keyColumn}`),
    insertMany(count, isShown) {
      const shape = dialect.insertedRows.shape(count)
      const name = `${shape} ${isShown}`
      const statement = inserts.get(name) ?? compile<InsertedRow>(database, () => insertMany(shape, isShown))
      inserts.set(name, statement)
      return statement
    },
    changed: columns.update,
    update: compile(
      database,
      () =>
        sql`update ${table} set ${assignments(resource, columns.update, related)} where ${isNamed(dialect, key, keyColumn, parameter('id'))}`,
    ),
    updateMany(changed) {
      const name = JSON.stringify(changed)
      const statement = updates.get(name) ?? compile(database, () => updateMany(changed))
      updates.set(name, statement)
      return statement
    },
    remove: compile(database, () => sql`delete from ${table} where ${hasKey}`),
    formatKeys: keys => formatKeyList(dialect, key, keys),
    formatNames: names => formatKeyList(dialect, identifier, names),
    formatChildNames: names => formatKeyList(dialect, publicIdentifier, names),
  }
}

// The alias is needed because the table may be that of the child.
function selectReference({ dialect }: Database, { table, key }: Pick<Resource, 'table' | 'key'>, column: string): Sql {
  const isParent = isNamed(dialect, key, sql.id(parentAlias, key.column), parameter('owner'))
  return sql`select ${sql.id(parentAlias, column)} from ${sql.table(table)} as ${sql.id(parentAlias)} where ${isParent}`
}

const parentAlias = 'parent row'
