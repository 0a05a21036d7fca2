// The SQL of a resource, compiled once at start. What a statement answers is the JSON of the representation itself;
// per request its text is only bound and run.

import { type RawBuilder, sql } from 'kysely'
import { compile, type Database, parameter, type SqlValue, type Statement } from '../database/database.ts'
import type { Sql } from '../database/json.ts'
import { columnOf, type Field, type Place } from '../fields/field.ts'
import { judgesOfReads, objectColumns, type Permission } from '../permissions/permission.ts'
import { afterPosition, type Ordering, orderBy } from './ordering.ts'
import type { Resource } from './resource.ts'

/** A row of JSON text, and the exact number of all rows. */
export type ListRow = readonly [json: string, count: number]

/** A row of JSON text with its position in an order. */
export type WalkRow = readonly [json: string, ...position: SqlValue[]]

/** The statements that go through the rows in one order; `limit`, and `base` as ever. */
export interface Walk {
  readonly first: Statement<WalkRow>
  /** The rows behind a position: `position0`, … */
  readonly after: Statement<WalkRow>
}

/** The statements of a resource. Parameters: `base`, the API's URL; `id`; those of the columns, by column. */
export interface Statements {
  /** `limit`, `offset`. */
  readonly page: Statement<ListRow>
  readonly count: Statement<readonly [count: number]>
  /** Through all rows in the resource's order. */
  readonly walk: Walk
  /** The representation, and what object permissions read of it; null where there are none. */
  readonly retrieve: Statement<readonly [json: string, object: string | null]>
  /** What a write has to know of the object before it. */
  readonly load: Statement<readonly [seen: string]>
  /** One parameter per column. */
  readonly insert: Statement<readonly [id: number, json: string]>
  /** Two parameters per column: its value, and whether it changes (`set …`); `seen`: what `load` answered. */
  readonly update: Statement<readonly [json: string]>
  /** Is the row still what `load` answered (`seen`)? It is locked until the transaction ends. */
  readonly lock: Statement<readonly [id: number]>
  /** As `update`, for a row that is locked. */
  readonly updateLocked: Statement<readonly [json: string]>
  /** `seen` */
  readonly destroy: Statement<readonly [id: number]>
}

/** The statements of a relation whose pairs stand in a table of their own. Parameters: `id`, `keys` as a JSON array. */
export interface RelationRows {
  /** The field's name. */
  readonly name: string
  readonly remove: Statement
  readonly add: Statement
}

/** The columns that the statements of a resource write: those of its fields, then the hidden ones. */
export function writtenColumns(resource: Resource): readonly string[] {
  const stored = storedFields(resource).map(([name, field]) => storageColumn(name, field)!)
  return [...new Set([...stored, ...resource.hidden])]
}

/** The fields that a write keeps in the resource's own table. */
export function storedFields(resource: Resource): readonly (readonly [string, Field])[] {
  return Object.entries(resource.fields).filter(([name, field]) => !field.readOnly && storageColumn(name, field))
}

/** The column that keeps a field. */
export function storageColumn(name: string, { storage }: Field): string | undefined {
  return storage.kind === 'column' ? (storage.column ?? name) : undefined
}

export function compileStatements(
  database: Database,
  resource: Resource,
  permissions: readonly Permission[],
): Statements {
  const { functions } = database
  const table = sql.table(resource.table)
  const column = (name: string) => sql.ref(`${resource.table}.${name}`)
  const key = column(resource.key)
  const hasKey = sql`${key} = ${parameter('id')}`
  const json = functions.text(representation(database, resource))
  const judges = judgesOfReads(permissions)
  const isJudged = objectColumns(judges) !== undefined
  const object = isJudged ? functions.text(judgedObject(database, resource, judges)) : sql`null`
  const seen = functions.text(seenObject(database, resource, permissions))
  const isAsSeen = sql`${hasKey} and ${seen} = ${parameter('seen')}`
  const order = orderBy(resource)
  const count = sql`(select count(*) from ${table})`
  const columns = writtenColumns(resource)

  // The inner query finds the keys, from an index alone where there is one; only the page's rows are then read.
  const keys = sql`(select ${key} as page_key from ${table} order by ${order} limit ${limit} offset ${parameter('offset')}) as page`
  const query = <Row extends readonly unknown[]>(text: RawBuilder<unknown>) => compile<Row>(database, text)

  return {
    page: query(
      sql`select ${json}, ${count} from ${keys} cross join ${table} where ${key} = page_key order by ${order}`,
    ),
    count: query(sql`select ${count}`),
    walk: compileWalk(database, resource, resource.ordering),
    retrieve: query(sql`select ${json}, ${object} from ${table} where ${hasKey}`),
    load: query(sql`select ${seen} from ${table} where ${hasKey}`),
    insert: query(sql`insert into ${table} ${insertion(columns)} returning ${key}, ${json}`),
    update: query(sql`update ${table} set ${assignments(resource, columns)} where ${isAsSeen} returning ${json}`),
    lock: query(sql`update ${table} set ${sql.id(resource.key)} = ${key} where ${isAsSeen} returning ${key}`),
    updateLocked: query(sql`update ${table} set ${assignments(resource, columns)} where ${hasKey} returning ${json}`),
    destroy: query(sql`delete from ${table} where ${isAsSeen} returning ${key}`),
  }
}

