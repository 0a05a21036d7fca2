// The error of a value that only the service writes, and that breaks a constraint: null in a column that is NOT NULL, or the key
// of a row that does not exist. It is not an exception, so it is a 500 that says nothing to the client; the log and `showCauses` say
// which column it is. A unique value or a CHECK may depend on what the client sent, so those stay the client's.

import type { Constraint, ConstraintKind } from '../../database/catalogue.ts'
import type { ConstraintViolation } from '../../database/database.ts'
import type { BoundResource } from '../bind/bound-resource.ts'
import type { Resource } from '../declare/resource.ts'

/** Whether a broken constraint of this kind is a mistake of whoever wrote the value. */
export const isMistakeKind = (kind: ConstraintKind): boolean => kind === 'not null' || kind === 'foreign key'

/** Creates the error. `constraint`: that of the resource's table; undefined if a statement of a hook or a trigger broke another one. */
export function createMistake(
  { resource }: BoundResource,
  violation: ConstraintViolation,
  constraint: Constraint | undefined,
): Error {
  const isNull = violation.broken.kind === 'not null'
  const problem =
    constraint === undefined ? describeStatement(isNull) : describeColumns(resource, constraint.columns, isNull)
  return new Error(`resource "${resource.name}": ${problem}, or throw an exception that refuses the request`, {
    cause: violation,
  })
}

function describeColumns({ table, hookColumns }: Resource, columns: readonly string[], isNull: boolean): string {
  const writer = columns.every(column => hookColumns.includes(column)) ? 'a hook' : 'the service'
  const place = `column ${columns.map(column => `"${column}"`).join(', ')} of table "${table}"`
  return isNull
    ? `${writer} wrote null to the ${place}, which is NOT NULL: return a value`
    : `${writer} wrote the key of a missing row to the ${place}: return the key of an existing one`
}

const describeStatement = (isNull: boolean): string =>
  isNull
    ? 'a statement of a hook or a trigger wrote null to a column that is NOT NULL: write a value'
    : 'a statement of a hook or a trigger broke a foreign key of another table: write the key of an existing row'
