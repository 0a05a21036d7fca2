// The SQL of PostgreSQL.

import { Kysely, sql } from 'kysely'
import { quote, quoteTable, splitName } from '../catalogue.ts'
import {
  columnChecks,
  createChoiceCheck,
  createDecimalCheck,
  createIntegerCheck,
  createLengthCheck,
} from '../column-checks.ts'
import { type Dialect, formatIndexColumns, type InsertedValues, placeColumn, type Sql } from '../dialect.ts'
import { postgresColumnTypes } from './postgres-column-types.ts'
import { postgresFullText } from './postgres-full-text.ts'
import { postgresInsertedRows } from './postgres-inserted-rows.ts'
import { TypingPostgresDialect } from './postgres-kysely-dialect.ts'
import { postgresRowChanges } from './postgres-row-changes.ts'
import { postgresEditor } from './schema/postgres-editor.ts'

// The characters that encodeURIComponent leaves unchanged.
const unreserved = "[A-Za-z0-9_.!~*'()-]"

// JSON objects, because PostgreSQL converts their members to the types of the columns with the same names.
const formatRows: Dialect['formatRecords'] = (rows, columns, json) => {
  const starts = columns.map((name, index) => `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`)
  const isText = columns.map(name => json.has(name))
  const formatRow = (row: (typeof rows)[number]): string => {
    let text = ''
    for (let index = 0; index < row.length; index++) {
      const value = row[index]!
      text += starts[index]! + (isText[index] && value !== null ? value : JSON.stringify(value))
    }
    return `${text}}`
  }
  return `[${rows.map(formatRow).join()}]`
}

