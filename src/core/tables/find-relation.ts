// How the rows of declared tables lead to each other: from a reference to its row, and back from a row to those that refer to it.

import { adviseName } from '../base/nearest-name.ts'
import type { Key } from '../keys/key.ts'
import { toColumn } from './column-names.ts'
import { isTableColumn, type Table } from './table.ts'
import { findSchemaTables } from './tables.ts'

/** A relation of a table: the column of the row, and the column of the related rows that contains the same value. */
export interface TableRelation {
  readonly table: Table
  readonly own: string
  readonly other: string
}

/** Finds a relation by name; undefined if there is none. `root`: a table whose schema has all tables. Throws if the name is ambiguous. */
export function findRelation(root: Table, table: Table, name: string): TableRelation | undefined {
  const column = table.columns[name]
  if (column !== undefined) {
    const target = isTableColumn(column) ? column.reference?.table : undefined
    const found = target === undefined ? undefined : findSchemaTables(root).find(each => each.name === target)
    return found && { table: found, own: toColumn(table, name), other: keyColumn(found) }
  }
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
    ...listReverse(root, table).map(each => each.name),
  ]
  const advice = adviseName(name, names) || (names.length === 0 ? '' : `: its relations are ${names.join(', ')}`)
  throw new Error(`table "${table.name}" has no relation "${name}"${advice}`)
}

const isReference = ({ columns }: Table, name: string): boolean => {
  const column = columns[name]!
  return isTableColumn(column) && column.reference !== undefined
}

interface ReverseRelation {
  readonly name: string
  readonly relation: TableRelation
}

const listReverse = (root: Table, target: Table): readonly ReverseRelation[] =>
  findSchemaTables(root).flatMap(table =>
    Object.entries(table.columns).flatMap(([name, column]) => {
      const reference = isTableColumn(column) ? column.reference : undefined
      if (reference?.table !== target.name) return []
      const relation = { table, own: keyColumn(target), other: toColumn(table, name) }
      return [{ name: reference.relatedName ?? table.name, relation }]
    }),
  )

/** The column of the key of one column, to which references lead. */
export const keyColumn = ({ key }: Table): string => (key as Key).column
