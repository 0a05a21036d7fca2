// Where requests are counted for throttles: in the main database, or on SQLite in a separate file, which is created only
// when it is needed, so that a start with a wrong main database leaves no new file behind.

import { deriveSecret } from '#accounts'
import { type Database, databaseStore, fallbackStore, type OpenOptions, type RateStore } from '#core'
import { openRateDatabase } from './apis/throttles.ts'
import type { ReadySettings } from './settings/settings.ts'

export interface RateStorage {
  readonly store: RateStore
  /** Opens the separate database at the first call; undefined if the main database counts. */
  separateDatabase(): Database | undefined
  close(): Promise<void>
}

export function createRateStorage(
  { databaseUrl, secretKey }: ReadySettings,
  main: Database,
  options: OpenOptions & { readonly clock: () => Date },
): RateStorage {
  const { clock } = options
  let opened: { readonly database: Database; readonly store: RateStore } | undefined
  const open = () => {
    if (opened !== undefined) return opened
    const database = openRateDatabase(databaseUrl, main, options)
    opened = { database, store: databaseStore(database, { clock, secret: deriveSecret(secretKey, 'rates') }) }
    return opened
  }
  return {
    store: fallbackStore({ take: async (rates, count) => open().store.take(rates, count) }, { clock }),
    separateDatabase: () => (databaseUrl.startsWith('sqlite:') ? open().database : undefined),
    async close() {
      if (opened !== undefined && opened.database !== main) await opened.database.close()
    },
  }
}