const quoteItem = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`

const integerBits: ReadonlyMap<string, number> = new Map([
  ['smallint', 16],
  ['integer', 32],
  ['bigint', 64],
])

/** In bytes. */
const maxNameLength = 63

// Only a driver of Kysely would use the connection.
const withoutConnection = null as never

export const postgresDialect: Dialect = Object.freeze<Dialect>({
  name: 'postgres',
  columns: postgresColumnTypes,
  schema: postgresEditor,
  createKysely(driver) {
    const dialect = new TypingPostgresDialect({ pool: withoutConnection })
    return new Kysely({ dialect: Object.assign(dialect, { createDriver: () => driver }) })
  },
  object: entries =>
    sql`(select row_to_json(o.*) from (select ${sql.join(
      entries.map(([key, value]) => sql`${value} as ${sql.id(key)}`),
    )}) as o)`,
  text: json => sql`cast(${json} as text)`,
  array: query => sql`array_to_json(array(${query}))`,
  objects: query => sql`array_to_json(array(${query}))`,
  json: value => value,
  boolean: value => value,
  number: value => value,
  decimal: (value, places) => sql`cast(round(${value}, ${sql.lit(places)}) as text)`,
  time: value => sql`replace(to_char(${value}, 'HH24:MI:SS.US'), '.000000', '')`,
  dateTime: value => sql`to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`,
  equalsDateTime: (column, dateTime) => sql`${column} = ${dateTime}`,
  compareDateTime: (column, operator, dateTime) => sql`${column} ${sql.raw(operator)} ${dateTime}`,
  plainText: value => sql`cast(${value} as text) collate "C"`,
  // In most collations, `lower` would also change letters that are not ASCII.
  lowerText: value => sql`lower(${postgresDialect.plainText(value)})`,
  contains: (text, part) => sql`strpos(${text}, ${part}) > 0`,
  isLike: (text, pattern) => sql`${text} like ${pattern} escape '\\'`,
  matchesPattern: (text, pattern) => sql`${text} ~ ${pattern}`,
  fullText: postgresFullText,
  rowChanges: postgresRowChanges,
  position: value => sql`cast(${value} as text)`,
  version: sql`case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end`,
  integer: value => sql`cast(${value} as bigint)`,
  keys: array => sql`select cast(value as bigint) as value from json_array_elements_text(cast(${array} as json))`,
  texts: array => sql`select value from json_array_elements_text(cast(${array} as json))`,
  records(table, columns, list) {
    const values = columns.map(name => sql.id('row', name))
    const items = sql`json_array_elements(cast(${list} as json)) with ordinality as item(value, place)`
    return sql`select ${sql.join([sql`cast(item.place - 1 as integer) as ${sql.id(placeColumn)}`, ...values])} from ${items}, json_populate_record(cast(null as ${sql.table(table)}), item.value) as ${sql.id('row')}`
  },
  formatRecords: formatRows,
  insertedRows: postgresInsertedRows,
  findColumnCheck({ type, plainType, kind, labels }) {
    const bits = integerBits.get(plainType)
    if (bits !== undefined) return createIntegerCheck(bits)
    if (labels) return createChoiceCheck(labels)
    const [, size, places = '0'] = /\((\d+)(?:,(-?\d+))?\)/.exec(type) ?? []
    if (size !== undefined && kind === 'decimal') return createDecimalCheck(Number(size) - Number(places))
    return size !== undefined && kind === 'text' ? createLengthCheck(Number(size)) : columnChecks[kind]
  },
  // A JSON array has no values for arrays, byte strings and the like.
  canRecord: kind => kind !== 'other',
  isOneOf: (column, list) => sql`${column} = any(${list})`,
  // Takes a third of the time of a subquery that reads JSON.
  isOneOfIntegers: (column, list) => sql`${column} = any(cast(${list} as bigint[]))`,
  isOneOfLists(table, columns, lists) {
    const members = columns.flatMap(({ name, isInteger }, index) =>
      isInteger ? [] : [sql.lit(name), sql`item.value -> ${sql.lit(index)}`],
    )
    const row = sql`json_populate_record(cast(null as ${sql.table(table)}), json_build_object(${sql.join(members)}))`
    const values = columns.map(({ name, isInteger }, index) =>
      isInteger ? sql`cast(item.value ->> ${sql.lit(index)} as bigint)` : sql.id('row', name),
    )
    return sql`(${sql.join(columns.map(({ value }) => value))}) in (select ${sql.join(values)} from json_array_elements(cast(${lists} as json)) as item(value), ${row} as ${sql.id('row')})`
  },
  formatList: values => `{${values.map(value => (typeof value === 'string' ? quoteItem(value) : value)).join()}}`,
  encodeUrl(value) {
    const text = sql`cast(${value} as text) collate "C"`
    const bytes = sql`upper(regexp_replace(encode(convert_to(character, 'UTF8'), 'hex'), '(..)', '%\\1', 'g'))`
    const encoded = sql`select string_agg(case when character ~ ${sql.lit(`^${unreserved}$`)} then character else ${bytes} end, '' order by place) from regexp_split_to_table(${text}, '') with ordinality as characters(character, place)`
    return sql`case when ${text} ~ ${sql.lit(`^${unreserved}*$`)} then ${text} else (${encoded}) end`
  },
  withInserted(parent, children) {
    const ids = [parent, children].map(({ table }) => sql`cast(${sql.lit(quote(table))} as regclass)`)
    const hasTriggers = sql`select 1 from pg_trigger where tgrelid in (${sql.join(ids)}) and not tgisinternal`
    const first = insertReturning(parent, sql`where not exists (${hasTriggers})`)
    const second = insertReturning(children, sql`from ${sql.id(parent.table)}, (${children.from}) as given`)
    return sql`with ${sql.id(parent.table)} as (${first}), ${sql.id(children.table)} as (${second})`
  },
  forUpdate: sql`for update`,
  skipLocked: sql`for update skip locked`,
  tryLock: text => sql`pg_try_advisory_xact_lock(hashtextextended(cast(${text} as text), 0))`,
  unlogged: sql`unlogged`,
  foreignKeys: sql`select owner.relname as "table", own.attname as "column", target.relname as target, other.attname as target_column, case confdeltype when 'c' then 'cascade' when 'n' then 'set null' when 'd' then 'set default' when 'r' then 'restrict' else 'no action' end as on_delete from pg_constraint join pg_class as owner on owner.oid = conrelid join pg_class as target on target.oid = confrelid join pg_attribute as own on own.attrelid = conrelid and own.attnum = conkey[1] join pg_attribute as other on other.attrelid = confrelid and other.attnum = confkey[1] where contype = 'f' and cardinality(conkey) = 1 and conparentid = 0 and pg_table_is_visible(conrelid) and pg_table_is_visible(confrelid) order by 1, 2`,
  encoding: sql`select current_setting('server_encoding') as encoding`,
  hasTypedColumns: true,
  indexesNullLast: true,
  // PostgreSQL cuts longer names off. Without a name, it chooses a free one.
  formatCreateIndex(name, columns) {
    const index = [splitName(name)[1], ...columns.map(column => column.name)].join('_')
    const indexName = Buffer.byteLength(index) > maxNameLength ? '' : `${quote(index)} `
    return `create index ${indexName}on ${quoteTable(name)} (${formatIndexColumns(columns)})`
  },
  isStorageFailure: () => false,
  lock: name => sql`select pg_advisory_xact_lock(hashtext(${`resource-api ${name}`}))`,
  advanceKeys(table, key) {
    const sequence = sql`cast(pg_get_serial_sequence(${table}, ${key}) as regclass)`
    const largest = sql`(select max(${sql.id(key)}) from ${sql.table(table)})`
    return sql`select setval(${sequence}, greatest(${largest}, pg_sequence_last_value(${sequence})))`
  },
  volatile:
    /\b(?:current_(?:timestamp|date|time)|localtime(?:stamp)?)\b|\b(?:now|timeofday|random|random_normal|gen_random_uuid|uuidv4|uuidv7|(?:clock|statement|transaction)_timestamp)\s*\(|'(?:now|today|tomorrow|yesterday)'/i,
  // Reads the SQLSTATE code, because the language of the message depends on the server.
  isMissingTable: error => (error as { code?: unknown }).code === '42P01',
  findTable: name => sql`select 1 where to_regclass(quote_ident(${name})) is not null`,
  findExistingTable(error) {
    const { code, message } = error as { readonly code?: unknown; readonly message: string }
    return code === '42P07'
      ? (/["\u00ab\u00bb\u201e\u201c][ \u00a0]?(.+?)[ \u00a0]?["\u00ab\u00bb\u201c\u201d]/.exec(message)?.[1] ??
          message)
      : undefined
  },
})

function insertReturning({ table, columns, values }: InsertedValues, rest: Sql): Sql {
  const names = sql.join(columns.map(name => sql.id(name)))
  return sql`insert into ${sql.id(table)} (${names}) select ${sql.join(values)} ${rest} returning *`
}
