import type { Migrations } from '../framework/database/migrate.ts'
import type { Paginator } from '../framework/pagination/paginator.ts'
import type { Resource } from '../framework/resources/resource.ts'

/** A set of resources that belong together, mounted as one API (SVC-p1). */
export interface Profile {
  readonly name: string
  readonly resources: readonly Resource[]
  readonly migrations: Migrations
  /** How its lists are cut; default: not at all. */
  readonly pagination?: Paginator
}
