// Fields that only some objects show to a caller: the statement selects the value together with the condition, and the representation of an
// object that does not fulfil it lacks the field.

import { sql } from 'kysely'
import type { Field } from '../../fields/field.ts'
import { createSqlScope, findSqlUses } from '../../fields/sql-scope.ts'
import { hasColumn, noColumns } from '../../fields/storage.ts'
import type { Condition } from '../../tables/condition.ts'
import type { Table } from '../../tables/table.ts'
import { compileCondition, createScope } from './compile-condition.ts'

interface Selected {
  readonly shown: boolean
  readonly value: unknown
}

/** Completes a field whose `visible` is a condition. It has no column to filter, search or order by, which would reveal its values. */
export function hideInRows(field: Field, name: string, table: Table): Field {
  const condition = field.visibleRows as Condition
  const { readOnly, relation, computeAll, compute = (value: unknown) => value, show, columns } = field
  if (!readOnly) throw new Error('visible: a condition is for fields that bodies do not write: wrap it in readOnly()')
  if (!hasColumn(field) || relation !== undefined || computeAll !== undefined)
    throw new Error('visible: a condition is for a field with a column of its own that is no relation')
  const { columns: read, uses } = findSqlUses(scope => compileCondition(condition, createScope(table, scope)))
  const used = new Set([...columns(name), ...read])
  return Object.freeze({
    ...field,
    isPartial: true,
    columns: noColumns,
    columnUses: [...used].map(column => ({ option: 'visible', column })),
    volatile: uses.now,
    ...((uses.now || uses.caller.length > 0) && { requestUses: uses }),
    show: location => {
      const isShown = compileCondition(condition, createScope(table, createSqlScope(location)))
      return location.dialect.object([
        ['shown', location.dialect.boolean(sql`(${isShown} is true)`)],
        ['value', show(location)],
      ])
    },
    // JSON leaves out a member that is undefined.
    compute(selected, context) {
      const { shown, value } = selected as Selected
      return shown ? compute(value, context) : undefined
    },
  })
}
