// The error of a write that violates a constraint of the database: an error of the field that writes the column, or else
// a non-field error. It contains no names of tables, columns or constraints. If the client sent nothing that could have
// violated the constraint, it is a mistake of the service: see mistaken-hooks.ts.

import { sql } from 'kysely'
import { type Constraint, splitName, type Table } from '../../database/catalogue.ts'
import type { ConstraintViolation } from '../../database/database.ts'
import { type APIException, Protected, ValidationError } from '../../errors/exceptions.ts'
import { replaceMessages } from '../../errors/field-messages.ts'
import { invalid } from '../../errors/invalid.ts'
import type { Values } from '../../fields/declared-fields.ts'
import type { Field, Fields } from '../../fields/field.ts'
import { listRowFields, listStoredColumns, type StoredColumn, toStoredValue } from '../../fields/storage.ts'
import { nameOnWire } from '../../fields/wire-names.ts'
import type { KeyValue } from '../../keys/key.ts'
import type { BoundResource } from '../bind/bound-resource.ts'
import type { Columns } from '../declare/hooks.ts'
import type { Resource } from '../declare/resource.ts'
import { findForeignKeys } from '../sql/foreign-keys.ts'
import { createMistake, isMistakeKind } from './mistaken-hooks.ts'

/** A write whose values are valid. */
export interface FailedSave {
  readonly action: 'create' | 'update'
  /** The values to write. */
  readonly values: Values
  /** The columns that hooks and the URL write. */
  readonly columns: Columns
  /** The values of the object before an update; empty for a new object, and if the resource has no hooks. */
  readonly existing: Values
}

/** Creates the error of a create or an update: an exception, or an error that is not the client's. */
export async function createSaveError(
  bound: BoundResource,
  violation: ConstraintViolation,
  save: FailedSave,
): Promise<Error> {
  const { broken } = violation
  const { resource, tables, related } = bound
  const table = tables.get(resource.table)
  if (table === undefined) return createNotAllowedError()
  const constraint =
    broken.kind === 'foreign key' && broken.label === undefined
      ? await findBrokenReference(bound, table, save)
      : findConstraint(table, broken)
  if (constraint !== undefined)
    return createConstraintError(bound, violation, { table, constraint, values: save.values })
  const [name, field] =
    listRowFields(resource.fields).find(([, , rows]) => isConstraintOf(tables.get(rows.table), broken)) ?? []
  if (field !== undefined && related.isShown(field))
    return new ValidationError({ [nameOnWire(name!, field)]: invalid('constraint').errors })
  if (!isMistakeKind(broken.kind)) return createNotAllowedError()
  const isReferred =
    save.action === 'update' && broken.kind === 'foreign key' && (await isReferredTo(bound, table, save))
  return isReferred ? new Protected() : createMistake(bound, violation, undefined)
}

/** Creates the error of a delete. */
export function createDestroyError({ resource, tables }: BoundResource, { broken }: ConstraintViolation): APIException {
  const table = tables.get(resource.table)
  // ON DELETE SET NULL of another table can violate NOT NULL there.
  const isOtherTable = table !== undefined && broken.label !== undefined && findConstraint(table, broken) === undefined
  return broken.kind === 'foreign key' || (broken.kind === 'not null' && isOtherTable)
    ? new Protected()
    : createNotAllowedError()
}

const createNotAllowedError = (): ValidationError => invalid('constraint.values')

type Broken = ConstraintViolation['broken']

const isNamed = (table: Table, name: string): boolean => splitName(table.name)[1] === name

const isConstraintOf = (table: Table | undefined, broken: Broken): boolean =>
  table !== undefined && findConstraint(table, broken) !== undefined

// Several constraints can match one error. That is unambiguous only if all of them have the same columns.
function findConstraint(table: Table, broken: Broken): Constraint | undefined {
  const { kind, table: name, label } = broken
  if (table.parts !== undefined) return table.parts.map(part => findConstraint(part, broken)).find(Boolean)
  if (label === undefined || (name !== undefined && !isNamed(table, name))) return undefined
  const [first, ...others] = table.constraints.filter(
    constraint => constraint.kind === kind && constraint.label === label,
  )
  const isUnambiguous = others.every(({ columns }) => String(columns) === String(first!.columns))
  return isUnambiguous ? first : undefined
}

