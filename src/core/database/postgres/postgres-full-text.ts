// Full-text indexes of PostgreSQL: a GIN index of an expression.

import { sql } from 'kysely'
import type { FullTextSql, Sql } from '../dialect.ts'
import { joinTexts, qualifyName } from '../full-text.ts'

export const postgresFullText: FullTextSql = {
  // PostgreSQL creates an index in the schema of its table, and its name cannot contain the schema.
  create: index => [
    sql`create index ${sql.id(index.name)} on ${qualifyName(index, index.table)} using gin (${createWords(index.columns.map(column => sql.id(column)))})`,
  ],
  drop: index => [sql`drop index ${qualifyName(index, index.name)}`],
  matches: ({ columns }, column, query) =>
    sql`${createWords(columns.map(column))} @@ websearch_to_tsquery('simple', ${query})`,
  // The planner compares expressions in its own form, so it alone knows whether an index has this one.
  async isIndexed(index, kysely) {
    await sql`set local enable_seqscan = off`.execute(kysely)
    const condition = postgresFullText.matches(index, column => sql.id(column), sql.lit('"word"'))
    const table = qualifyName(index, index.table)
    const { rows } = await sql`explain (format json) select 1 from ${table} where ${condition}`.execute(kysely)
    return JSON.stringify(rows).includes('"Index Cond"')
  },
}

/** Punctuation and symbols. PostgreSQL would otherwise read them as parts of words, host names and numbers. */
const separators =
  '[\\u0001-/:-@\\[-`{-\\u00A9\\u00AB-\\u00B1\\u00B4\\u00B6-\\u00B8\\u00BB\\u00BF\\u00D7\\u00F7\\u2000-\\u206F\\u20A0-\\u20CF\\u2190-\\u2BFF\\u3000-\\u3004\\u3008-\\u3020\\u3030\\uFE00-\\uFE6F\\uFF01-\\uFF0F\\U0001F000-\\U0001FAFF]'

/** A `tsvector` must be smaller than 1 MB, so the words come from the first 100,000 characters. */
const maxLength = 100_000

const createWords = (columns: readonly Sql[]): Sql =>
  sql`to_tsvector('simple', regexp_replace(left(${joinTexts(columns)}, ${sql.lit(maxLength)}), ${sql.lit(separators)}, ' ', 'g'))`
