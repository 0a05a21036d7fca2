// The SQL statements of a resource. Each is compiled when it is first used (decision 031); later requests only bind its
// parameters and run it. The database itself builds the JSON of the representation.

import { type RawBuilder, sql } from 'kysely'
import { compile, type Database, parameter, type Statement } from '../../database/database.ts'
import type { Sql } from '../../database/dialect.ts'
import type { Fields } from '../../fields/field.ts'
import { listObjectColumns, listReadObjectPermissions } from '../../permissions/permission.ts'
import { createWhereClause } from '../../permissions/row-filter.ts'
import type { ActionPlan, ActionPlans } from '../action-plan.ts'
import type { RelatedRows } from '../related-rows.ts'
import type { Resource } from '../resource.ts'
import { writtenColumns } from '../storage.ts'
import {
  createFieldLocation,
  objectPermissionColumns,
  representation,
  snapshotObject,
  withoutRelatedResources,
} from './select.ts'
import { checkFieldVolatility, checkFilterVolatility } from './volatile.ts'
import { assignments, insertion } from './write.ts'

/**
 * The statements of a resource's objects. Parameters: `base` (the API's URL), `id`, one per column under its name, and
 * the parameters of the row filters (of the action and of related resources).
 */
export interface Statements {
  /** The representation, and the columns that object permissions read: null without object permissions. */
  readonly retrieve: Statement<readonly [json: string, object: string | null]>
  /** The representation of the object that was just written. */
  readonly written: Readonly<Record<'create' | 'update', Statement<readonly [json: string]>>>
  /** The snapshot of the object before a write. */
  readonly load: Readonly<Record<'update' | 'destroy', Statement<readonly [snapshot: string]>>>
  /** One parameter per column. */
  readonly insert: Statement<readonly [id: number, json: string]>
  /** Two parameters per column: its value, and whether it changes (`set …`). `snapshot`: the result of `load`. */
  readonly update: Statement<readonly [json: string]>
  /** Locks the row until the transaction ends; finds no row if the object changed since `load` returned `snapshot`. */
  readonly lock: Readonly<Record<'update' | 'destroy', Statement<readonly [id: number]>>>
  /** Like `update`, for a locked row. */
  readonly updateLocked: Statement<readonly [json: string]>
  /** `snapshot`: the result of `load`. */
  readonly destroy: Statement<readonly [id: number]>
  /** Like `destroy`, for a locked row. */
  readonly destroyLocked: Statement
}

export function compileStatements(
  database: Database,
  resource: Resource,
  plans: ActionPlans,
  related: RelatedRows,
): Statements {
  const { dialect } = database
  const table = sql.table(resource.table)
  const key = sql.ref(`${resource.table}.${resource.key}`)
  const hasKey = sql`${key} = ${parameter('id')}`
  const json = ({ shows }: Pick<ActionPlan, 'shows'>) =>
    dialect.text(representation(database, resource, shows, related))
  const objectPermissions = listReadObjectPermissions(plans.retrieve.permissions)
  const hasObjectPermissions = listObjectColumns(objectPermissions) !== undefined
  const object = () =>
    hasObjectPermissions ? dialect.text(objectPermissionColumns(database, resource, objectPermissions)) : sql`null`
  const snapshot = (action: 'update' | 'destroy') =>
    dialect.text(snapshotObject(database, resource, action, plans[action].permissions))
  const where = (action: keyof ActionPlans, ...conditions: Sql[]) =>
    createWhereClause(resource.table, plans[action].filter, hasKey, ...conditions)
  const whereUnchanged = (action: 'update' | 'destroy') =>
    where(action, sql`${snapshot(action)} = ${parameter('snapshot')}`)
  const lock = (action: 'update' | 'destroy') =>
    sql`update ${table} set ${sql.id(resource.key)} = ${key} ${whereUnchanged(action)} returning ${key}`
  const columns = writtenColumns(resource)
  const query = <Row extends readonly unknown[]>(describe: () => RawBuilder<unknown>) =>
    compile<Row>(database, describe)

  return {
    retrieve: query(() => sql`select ${json(plans.retrieve)}, ${object()} from ${table} ${where('retrieve')}`),
    written: {
      create: query(() => sql`select ${json(plans.create)} from ${table} where ${hasKey}`),
      update: query(() => sql`select ${json(plans.update)} from ${table} where ${hasKey}`),
    },
    load: {
      update: query(() => sql`select ${snapshot('update')} from ${table} ${where('update')}`),
      destroy: query(() => sql`select ${snapshot('destroy')} from ${table} ${where('destroy')}`),
    },
    insert: query(() => sql`insert into ${table} ${insertion(columns)} returning ${key}, ${json(plans.create)}`),
    update: query(
      () =>
        sql`update ${table} set ${assignments(resource, columns, related)} ${whereUnchanged('update')} returning ${json(plans.update)}`,
    ),
    lock: { update: query(() => lock('update')), destroy: query(() => lock('destroy')) },
    updateLocked: query(
      () =>
        sql`update ${table} set ${assignments(resource, columns, related)} where ${hasKey} returning ${json(plans.update)}`,
    ),
    destroy: query(() => sql`delete from ${table} ${whereUnchanged('destroy')} returning ${key}`),
    destroyLocked: query(() => sql`delete from ${table} where ${hasKey}`),
  }
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
