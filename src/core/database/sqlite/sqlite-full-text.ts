// Full-text indexes of SQLite: an FTS5 table without a copy of the texts. Its rows have integer keys of their own, because
// the key of the indexed table may be a text, and VACUUM may change the implicit row ids of such a table.

import { type RawBuilder, sql } from 'kysely'
import type { FullTextSql, NamedFullTextIndex } from '../dialect.ts'
import { joinTexts, qualifyName } from '../full-text.ts'

type IndexName = Pick<NamedFullTextIndex, 'schema' | 'name'>

const wordsOf = (index: IndexName) => qualifyName(index, index.name)
const keysOf = (index: IndexName) => qualifyName(index, formatKeysName(index))
// An FTS5 table has a hidden column with its own name, so no column may have this name.
const textsOf = ({ name }: IndexName) => sql.id(`${name}_texts`)
const formatKeysName = ({ name }: IndexName) => `${name}_keys`

export const sqliteFullText: FullTextSql = {
  create: index => [
    sql`create table ${keysOf(index)} ("row" integer primary key, "key" not null unique)`,
    sql`create virtual table ${wordsOf(index)} using fts5(${textsOf(index)}, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 0')`,
    sql`insert into ${keysOf(index)} ("key") select ${sql.id(index.key)} from ${qualifyName(index, index.table)}`,
    sql`insert into ${wordsOf(index)} (rowid, ${textsOf(index)}) select "keys"."row", ${joinTexts(index.columns.map(column => sql.id('texts', column)))} from ${keysOf(index)} as "keys" join ${qualifyName(index, index.table)} as "texts" on ${sql.id('texts', index.key)} = "keys"."key"`,
    ...createTriggers(index),
  ],
  drop: index => [
    ...events.map(event => sql`drop trigger ${qualifyName(index, `${index.name}_${event}`)}`),
    sql`drop table ${wordsOf(index)}`,
    sql`drop table ${keysOf(index)}`,
  ],
  matches: (index, column, query) =>
    sql`${column(index.key)} in (select "key" from ${keysOf(index)} where "row" in (select rowid from ${wordsOf(index)} where ${sql.id(index.name)} match ${query}))`,
}

const events = ['insert', 'update', 'delete'] as const

// A trigger is in the schema of its table, and the names in its statements cannot have a schema.
function createTriggers(index: NamedFullTextIndex): readonly RawBuilder<unknown>[] {
  const { table, key, columns } = index
  const [words, keys] = [sql.id(index.name), sql.id(formatKeysName(index))]
  const [newKey, oldKey] = [sql.id('new', key), sql.id('old', key)]
  const texts = joinTexts(columns.map(column => sql.id('new', column)))
  const addTexts = sql`insert or replace into ${words} (rowid, ${textsOf(index)}) select "row", ${texts} from ${keys} where "key" = ${newKey};`
  const changed = sql.join([key, ...columns].map(column => sql.id(column)))
  const create = (event: (typeof events)[number], on: RawBuilder<unknown>, statements: RawBuilder<unknown>) =>
    sql`create trigger ${qualifyName(index, `${index.name}_${event}`)} after ${on} on ${sql.id(table)} begin ${statements} end`
  return [
    create('insert', sql`insert`, sql`insert or ignore into ${keys} ("key") values (${newKey}); ${addTexts}`),
    create(
      'update',
      sql`update of ${changed}`,
      sql`update ${keys} set "key" = ${newKey} where "key" = ${oldKey} and ${newKey} <> ${oldKey}; ${addTexts}`,
    ),
    create(
      'delete',
      sql`delete`,
      sql`delete from ${words} where rowid = (select "row" from ${keys} where "key" = ${oldKey}); delete from ${keys} where "key" = ${oldKey};`,
    ),
  ]
}
