// The SQL statements of a resource. Each is compiled when it is first used (decision 031); later requests only bind its
// parameters and run it. The database itself builds the JSON of the representation.

import { type RawBuilder, sql } from 'kysely'
import { compile, type Database, parameter, type Statement } from '../../database/database.ts'
import type { Sql } from '../../database/dialect.ts'
import { castTo } from '../../database/expressions.ts'
import { rowsOf } from '../../database/row-source.ts'
import type { Fields } from '../../fields/field.ts'
import { selectRowName } from '../../fields/identifier.ts'
import type { KeyValue } from '../../keys/key.ts'
import { listObjectColumns, listReadObjectPermissions } from '../../policy/permissions/permission.ts'
import { createWhereClause } from '../../policy/permissions/row-filter.ts'
import type { Resource } from '../declare/resource.ts'
import { findRequestedIdentifier } from '../declare/singleton.ts'
import { writtenColumns } from '../declare/storage.ts'
import type { ActionPlan, ActionPlans } from './action-plan.ts'
import { hasName, isNamed } from './key-list.ts'
import type { RelatedRows } from './related-rows.ts'
import {
  createFieldLocation,
  objectPermissionColumns,
  representation,
  snapshotObject,
  withoutRelatedResources,
} from './select.ts'
import { checkFieldVolatility, checkFilterVolatility } from './volatile.ts'
import { assignments, formatRemoval, insertion } from './write.ts'

export type RetrievedRow = readonly [json: string, object: string | null, modified?: string | null]

/**
 * The statements of a resource's objects. Parameters: `base` (the API's URL), `id` (what the path
 * contains for `retrieve` and `load`, and otherwise the key), one per column under its name, and
 * the parameters of the row filters (of the action and of related resources).
 */
export interface Statements {
  /**
   * The representation, the columns that object permissions read (null without object permissions), and the value of the
   * field that `lastModified` names.
   */
  readonly retrieve: Statement<RetrievedRow>
  /** The same of the object with the key `id`. */
  readonly retrieveByKey: Statement<RetrievedRow>
  /** The snapshot of the object before a write, and its key if its path contains something else. */
  readonly load: Readonly<Record<'update' | 'destroy', Statement<readonly [snapshot: string, key?: KeyValue]>>>
  /** The same of the object with the key `id`. */
  readonly loadByKey: Statements['load']
  /** One parameter per column. `name`: what its path contains, unless that is the key. */
  readonly insert: Statement<readonly [id: KeyValue, json: string, name?: KeyValue]>
  /** Two parameters per column: its value, and whether it changes (`set …`). `snapshot`: the result of `load`. */
  readonly update: Statement<readonly [json: string]>
  /** Like `update`, for a locked row. */
  readonly updateLocked: Statement<readonly [json: string]>
  /** `snapshot`: the result of `load`. */
  readonly destroy: Statement<readonly [id: KeyValue]>
}

