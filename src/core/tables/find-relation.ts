// How the rows of declared tables lead to each other: from a reference to its row, and back from a row to those that refer to it.

import { adviseName } from '../base/nearest-name.ts'
import type { Key } from '../keys/key.ts'
import type { TableColumn } from './column.ts'
import { toColumn } from './column-names.ts'
import { isTableColumn, type Table, type Through } from './table.ts'
import { findSchemaTables } from './tables.ts'

/** A relation of a table: the column of the row, and the column of the related rows that contains the same value. */
export interface TableRelation {
  readonly table: Table
  readonly own: string
  readonly other: string
  /** The table whose rows join both, which then has the column `other`. */
  readonly through?: JoiningTable
}

/** A table that joins two others: its column with the key of the related row. */
export interface JoiningTable {
  readonly table: Table
  readonly target: string
}

/** Finds a relation by name; undefined if there is none. `root`: a table whose schema has all tables. Throws if the name is ambiguous. */
export function findRelation(root: Table, table: Table, name: string): TableRelation | undefined {
  const column = table.columns[name]
  if (column !== undefined) {
    const target = isTableColumn(column) ? column.reference?.table : undefined
    const found = target === undefined ? undefined : findSchemaTables(root).find(each => each.name === target)
    return found && { table: found, own: toColumn(table, name), other: keyColumn(found) }
  }
  const many = table.options.many?.[name]
  if (many !== undefined) return findThrough(root, table, name, many)
  const [reverse, ...others] = listReverse(root, table).filter(each => each.name === name)
  if (others.length === 0) return reverse?.relation
  throw new Error(
    `table "${name}" refers to "${table.name}" several times: give these references names, as in reference("${table.name}", { relatedName: "…" })`,
  )
}

/** Finds a relation; throws an Error that names those that exist. */
export function requireRelation(root: Table, table: Table, name: string): TableRelation {
  const found = findRelation(root, table, name)
  if (found !== undefined) return found
  const names = [
    ...Object.keys(table.columns).filter(each => isReference(table, each)),
    ...Object.keys(table.options.many ?? {}),
    ...listReverse(root, table).map(each => each.name),
  ]
  const advice = adviseName(name, names) || (names.length === 0 ? '' : `: its relations are ${names.join(', ')}`)
  throw new Error(`table "${table.name}" has no relation "${name}"${advice}`)
}

const isReference = ({ columns }: Table, name: string): boolean => {
  const column = columns[name]!
  return isTableColumn(column) && column.reference !== undefined
}

function findThrough(root: Table, table: Table, name: string, { through, own, other }: Through): TableRelation {
  const place = `table "${table.name}": many: "${name}"`
  const joining = findSchemaTables(root).find(each => each.name === through)
  if (joining === undefined)
    throw new Error(`${place}: there is no table "${through}": add it to "tables" or to "uses"`)
  const references = Object.keys(joining.columns).filter(each => isJoining(joining, each))
  const choose = (option: 'own' | 'other', to: string, names: readonly string[]): string => {
    const [found, ...more] = names
    if (found !== undefined && more.length === 0) return found
    throw new Error(
      `${place}: the table "${through}" has ${found === undefined ? 'no such' : 'more than one'} reference to ${to}${found === undefined ? '' : `: name it, as in through("${through}", { ${option}: "${found}" })`}`,
    )
  }
  const given = (name: string | undefined, isMeant: (name: string) => boolean) =>
    references.filter(each => (name === undefined ? isMeant(each) : each === name))
  const toOwn = choose(
    'own',
    `"${table.name}"`,
    given(own, each => findTarget(joining, each) === table.name),
  )
  const toOther = choose(
    'other',
    'the other table',
    given(other, each => each !== toOwn),
  )
  const target = findSchemaTables(root).find(each => each.name === findTarget(joining, toOther))!
  return {
    table: target,
    own: keyColumn(table),
    other: toColumn(joining, toOwn),
    through: { table: joining, target: toColumn(joining, toOther) },
  }
}

// The references that the framework fills, such as that to a tenant, do not join.
const isJoining = (table: Table, name: string): boolean =>
  isReference(table, name) && (table.columns[name] as TableColumn).fill === undefined

const findTarget = ({ columns }: Table, name: string): string => (columns[name] as TableColumn).reference!.table

interface ReverseRelation {
  readonly name: string
  readonly relation: TableRelation
}

const listReverse = (root: Table, target: Table): readonly ReverseRelation[] =>
  findSchemaTables(root).flatMap(table =>
    Object.entries(table.ownColumns).flatMap(([name, column]) => {
      const reference = isTableColumn(column) ? column.reference : undefined
      if (reference?.table !== target.name) return []
      const relation = { table, own: keyColumn(target), other: toColumn(table, name) }
      return [{ name: reference.relatedName ?? table.name, relation }]
    }),
  )

/** The column of the key of one column, to which references lead. */
export const keyColumn = ({ key }: Table): string => (key as Key).column
