// Creates the throttles of the settings, and opens the database in which throttles and failed logins are counted.

import {
  anonThrottle,
  type Database,
  findSqliteFile,
  type OpenOptions,
  openSqlite,
  type RateStore,
  scopedThrottle,
  type Throttle,
  userThrottle,
} from '#core'
import type { Settings } from '../settings/settings.ts'

type ThrottleSettings = Settings['throttles']

/**
 * Returns `database`, except on SQLite, where it opens a separate file in the same folder. Each counted request writes;
 * in the main database it would wait for other writes and invalidate the cached counts of all lists (decision 014).
 */
export function openRateDatabase(url: string, database: Database, options: OpenOptions): Database {
  if (!url.startsWith('sqlite:')) return database
  const file = findSqliteFile(url)
  return openSqlite({ ...options, path: file === undefined ? ':memory:' : `${file}-rates`, durable: false })
}

/** Creates the throttles that all APIs share. */
export const createSharedThrottles = ({ anon, user }: ThrottleSettings, store: RateStore): readonly Throttle[] => [
  ...(anon ? [anonThrottle({ rates: anon, store })] : []),
  ...(user ? [userThrottle({ rates: user, store })] : []),
]

/** Creates the throttles of one scope; returns none if the settings have no rate for it. */
export function createScopeThrottles(
  scope: string,
  { scopes }: ThrottleSettings,
  store: RateStore,
): readonly Throttle[] {
  const rates = scopes[scope]
  return rates === undefined ? [] : [scopedThrottle({ scope, rates, store })]
}
