// Checks whether this process can serve requests. Concurrent checks share one database query.

import type { MigrationDifference } from '#core'

/** The check that failed, such as `database`. The detail contains no secrets. */
export interface Unreadiness {
  readonly failed: string
  readonly detail: string
}

/** Resolves with undefined if the service is ready, else with the failed check. Never rejects. */
export type Readiness = () => Promise<Unreadiness | undefined>

export interface ReadinessOptions {
  /** Milliseconds until the database counts as unavailable; default 2000. */
  readonly timeout?: number
}

/**
 * Creates a check for the plugin `health`: the database responds, and its migrations are those of this version.
 * `compare` compares the migrations, and rejects if the database cannot be reached.
 *
 * @example
 * const ready = createReadiness(() => compareMigrations(database, migrations))
 */
export function createReadiness(
  compare: () => Promise<MigrationDifference>,
  { timeout = 2000 }: ReadinessOptions = {},
): Readiness {
  let pending: Promise<Unreadiness | undefined> | undefined
  // While a query hangs, further checks wait for it instead of starting more queries.
  const checkDatabase = () => {
    pending ??= compare()
      .then(findFailure, () => unavailable)
      .finally(() => {
        pending = undefined
      })
    return pending
  }
  return async () => {
    const { promise, resolve } = Promise.withResolvers<Unreadiness>()
    const timer = setTimeout(resolve, timeout, unavailable)
    return Promise.race([checkDatabase(), promise]).finally(() => clearTimeout(timer))
  }
}

const unavailable: Unreadiness = { failed: 'database', detail: 'The database does not respond.' }
const missingMigrations: Unreadiness = { failed: 'migrations', detail: 'The database lacks migrations.' }
const unknownMigrations: Unreadiness = {
  failed: 'migrations',
  detail: 'The database has migrations that this version does not have.',
}

function findFailure({ missing, unknown }: MigrationDifference): Unreadiness | undefined {
  if (missing.length > 0) return missingMigrations
  return unknown.length > 0 ? unknownMigrations : undefined
}
