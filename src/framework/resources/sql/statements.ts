// The SQL of a resource, compiled once, when it is first asked for (decision 031). What a statement answers is the JSON of
// the representation itself; per request its text is only bound and run.

import { type RawBuilder, sql } from 'kysely'
import { compile, type Database, parameter, type Statement } from '../../database/database.ts'
import type { Sql } from '../../database/dialect.ts'
import type { Fields } from '../../fields/field.ts'
import { objectColumns, objectPermissionsOfReads } from '../../permissions/permission.ts'
import { whereRows } from '../../permissions/row-filter.ts'
import type { ActionPlans } from '../action-plan.ts'
import type { RelatedRows } from '../related-rows.ts'
import type { Resource } from '../resource.ts'
import { writtenColumns } from '../storage.ts'
import { objectPermissionColumns, placeOf, representation, seenObject } from './select.ts'
import { checkField, checkFilter } from './volatile.ts'
import { assignments, insertion } from './write.ts'

/**
 * The statements of a resource's objects. Parameters: `base`, the API's URL; `id`; those of the columns, by column; those
 * of the action's filter, and of the filters of related resources.
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
  const shown = ({ fields }: { readonly fields: Fields }) =>
    dialect.text(representation(database, resource, fields, related))
  const judges = objectPermissionsOfReads(plans.retrieve.permissions)
  const isJudged = objectColumns(judges) !== undefined
  const object = () => (isJudged ? dialect.text(objectPermissionColumns(database, resource, judges)) : sql`null`)
  const seen = (action: 'update' | 'destroy') =>
    dialect.text(seenObject(database, resource, action, plans[action].permissions))
  const where = (action: keyof ActionPlans, ...beside: Sql[]) =>
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
        sql`update ${table} set ${assignments(resource, columns, related)} ${asSeen('update')} returning ${shown(plans.update)}`,
    ),
    lock: query(() => sql`update ${table} set ${sql.id(resource.key)} = ${key} ${asSeen('update')} returning ${key}`),
    updateLocked: query(
      () =>
        sql`update ${table} set ${assignments(resource, columns, related)} where ${hasKey} returning ${shown(plans.update)}`,
    ),
    destroy: query(() => sql`delete from ${table} ${asSeen('destroy')} returning ${key}`),
  }
}

/** Throws where what a resource's fields or filters say of themselves in SQL does. Registers every related row filter. */
export function checkDescriptions(
  database: Database,
  resource: Resource,
  plans: ActionPlans,
  related: RelatedRows,
): void {
  representation(database, resource, resource.fields, related)
  const place = placeOf(database, resource, related)
  for (const [name, field] of Object.entries(resource.fields)) checkField(database, name, field, { ...place, name })
  for (const { relation } of Object.values(resource.fields))
    if (relation && !relation.ignoreRowFilter) related.visible(relation.target, relation.target.table)
  for (const filter of new Set(Object.values(plans).map(plan => plan.filter)))
    if (filter !== undefined) checkFilter(database, resource.name, resource.table, filter)
}
