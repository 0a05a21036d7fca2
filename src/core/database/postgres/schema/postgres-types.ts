// The types of PostgreSQL's columns, as a state names them.

import { type ColumnType, type PlainType, plainTypes } from '../../schema/schema-state.ts'
import { definitions } from './postgres-definitions.ts'
import type { CatalogueColumn } from './postgres-state-queries.ts'

/** Other names of types, with those that the catalogue shows. */
const aliases: Readonly<Record<string, string>> = {
  int: 'integer',
  int2: 'smallint',
  int4: 'integer',
  int8: 'bigint',
  bool: 'boolean',
  float4: 'real',
  float8: 'double precision',
  varchar: 'character varying',
  char: 'character',
  decimal: 'numeric',
  time: 'time without time zone',
  timestamp: 'timestamp without time zone',
  timestamptz: 'timestamp with time zone',
}

/** The type as the catalogue shows it. */
function toFullName(type: string): string {
  const text = type
    .toLowerCase()
    .replaceAll(/\s*([(,)])\s*/g, '$1')
    .trim()
  const [, name, rest] = /^(\w+)(.*)$/s.exec(text) ?? []
  const isComplete = name === undefined || /^ (?:with|without|varying|precision)/.test(rest!)
  return isComplete ? text : `${aliases[name] ?? name}${rest}`
}

// `duration` has the same type as `integer`.
const byName: ReadonlyMap<string, PlainType> = new Map(
  plainTypes
    .filter(type => type !== 'key' && type !== 'duration')
    .map(type => [toFullName(definitions.formatType(type)), type] as const),
)

/** The type of a column that exists. */
export function readType(column: CatalogueColumn): ColumnType {
  const { type, collation, isIdentity, ownsSequence } = column
  if (isIdentity || (ownsSequence && column.default?.startsWith('nextval('))) return 'key'
  return findType(collation === null ? type : `${type} collate "${collation}"`)
}

function findType(text: string): ColumnType {
  const name = /collate/.test(text) ? text.toLowerCase() : toFullName(text)
  const plain = byName.get(name)
  if (plain !== undefined) return plain
  const [, digits, places] = /^numeric\((\d+),(\d+)\)$/.exec(name) ?? []
  if (digits !== undefined) return `decimal(${Number(digits)},${Number(places)})`
  return { sqlite: guessSqliteType(name), postgres: text }
}

function guessSqliteType(name: string): string {
  if (/^(?:smallint|integer|bigint|boolean)/.test(name)) return 'integer'
  if (/^(?:real|double)/.test(name)) return 'double precision'
  if (name === 'bytea') return 'blob'
  return /^numeric/.test(name) ? 'numeric' : 'text'
}

/** The type as that of a column that exists. Types of SQL are compared in lower case, for PostgreSQL only. */
export function canonicalType(type: ColumnType): ColumnType {
  if (type === 'key') return type
  const found = findType(definitions.formatType(type))
  if (typeof found !== 'object') return found
  const text = toFullName(found.postgres)
  return { sqlite: text, postgres: text }
}
