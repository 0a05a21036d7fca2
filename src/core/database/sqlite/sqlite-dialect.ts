// The SQL of SQLite. Only one transaction can write at a time, so no further locks are needed.

import { Kysely, SqliteDialect, sql } from 'kysely'
import { quote, splitName } from '../catalogue.ts'
import { checkIntegerOrBoolean, columnChecks } from '../column-checks.ts'
import { type Dialect, formatIndexColumns, placeColumn } from '../dialect.ts'
import { sqliteEditor } from './schema/sqlite-editor.ts'
import { sqliteColumnTypes } from './sqlite-column-types.ts'
import { isStorageFailure } from './sqlite-errors.ts'
import { sqliteFullText } from './sqlite-full-text.ts'
import { sqliteInsertedRows } from './sqlite-inserted-rows.ts'
import { sqliteRowChanges } from './sqlite-row-changes.ts'

// The characters that encodeURIComponent leaves unchanged, for a set of GLOB.
const unreserved = "A-Za-z0-9_.!~*'()-"

// Only a driver of Kysely would use the connection.
const withoutConnection = null as never

export const sqliteDialect: Dialect = Object.freeze<Dialect>({
  name: 'sqlite',
  columns: sqliteColumnTypes,
  schema: sqliteEditor,
  createKysely(driver) {
    const dialect = new SqliteDialect({ database: withoutConnection })
    return new Kysely({ dialect: Object.assign(dialect, { createDriver: () => driver }) })
  },
  object: entries => sql`json_object(${sql.join(entries.flatMap(([key, value]) => [sql.lit(key), value]))})`,
  text: json => json,
  array: query => sql`(select json_group_array(value) from (${query}))`,
  // A JSON value from a subquery may lose its JSON subtype and become plain text.
  objects: query => sql`(select json_group_array(json(value)) from (${query}))`,
  json: value => sql`json(${value})`,
  boolean: value => sql`case ${value} when 1 then json('true') when 0 then json('false') end`,
  // In 3.53.0 and before, json_object writes 15 digits of a double; printf writes 0 for null.
  number: value => sql`case when ${value} is not null then json(printf('%!.17g', ${value})) end`,
  decimal: (value, places) => sql`case when ${value} is not null then printf(${sql.lit(`%.${places}f`)}, ${value}) end`,
  time: value => value,
  // The API writes one format, which is returned unchanged. SQLite's functions write others, such as "2026-01-31 12:00:00".
  dateTime: value =>
    sql`case when ${value} glob '????-??-??T??:??:??.??????Z' then ${value} else coalesce(strftime('%Y-%m-%dT%H:%M:%f000Z', ${value}), ${value}) end`,
  equalsDateTime: (column, dateTime) =>
    sql`${column} in (${dateTime}, replace(replace(${dateTime}, 'T', ' '), '.000000Z', ''))`,
  // An index serves the first condition, which compares the text as it is stored; "T" follows " ".
  compareDateTime(column, operator, dateTime) {
    const day = sql`substr(${dateTime}, 1, 10)`
    const near = operator.startsWith('>') ? sql`${column} >= ${day}` : sql`${column} < ${day} || 'U'`
    return sql`(${near} and ${sqliteDialect.dateTime(column)} ${sql.raw(operator)} ${dateTime})`
  },
  plainText: value => sql`cast(${value} as text) collate binary`,
  lowerText: value => sql`lower(${sqliteDialect.plainText(value)})`,
  contains: (text, part) => sql`instr(${text}, ${part}) > 0`,
  isLike: (text, pattern) => sql`${text} like ${pattern} escape '\\'`,
  matchesPattern: (text, pattern) => sql`matches_pattern(${text}, ${pattern})`,
  fullText: sqliteFullText,
  rowChanges: sqliteRowChanges,
  position: value => value,
  version: sql`(select cast(data_version as text) from pragma_data_version)`,
  integer: value => value,
  keys: array => sql`select value from json_each(${array})`,
  texts: array => sql`select value from json_each(${array})`,
  // Arrays of values are read faster than objects.
  records(_table, columns, list) {
    const values = columns.map((name, index) => sql`value ->> ${sql.lit(index)} as ${sql.id(name)}`)
    return sql`select ${sql.join([sql`key as ${sql.id(placeColumn)}`, ...values])} from json_each(${list})`
  },
  formatRecords: rows => JSON.stringify(rows),
  insertedRows: sqliteInsertedRows,
  // Booleans are stored in integer columns, and dates in text columns.
  findColumnCheck: ({ kind }) => (kind === 'integer' ? checkIntegerOrBoolean : columnChecks[kind]),
  canRecord: () => true,
  isOneOf: (column, list) => sql`${column} in (select value from json_each(${list}))`,
  isOneOfIntegers: (column, list) => sqliteDialect.isOneOf(column, list),
  isOneOfLists(_table, columns, lists) {
    const values = columns.map((_, index) => sql`value ->> ${sql.lit(index)}`)
    return sql`(${sql.join(columns.map(({ value }) => value))}) in (select ${sql.join(values)} from json_each(${lists}))`
  },
  formatList: values => JSON.stringify(values),
  encodeUrl(text) {
    const character = sql`substr(${text}, place + 1, 1)`
    const byte = (index: number) =>
      sql`case when length(hex(${character})) > ${sql.lit(2 * index)} then '%' || substr(hex(${character}), ${sql.lit(2 * index + 1)}, 2) else '' end`
    const bytes = sql`${byte(0)} || ${byte(1)} || ${byte(2)} || ${byte(3)}`
    const encoded = sql`case when ${character} glob ${sql.lit(`[${unreserved}]`)} then ${character} else ${bytes} end`
    const all = sql`with recursive characters(place, done) as (select 0, '' union all select place + 1, done || ${encoded} from characters where place < length(${text})) select done from characters order by place desc limit 1`
    return sql`case when ${text} glob ${sql.lit(`*[^${unreserved}]*`)} then (${all}) else ${text} end`
  },
  forUpdate: sql``,
  skipLocked: sql``,
  // The statement must bind its parameter.
  tryLock: text => sql`${text} is not null`,
  unlogged: sql``,
  encoding: null,
  foreignKeys: sql`select owner.name as "table", max(reference."from") as "column", max(reference."table") as target, coalesce(max(reference."to"), max((select name from pragma_table_info(reference."table") where pk = 1))) as target_column, lower(max(reference.on_delete)) as on_delete from sqlite_schema as owner, pragma_foreign_key_list(owner.name) as reference where owner.type = 'table' group by owner.name, reference.id having count(*) = 1 order by 1, 2`,
  hasTypedColumns: false,
  indexesNullLast: false,
  // SQLite names the schema of the index, and not that of its table.
  formatCreateIndex(name, columns) {
    const [schema, table] = splitName(name)
    const index = quote([table, ...columns.map(column => column.name)].join('_'))
    return `create index ${schema === undefined ? '' : `${quote(schema)}.`}${index} on ${quote(table)} (${formatIndexColumns(columns)})`
  },
  isStorageFailure,
  lock: () => null,
  advanceKeys: () => null,
  // Without an argument, date functions use the current time.
  volatile:
    /\bcurrent_(?:timestamp|date|time)\b|\brandom(?:blob)?\s*\(|'now'|\b(?:date|time|datetime|julianday|unixepoch)\s*\(\s*\)|\bstrftime\s*\(\s*''\s*\)/i,
  isMissingTable: error => /no such table/.test((error as Error).message),
  findTable: name => sql`select 1 from sqlite_master where type in ('table', 'view') and name = ${name} collate nocase`,
  findExistingTable: error => /(?:table|view) "?(.+?)"? already exists/.exec((error as Error).message)?.[1],
})
