// Compares the fields of a resource with its declared table. A field may take less than its column, and never more.

import { adviseName } from '../../base/nearest-name.ts'
import type { Field } from '../../fields/field.ts'
import { listWrittenColumns, storageColumn } from '../../fields/storage.ts'
import { listColumnNames, toColumn } from '../../tables/column-names.ts'
import { isKeyField, isTableColumn, type Table } from '../../tables/table.ts'
import { findColumnType } from '../../tables/table-state.ts'
import type { Resource } from '../declare/resource.ts'

type Declared = Pick<Resource, 'name' | 'fields' | 'hookColumns' | 'key'>

/** Throws an Error for a field without a column, or one that takes values that its column refuses. */
export function checkFieldsOfTable({ name: resource, fields, hookColumns, key }: Declared, table: Table): void {
  const columns = listColumnNames(table)
  const link = table.parent && toColumn(table, table.parent.link)
  const check = (place: string, column: string) => {
    if (columns.has(column) || column === key.column || column === key.publicIdentifier?.column) return
    const advice = adviseName(column, columns.keys()) || ': add it to the table'
    throw new Error(`resource "${resource}": ${place}: the table "${table.name}" has no column "${column}"${advice}`)
  }
  for (const column of hookColumns) check('hookColumns', column)
  for (const [name, field] of Object.entries(fields)) {
    const place = `field "${name}"`
    for (const column of field.columns(name)) check(place, column)
    if (link !== undefined && !field.readOnly && listWrittenColumns(name, field).includes(link))
      throw new Error(
        `resource "${resource}": ${place} would let bodies set the row of "${table.parent!.table.name}" that a row extends: wrap it in readOnly()`,
      )
    const column = storageColumn(name, field)
    const declared = column === undefined ? undefined : table.columns[columns.get(column) ?? '']
    if (declared === undefined || field.readOnly || isKeyField(declared)) continue
    const problem = isTableColumn(declared)
      ? findNullProblem(field, declared)
      : (findNullProblem(field, declared) ?? findWidening(field, declared))
    if (problem !== undefined)
      throw new Error(
        `resource "${resource}": ${place} ${problem}, which the column "${column}" of table "${table.name}" does not: a resource may only take less than its table`,
      )
  }
}

const findNullProblem = (field: Field, { nullable }: { readonly nullable: boolean }): string | undefined =>
  field.nullable && !nullable ? 'takes null' : undefined

function findWidening(field: Field, column: Field): string | undefined {
  if (field === column) return undefined
  const [own, declared] = [field, column].map(each => findColumnType(each, 'field'))
  if (own !== declared) return `stores ${own}`
  const unknown =
    column.choices && [...(field.choices?.keys() ?? [])].find(choice => !column.choices!.has(choice as never))
  if (unknown !== undefined) return `takes ${JSON.stringify(unknown)}`
  if (column.choices !== undefined && field.choices === undefined) return 'takes other values than its choices'
  if (column.unique !== undefined && field.unique === undefined) return 'takes values that another object has'
  return findWiderBound(field, column)
}

// Of `max_length` and `max_value`, and of `min_length` and `min_value`.
function findWiderBound({ bounds }: Field, column: Field): string | undefined {
  const wider = Object.entries(column.bounds).find(([name, bound]) => {
    const own = bounds[name]
    return own === undefined || (name.startsWith('min') ? own < bound : own > bound)
  })
  return wider && `has no ${wider[0]} of at ${wider[0].startsWith('min') ? 'least' : 'most'} ${wider[1]}`
}
