import type { OwnedMigrations, Resource } from '#core'

/** The tables of a resource that come with jobs, such as those of webhooks: a service migrates them only with the jobs. */
export const neededTables = new WeakMap<Resource, OwnedMigrations>()