// SQLite does not report which foreign key failed, so this finds the one whose referenced row does not exist.
async function findBrokenReference(
  { database, resource: { fields } }: BoundResource,
  table: Table,
  { values, columns }: FailedSave,
): Promise<Constraint | undefined> {
  const byHooks = new Map(Object.entries(columns).map(([name, value]) => [table.column(name)?.name, value]))
  const findValue = (column: string) => {
    const [name, stored] = findWriter(fields, table, column) ?? []
    const value = name === undefined ? undefined : values[name]
    return value === undefined || value === null ? byHooks.get(column) : stored!.store(value)
  }
  for (const constraint of table.constraints) {
    const { references, columns: own } = constraint
    const value = references && findValue(own[0]!)
    if (references === undefined || value === undefined || value === null) continue
    const query = sql`select 1 from ${sql.table(references.table)} where ${sql.id(references.column)} = ${value} limit 1`
    if ((await query.execute(database.kysely)).rows.length === 0) return constraint
  }
  return undefined
}

// An update that changes a column can break a foreign key that refers to it. Without hooks, nothing else can.
async function isReferredTo(
  { database, resource }: BoundResource,
  table: Table,
  { values, existing }: FailedSave,
): Promise<boolean> {
  const isChanged = (name: string) => !isSameValue(resource.fields[name]!, values[name], existing[name])
  const written = Object.keys(values)
    .filter(isChanged)
    .flatMap(name => resource.fields[name]!.columns(name))
  const changed = [...written, ...resource.hookColumns].map(name => table.column(name)?.name)
  const references = await findForeignKeys(database)
  return references.some(
    ({ target, target_column: column }) =>
      (table.parts ?? [table]).some(part => isNamed(part, target)) && changed.includes(column),
  )
}

const isSameValue = (field: Field, value: unknown, existing: unknown): boolean =>
  existing !== undefined && toStoredValue(field, value) === toStoredValue(field, existing)

/** The name of the field that writes a column, and how. */
const findWriter = (
  fields: Fields,
  table: Table,
  column: string,
): readonly [name: string, stored: StoredColumn] | undefined =>
  Object.entries(fields)
    .flatMap(([name, field]) =>
      field.readOnly ? [] : listStoredColumns(name, field).map(stored => [name, stored] as const),
    )
    .find(([, stored]) => table.column(stored.column)?.name === column)

interface BrokenOwn {
  readonly table: Table
  readonly constraint: Constraint
  readonly values: Values
}

function createConstraintError(
  bound: BoundResource,
  violation: ConstraintViolation,
  { table, constraint, values }: BrokenOwn,
): Error {
  const { resource, related } = bound
  const names = listCompared(resource, table, constraint).map(column => findWriter(resource.fields, table, column)?.[0])
  const isSent = (name: string | undefined) => name !== undefined && related.isShown(resource.fields[name]!)
  if (names.length === 0 || !names.every(isSent)) {
    const isMistake = isMistakeKind(constraint.kind) && names.length > 0 && !names.some(isSent)
    return isMistake ? createMistake(bound, violation, constraint) : createNotAllowedError()
  }
  const [name] = names as [string]
  const wireNames = (names as string[]).map(other => nameOnWire(other, resource.fields[other]!)).join(', ')
  const isSet = resource.uniqueTogether.some(set => String(set) === String(names))
  if (names.length === 1 && !(isSet && constraint.kind === 'unique')) {
    const field = resource.fields[name]!
    const { errors } = createValueError(field, constraint.kind, values[name])
    return new ValidationError({ [nameOnWire(name, field)]: replaceMessages(errors, field.messages) })
  }
  return constraint.kind === 'unique'
    ? invalid('unique.set', { fields: wireNames })
    : invalid('constraint.fields', { fields: wireNames })
}

// Without the columns that the framework fills, and which bodies cannot write: the error names what the client sent.
function listCompared({ filledColumns }: Resource, table: Table, { kind, columns }: Constraint): readonly string[] {
  if (kind !== 'unique') return columns
  const filled = filledColumns.create.flatMap(({ fill, column }) =>
    fill === 'owner' || fill === 'tenant' ? [column] : [],
  )
  const own = columns.filter(column => !filled.some(name => table.column(name)?.name === column))
  return own.length === 0 ? columns : own
}

function createValueError({ unique, relation }: Field, kind: Constraint['kind'], value: unknown): ValidationError {
  if (kind === 'unique') return unique === undefined ? invalid('unique') : new ValidationError(unique, 'unique')
  if (kind === 'not null') return invalid('null')
  if (kind !== 'foreign key') return invalid('constraint')
  const missing = value as KeyValue
  if (relation === undefined) return invalid('does_not_exist', { value: missing })
  // The value is the key, which the body does not contain if it names the object otherwise.
  return relation.missing(relation.identifier.column === relation.target.key.column ? missing : undefined)
}
