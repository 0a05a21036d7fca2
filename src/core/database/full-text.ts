// Full-text indexes. A migration creates the index of a table, and a filter `fullText(…)` finds rows by it. Both databases
// find the same rows: those with all words, without stemming and stop words. PostgreSQL indexes the first 100,000 characters
// of a row's texts, SQLite the whole texts.

import { type Kysely, type RawBuilder, sql } from 'kysely'
import { splitName } from './catalogue.ts'
import type { Dialect, NamedFullTextIndex, Sql } from './dialect.ts'

/** A full-text index of a table. */
export interface FullTextIndex extends Pick<NamedFullTextIndex, 'columns'> {
  /** The table, such as `books` or `shop.books`. The index is in its schema. */
  readonly table: string
  /** The key column of the table; default `id`. */
  readonly key?: string
  /** The name of the index, without a schema; default: the table's name and `_full_text`. */
  readonly name?: string
}

/** Completes the names of an index. */
export function nameFullTextIndex({ table: qualified, columns, key = 'id', name }: FullTextIndex): NamedFullTextIndex {
  const [schema, table] = splitName(qualified)
  return { schema, table, columns, key, name: name ?? `${table}_full_text` }
}

/**
 * Creates a full-text index in a migration: on SQLite an FTS5 table that triggers keep up to date, on PostgreSQL a GIN
 * index. The columns and their order are those of the fields in the filter.
 *
 * @example
 * const steps: Migrations = {
 *   async '0002_full_text'(kysely, _, dialect) {
 *     await createFullTextIndex(kysely, dialect, { table: 'books', columns: ['title', 'summary'] })
 *   },
 * }
 */
export async function createFullTextIndex(
  kysely: Kysely<unknown>,
  { fullText }: Dialect,
  index: FullTextIndex,
): Promise<void> {
  for (const statement of fullText.create(nameFullTextIndex(index))) await statement.execute(kysely)
}

/** Removes a full-text index in a migration. To change its columns, remove it and create it again. */
export async function dropFullTextIndex(
  kysely: Kysely<unknown>,
  { fullText }: Dialect,
  { table, name }: Pick<FullTextIndex, 'table' | 'name'>,
): Promise<void> {
  const index = nameFullTextIndex({ table, columns: [], ...(name !== undefined && { name }) })
  for (const statement of fullText.drop(index)) await statement.execute(kysely)
}

/** The SQL of a name in the schema of an index. */
export const qualifyName = ({ schema }: Pick<NamedFullTextIndex, 'schema'>, name: string): RawBuilder<unknown> =>
  schema === undefined ? sql.id(name) : sql.id(schema, name)

/** The SQL of the texts of the columns as one text. */
export const joinTexts = (columns: readonly Sql[]): Sql =>
  sql.join(
    columns.map(column => sql`coalesce(cast(${column} as text), '')`),
    sql` || ' ' || `,
  )
