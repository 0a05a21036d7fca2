import type { Migrations, Resource } from 'resource-api'
import type { Paginator } from 'resource-api/extend'

/** A group of resources that the service mounts as one API (SVC-p1). */
export interface Profile {
  readonly name: string
  readonly resources: readonly Resource[]
  /** The steps that create the tables; the name of the profile is their owner. */
  readonly migrations: Migrations
  /** The paginator of all lists; default: none. */
  readonly pagination?: Paginator
}
