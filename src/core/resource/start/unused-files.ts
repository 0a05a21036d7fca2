// Finds the files of stores to which no row refers: a process that is killed between the storing of a file and the commit of
// its row, or between a commit and the removal of a replaced file, leaves one behind.

import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { member } from '../../database/expressions.ts'
import { rowsOf } from '../../database/row-source.ts'
import { storageColumn } from '../../fields/storage.ts'
import type { FileStore } from '../../http/files/file-store.ts'
import type { KeyValue } from '../../keys/key.ts'
import type { BoundResource } from '../bind/bound-resource.ts'
import { listRegisteredResources } from './start-checks.ts'

/** A file that no row refers to. */
export interface UnusedFile {
  /** The store: `folder /srv/invoices`. */
  readonly place: string
  readonly key: string
  readonly modified: Date
  /** Removes the file. */
  remove(): Promise<void>
}

/** Younger files may belong to a write that is not committed yet. In milliseconds. */
const minAge = 60 * 60 * 1000
const pageSize = 1000

/**
 * Lists the files that are older than an hour and that no object of the Fastify server's resources refers to. Call it once the
 * server is ready. A store must belong to one database: the files of another one would be unused.
 *
 * @example
 * for (const file of await listUnusedFiles(app)) await file.remove()
 */
export async function listUnusedFiles(
  app: Pick<FastifyInstance, 'server'>,
  { now = () => new Date() }: { readonly now?: () => Date } = {},
): Promise<readonly UnusedFile[]> {
  const uses = listRegisteredResources(app).flatMap(bound =>
    bound.files.map(([name, { store }]) => ({ bound, name, store })),
  )
  const lists = [...Map.groupBy(uses, ({ store }) => store.place).values()].map(found =>
    findUnused(found, now().getTime() - minAge),
  )
  return (await Promise.all(lists)).flat()
}

interface StoreUse {
  readonly bound: BoundResource
  /** The field. */
  readonly name: string
  readonly store: FileStore
}

// The store is listed first: a file that a row refers to afterwards is in use.
async function findUnused(uses: readonly StoreUse[], maxTime: number): Promise<readonly UnusedFile[]> {
  const { store } = uses[0]!
  const files = new Map<string, Date>()
  for await (const { key, modified } of store.list()) if (modified.getTime() < maxTime) files.set(key, modified)
  if (files.size > 0) for (const use of uses) for await (const key of listReferences(use)) files.delete(key)
  const { place } = store
  return [...files].map(([key, modified]) => ({ place, key, modified, remove: () => store.remove(key) }))
}

// Reads in transactions, because a replica may lag behind.
async function* listReferences({ bound: { database, resource }, name }: StoreUse): AsyncGenerator<string> {
  const column = sql.ref(storageColumn(name, resource.fields[name]!)!)
  const [id, table] = [sql.ref(resource.key.column), rowsOf(resource)]
  let last: KeyValue | undefined
  for (;;) {
    const after = last === undefined ? sql`` : sql` and ${id} > ${last}`
    const page = sql<{
      id: KeyValue
      file: string
    }>`select ${id} as id, ${member(column, 'key')} as file from ${table} where ${column} is not null${after} order by ${id} limit ${sql.lit(pageSize)}`
    const { rows } = await database.transaction(({ kysely }) => page.execute(kysely))
    for (const { file } of rows) yield file
    if (rows.length < pageSize) return
    last = rows.at(-1)!.id
  }
}
