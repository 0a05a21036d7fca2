// Fields that only some objects show to a caller: the statement selects the value together with the condition, and the representation of an
// object that does not fulfil it lacks the field.

import { sql } from 'kysely'
import { completeField, createCompletable } from '../../fields/complete-field.ts'
import { type Field, type RequestUses, usesRequest } from '../../fields/field.ts'
import { createSqlScope, findSqlUses } from '../../fields/sql-scope.ts'
import { noColumns } from '../../fields/storage.ts'
import type { Condition } from '../../tables/condition.ts'
import type { Table } from '../../tables/table.ts'
import { compileCondition, createScope } from './compile-condition.ts'

interface Selected {
  readonly shown: boolean
  readonly value: unknown
}

/**
 * Completes a field whose `visible` is a condition. It has no value to filter, search or order by, and no objects to select inside, which
 * would reveal it.
 */
export function hideInRows(field: Field, name: string, table: Table): Field {
  const hidden = createHidden(field, name, table)
  if (field.completion?.forTargets === undefined) return hidden
  return createCompletable(hidden, {
    forTargets: find => hideInRows(completeField(field, 'forTargets', find), name, table),
  })
}

function createHidden(field: Field, name: string, table: Table): Field {
  const condition = field.visibleRows as Condition
  const { completion: _, compileValue: __, join: ___, shownFields: ____, queriedAs: _____, ...kept } = field
  const { readOnly, relation, computeAll, compute = (value: unknown) => value, show, columns, columnUses = [] } = kept
  if (!readOnly) throw new Error('visible: a condition is for fields that bodies do not write: wrap it in readOnly()')
  if (relation !== undefined || computeAll !== undefined)
    throw new Error('visible: a condition is for a value, a value that SQL computes, nested() or oneOf()')
  const { columns: read, uses } = findSqlUses(scope => compileCondition(condition, createScope(table, scope)))
  const used = new Set([...columns(name), ...read])
  return Object.freeze({
    ...kept,
    isPartial: true,
    columns: noColumns,
    columnUses: [...columnUses, ...[...used].map(column => ({ option: 'visible', column }))],
    ...joinUses(field, uses),
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

function joinUses({ volatile, requestUses }: Field, uses: RequestUses): Pick<Field, 'volatile' | 'requestUses'> {
  const joined = {
    caller: [...new Set([...(requestUses?.caller ?? []), ...uses.caller])],
    now: uses.now || requestUses?.now === true,
    language: uses.language === true || requestUses?.language === true,
  }
  return { volatile: uses.now || volatile === true, ...(usesRequest(joined) && { requestUses: joined }) }
}
