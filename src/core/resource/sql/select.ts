// The select list of a statement: the representation of a row, or the columns that permissions and handlers read.

import { sql } from 'kysely'
import { compile, type Database, parameter, type Statement } from '../../database/database.ts'
import type { Sql } from '../../database/dialect.ts'
import { castTo, concat } from '../../database/expressions.ts'
import { rowsOf } from '../../database/row-source.ts'
import { createColumnValue, createStoredValue } from '../../fields/column-reference.ts'
import type { FieldLocation, Fields, ResourceReferences } from '../../fields/field.ts'
import { nameOnWire } from '../../fields/wire-names.ts'
import type { UrlEnd } from '../../http/urls/trailing-slash.ts'
import type { KeyValue } from '../../keys/key.ts'
import { formatResourcePath } from '../../messages/title.ts'
import { listObjectColumns, type Permission } from '../../policy/permissions/permission.ts'
import { createWhereClause, type RowFilter } from '../../policy/permissions/row-filter.ts'
import { hasHooks } from '../declare/hooks.ts'
import type { Resource } from '../declare/resource.ts'
import { findRequestedIdentifier } from '../declare/singleton.ts'
import { storedFields } from '../declare/storage.ts'
import { hasName } from './key-list.ts'

/** The representation of a row, as a JSON object in SQL. */
export function representation(
  database: Database,
  resource: Resource,
  fields: Fields,
  related: ResourceReferences,
): Sql {
  const shownFields = Object.entries(fields).filter(([, field]) => related.isShown(field) && !field.writeOnly)
  const location = createFieldLocation(database, resource, related)
  return database.dialect.object(
    shownFields.map(([name, field]) => [nameOnWire(name, field), field.show({ ...location, name })]),
  )
}

/** The URL of an object of the API that runs the statement, which ends with `end`. `key`: undefined for a singleton. */
export const createOwnUrl = (listPath: Sql, key: Sql | undefined, end: UrlEnd): Sql =>
  concat(castTo(parameter('base'), 'text'), listPath, ...createObjectSegment(key, end))

/** The parts of a URL after the path of the list. */
export const createObjectSegment = (key: Sql | undefined, end: UrlEnd): readonly Sql[] =>
  key === undefined ? [] : end === '' ? [key] : [key, sql.lit('/')]

/**
 * References that need no other resource. Permissions and snapshots read the stored columns, to which no row filter of a
 * related resource applies.
 */
export const withoutRelatedResources: ResourceReferences = {
  createUrl: (target, key) =>
    createOwnUrl(sql.lit(`/${typeof target === 'string' ? target : formatResourcePath(target)}/`), key, '/'),
  visibleCondition: () => undefined,
  isShown: () => true,
  within: () => withoutRelatedResources,
}

/** The location of a resource's own fields in its representation; the caller adds the `name` of each field. */
export function createFieldLocation(
  { dialect }: Database,
  { name: resource, table, fields, key, lookup }: Pick<Resource, 'name' | 'table' | 'fields' | 'key' | 'lookup'>,
  { createUrl, visibleCondition, isShown, within }: ResourceReferences,
): Omit<FieldLocation, 'name'> {
  return { resource, table, fields, key, lookup, depth: 0, dialect, createUrl, visibleCondition, isShown, within }
}

/** Selects columns of the row that a path names (`id`), as a JSON object, and its key if the path contains something else. */
export function compileColumns(
  database: Database,
  resource: Resource,
  columns: readonly string[],
  filter: RowFilter | undefined,
): Statement<readonly [object: string, key?: KeyValue]> {
  const { table, key } = resource
  const identifier = findRequestedIdentifier(resource)
  const refer = (column: string) => sql.ref(`${table}.${column}`)
  const isRequested = hasName(database.dialect, identifier, { table, refer }, parameter('id'))
  const andKey = identifier.column === key.column ? sql`` : sql`, ${sql.ref(`${table}.${key.column}`)}`
  return compile(
    database,
    () =>
      sql`select ${database.dialect.text(columnsObject(database, resource, columns))}${andKey} from ${rowsOf(resource)} ${createWhereClause(database.dialect, table, filter, isRequested)}`,
  )
}

/** The columns of a row that object permissions read. */
export const objectPermissionColumns = (
  database: Database,
  resource: Resource,
  permissions: readonly Permission[],
): Sql => columnsObject(database, resource, listObjectColumns(permissions) ?? [])

/** Columns of a row by name. A column that stores a field has the field's value, which is the same on every database. */
function columnsObject(database: Database, resource: Resource, columns: readonly string[]): Sql {
  const location = createFieldLocation(database, resource, withoutRelatedResources)
  return database.dialect.object(
    columns.map(column => [column, createColumnValue({ ...location, name: column }, column)]),
  )
}

/**
 * The state that a write depends on: the columns that object permissions read and, if the write runs hooks or checks that
 * need the complete object, every stored field; otherwise those of files, which the write may replace.
 */
export function snapshotObject(
  database: Database,
  resource: Resource,
  action: 'update' | 'destroy',
  permissions: readonly Permission[],
): Sql {
  const { dialect } = database
  const needsValues = hasHooks(resource, action) || (action === 'update' && resource.uniqueTogether.length > 0)
  const values = needsValues ? storedFields(resource) : storedFields(resource).filter(([, { file }]) => file)
  const location = createFieldLocation(database, resource, withoutRelatedResources)
  return dialect.object([
    ['object', objectPermissionColumns(database, resource, permissions)],
    ['values', dialect.object(values.map(([name, field]) => [name, createStoredValue({ ...location, name }, field)]))],
  ])
}
