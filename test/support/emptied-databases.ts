// Empty databases for many random cases. Creating a database for each of them would take most of the time.

import { sql } from 'kysely'
import { type Database, openDatabase } from '#core'
import { createTestDatabase, patientTimeouts } from '../../src/testing/test-database.ts'
import { repetitions } from './repetitions.ts'

export interface EmptiedDatabases {
  /** Returns empty databases: SQLite in memory, or PostgreSQL's one with a schema for each. They replace those of the last call. */
  empty(): Promise<readonly [Database, Database]>
  close(): Promise<void>
}

export type DatabaseName = 'SQLite' | 'PostgreSQL'

export const databaseNames: readonly DatabaseName[] = ['SQLite', 'PostgreSQL']

/**
 * The random cases on each database: `npm run test:thorough` tries 2,000. Each run tries the same ones, so that a new failure comes
 * from a change; `SEED=7 npm run test:thorough` tries others.
 */
export const createRuns = (usual: number) => ({
  numRuns: repetitions({ usual, thorough: 2000 }),
  seed: Number(process.env.SEED ?? 1),
  endOnFailure: true,
})

export const openEmptied = (name: DatabaseName): Promise<EmptiedDatabases> =>
  name === 'SQLite' ? openInMemory() : openSchemas()

async function openInMemory(): Promise<EmptiedDatabases> {
  let opened: readonly Database[] = []
  const close = async () => void (await Promise.all(opened.map(database => database.close())))
  return {
    async empty() {
      await close()
      const pair = [openDatabase('sqlite::memory:'), openDatabase('sqlite::memory:')] as const
      opened = pair
      return pair
    },
    close,
  }
}

async function openSchemas(): Promise<EmptiedDatabases> {
  const storage = await createTestDatabase({ database: 'postgres' })
  const open = (schema: string) => {
    const url = new URL(storage.url)
    // No other process needs what a killed server would lose.
    url.searchParams.set('options', `-c search_path=${schema} -c synchronous_commit=off -c client_min_messages=warning`)
    return openDatabase(url.href, { postgres: { poolSize: 1, ...patientTimeouts } })
  }
  const pair = [open('one'), open('other')] as const
  const recreate = `drop schema if exists one, other cascade; create schema one; create schema other`
  return {
    async empty() {
      await pair[0].transaction(({ kysely }) => sql.raw(recreate).execute(kysely))
      return pair
    },
    async close() {
      await Promise.all(pair.map(database => database.close()))
      await storage.remove()
    },
  }
}
