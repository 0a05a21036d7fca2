import type { Database } from '../database/database.ts'
import type { ParseContext } from '../fields/field.ts'
import type { Paginator } from '../pagination/paginator.ts'
import type { Permission } from '../permissions/permission.ts'
import type { Secret } from '../secret.ts'
import type { PageCache } from './page-cache.ts'
import type { FindRowFilter } from './row-filter-finder.ts'

/** The options that a resource gets from its API. */
export interface BoundResourceOptions {
  readonly database: Database
  readonly permissions: readonly Permission[]
  readonly paginator: Paginator | null
  /** The API's page size; undefined if not set. */
  readonly pageSize: number | undefined
  /** The API's secret; undefined if not set. */
  readonly secret: Secret | undefined
  readonly clock: () => Date
  /** The API's cache of list pages. */
  readonly pageCache: PageCache
  readonly route: ParseContext['route']
  /** The row filters of related resources. */
  readonly findRowFilter: FindRowFilter
}
