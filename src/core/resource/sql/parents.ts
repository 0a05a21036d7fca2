// The SQL of URLs below parent objects: which rows they name, and the URL of a row.

import { sql } from 'kysely'
import type { Dialect, Sql } from '../../database/dialect.ts'
import { concat } from '../../database/expressions.ts'
import { rowsOf } from '../../database/row-source.ts'
import type { ResourceReferences } from '../../fields/field.ts'
import { createPathSegment, findPathIdentifier } from '../../fields/identifier.ts'
import type { UrlEnd } from '../../http/urls/trailing-slash.ts'
import { formatResourcePath } from '../../messages/title.ts'
import { joinConditions, type RowFilter, readFilterValuesForGet } from '../../policy/permissions/row-filter.ts'
import { type Parent, readParentValue } from '../names/list-paths.ts'
import type { MountedApi } from '../names/mounted-api.ts'
import { isJoined } from '../names/visible-parents.ts'
import { hasName } from './key-list.ts'

/** Selects the rows below the parents that a path names, which must exist for the caller: the row filter of each applies. */
export function createParentsFilter(api: MountedApi, dialect: Dialect, parents: readonly Parent[]): RowFilter {
  const findFilter = ({ resource }: Parent) => api.findRowFilter(resource)
  return {
    determines: parents.slice(0, 1).flatMap(({ column, through }) => (through ? [] : [column])),
    // The row filters are known when Fastify becomes ready.
    get volatile() {
      return parents.some(parent => findFilter(parent)?.volatile)
    },
    where({ column, value }) {
      const isBelow = ([parent, ...others]: readonly Parent[], findColumn: (name: string) => Sql): readonly Sql[] => {
        if (parent === undefined) return []
        const { resource } = parent
        const level = String(parents.indexOf(parent))
        const findInParent = (name: string) => sql.ref(`${formatAlias(level)}.${name}`)
        const identifier = findPathIdentifier(resource)
        const filter = findFilter(parent)
        const conditions = [
          hasName(dialect, identifier, { table: resource.table, refer: findInParent }, value(level)),
          ...(filter
            ? [sql`(${filter.where({ column: findInParent, value: name => value(`${level}.${name}`), dialect })})`]
            : []),
          ...isBelow(others, findInParent),
        ]
        const key = findInParent(resource.key.column)
        const rows = rowsOf(resource, formatAlias(level))
        const parentKey = sql`(select ${key} from ${rows} where ${joinConditions(conditions)})`
        return [hasParent(parent, findColumn, parentKey)]
      }
      return joinConditions(isBelow(parents, column))
    },
    async values(context) {
      const values = await Promise.all(
        parents.map(async (parent, level) => ({
          ...(await readFilterValuesForGet(findFilter(parent), context, `${level}.`)),
          [level]: readParentValue(parent, context),
        })),
      )
      return Object.assign({}, ...values)
    },
  }
}

/** Selects the rows of a list by the nearest parent in the request's path, which exists for the caller. */
export function createListFilter(
  api: MountedApi,
  dialect: Dialect,
  parents: readonly [Parent, ...Parent[]],
): RowFilter {
  const [parent] = parents
  const { resource } = parent
  // Its name may be unique only among the rows that the caller sees.
  if (Array.isArray(resource.lookup)) return createParentsFilter(api, dialect, parents)
  const identifier = findPathIdentifier(resource)
  const alias = 'parent row'
  const findKey = (name: Sql) =>
    sql`(select ${sql.id(alias, resource.key.column)} from ${rowsOf(resource, alias)} where ${sql.id(alias, identifier.column)} = ${name})`
  const isKey = identifier.column === resource.key.column
  return {
    where: row => hasParent(parent, row.column, isKey ? row.value('parent') : findKey(row.value('parent'))),
    values: context => ({ parent: readParentValue(parent, context) }),
  }
}

// The condition that a row is below the parent with this key.
const hasParent = ({ column, through }: Parent, refer: (column: string) => Sql, key: Sql): Sql =>
  through === undefined ? sql`${refer(column)} = ${key}` : isJoined(through, refer(column), key)

interface ContainingList {
  /** The path of the resource. */
  readonly path: string
  readonly parents: readonly Parent[]
  /** The alias of the row. */
  readonly row: string
  /** The prefix of the path. */
  readonly prefix: string
  /** The end of the path. */
  readonly end: UrlEnd
  readonly dialect: Dialect
  readonly findCondition: ResourceReferences['visibleCondition']
}

/** The path of the list that contains a row: `/customers/3/orders/`. Null if a parent is missing or hidden from the caller. */
export function createListPath({ path, parents, row, end, ...shared }: ContainingList): Sql {
  const { prefix, dialect, findCondition } = shared
  const [parent, ...others] = parents
  if (parent === undefined) return sql.lit(`${prefix}/${path}${end}`)
  const { resource, column, through } = parent
  const alias = formatAlias(String(others.length))
  const identifier = findPathIdentifier(resource)
  const segment = createPathSegment(dialect, identifier, name => sql.ref(`${alias}.${name}`))
  const outer = createListPath({
    ...shared,
    path: formatResourcePath(resource),
    parents: others,
    row: alias,
    end: '/',
  })
  const key = sql.ref(`${alias}.${resource.key.column}`)
  const reference = sql.ref(`${row}.${column}`)
  const isParent = through ? isJoined(through, reference, key) : sql`${key} = ${reference}`
  // The URL of a row with several parents is below the first of them.
  const first = through ? sql` order by ${key} limit 1` : sql``
  const isVisible = findCondition(resource, alias)
  const where = joinConditions([isParent, ...(isVisible ? [isVisible] : [])])
  const url = concat(outer, segment, sql.lit(path === '' ? end : `/${path}${end}`))
  return sql`(select ${url} from ${rowsOf(resource, alias)} where ${where}${first})`
}

const formatAlias = (level: string): string => `parent ${level}`
