// The select list of a statement: a row's representation, or the columns that policies and handlers read.

import { sql } from 'kysely'
import { compile, type Database, parameter, type Statement } from '../../database/database.ts'
import type { Sql } from '../../database/dialect.ts'
import { type Fields, type Place, valueIn } from '../../fields/field.ts'
import { objectColumns, type Permission } from '../../permissions/permission.ts'
import { type RowFilter, whereRows } from '../../permissions/row-filter.ts'
import type { Resource } from '../resource.ts'
import { storageColumn, storedFields } from '../storage.ts'

/** The representation of a row as an object in SQL. */
export function representation(database: Database, resource: Resource, fields: Fields, related: Visible): Sql {
  const shown = Object.entries(fields).filter(([, field]) => !field.writeOnly)
  const place = placeOf(database, resource, related)
  return database.dialect.object(shown.map(([name, field]) => [name, field.show({ ...place, name })]))
}

type Visible = Pick<Place, 'visible'>

// Columns are compared and judged as they are: no relation of theirs is followed.
const everything: Visible = { visible: () => undefined }

/** The place in which a resource's own fields are shown; `name` is added for each field. */
export function placeOf(
  { dialect }: Database,
  { name: resource, table, fields, key }: Resource,
  { visible }: Visible,
): Omit<Place, 'name'> {
  const link = (target: string, value: Sql) =>
    sql`cast(${parameter('base')} as text) || ${sql.lit(`/${target}/`)} || ${value} || '/'`
  return { resource, table, fields, key, depth: 0, dialect, link, visible }
}

/** Finds a row by its key (`id`): its columns as a JSON object. */
export function compileColumns(
  database: Database,
  resource: Resource,
  columns: readonly string[],
  filter: RowFilter | undefined,
): Statement<readonly [object: string]> {
  const hasKey = sql`${sql.ref(`${resource.table}.${resource.key}`)} = ${parameter('id')}`
  return compile(
    database,
    sql`select ${database.dialect.text(columnsObject(database, resource, columns))} from ${sql.table(resource.table)} ${whereRows(resource.table, filter, hasKey)}`,
  )
}

/** The columns that object permissions read of a row. */
export const objectPermissionColumns = (
  database: Database,
  resource: Resource,
  permissions: readonly Permission[],
): Sql => columnsObject(database, resource, objectColumns(permissions) ?? [])

/** Columns of a row by name: one that a field keeps is that field's value, the same on every database. */
export function columnsObject(database: Database, resource: Resource, columns: readonly string[]): Sql {
  const place = placeOf(database, resource, everything)
  return database.dialect.object(columns.map(column => [column, valueIn({ ...place, name: column }, column)]))
}

/**
 * The state that a write is decided by: the columns that object permissions read, and, where more than the fields themselves has
 * to look at the object as it will be, every stored field.
 */
export function seenObject(
  database: Database,
  resource: Resource,
  action: 'update' | 'destroy',
  permissions: readonly Permission[],
): Sql {
  const { dialect } = database
  const { prepare, beforeSave, validate, uniqueTogether } = resource
  const looks = action === 'update' && (prepare || beforeSave || validate || uniqueTogether.length > 0)
  const values = looks ? storedFields(resource) : []
  const place = placeOf(database, resource, everything)
  return dialect.object([
    ['object', objectPermissionColumns(database, resource, permissions)],
    [
      'values',
      dialect.object(values.map(([name, field]) => [name, valueIn({ ...place, name }, storageColumn(name, field)!)])),
    ],
  ])
}
