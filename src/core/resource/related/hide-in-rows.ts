// Fields that only some objects show to a caller, or let a body change. The statement selects the value together with the condition, and
// the representation of an object that does not fulfil it lacks the field.

import { sql } from 'kysely'
import type { Sql } from '../../database/dialect.ts'
import { completeField, createCompletable } from '../../fields/complete-field.ts'
import { type Field, type FieldLocation, type RequestUses, usesRequest } from '../../fields/field.ts'
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
 * Completes a field whose `visible` or `editable` is a condition. If objects hide it, it has no value to filter, search or order by, and no
 * objects to select inside, which would reveal it.
 */
export function hideInRows(field: Field, name: string, table: Table): Field {
  if (field.readOnly && field.editableRows !== undefined)
    throw new Error('editable: no body changes a read-only field: remove "editable"')
  const completed = field.visibleRows === undefined ? field : createHidden(field, name, table)
  const limited = field.readOnly ? completed : limitChanges(completed, field, table)
  if (field.completion?.forTargets === undefined) return limited
  return createCompletable(limited, {
    forTargets: find => hideInRows(completeField(field, 'forTargets', find), name, table),
  })
}

function createHidden(field: Field, name: string, table: Table): Field {
  const condition = field.visibleRows as Condition
  const { completion: _, compileValue: __, join: ___, shownFields: ____, queriedAs: _____, ...kept } = field
  const { readOnly, relation, computeAll, compute = (value: unknown) => value, show, columns } = kept
  if (relation !== undefined || computeAll !== undefined || kept.writesChildren)
    throw new Error('visible: a condition is for a value, a value that SQL computes, read-only nested() or oneOf()')
  if (kept.hiddenAs === 'null' && !kept.nullable)
    throw new Error('hiddenAs: responses may show null, and the field is not nullable: set nullable: true')
  const rights = compileRights(condition, table)
  return Object.freeze({
    ...kept,
    isPartial: true,
    ...(readOnly && { columns: noColumns }),
    ...addUses(kept, rights, 'visible', readOnly ? columns(name) : []),
    showStored: show,
    show: location => {
      const isShown = rights.compile(location)
      return location.dialect.object([
        ['shown', location.dialect.boolean(sql`(${isShown} is true)`)],
        ['value', show(location)],
      ])
    },
    // JSON leaves out a member that is undefined.
    compute(selected, context) {
      const { shown, value } = selected as Selected
      return shown ? compute(value, context) : kept.hiddenAs === 'null' ? null : undefined
    },
  })
}

// Bodies can change the field only of objects that meet the conditions.
function limitChanges(completed: Field, { visibleRows, editableRows }: Field, table: Table): Field {
  if (completed.storedRows !== undefined || completed.writesChildren)
    throw new Error("editable: a condition is for a value in columns of the resource's own table")
  const visible = visibleRows && compileRights(visibleRows as Condition, table)
  const editable = editableRows && compileRights(editableRows as Condition, table)
  return Object.freeze({
    ...completed,
    ...(editable && addUses(completed, editable, 'editable', [])),
    rowRights: { ...(visible && { visible: visible.compile }), ...(editable && { editable: editable.compile }) },
  })
}

interface CompiledRights {
  readonly columns: readonly string[]
  readonly uses: RequestUses
  compile(location: FieldLocation): Sql
}

function compileRights(condition: Condition, table: Table): CompiledRights {
  const { columns, uses } = findSqlUses(scope => compileCondition(condition, createScope(table, scope)))
  return {
    columns,
    uses,
    compile: location => compileCondition(condition, createScope(table, createSqlScope(location))),
  }
}

const addUses = (
  field: Field,
  { columns, uses }: CompiledRights,
  option: string,
  more: readonly string[],
): Pick<Field, 'columnUses' | 'volatile' | 'requestUses'> => ({
  columnUses: [...(field.columnUses ?? []), ...[...new Set([...more, ...columns])].map(column => ({ option, column }))],
  ...joinUses(field, uses),
})

function joinUses({ volatile, requestUses }: Field, uses: RequestUses): Pick<Field, 'volatile' | 'requestUses'> {
  const joined = {
    caller: [...new Set([...(requestUses?.caller ?? []), ...uses.caller])],
    now: uses.now || requestUses?.now === true,
    language: uses.language === true || requestUses?.language === true,
  }
  return { volatile: uses.now || volatile === true, ...(usesRequest(joined) && { requestUses: joined }) }
}
