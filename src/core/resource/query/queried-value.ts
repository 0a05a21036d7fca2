// The value that a filter, a search or an order uses: a field of the resource, or a field of related rows, to which the path
// `customer.country` leads. A caller can query related rows only if their row filters show them to the caller.

import { sql } from 'kysely'
import { adviseName } from '../../base/nearest-name.ts'
import type { SqlValue } from '../../database/database.ts'
import type { Sql } from '../../database/dialect.ts'
import { rowsOf } from '../../database/row-source.ts'
import { ValidationError } from '../../errors/exceptions.ts'
import { replaceMessages } from '../../errors/field-messages.ts'
import { columnReference } from '../../fields/column-reference.ts'
import type { Field, FieldLocation, Fields, Join, JoinTable, ParseContext, Relation } from '../../fields/field.ts'
import { findIdentifierKind } from '../../fields/identifier.ts'
import type { FieldKind } from '../../fields/kinds/kind.ts'
import { createLevel } from '../../fields/level.ts'
import { readValue } from '../../fields/read-fields.ts'
import { storageColumn, toStoredValue } from '../../fields/storage.ts'
import { andVisible, createVisibleKey } from '../../fields/visible.ts'
import { nameOnWire } from '../../fields/wire-names.ts'
import { comparedColumn } from '../declare/storage.ts'

/** A value that queries use. */
export interface QueriedValue {
  readonly field: Field
  /** The kind by which lookups compare the value: for a relation, the kind of the key. */
  readonly kind: FieldKind
  /** The path on the wire, such as `customer__country`. */
  readonly wirePath: string
  /** The fields of the path. A caller who does not see one of them has no such value. */
  readonly path: readonly Field[]
  /** The joins from the row to the row with the value. */
  readonly joins: readonly Join[]
  /** The column with the value, in the row after all joins; undefined for a computed value. */
  readonly column: string | undefined
  /** True: SQL of the application computes the value. */
  readonly isComputed: boolean
  /** Reads a value of the query; rejects with ValidationError. */
  read(input: unknown, context: ParseContext): Promise<SqlValue>
  /** The value in the row at this location, after all joins. */
  compile(location: FieldLocation): Sql
}

/**
 * Finds the value to which a path such as `customer.country` leads; undefined if the path leads through a relation that
 * names its target and is not resolved yet. Throws if the path is wrong.
 */
export function findQueriedValue(fields: Fields, path: string): QueriedValue | undefined {
  const [name, ...rest] = path.split('.') as [string, ...string[]]
  const field = findField(fields, name)
  if (field.targetName !== undefined) return undefined
  if (rest.length === 0) return createFieldValue(name, field)
  const join = findJoin(name, field)
  const next = field.parts ?? join?.target.fields
  if (next === undefined) throw new Error(`field "${name}" is not a relation, so nothing can follow it`)
  const found = findQueriedValue(next, rest.join('.'))
  return (
    found && {
      ...found,
      wirePath: `${nameOnWire(name, field)}__${found.wirePath}`,
      path: [field, ...found.path],
      // The relation's `ignoreRowFilter` is about the key that it shows, not about the row behind it.
      joins: join === undefined ? found.joins : [{ ...join, ignoreRowFilter: false }, ...found.joins],
    }
  )
}

/** Finds a field that queries may reveal; throws if there is none. */
export function findField(fields: Fields, name: string): Field {
  const field = Object.hasOwn(fields, name) ? fields[name]! : undefined
  if (field === undefined) throw new Error(`there is no field "${name}"${advisePath(fields, name)}`)
  if (field.writeOnly) throw new Error(`field "${name}" is write-only, and this would reveal it`)
  if (field.isPartial) throw new Error(`field "${name}" is hidden in some objects, and this would reveal it`)
  return field
}

/** How a row leads to related rows; undefined for a field that is not a relation. */
export function findJoin(name: string, field: Field): Join | undefined {
  const column = storageColumn(name, field)
  if (field.join !== undefined || field.relation === undefined || column === undefined) return field.join
  return { ...field.relation, through: { column } }
}

// In Django, two underscores lead through a relation.
function advisePath(fields: Fields, name: string): string {
  const [relation, ...rest] = name.split('__') as [string, ...string[]]
  const field = Object.hasOwn(fields, relation) ? fields[relation]! : undefined
  return rest.length > 0 && field !== undefined && findJoin(relation, field) !== undefined
    ? `: write "${[relation, ...rest].join('.')}"`
    : adviseName(name, Object.keys(fields))
}

