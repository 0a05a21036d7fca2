// Is this process able to answer? It asks the database, once for all who want to know at the same time.

import type { MigrationDifference } from '../../framework/database/migrate.ts'

/** Why the service is not ready, for people and programs; says nothing that is secret. */
export interface Unreadiness {
  readonly failed: 'stopping' | 'database' | 'migrations'
  readonly detail: string
}

export interface ReadinessOptions {
  /** Asks the database; rejects where that is not possible. */
  readonly compareMigrations: () => Promise<MigrationDifference>
  /** Has a signal asked the process to stop? */
  readonly isStopping: () => boolean
  /** Milliseconds that the database may take; default 2000. */
  readonly timeout?: number
}

/** Undefined for a service that is ready; never rejects. */
export type Readiness = () => Promise<Unreadiness | undefined>

export function createReadiness({ compareMigrations, isStopping, timeout = 2000 }: ReadinessOptions): Readiness {
  let asking: Promise<Unreadiness | undefined> | undefined
  // A query that hangs is joined, not repeated, for as long as it hangs.
  const ask = () => {
    asking ??= compareMigrations()
      .then(judge, () => away)
      .finally(() => {
        asking = undefined
      })
    return asking
  }
  return async () => {
    if (isStopping()) return stopping
    const { promise, resolve } = Promise.withResolvers<Unreadiness>()
    const timer = setTimeout(resolve, timeout, away)
    return Promise.race([ask(), promise]).finally(() => clearTimeout(timer))
  }
}

const stopping: Unreadiness = { failed: 'stopping', detail: 'The service is stopping.' }
const away: Unreadiness = { failed: 'database', detail: 'The database does not answer.' }
const older: Unreadiness = { failed: 'migrations', detail: 'The database lacks migrations.' }
const newer: Unreadiness = { failed: 'migrations', detail: 'The database is that of a newer version.' }

function judge({ missing, unknown }: MigrationDifference): Unreadiness | undefined {
  if (missing.length > 0) return older
  return unknown.length > 0 ? newer : undefined
}
