import type { Migrations } from '../framework/database/migrate.ts'
import type { Paginator } from '../framework/pagination/paginator.ts'
import type { Resource } from '../framework/resources/resource.ts'

/** A group of resources that the service mounts as one API (SVC-p1). */
export interface Profile {
  readonly name: string
  readonly resources: readonly Resource[]
  readonly migrations: Migrations
  /** The paginator of all lists; default: none. */
  readonly pagination?: Paginator
}