/** The statements that go through a resource's rows in this order. */
export function compileWalk(database: Database, resource: Resource, ordering: readonly Ordering[]): Walk {
  const { functions } = database
  const ordered = { table: resource.table, ordering }
  const json = functions.text(representation(database, resource))
  const positions = sql.join(ordering.map(({ column }) => functions.position(sql.ref(`${resource.table}.${column}`))))
  const portion = (where: Sql) =>
    compile<WalkRow>(
      database,
      sql`select ${json}, ${positions} from ${sql.table(resource.table)} where ${where} order by ${orderBy(ordered)} limit ${limit}`,
    )
  return { first: portion(sql`1 = 1`), after: portion(afterPosition(ordered)) }
}

// SQLite compiles a statement anew when a bare parameter of its LIMIT is bound: a cast keeps it (decision 004).
const limit = sql`cast(${parameter('limit')} as bigint)`

export function compileRelationRows(database: Database, resource: Resource): readonly RelationRows[] {
  return Object.entries(resource.fields).flatMap(([name, { storage, readOnly }]) => {
    if (storage.kind !== 'rows' || readOnly) return []
    const { own, other } = storage
    const table = sql.table(storage.table)
    const keys = database.functions.keys(parameter('keys'))
    return {
      name,
      remove: compile(database, sql`delete from ${table} where ${sql.id(own)} = ${parameter('id')}`),
      add: compile(
        database,
        sql`insert into ${table} (${sql.id(own)}, ${sql.id(other)}) select ${parameter('id')}, value from (${keys}) as keys`,
      ),
    }
  })
}

/** The representation of a row as an object in SQL. */
export function representation(database: Database, resource: Resource): Sql {
  const shown = Object.entries(resource.fields).filter(([, field]) => !field.writeOnly)
  return database.functions.object(shown.map(([name, field]) => [name, field.show(placeOf(database, resource, name))]))
}

function placeOf({ functions }: Database, { name: resource, table, key }: Resource, name: string): Place {
  const link = (target: string, value: Sql) =>
    sql`cast(${parameter('base')} as text) || ${sql.lit(`/${target}/`)} || ${value} || '/'`
  return { name, resource, table, key, functions, link }
}

/** What object permissions read of a row: a column that a field keeps is that field's value, the same on every database. */
export function judgedObject(database: Database, resource: Resource, permissions: readonly Permission[]): Sql {
  const fields = Object.entries(resource.fields)
  const valueIn = (column: string): Sql => {
    const found = fields.find(([name, field]) => storageColumn(name, field) === column)
    return found ? stored(database, resource, ...found) : columnOf(placeOf(database, resource, column), column)
  }
  return database.functions.object((objectColumns(permissions) ?? []).map(column => [column, valueIn(column)]))
}

// What a write is decided by: the columns that object permissions read, and, for hooks, every stored field.
function seenObject(database: Database, resource: Resource, permissions: readonly Permission[]): Sql {
  const { functions } = database
  const values = resource.prepare || resource.beforeSave ? storedFields(resource) : []
  return functions.object([
    ['object', judgedObject(database, resource, permissions)],
    ['values', functions.object(values.map(([name, field]) => [name, stored(database, resource, name, field)]))],
  ])
}

// A stored field as its value, not as it is shown: a relation is its key.
function stored(database: Database, resource: Resource, name: string, field: Field): Sql {
  const place = placeOf(database, resource, name)
  return field.relation === undefined ? field.show(place) : columnOf(place, storageColumn(name, field)!)
}

function insertion(columns: readonly string[]): Sql {
  if (columns.length === 0) return sql`default values`
  return sql`(${sql.join(columns.map(name => sql.id(name)))}) values (${sql.join(columns.map(name => parameter(name)))})`
}

// One text for every set of changed columns.
function assignments({ table, key }: Resource, columns: readonly string[]): Sql {
  if (columns.length === 0) return sql`${sql.id(key)} = ${sql.ref(`${table}.${key}`)}`
  return sql.join(
    columns.map(
      name =>
        sql`${sql.id(name)} = case when cast(${parameter(`set ${name}`)} as boolean) then ${parameter(name)} else ${sql.ref(`${table}.${name}`)} end`,
    ),
  )
}
