// Says how the tables of a database differ from those of a state.

import { formatColumn, formatIndex, formatSql } from './describe-changes.ts'
import { isSame } from './same-state.ts'
import type { ColumnState, ColumnType, SchemaState, SqlText, TableState } from './schema-state.ts'

type Tables = SchemaState['tables']

/** How the tables of a database are compared. */
export interface Comparable {
  /** Writes a table as the database describes it. */
  normalize(table: TableState): TableState
  /** The SQL of a type. */
  formatType(type: ColumnType): string
  /** Writes SQL so that equal texts mean the same. Default: SQL counts only by whether there is any. */
  normalizeSql?(text: string): string
}

/** One sentence per difference. */
export const describeDifferences = (
  expected: Tables,
  existing: Tables,
  { normalize, formatType, normalizeSql = () => '…' }: Comparable,
): readonly string[] =>
  Object.entries(expected).flatMap(([name, table]) => {
    const found = existing[name]
    if (found === undefined) return [`${name}: the database does not have this table`]
    const [own, other] = [table, found].map(each => mapSql(normalize(each), normalizeSql)) as [TableState, TableState]
    return compareTables(own, other, formatType).map(difference => `${name}: ${difference}`)
  })

function compareTables(table: TableState, found: TableState, formatType: Comparable['formatType']): readonly string[] {
  const key = isSame(table.key, found.key)
    ? []
    : [`the primary key is ${found.key.join(', ')} in the database, and ${table.key.join(', ')} in the steps`]
  const formatTyped = (column: ColumnState) => {
    const type = formatType(column.type)
    return formatColumn({ ...column, type: { sqlite: type, postgres: type } })
  }
  return [
    ...key,
    ...compareParts('column', table.columns, found.columns, formatColumn, formatTyped),
    ...compareParts('index', table.indexes, found.indexes, formatIndex),
    ...compareParts('check', table.checks, found.checks, formatSql),
  ]
}

function compareParts<Part>(
  kind: string,
  parts: Readonly<Record<string, Part>>,
  found: Readonly<Record<string, Part>>,
  format: (part: Part) => string,
  formatExactly = format,
): readonly string[] {
  const names = [...new Set([...Object.keys(parts), ...Object.keys(found)])]
  return names.flatMap(name => {
    const [part, other] = [parts[name], found[name]]
    if (part === undefined) return [`the database has the ${kind} ${name}, which the steps do not make`]
    if (other === undefined) return [`the database does not have the ${kind} ${name}`]
    if (isSame(part, other)) return []
    const write = format(part) === format(other) ? formatExactly : format
    return [`the ${kind} ${name} is ${write(other)} in the database, and ${write(part)} in the steps`]
  })
}

function mapSql({ columns, key, indexes, checks }: TableState, change: (text: string) => string): TableState {
  const map = <Part>(parts: Readonly<Record<string, Part>>, changePart: (part: Part) => Part) =>
    Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, changePart(part)]))
  // A normalized table has the text of its database.
  const write = (text: SqlText) => (typeof text === 'string' ? change(text) : text)
  return {
    key,
    columns: map(columns, ({ generated, default: value, ...column }) => ({
      ...column,
      ...(generated !== undefined && { generated: write(generated) }),
      ...(value !== undefined && {
        default: typeof value === 'object' && 'sql' in value ? { sql: write(value.sql) } : value,
      }),
    })),
    indexes: map(indexes, ({ where, ...index }) => ({ ...index, ...(where !== undefined && { where: write(where) }) })),
    checks: map(checks, write),
  }
}
