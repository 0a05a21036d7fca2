import type { Migrations } from '../framework/database/migrations.ts'
import type { Paginator } from '../framework/pagination/paginator.ts'
import type { Resource } from '../framework/resources/resource.ts'

/** A group of resources that the service mounts as one API (SVC-p1). */
export interface Profile {
  readonly name: string
  readonly resources: readonly Resource[]
  /** The steps that create the tables; the name of the profile is their owner. */
  readonly migrations: Migrations
  /** The paginator of all lists; default: none. */
  readonly pagination?: Paginator
}
