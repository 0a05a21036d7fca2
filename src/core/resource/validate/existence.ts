// Checks that the related objects of a body exist, and that the caller sees them.

import type { MaybePromise } from '../../base/maybe-promise.ts'
import type { Arguments, Database } from '../../database/database.ts'
import type { Fields, Relation } from '../../fields/field.ts'
import type { Check } from '../../fields/read-fields.ts'
import type { HandlerContext } from '../../http/context.ts'
import { type KeyValue, toRowName } from '../../keys/key.ts'
import type { MountedApi, WhenResolved } from '../names/mounted-api.ts'
import { compileExistence } from '../sql/check.ts'
import { formatKeyList } from '../sql/key-list.ts'
import { createRelatedRows, type RelatedRows } from '../sql/related-rows.ts'
import { registerRelations } from '../sql/statements.ts'
import type { ObjectCheck } from './uniqueness.ts'

export interface RelationCheck extends Pick<ObjectCheck, 'connection' | 'gather'> {
  /** The values of the related resources' row filters. */
  readonly related: Arguments
}

/** Creates the check that the objects with these values exist. It returns their keys. */
export function createExistenceCheck(
  database: Database,
  relation: Relation,
  { visibleCondition: visible }: RelatedRows,
): (value: unknown, context: RelationCheck) => MaybePromise<unknown> {
  const { target, identifier, missing, ignoreRowFilter } = relation
  const findCondition = () => (ignoreRowFilter ? undefined : visible(target, target.table))
  const statement = compileExistence(database, { target, identifier }, findCondition)
  const check = async (value: unknown, { related, connection, gather }: RelationCheck) => {
    const keys: readonly KeyValue[] = Array.isArray(value) ? value : [value]
    if (keys.length === 0) return value
    const select = (given: readonly KeyValue[]) =>
      connection.run(statement, { keys: formatKeyList(database.dialect, identifier, given), ...related })
    const find = async (given: readonly KeyValue[]) =>
      new Map((await select(given)).map(([key, name = key]) => [name, key]))
    const existing = await (gather === undefined
      ? find(keys)
      : gather(statement, keys, async lists => {
          const all = await find([...new Set(lists.flat())])
          return lists.map(() => all)
        }))
    const found: KeyValue[] = []
    for (const given of keys) {
      // A column such as citext finds a value in another spelling.
      const key =
        existing.get(toRowName(identifier, given)) ??
        (identifier.type === 'string' ? (await select([given]))[0]?.[0] : undefined)
      if (key === undefined) throw missing(given)
      found.push(key)
    }
    return Array.isArray(value) ? found : found[0]
  }
  return (value, context) => (value === null ? null : check(value, context))
}

/** Checks that every related object that a request body refers to exists. */
export function createRelationCheck(
  fields: Fields,
  { database, api, whenResolved }: { readonly database: Database; readonly api: MountedApi } & WhenResolved,
): (context: HandlerContext) => Check {
  const related = createRelatedRows(api)
  whenResolved(() => registerRelations(fields, related))
  const valueChecks = new Map<string, ReturnType<typeof createExistenceCheck>>()
  for (const [name, { relation, readOnly }] of Object.entries(fields))
    if (relation && !readOnly) valueChecks.set(name, createExistenceCheck(database, relation, related))
  return context => {
    let reading: MaybePromise<Arguments> | undefined
    return async (name, value) => {
      const checkValue = valueChecks.get(name)
      if (checkValue === undefined) return value
      reading ??= related.readValues(context)
      return checkValue(value, { related: await reading, connection: database })
    }
  }
}