export function compileStatements(
  database: Database,
  resource: Resource,
  plans: ActionPlans,
  related: RelatedRows,
): Statements {
  const { dialect } = database
  const [table, rows] = [sql.table(resource.table), rowsOf(resource)]
  const key = sql.ref(`${resource.table}.${resource.key.column}`)
  const hasKey = isNamed(dialect, resource.key, key, parameter('id'))
  const identifier = findRequestedIdentifier(resource)
  const isKey = identifier.column === resource.key.column
  const refer = (column: string) => sql.ref(`${resource.table}.${column}`)
  const named = selectRowName(dialect, identifier, refer)
  const isRequested = isKey ? hasKey : hasName(dialect, identifier, { table: resource.table, refer }, parameter('id'))
  const orNamed = (column: Sql) => (isKey ? sql`` : sql`, ${column}`)
  const json = ({ shows }: Pick<ActionPlan, 'shows'>) =>
    dialect.text(representation(database, resource, shows, related))
  const objectPermissions = listReadObjectPermissions(plans.retrieve.permissions)
  const hasObjectPermissions = listObjectColumns(objectPermissions) !== undefined
  const object = () =>
    hasObjectPermissions ? dialect.text(objectPermissionColumns(database, resource, objectPermissions)) : sql`null`
  const snapshot = (action: 'update' | 'destroy') =>
    dialect.text(snapshotObject(database, resource, action, plans[action].permissions))
  const where = (action: keyof ActionPlans, ...conditions: Sql[]) =>
    createWhereClause(dialect, resource.table, plans[action].filter, ...conditions)
  const whereUnchanged = (action: 'update' | 'destroy') =>
    where(action, hasKey, sql`${snapshot(action)} = ${parameter('snapshot')}`)
  const columns = writtenColumns(resource)
  const query = <Row extends readonly unknown[]>(describe: () => RawBuilder<unknown>) =>
    compile<Row>(database, describe)
  const retrieve = (condition: Sql) =>
    query<RetrievedRow>(
      () =>
        sql`select ${json(plans.retrieve)}, ${object()}${andModified(database, resource)} from ${rows} ${where('retrieve', condition)}`,
    )
  const retrieved = retrieve(isRequested)
  const compileLoad = (condition: Sql, andKey: Sql): Statements['load'] => ({
    update: query(() => sql`select ${snapshot('update')}${andKey} from ${rows} ${where('update', condition)}`),
    destroy: query(() => sql`select ${snapshot('destroy')}${andKey} from ${rows} ${where('destroy', condition)}`),
  })
  const load = compileLoad(isRequested, orNamed(key))

  return {
    retrieve: retrieved,
    retrieveByKey: isKey ? retrieved : retrieve(hasKey),
    load,
    loadByKey: isKey ? load : compileLoad(hasKey, sql``),
    insert: query(
      () =>
        sql`insert into ${table} ${insertion(columns.create)} returning ${key}, ${json(plans.create)}${orNamed(named)}`,
    ),
    update: query(
      () =>
        sql`update ${table} set ${assignments(resource, columns.update, related)} ${whereUnchanged('update')} returning ${json(plans.update)}`,
    ),
    updateLocked: query(
      () =>
        sql`update ${table} set ${assignments(resource, columns.update, related)} where ${hasKey} returning ${json(plans.update)}`,
    ),
    destroy: query(() => sql`${formatRemoval(dialect, resource)} ${whereUnchanged('destroy')} returning ${key}`),
  }
}

function andModified(database: Database, resource: Resource): Sql {
  const { lastModified: name, fields } = resource
  if (name === undefined) return sql``
  const location = createFieldLocation(database, resource, withoutRelatedResources)
  return sql`, ${castTo(fields[name]!.show({ ...location, name }), 'text')}`
}

/** Builds the SQL of all fields and filters once, so that errors appear at start. */
export function checkDeclaredSql(database: Database, resource: Resource, plans: ActionPlans): void {
  representation(database, resource, resource.fields, withoutRelatedResources)
  const location = createFieldLocation(database, resource, withoutRelatedResources)
  for (const [name, field] of Object.entries(resource.fields))
    checkFieldVolatility(database, name, field, { ...location, name })
  for (const filter of new Set(Object.values(plans).map(plan => plan.filter)))
    if (filter !== undefined) checkFilterVolatility(database, resource.name, resource.table, filter)
}

/** Registers the values that the statements need for related resources: those of row filters, and of URLs. */
export function registerRelatedValues(database: Database, resource: Resource, related: RelatedRows): void {
  representation(database, resource, resource.fields, related)
  registerRelations(resource.fields, related)
}

/** Registers the values of the row filters of these fields' relations. */
export function registerRelations(fields: Fields, related: RelatedRows): void {
  for (const { relation } of Object.values(fields))
    if (relation && !relation.ignoreRowFilter) related.visibleCondition(relation.target, relation.target.table)
}
