// The command `inspect`: declares the tables of an existing database.

import { migrationTables, openDatabase } from '#core'
import { djangoBookkeeping, readDjango } from '../inspect/django.ts'
import { formatTables } from '../inspect/format-tables.ts'
import { print, warn } from '../logging/standard-streams.ts'
import { CommandError } from '../processes/error-messages.ts'

export interface InspectOptions {
  readonly database?: string
  readonly tables?: string
  readonly owner?: string
  /** Also drafts resources. */
  readonly resources?: boolean
  /** Django made the tables. */
  readonly django?: boolean
}

/** Prints the declarations of the tables; what a declaration cannot say is a comment. */
export async function inspectDatabase({
  database: url = process.env.DATABASE_URL,
  tables,
  owner = 'application',
  resources,
  django,
}: InspectOptions): Promise<void> {
  if (url === undefined)
    throw new CommandError('inspect: name the database: --database sqlite:shop.db, or DATABASE_URL')
  const database = openDatabase(url)
  try {
    const names = tables?.split(',')
    const own = new Set([...migrationTables, ...(django ? djangoBookkeeping : [])])
    const all = names ?? (await database.catalogue.names()).filter(name => !own.has(name))
    if (django && !(await database.catalogue.names()).includes('django_migrations'))
      throw new CommandError(
        'inspect --django: the database has no table "django_migrations", so Django did not make it',
      )
    const state = await database.dialect.schema.readState(database.kysely as never, all)
    const missing = names?.find(name => !Object.hasOwn(state.tables, name) && !Object.hasOwn(state.views, name))
    if (missing !== undefined) throw new CommandError(`inspect: the database has no table "${missing}"`)
    const catalogue = await database.catalogue.tables(Object.keys(state.tables))
    const facts = django ? await readDjango(database, state) : undefined
    const { name } = database.dialect
    print(formatTables(state, { owner, resources, database: name as 'sqlite', catalogue, django: facts }))
    const count = Object.keys(state.tables).length
    warn(`${count} ${count === 1 ? 'table' : 'tables'}, ${Object.values(state.notes).flat().length} notes.`)
  } finally {
    await database.close()
  }
}
