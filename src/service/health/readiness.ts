// Checks whether this process can serve requests. Concurrent checks share one database query.

import type { MigrationDifference } from 'resource-api'

/** The check that failed. The detail contains no secrets. */
export interface Unreadiness {
  readonly failed: 'stopping' | 'database' | 'migrations'
  readonly detail: string
}

export interface ReadinessOptions {
  /** Compares the migrations; rejects if the database cannot be reached. */
  readonly compareMigrations: () => Promise<MigrationDifference>
  /** Returns true once a signal has asked the process to stop. */
  readonly isStopping: () => boolean
  /** Milliseconds until the database counts as unavailable; default 2000. */
  readonly timeout?: number
}

/** Resolves with undefined if the service is ready, else with the failed check. Never rejects. */
export type Readiness = () => Promise<Unreadiness | undefined>

export function createReadiness({ compareMigrations, isStopping, timeout = 2000 }: ReadinessOptions): Readiness {
  let pending: Promise<Unreadiness | undefined> | undefined
  // While a query hangs, further checks wait for it instead of starting more queries.
  const checkDatabase = () => {
    pending ??= compareMigrations()
      .then(findFailure, () => unavailable)
      .finally(() => {
        pending = undefined
      })
    return pending
  }
  return async () => {
    if (isStopping()) return stopping
    const { promise, resolve } = Promise.withResolvers<Unreadiness>()
    const timer = setTimeout(resolve, timeout, unavailable)
    return Promise.race([checkDatabase(), promise]).finally(() => clearTimeout(timer))
  }
}

const stopping: Unreadiness = { failed: 'stopping', detail: 'The service is stopping.' }
const unavailable: Unreadiness = { failed: 'database', detail: 'The database does not respond.' }
const missingMigrations: Unreadiness = { failed: 'migrations', detail: 'The database lacks migrations.' }
const unknownMigrations: Unreadiness = {
  failed: 'migrations',
  detail: 'The database was migrated by a newer version.',
}

function findFailure({ missing, unknown }: MigrationDifference): Unreadiness | undefined {
  if (missing.length > 0) return missingMigrations
  return unknown.length > 0 ? unknownMigrations : undefined
}
