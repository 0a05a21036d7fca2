// The SQL of feeds: which rows of a list a caller sees, now and before changes.

import { sql } from 'kysely'
import type { Table } from '../../database/catalogue.ts'
import { compile, type Database, parameter, type Statement } from '../../database/database.ts'
import type { FollowedTable } from '../../database/dialect.ts'
import { concat } from '../../database/expressions.ts'
import { createWhereClause, type RowCondition } from '../../policy/permissions/row-filter.ts'
import type { Resource } from '../declare/resource.ts'
import type { ActionPlans } from './action-plan.ts'
import { isListed } from './key-list.ts'
import { findKeyColumns } from './load-many.ts'
import type { RelatedRows } from './related-rows.ts'
import { representation } from './select.ts'

/** The parts of a bound resource that the statements use. */
interface FeedSource {
  readonly database: Database
  readonly resource: Resource
  readonly plans: ActionPlans
  readonly related: RelatedRows
  readonly tables: ReadonlyMap<string, Table>
}

export interface FeedStatements {
  /** The rows of the list with these keys. Parameters: keys, and those of the list. */
  readonly current: Statement<readonly [json: string]>
  /** The former rows that the list would have contained. Parameters: ids, and those of the list. */
  readonly former: Statement<readonly [json: string]>
}

export function compileFeed(bound: FeedSource, filter: RowCondition | undefined): FeedStatements {
  const { database, resource, plans, related } = bound
  const { dialect } = database
  const { keyColumn, rowName } = findKeyColumns(dialect, resource)
  const table = sql.table(resource.table)
  const names = [['key', keyColumn] as const, ['name', rowName] as const]
  return {
    current: compile(database, () => {
      // The concatenation makes it a text, which is nested as such.
      const text = concat(dialect.text(representation(database, resource, plans.list.shows, related)), sql.lit(''))
      const where = createWhereClause(
        dialect,
        resource.table,
        filter,
        isListed(dialect, resource.key, keyColumn, parameter('keys')),
      )
      const rows = sql`select ${dialect.object([...names, ['text', text]])} as value from ${table} ${where}`
      return sql`select ${dialect.text(dialect.objects(rows))}`
    }),
    // In this query, the name of the table means the former rows.
    former: compile(database, () => {
      const former = dialect.rowChanges.formerRows(findFollowedTable(bound), parameter('ids'))
      const rows = sql`select ${dialect.object(names)} as value from ${table} ${createWhereClause(dialect, resource.table, filter)}`
      return sql`with ${table} as (${former}) select ${dialect.text(dialect.objects(rows))}`
    }),
  }
}

/** The table of a resource, whose columns are known when Fastify is ready. */
export function findFollowedTable({ resource, tables }: Pick<FeedSource, 'resource' | 'tables'>): FollowedTable {
  const { columns } = tables.get(resource.table)!
  return { name: resource.table, key: resource.key.column, columns }
}
