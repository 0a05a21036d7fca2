// The throttles that the settings ask for, and the database that counts for them and for the login throttle.

import type { Database } from '../../framework/database/database.ts'
import { type OpenOptions, sqliteFile } from '../../framework/database/open.ts'
import { openSqlite } from '../../framework/database/sqlite.ts'
import type { RateStore } from '../../framework/throttling/rate-store.ts'
import { anonThrottle, scopedThrottle, userThrottle } from '../../framework/throttling/rate-throttles.ts'
import type { Throttle } from '../../framework/throttling/throttle.ts'
import type { Settings } from '../settings/settings.ts'

type ThrottleSettings = Settings['throttles']

/**
 * On SQLite a file beside the database: every counted request writes there, and would otherwise wait for other writes
 * and have all lists counted anew (decision 014).
 */
export function openRates(url: string, database: Database, options: OpenOptions): Database {
  if (!url.startsWith('sqlite:')) return database
  const file = sqliteFile(url)
  return openSqlite({ ...options, path: file === undefined ? ':memory:' : `${file}-rates`, durable: false })
}

/** The throttles of all profiles. */
export const profileThrottles = ({ anon, user }: ThrottleSettings, store: RateStore): readonly Throttle[] => [
  ...(anon ? [anonThrottle({ rates: anon, store })] : []),
  ...(user ? [userThrottle({ rates: user, store })] : []),
]

/** The throttles of one scope. */
export function throttlesOf(
  scope: keyof ThrottleSettings['scopes'],
  { scopes }: ThrottleSettings,
  store: RateStore,
): readonly Throttle[] {
  const rates = scopes[scope]
  return rates === undefined ? [] : [scopedThrottle({ scope, rates, store })]
}
