import { sql } from 'kysely'
import type { Sql } from '../database/dialect.ts'
import {
  columnReference,
  createKeyUse,
  defineField,
  type Field,
  type FieldLocation,
  type Fields,
  type JoinTable,
  type RelationTarget,
  type RowFilterOptions,
  readOnly,
} from './field.ts'
import { inheritFrom } from './inner-fields.ts'
import { createRelatedUses, type Reverse } from './related.ts'
import { nameOnWire } from './wire-names.ts'

/** A resource that can be nested. */
export interface NestedTarget extends RelationTarget {
  readonly fields: Fields
}

export interface NestedOptions extends RowFilterOptions {
  readonly of: NestedTarget
  /** For one related object: the column that contains its key. */
  readonly column?: string
  /** For many related objects: the join table, or the column of the related table that refers to this object. */
  readonly many?: JoinTable | Reverse
  /** The fields of the nested objects; default: all. */
  readonly fields?: readonly string[]
}

/**
 * Representations of related objects instead of their keys: one or null, or with `many` a list sorted by key.
 * Read-only. Objects that a row filter hides from the caller do not appear at any level.
 */
export function nested({ of, column, many, fields: names, ignoreRowFilter = false }: NestedOptions): Field<object> {
  if ((column === undefined) === (many === undefined)) throw new Error('nested(): give one of "column" and "many"')
  const fields = pickFields(of, names)
  const output: NestedOutput = { of, fields, ignoreRowFilter }
  const field = defineField<object>(
    {},
    {
      type: many ? 'list' : 'nested object',
      storage: { kind: 'none' },
      columnUses: [
        createKeyUse('of', of),
        ...(many ? createRelatedUses(of, many) : [{ option: 'column', column: column! }]),
      ],
      parse: input => input as object,
      show: location => (many ? showMany(location, output, many) : showOne(location, output, column!)),
      ...inheritFrom(fields),
    },
  )
  return readOnly(
    many ? { ...field, child: { ...field, type: 'nested object', children: fields } } : { ...field, children: fields },
  )
}

interface NestedOutput extends Required<RowFilterOptions> {
  readonly of: NestedTarget
  readonly fields: Fields
}

function pickFields({ name: target, fields }: NestedTarget, names: readonly string[] = Object.keys(fields)): Fields {
  const unknown = names.find(name => !Object.hasOwn(fields, name))
  if (unknown !== undefined) throw new Error(`nested(): "${target}" has no field "${unknown}"`)
  return Object.fromEntries(names.map(name => [name, fields[name]!]).filter(([, field]) => !(field as Field).writeOnly))
}

// The alias is unique per level, because the same table may occur at several levels. It is short, because PostgreSQL
// truncates long names, and contains a space, so that it does not equal a table's name.
function createLevel(location: FieldLocation, { of, fields, ignoreRowFilter }: NestedOutput): Level {
  const depth = location.depth + 1
  const inner = {
    ...location,
    ...location.within(of),
    resource: of.name,
    table: `nested ${depth}`,
    fields: of.fields,
    key: of.key,
    depth,
  }
  const object = location.dialect.object(
    Object.entries(fields)
      .filter(([, field]) => inner.isShown(field))
      .map(([name, field]) => [nameOnWire(name, field), field.show({ ...inner, name })]),
  )
  const condition = ignoreRowFilter ? undefined : location.visibleCondition(of, inner.table)
  return { inner, object, rowFilter: condition === undefined ? sql`` : sql` and ${condition}` }
}

interface Level {
  readonly inner: FieldLocation
  readonly object: Sql
  /** ` and …` with the row filter of this level's resource; empty if there is none. */
  readonly rowFilter: Sql
}

function showOne(location: FieldLocation, output: NestedOutput, column: string): Sql {
  const { of } = output
  const { inner, object, rowFilter } = createLevel(location, output)
  return location.dialect.json(
    sql`(select ${object} from ${sql.table(of.table)} as ${sql.id(inner.table)} where ${columnReference(inner, of.key)} = ${columnReference(location, column)}${rowFilter})`,
  )
}

function showMany(location: FieldLocation, output: NestedOutput, many: JoinTable | Reverse): Sql {
  const { of } = output
  const { inner, object, rowFilter } = createLevel(location, output)
  const key = columnReference(inner, of.key)
  const isRelated =
    'reverse' in many
      ? sql`${columnReference(inner, many.reverse)} = ${columnReference(location, location.key)}`
      : sql`${key} in (select ${sql.ref(`${many.table}.${many.other}`)} from ${sql.table(many.table)} where ${sql.ref(`${many.table}.${many.own}`)} = ${columnReference(location, location.key)})`
  return location.dialect.objects(
    sql`select ${object} as value from ${sql.table(of.table)} as ${sql.id(inner.table)} where ${isRelated}${rowFilter} order by ${key}`,
  )
}
