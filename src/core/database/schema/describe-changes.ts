// Says in words what changes do, and what they cost on each database.

import { applyChanges } from './apply-changes.ts'
import type { Change } from './change.ts'
import { listReferrers } from './draft.ts'
import { isSame } from './same-state.ts'
import type { ColumnState, DefaultValue, IndexState, SchemaState, SqlText } from './schema-state.ts'

/** A line for each change, then one about its costs; `before` is the state before the changes. */
export const describeChanges = (before: SchemaState, changes: readonly Change[]): readonly string[] => [
  ...changes.map(describeChange),
  ...describeCosts(before, changes),
]

function describeChange(change: Change): string {
  if ('createTable' in change)
    return `${change.createTable}: create table with ${Object.keys(change.columns).join(', ')}`
  if ('dropTable' in change) return `${change.dropTable}: drop table, with its rows`
  if ('renameTable' in change) return `${change.renameTable}: rename table -> ${change.to}`
  if ('createView' in change) return `${change.createView}: create view`
  if ('dropView' in change) return `${change.dropView}: drop view`
  return `${change.table}: ${describePart(change)}`
}

function describePart(change: Extract<Change, { readonly table: string }>): string {
  if ('renameColumn' in change) return `rename column ${change.renameColumn} -> ${change.to}`
  if ('dropColumn' in change) return `drop column ${change.dropColumn}, with its values`
  if ('addColumn' in change)
    return `add column ${change.addColumn} ${formatColumn(change)}${formatFill(change.fill, 'existing rows get')}`
  if ('alterColumn' in change)
    return `change column ${change.alterColumn} to ${formatColumn(change)}${formatFill(change.fill, 'null becomes')}`
  if ('addIndex' in change) return `add index ${change.addIndex}: ${formatIndex(change)}`
  if ('renameIndex' in change) return `rename index ${change.renameIndex} -> ${change.to}`
  if ('dropIndex' in change) return `drop index ${change.dropIndex}`
  return 'addCheck' in change
    ? `add check ${change.addCheck}: ${formatSql(change.sql)}`
    : `drop check ${change.dropCheck}`
}

/** The columns of an index, and what else it says. */
export const formatIndex = ({ columns, unique, where }: IndexState): string =>
  `${unique ? 'unique on' : 'on'} ${columns.join(', ')}${where === undefined ? '' : ` where ${formatSql(where)}`}`

const formatFill = (fill: DefaultValue | undefined, words: string): string =>
  fill === undefined ? '' : `, ${words} ${formatDefault(fill)}`

/** The type of a column, and what else it says. */
export function formatColumn({ type, nullable, default: value, generated, references }: ColumnState): string {
  const reference =
    references &&
    `references ${references.table}${references.onDelete === undefined ? '' : ` on delete ${references.onDelete}`}`
  return [
    formatSql(type),
    nullable ? 'null' : 'not null',
    value !== undefined && `default ${formatDefault(value)}`,
    generated !== undefined && `generated as ${formatSql(generated)}`,
    reference,
  ]
    .filter(Boolean)
    .join(' ')
}

/** The SQL of each database. */
export const formatSql = (sql: SqlText): string =>
  typeof sql === 'string'
    ? sql
    : sql.sqlite === sql.postgres
      ? sql.sqlite
      : `${sql.sqlite} (PostgreSQL: ${sql.postgres})`

function formatDefault(value: DefaultValue): string {
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`
  if (typeof value !== 'object') return String(value)
  return 'now' in value ? 'the time of the write' : formatSql(value.sql)
}

function describeCosts(before: SchemaState, changes: readonly Change[]): readonly string[] {
  const [rebuilt, rewritten] = [new Set<string>(), new Set<string>()]
  let state = before
  for (const change of changes) {
    const table = 'table' in change ? change.table : undefined
    if (table !== undefined && needsRebuild(state, change)) rebuilt.add(table)
    if (table !== undefined && needsRewrite(state, change)) rewritten.add(table)
    state = applyChanges(state, [change])
  }
  // A table of the step itself has no rows.
  const created = changes.flatMap(change => ('createTable' in change ? [change.createTable] : []))
  const isExisting = (table: string) => !created.includes(table) && Object.hasOwn(state.tables, table)
  const tables = [...rebuilt].filter(isExisting)
  if (!changes.some(change => 'table' in change && isExisting(change.table))) return []
  const sqlite =
    tables.length === 0
      ? 'SQLite: no rebuild.'
      : `SQLite rebuilds ${tables.map(table => formatTable(state, table)).join(', ')}.`
  const locked = [...rewritten].filter(isExisting).map(table => `"${table}"`)
  return [
    `${sqlite} ${locked.length === 0 ? 'PostgreSQL: no rewrite, no long lock.' : `PostgreSQL rewrites ${locked.join(', ')}, and locks reads and writes meanwhile.`}`,
  ]
}

function formatTable(state: SchemaState, table: string): string {
  const columns = Object.keys(state.tables[table]!.columns).length
  const referrers = new Set(listReferrers(state, table).map(([other]) => other)).size
  const reference = referrers === 0 ? '' : `, referred to by ${referrers} ${referrers === 1 ? 'table' : 'tables'}`
  return `"${table}" (${columns} ${columns === 1 ? 'column' : 'columns'}${reference})`
}

/** Whether SQLite has no statement for the change, and copies the table. */
function needsRebuild({ tables }: SchemaState, change: Change): boolean {
  if ('alterColumn' in change || 'addCheck' in change || 'dropCheck' in change) return true
  if ('dropColumn' in change) {
    const { references, generated } = tables[change.table]!.columns[change.dropColumn]!
    return references !== undefined || generated !== undefined
  }
  if (!('addColumn' in change)) return false
  const { nullable, default: value, generated } = change
  return generated !== undefined || typeof value === 'object' || (nullable !== true && value === undefined)
}

/** Whether PostgreSQL writes the whole table again. */
function needsRewrite({ tables }: SchemaState, change: Change): boolean {
  if ('addColumn' in change) return change.generated !== undefined
  return 'alterColumn' in change && !isSame(change.type, tables[change.table]!.columns[change.alterColumn]!.type)
}
