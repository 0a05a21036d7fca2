// The definitions of tables in the SQL of SQLite, and its types as a state names them.

import { createDefinitions } from '../../editors/definitions.ts'
import { type ColumnType, type PlainType, plainTypes } from '../../schema/schema-state.ts'
import { sqliteColumnTypes } from '../sqlite-column-types.ts'

export const definitions = createDefinitions('sqlite', sqliteColumnTypes)

/** The default value that is the time of the write, as the catalogue shows it. */
export const now = definitions.formatDefault({ now: true }).replace(/^\((.*)\)$/s, '$1')

const toName = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/\s*([(,)])\s*/g, '$1')
    .trim()

// `text` is the type of dates and the like too, `integer` that of booleans, and `bigint` that of durations and of integers.
const byName: ReadonlyMap<string, PlainType> = new Map(
  plainTypes
    .filter(type => type !== 'key' && type !== 'duration')
    .toReversed()
    .map(type => [toName(definitions.formatType(type)), type === 'boolean' ? 'integer' : type] as const),
)

/** The type that a column of this SQL type has in a state. */
export function findType(text: string): ColumnType {
  const name = toName(text)
  const plain = byName.get(name)
  if (plain !== undefined) return plain
  const [, digits, places] = /^numeric\((\d+),(\d+)\)$/.exec(name) ?? []
  if (digits !== undefined) return `decimal(${Number(digits)},${Number(places)})`
  return { sqlite: text, postgres: guessPostgresType(name) }
}

// As SQLite finds out what a column prefers to store.
function guessPostgresType(name: string): string {
  if (/int/.test(name)) return 'bigint'
  if (/^varchar\(\d+\)$|^char\(\d+\)$/.test(name)) return name
  if (/char|clob|text/.test(name)) return 'text'
  if (name === '' || /blob/.test(name)) return 'bytea'
  if (/real|floa|doub/.test(name)) return 'double precision'
  if (/^(?:datetime|timestamp)/.test(name)) return 'timestamptz'
  return /^(?:bool|boolean|date|time|uuid|json|jsonb)$/.test(name) ? name : 'numeric'
}

/** The type as that of a column that exists. Types of SQL are compared in lower case, for SQLite only. */
export function canonicalType(type: ColumnType): ColumnType {
  if (type === 'key') return type
  const found = findType(definitions.formatType(type))
  if (typeof found !== 'object') return found
  const text = toName(found.sqlite)
  return { sqlite: text, postgres: text }
}
