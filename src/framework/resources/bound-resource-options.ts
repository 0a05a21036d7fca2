import type { Database } from '../database/database.ts'
import type { ParseContext } from '../fields/field.ts'
import type { Paginator } from '../pagination/paginator.ts'
import type { Permission } from '../permissions/permission.ts'
import type { Secret } from '../secret.ts'
import type { PageCache } from './page-cache.ts'
import type { RowsOf } from './rows-of.ts'

/** What a resource takes from its API. */
export interface BoundResourceOptions {
  readonly database: Database
  readonly permissions: readonly Permission[]
  readonly paginator: Paginator | null
  /** The API's page size; undefined for none. */
  readonly pageSize: number | undefined
  /** The API's secret; undefined for none. */
  readonly secret: Secret | undefined
  readonly clock: () => Date
  /** The pages of this API. */
  readonly pages: PageCache
  readonly route: ParseContext['route']
  /** The row filters of related resources. */
  readonly rowsOf: RowsOf
}
