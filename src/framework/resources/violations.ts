// What a caller is told of a write that breaks a constraint of the database: the error of the field whose column it is,
// or else one that belongs to no field, without a name of the database.

import { sql } from 'kysely'
import { type Constraint, splitName, type Table } from '../database/catalogue.ts'
import type { ConstraintViolation } from '../database/database.ts'
import { type APIException, Protected, ValidationError } from '../errors/exceptions.ts'
import { type Field, invalid } from '../fields/field.ts'
import type { BoundResource } from './bound-resource.ts'
import type { Values } from './declared-fields.ts'
import { storageColumn, storedValue } from './storage.ts'
import { uniqueSetMessage } from './validation.ts'

/** The error of a create or an update with these values. */
export async function saveError(
  bound: BoundResource,
  { broken }: ConstraintViolation,
  action: 'create' | 'update',
  values: Values,
): Promise<APIException> {
  const { resource, tables } = bound
  const own = tables.get(resource.table)
  if (own === undefined) return notAllowed()
  const constraint =
    broken.kind === 'foreign key' && broken.label === undefined
      ? await findLostReference(bound, own, values)
      : findConstraint(own, broken)
  if (constraint !== undefined) return fieldError(bound, own, constraint, values)
  const pairs = Object.entries(resource.fields).find(
    ([, { storage }]) => storage.kind === 'rows' && isOf(tables.get(storage.table), broken),
  )
  if (pairs !== undefined) return new ValidationError({ [pairs[0]]: notAllowedValue }, code)
  // The table that refers to this one is named by PostgreSQL alone.
  const isOther = broken.table !== undefined && !isNamed(own, broken.table)
  return action === 'update' && broken.kind === 'foreign key' && isOther ? new Protected() : notAllowed()
}

/** The error of a delete. */
export function destroyError({ resource, tables }: BoundResource, { broken }: ConstraintViolation): APIException {
  const own = tables.get(resource.table)
  // A foreign key that sets null may meet a column that refuses it.
  const isOther = own !== undefined && broken.label !== undefined && findConstraint(own, broken) === undefined
  return broken.kind === 'foreign key' || (broken.kind === 'not null' && isOther) ? new Protected() : notAllowed()
}

const code = 'constraint'
const notAllowedValue = 'This value is not allowed.'
const notAllowed = (): ValidationError => new ValidationError('These values are not allowed.', code)

type Broken = ConstraintViolation['broken']

const isNamed = (table: Table, name: string): boolean => splitName(table.name)[1] === name

const isOf = (table: Table | undefined, broken: Broken): boolean =>
  table !== undefined && findConstraint(table, broken) !== undefined

// Constraints that errors do not tell apart have to look at the same columns.
function findConstraint(table: Table, { kind, table: name, label }: Broken): Constraint | undefined {
  if (label === undefined || (name !== undefined && !isNamed(table, name))) return undefined
  const [found, ...others] = table.constraints.filter(
    constraint => constraint.kind === kind && constraint.label === label,
  )
  const isClear = others.every(({ columns }) => String(columns) === String(found!.columns))
  return isClear ? found : undefined
}

// SQLite does not say which foreign key it was: the one that leads to no row.
async function findLostReference(
  { database, resource }: BoundResource,
  table: Table,
  values: Values,
): Promise<Constraint | undefined> {
  for (const constraint of table.constraints) {
    const { references, columns } = constraint
    const name = references && fieldOf(resource.fields, table, columns[0]!)
    const value = name === undefined ? undefined : values[name]
    if (references === undefined || value === undefined || value === null) continue
    const stored = storedValue(resource.fields[name!]!, value)
    const found = sql`select 1 from ${sql.table(references.table)} where ${sql.id(references.column)} = ${stored} limit 1`
    if ((await found.execute(database.kysely)).rows.length === 0) return constraint
  }
  return undefined
}

/** The field that writes a column. */
const fieldOf = (fields: BoundResource['resource']['fields'], table: Table, column: string): string | undefined =>
  Object.entries(fields).find(([name, field]) => {
    const stored = field.readOnly ? undefined : storageColumn(name, field)
    return stored !== undefined && table.column(stored)?.name === column
  })?.[0]

function fieldError(
  { resource }: BoundResource,
  table: Table,
  constraint: Constraint,
  values: Values,
): ValidationError {
  const names = constraint.columns.map(column => fieldOf(resource.fields, table, column))
  if (names.length === 0 || names.includes(undefined)) return notAllowed()
  const [name] = names as [string]
  if (names.length === 1)
    return new ValidationError({ [name]: valueError(resource.fields[name]!, constraint.kind, values[name]).errors })
  return constraint.kind === 'unique'
    ? invalid(uniqueSetMessage(names as string[]), 'unique')
    : invalid(`The values of the fields ${names.join(', ')} are not allowed together.`, code)
}

function valueError({ unique, relation }: Field, kind: Constraint['kind'], value: unknown): ValidationError {
  if (kind === 'unique') return invalid(unique ?? 'This field must be unique.', 'unique')
  if (kind === 'not null') return invalid('This field may not be null.', 'null')
  if (kind !== 'foreign key') return invalid(notAllowedValue, code)
  const missing = value as number
  return relation?.missing(missing) ?? invalid(`Invalid pk "${missing}" - object does not exist.`, 'does_not_exist')
}
