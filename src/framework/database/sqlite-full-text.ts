// Full-text indexes of SQLite: an FTS5 table without a copy of the texts. Its rows have integer keys of their own, because
// the key of the indexed table may be a text, and VACUUM may change the implicit row ids of such a table.

import { type RawBuilder, sql } from 'kysely'
import type { FullTextSql, NamedFullTextIndex } from './dialect.ts'
import { joinTexts } from './full-text.ts'

const keysOf = ({ name }: Pick<NamedFullTextIndex, 'name'>) => sql.table(`${name}_keys`)

export const sqliteFullText: FullTextSql = {
  create: index => [
    sql`create table ${keysOf(index)} ("row" integer primary key, "key" not null unique)`,
    sql`create virtual table ${sql.table(index.name)} using fts5(words, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 0')`,
    sql`insert into ${keysOf(index)} ("key") select ${sql.id(index.key)} from ${sql.table(index.table)}`,
    sql`insert into ${sql.table(index.name)} (rowid, words) select "keys"."row", ${joinTexts(index.columns.map(column => sql.id('texts', column)))} from ${keysOf(index)} as "keys" join ${sql.table(index.table)} as "texts" on ${sql.id('texts', index.key)} = "keys"."key"`,
    ...createTriggers(index),
  ],
  drop: index => [
    ...events.map(event => sql`drop trigger ${sql.id(`${index.name}_${event}`)}`),
    sql`drop table ${sql.table(index.name)}`,
    sql`drop table ${keysOf(index)}`,
  ],
  matches: (index, column, query) =>
    sql`${column(index.key)} in (select "key" from ${keysOf(index)} where "row" in (select rowid from ${sql.table(index.name)} where ${sql.id(index.name)} match ${query}))`,
}

const events = ['insert', 'update', 'delete'] as const

function createTriggers(index: NamedFullTextIndex): readonly RawBuilder<unknown>[] {
  const { name, table, key, columns } = index
  const keys = keysOf(index)
  const [newKey, oldKey] = [sql.id('new', key), sql.id('old', key)]
  const texts = joinTexts(columns.map(column => sql.id('new', column)))
  const addTexts = sql`insert or replace into ${sql.table(name)} (rowid, words) select "row", ${texts} from ${keys} where "key" = ${newKey};`
  const changed = sql.join([key, ...columns].map(column => sql.id(column)))
  const create = (event: (typeof events)[number], on: RawBuilder<unknown>, statements: RawBuilder<unknown>) =>
    sql`create trigger ${sql.id(`${name}_${event}`)} after ${on} on ${sql.table(table)} begin ${statements} end`
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
      sql`delete from ${sql.table(name)} where rowid = (select "row" from ${keys} where "key" = ${oldKey}); delete from ${keys} where "key" = ${oldKey};`,
    ),
  ]
}
