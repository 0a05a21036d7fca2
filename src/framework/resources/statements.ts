// The SQL of a resource, compiled once, when it is first asked for (decision 031). What a statement answers is the JSON of
// the representation itself; per request its text is only bound and run.

import { type RawBuilder, sql } from 'kysely'
import { compile, type Database, parameter, type SqlValue, type Statement } from '../database/database.ts'
import type { Sql } from '../database/json.ts'
import { type Field, type Fields, type Place, valueIn } from '../fields/field.ts'
import { judgesOfReads, objectColumns, type Permission } from '../permissions/permission.ts'
import { whereRows } from '../permissions/row-filter.ts'
import type { Plans } from './plan.ts'
import type { Resource } from './resource.ts'

/**
 * The statements of a resource's objects. Parameters: `base`, the API's URL; `id`; those of the columns, by column; those
 * of the action's filter.
 */
export interface Statements {
  /** The representation, and what object permissions read of it; null where there are none. */
  readonly retrieve: Statement<readonly [json: string, object: string | null]>
  /** The representation of what was just written. */
  readonly written: Readonly<Record<'create' | 'update', Statement<readonly [json: string]>>>
  /** What a write has to know of the object before it. */
  readonly load: Readonly<Record<'update' | 'destroy', Statement<readonly [seen: string]>>>
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

/** The statements of a field whose values are rows of a table. Parameters: `id`, and `keys`, the values as a JSON array. */
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

/** A field's value as its column takes it. */
export const storedValue = (field: Field, value: unknown): SqlValue =>
  value === null || field.store === undefined ? (value as SqlValue) : field.store(value)

export function compileStatements(database: Database, resource: Resource, plans: Plans): Statements {
  const { functions } = database
  const table = sql.table(resource.table)
  const key = sql.ref(`${resource.table}.${resource.key}`)
  const hasKey = sql`${key} = ${parameter('id')}`
  const shown = ({ fields }: { readonly fields: Fields }) => functions.text(representation(database, resource, fields))
  const judges = judgesOfReads(plans.retrieve.permissions)
  const isJudged = objectColumns(judges) !== undefined
  const object = () => (isJudged ? functions.text(judgedObject(database, resource, judges)) : sql`null`)
  const seen = (action: 'update' | 'destroy') =>
    functions.text(seenObject(database, resource, action, plans[action].permissions))
  const where = (action: keyof Plans, ...beside: Sql[]) =>
    whereRows(resource.table, plans[action].filter, hasKey, ...beside)
  const asSeen = (action: 'update' | 'destroy') => where(action, sql`${seen(action)} = ${parameter('seen')}`)
  const columns = writtenColumns(resource)
  const query = <Row extends readonly unknown[]>(describe: () => RawBuilder<unknown>) =>
    compile<Row>(database, describe)

  return {
    retrieve: query(() => sql`select ${shown(plans.retrieve)}, ${object()} from ${table} ${where('retrieve')}`),
    written: {
      create: query(() => sql`select ${shown(plans.create)} from ${table} where ${hasKey}`),
      update: query(() => sql`select ${shown(plans.update)} from ${table} where ${hasKey}`),
    },
    load: {
      update: query(() => sql`select ${seen('update')} from ${table} ${where('update')}`),
      destroy: query(() => sql`select ${seen('destroy')} from ${table} ${where('destroy')}`),
    },
    insert: query(() => sql`insert into ${table} ${insertion(columns)} returning ${key}, ${shown(plans.create)}`),
    update: query(
      () =>
        sql`update ${table} set ${assignments(resource, columns)} ${asSeen('update')} returning ${shown(plans.update)}`,
    ),
    lock: query(() => sql`update ${table} set ${sql.id(resource.key)} = ${key} ${asSeen('update')} returning ${key}`),
    updateLocked: query(
      () => sql`update ${table} set ${assignments(resource, columns)} where ${hasKey} returning ${shown(plans.update)}`,
    ),
    destroy: query(() => sql`delete from ${table} ${asSeen('destroy')} returning ${key}`),
  }
}

/** Throws where what a resource's fields or filters say of themselves in SQL does. */
export function checkDescriptions(database: Database, resource: Resource, plans: Plans): void {
  representation(database, resource, resource.fields)
  for (const filter of new Set(Object.values(plans).map(plan => plan.filter))) whereRows(resource.table, filter)
}

export function compileRelationRows(database: Database, resource: Resource): readonly RelationRows[] {
  return Object.entries(resource.fields).flatMap(([name, { storage, readOnly }]) => {
    if (storage.kind !== 'rows' || readOnly) return []
    const { own, other } = storage
    const table = sql.table(storage.table)
    const { keys, texts } = database.functions
    const values = (storage.of === 'texts' ? texts : keys)(parameter('keys'))
    return {
      name,
      remove: compile(database, sql`delete from ${table} where ${sql.id(own)} = ${parameter('id')}`),
      add: compile(
        database,
        sql`insert into ${table} (${sql.id(own)}, ${sql.id(other)}) select ${parameter('id')}, value from (${values}) as given`,
      ),
    }
  })
}

/** The representation of a row as an object in SQL. */
export function representation(database: Database, resource: Resource, fields: Fields): Sql {
  const shown = Object.entries(fields).filter(([, field]) => !field.writeOnly)
  return database.functions.object(shown.map(([name, field]) => [name, field.show(placeOf(database, resource, name))]))
}

function placeOf({ functions }: Database, { name: resource, table, fields, key }: Resource, name: string): Place {
  const link = (target: string, value: Sql) =>
    sql`cast(${parameter('base')} as text) || ${sql.lit(`/${target}/`)} || ${value} || '/'`
  return { name, resource, table, fields, key, depth: 0, functions, link }
}

/** What object permissions read of a row. */
export const judgedObject = (database: Database, resource: Resource, permissions: readonly Permission[]): Sql =>
  columnsObject(database, resource, objectColumns(permissions) ?? [])

/** Columns of a row by name: one that a field keeps is that field's value, the same on every database. */
export function columnsObject(database: Database, resource: Resource, columns: readonly string[]): Sql {
  return database.functions.object(
    columns.map(column => [column, valueIn(placeOf(database, resource, column), column)]),
  )
}

// What a write is decided by: the columns that object permissions read, and, where more than the fields themselves has
// to look at the object as it will be, every stored field.
function seenObject(
  database: Database,
  resource: Resource,
  action: 'update' | 'destroy',
  permissions: readonly Permission[],
): Sql {
  const { functions } = database
  const { prepare, beforeSave, validate, uniqueTogether } = resource
  const looks = action === 'update' && (prepare || beforeSave || validate || uniqueTogether.length > 0)
  const values = looks ? storedFields(resource) : []
  return functions.object([
    ['object', judgedObject(database, resource, permissions)],
    [
      'values',
      functions.object(
        values.map(([name, field]) => [name, valueIn(placeOf(database, resource, name), storageColumn(name, field)!)]),
      ),
    ],
  ])
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
