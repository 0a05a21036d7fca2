// Inspects a database, and checks what `inspect` prints: the declarations ask for its tables, and the drafted resources respond.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import Fastify from 'fastify'
import { sql } from 'kysely'
import { createApi, fastifyOptions, type Resource } from 'resource-api'
import type { Schema } from 'resource-api/tables'
import type { Database } from '../../src/core/database/database.ts'
import { recordBaseline } from '../../src/core/database/migrations/baseline.ts'
import { step } from '../../src/core/database/migrations/declared-step.ts'
import { openNew } from '../../src/core/database/migrations/testing.ts'
import { findChanges } from '../../src/core/database/schema/find-changes.ts'
import { emptyState, type SchemaState } from '../../src/core/database/schema/schema-state.ts'
import { readDjango } from '../../src/service/inspect/django.ts'
import { formatTables } from '../../src/service/inspect/format-tables.ts'
import { createProject, type Project } from '../types/project.ts'
import { createDatabase, createFile } from './service.ts'

/** The dumps in `test/fixtures/schemas`: the program and its database. */
export const dumps = [
  ['django', 'sqlite'],
  ['django', 'postgres'],
  ['django5', 'sqlite'],
  ['django5', 'postgres'],
  ['chinook', 'sqlite'],
  ['chinook', 'postgres'],
  ['ghost', 'sqlite'],
  ['medusa', 'postgres'],
] as const

/** A new database with the tables of a dump. */
export async function openDump(program: string, kind: 'sqlite' | 'postgres', context: TestContext): Promise<Database> {
  const database = await openNew(context, kind === 'sqlite' ? createFile : createDatabase)
  await load(database, await readFile(new URL(`../fixtures/schemas/${program}-${kind}.sql`, import.meta.url), 'utf8'))
  return database
}

/** Runs the statements of a dump. */
export const load = (database: Database, text: string) =>
  database.changeSchema(session =>
    session.transaction(async ({ kysely }) => {
      const statements = database.dialect.name === 'sqlite' ? splitStatements(text) : [text]
      for (const statement of statements) await sql.raw(statement).execute(kysely)
    }),
  )

/** The statements of a dump, each of which ends with a line that ends with `;`; that of a trigger ends with `END;`. */
function splitStatements(text: string): readonly string[] {
  const statements: string[] = []
  let statement = ''
  for (const line of text.replaceAll(/\/\*.*?\*\/|^\s*--[^\n]*/gms, '').split(/\r?\n/)) {
    statement += `${line}\n`
    const isTrigger = /^\s*create trigger/i.test(statement)
    if (!(isTrigger ? /\bend\s*;\s*$/i : /;\s*$/).test(statement)) continue
    statements.push(statement.trim())
    statement = ''
  }
  return statements.filter(each => !/^(?:;|begin transaction;|commit;|pragma\b.*)?$/i.test(each))
}

export interface Inspected {
  readonly text: string
  readonly project: Project
  readonly schema: Schema
  readonly resources: readonly Resource[]
}

export async function inspect(
  database: Database,
  context: TestContext,
  options: { readonly django?: boolean } = {},
): Promise<Inspected> {
  const names = (await database.catalogue.names()).filter(
    name => name !== 'django_migrations' && !name.startsWith('resource_api_'),
  )
  const state = await database.dialect.schema.readState(database.kysely as never, names)
  const catalogue = await database.catalogue.tables(Object.keys(state.tables))
  const django = options.django ? await readDjango(database, state) : undefined
  const text = formatTables(state, {
    owner: 'shop',
    resources: true,
    database: database.dialect.name as 'sqlite',
    catalogue,
    django,
  })
  const project = await createProject(new Map([['tables.ts', text]]), context)
  const { schema, resources } = await import(join(project.folder, 'tables.ts'))
  return { text, project, schema, resources }
}

/** Fails if a change of the database would follow from the declarations, or if the first step does not make its tables. */
export async function checkState({ schema }: Inspected, database: Database): Promise<void> {
  const declared: SchemaState = { tables: schema.state.tables, views: {} }
  const { tables } = await database.dialect.schema.readState(database.kysely as never, Object.keys(declared.tables))
  assert.deepEqual(findChanges({ tables, views: {} }, declared), { changes: [], questions: [] })
  const { changes } = findChanges(emptyState, declared)
  const owner = { owner: 'shop', steps: { '0001_first': step({ change: changes }) } }
  const { differences } = await recordBaseline(database, owner, '0001_first')
  assert.deepEqual(differences, [])
}

/** Starts the API, and asks for each list and the first object of each. Returns the objects of the lists by the name of the resource. */
export async function request({ resources }: Inspected, database: Database, context: TestContext) {
  const app = Fastify(fastifyOptions())
  context.after(() => app.close())
  await app.register(createApi({ database, resources }))
  const lists: Record<string, readonly Readonly<Record<string, unknown>>[]> = {}
  const root = (await app.inject('/')).json() as Record<string, string>
  for (const [name, url] of Object.entries(root)) {
    const path = new URL(url).pathname
    const response = await app.inject(path)
    assert.equal(response.statusCode, 200, `${path}: ${response.body}`)
    lists[name] = response.json()
    const key = await findFirst(database, resources.find(each => each.name === name)!)
    if (key === undefined) continue
    const object = await app.inject(`${path}${encodeURIComponent(String(key))}/`)
    assert.equal(object.statusCode, 200, `${path}${key}/: ${object.body}`)
  }
  return { app, lists }
}

async function findFirst({ kysely }: Database, { table, key }: Resource): Promise<unknown> {
  const { rows } = await sql<{
    key: unknown
  }>`select ${sql.ref(key.column)} as key from ${sql.table(table)} limit 1`.execute(kysely)
  return rows[0]?.key
}
