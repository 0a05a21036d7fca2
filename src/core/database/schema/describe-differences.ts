// Says how the tables of a database differ from those of a state.

import { formatColumn, formatIndex } from './describe-changes.ts'
import { isSame } from './same-state.ts'
import type { SchemaState, TableState } from './schema-state.ts'

type Tables = SchemaState['tables']

/** One sentence per difference. `normalize` writes a table as the database describes it. SQL counts only by whether there is any. */
export const describeDifferences = (
  expected: Tables,
  existing: Tables,
  normalize: (table: TableState) => TableState,
): readonly string[] =>
  Object.entries(expected).flatMap(([name, table]) => {
    const found = existing[name]
    if (found === undefined) return [`${name}: the database does not have this table`]
    return compareTables(withoutSql(normalize(table)), withoutSql(normalize(found))).map(
      difference => `${name}: ${difference}`,
    )
  })

function compareTables(table: TableState, found: TableState): readonly string[] {
  const key = isSame(table.key, found.key)
    ? []
    : [`the primary key is ${found.key.join(', ')} in the database, and ${table.key.join(', ')} in the steps`]
  return [
    ...key,
    ...compareParts('column', table.columns, found.columns, formatColumn),
    ...compareParts('index', table.indexes, found.indexes, formatIndex),
    ...compareParts('check', table.checks, found.checks, () => 'a check'),
  ]
}

function compareParts<Part>(
  kind: string,
  parts: Readonly<Record<string, Part>>,
  found: Readonly<Record<string, Part>>,
  format: (part: Part) => string,
): readonly string[] {
  const names = [...new Set([...Object.keys(parts), ...Object.keys(found)])]
  return names.flatMap(name => {
    const [part, other] = [parts[name], found[name]]
    if (part === undefined) return [`the database has the ${kind} ${name}, which the steps do not make`]
    if (other === undefined) return [`the database does not have the ${kind} ${name}`]
    return isSame(part, other)
      ? []
      : [`the ${kind} ${name} is ${format(other)} in the database, and ${format(part)} in the steps`]
  })
}

const anySql = '…'

function withoutSql({ columns, key, indexes, checks }: TableState): TableState {
  const map = <Part>(parts: Readonly<Record<string, Part>>, change: (part: Part) => Part) =>
    Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, change(part)]))
  return {
    key,
    columns: map(columns, column => ({
      ...column,
      ...(column.generated !== undefined && { generated: anySql }),
      ...(typeof column.default === 'object' && 'sql' in column.default && { default: { sql: anySql } }),
    })),
    indexes: map(indexes, index => ({ ...index, ...(index.where !== undefined && { where: anySql }) })),
    checks: map(checks, () => anySql),
  }
}
