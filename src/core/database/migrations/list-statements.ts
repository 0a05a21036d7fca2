// The statements of a step, as SQL: the step runs on an empty copy of the tables, which is rolled back.

import type { Kysely } from 'kysely'
import type { Dialect } from '../dialect.ts'
import type { LaterWork } from '../editors/schema-editor.ts'
import { openDatabase } from '../open.ts'
import { postgresDialect } from '../postgres/postgres-dialect.ts'
import { completeColumn } from '../schema/apply-changes.ts'
import type { Change } from '../schema/change.ts'
import { findChanges } from '../schema/find-changes.ts'
import { type ColumnState, emptyState, type SchemaState } from '../schema/schema-state.ts'
import { createNotingDriver } from './step-outline.ts'

/** The URL of no PostgreSQL server: the statements are those of a database whose constraints have their usual names. */
export const anyPostgres = 'postgres:'

/**
 * Lists the statements that change tables, in their order; those that follow the commit begin with a comment. `before` is the state
 * before the changes. For SQLite, the copy is in memory; for PostgreSQL, in a schema of its own, unless the URL is `anyPostgres`.
 * Rejects with the database's error.
 */
export async function listStatements(
  url: string,
  before: SchemaState,
  changes: readonly Change[],
): Promise<readonly string[]> {
  if (url === anyPostgres) return listWithoutServer(before, changes)
  const copy = url.startsWith('sqlite:') ? 'sqlite::memory:' : url
  let noted: string[] | undefined
  const database = openDatabase(copy, { observe: text => void noted?.push(text) })
  const rollBack = new Error('rolled back')
  let statements: readonly string[] = []
  const run = async (kysely: Kysely<unknown>, { schema }: Dialect) => {
    await schema.enterEmptySchema?.(kysely)
    await schema.run(kysely, createCopy(before, changes), { alone: true })
    noted = []
    const later = await schema.run(kysely, changes)
    statements = [...noted.filter(changesTables), ...listLater(later)]
    throw rollBack
  }
  try {
    await database.changeSchema(session =>
      session.transaction(({ kysely }, runStep) => runStep(() => run(kysely, database.dialect))),
    )
  } catch (error) {
    if (error !== rollBack) throw error
  } finally {
    await database.close()
  }
  return statements
}

async function listWithoutServer(existing: SchemaState, changes: readonly Change[]): Promise<readonly string[]> {
  const noted: string[] = []
  const kysely = postgresDialect.createKysely(createNotingDriver(noted))
  const later = await postgresDialect.schema.run(kysely, changes, { existing })
  return [...noted.filter(changesTables), ...listLater(later)]
}

const listLater = (later: readonly LaterWork[]): readonly string[] =>
  later.flatMap(work => postgresDialect.schema.listLater!(work)).map(text => `-- after the commit: ${text}`)

const changesTables = (text: string): boolean => /^\s*(?:create|alter|drop|insert|update|delete)\b/i.test(text)

/** The tables, and a table of its own for each that belongs to another owner. */
export function createCopy(before: SchemaState, changes: readonly Change[]): readonly Change[] {
  const others = new Map<string, Record<string, ColumnState['type']>>()
  const columns = [
    ...Object.values(before.tables).flatMap(table => Object.values(table.columns)),
    ...changes.flatMap(listColumns),
  ]
  const own = new Set([...Object.keys(before.tables), ...changes.flatMap(listNewTables)])
  for (const { type, references } of columns)
    if (references !== undefined && !own.has(references.table))
      others.set(references.table, { ...others.get(references.table), [references.column ?? 'id']: type })
  return [
    ...[...others].map(([createTable, keys]) => ({
      createTable,
      columns: keys,
      key: Object.keys(keys).slice(0, 1),
      indexes: Object.fromEntries(
        Object.keys(keys)
          .slice(1)
          .map(column => [`${createTable}_${column}`, { columns: [column], unique: true as const }]),
      ),
    })),
    ...findChanges(emptyState, before).changes,
  ]
}

function listColumns(change: Change): readonly ColumnState[] {
  if ('createTable' in change) return Object.values(change.columns).map(completeColumn)
  return 'addColumn' in change || 'alterColumn' in change ? [change] : []
}

const listNewTables = (change: Change): readonly string[] =>
  'createTable' in change ? [change.createTable] : 'renameTable' in change ? [change.to] : []