function createFieldValue(name: string, field: Field): QueriedValue {
  if (field.queriedAs !== undefined)
    return { ...createFieldValue(name, field.queriedAs), wirePath: nameOnWire(name, field), path: [field] }
  if (field.relation !== undefined) return createRelationValue(name, field, field.relation)
  if (field.join !== undefined)
    throw new Error(`field "${name}" contains objects: follow it with one of their fields, such as "${name}.id"`)
  if (field.parts !== undefined)
    throw new Error(
      `field "${name}" has several columns: follow it with one of its fields, such as "${name}.${Object.keys(field.parts)[0]}"`,
    )
  return {
    field,
    wirePath: nameOnWire(name, field),
    path: [field],
    kind: field.kind,
    joins: [],
    column: comparedColumn(name, field),
    isComputed: field.compileValue !== undefined,
    read: async (input, context) => toStoredValue(field, await readFieldValue(field, input, context)),
    compile: findColumnValue(name, field),
  }
}

/** What a value compares if it is that of a computed field in SQL instead. */
export const createComputedValue = (
  field: Field,
): Pick<QueriedValue, 'field' | 'kind' | 'column' | 'isComputed' | 'compile'> => {
  const { kind, column, isComputed, compile } = createFieldValue('', field)
  return { field, kind, column, isComputed, compile }
}

/** Reads a value with the messages of its field. */
export async function readFieldValue(field: Field, input: unknown, context: ParseContext): Promise<unknown> {
  try {
    return await readValue(field, input, context)
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error
    throw new ValidationError(replaceMessages(error.errors, field.messages))
  }
}

function findColumnValue(name: string, field: Field): QueriedValue['compile'] {
  const column = comparedColumn(name, field)
  if (column !== undefined) return location => columnReference(location, column)
  const { compileValue } = field
  if (compileValue === undefined)
    throw new Error(`field "${name}" has no column of its own: only a value of a column or of SQL can be compared`)
  return compileValue
}

// A query of a relation compares the key, or the other value that names an object in bodies.
function createRelationValue(name: string, field: Field, relation: Relation): QueriedValue {
  const { target, many, identifier } = relation
  const read = async (input: unknown, context: ParseContext) => {
    const value = await readFieldValue(field, many ? [input] : input, context)
    return (many ? (value as readonly SqlValue[])[0]! : value) as SqlValue
  }
  const common = {
    field,
    wirePath: nameOnWire(name, field),
    path: [field],
    kind: findIdentifierKind(identifier),
    isComputed: false,
    read,
  } as const
  if (!many && identifier.column === target.key.column) {
    const compileKey = findColumnValue(name, field)
    return {
      ...common,
      joins: [],
      column: storageColumn(name, field),
      compile: location => createVisibleKey(location, relation, compileKey(location)),
    }
  }
  const join = findJoin(name, field)
  if (join === undefined) throw new Error(`field "${name}" has no column of its own`)
  return {
    ...common,
    joins: [join],
    column: identifier.column,
    compile: location => columnReference(location, identifier.column),
  }
}

/**
 * The condition that the value meets: with joins, that a row which the caller may see has such a value. It can be null
 * instead of false.
 */
export function compileCondition(
  { joins, compile }: Pick<QueriedValue, 'joins' | 'compile'>,
  location: FieldLocation,
  compileComparison: (value: Sql) => Sql,
): Sql {
  const [join, ...rest] = joins
  if (join === undefined) return compileComparison(compile(location))
  const { target, through } = join
  const inner = createLevel(location, target)
  const visible = andVisible(location, join, inner.table)
  const condition = compileCondition({ joins: rest, compile }, inner, compileComparison)
  // The inner query depends on no outer row, so the database can run it once, and find the outer rows by an index.
  const { own, other } = findEnds(through, location, inner)
  const found = sql`select ${other} from ${rowsOf(target, inner.table)} where ${condition}${visible}`
  return sql`${own} in (${'table' in through ? selectFromJoinTable(through, found) : found})`
}

/** The columns that two joined rows, or their row in a join table, have in common. */
const findEnds = (through: Join['through'], outer: FieldLocation, inner: FieldLocation) => ({
  own: columnReference(outer, 'column' in through ? through.column : outer.key.column),
  other: columnReference(inner, 'reverse' in through ? through.reverse : inner.key.column),
})

const joinAlias = 'filtered join'

const selectFromJoinTable = ({ table, own, other }: JoinTable, keys: Sql): Sql =>
  sql`select ${sql.id(joinAlias, own)} from ${sql.table(table)} as ${sql.id(joinAlias)} where ${sql.id(joinAlias, other)} in (${keys})`
