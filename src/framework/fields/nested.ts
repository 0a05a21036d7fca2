import { sql } from 'kysely'
import type { Sql } from '../database/dialect.ts'
import {
  columnOf,
  defineField,
  type Field,
  type Fields,
  keyUse,
  type Place,
  type RelationTarget,
  type RowFilterOptions,
  readOnly,
  type Through,
} from './field.ts'
import { type Reverse, relatedUses } from './related.ts'

/** A resource, with the fields that it shows. */
export interface NestedTarget extends RelationTarget {
  readonly fields: Fields
}

export interface NestedOptions extends RowFilterOptions {
  readonly of: NestedTarget
  /** The column that holds the key of the one related object. */
  readonly column?: string
  /** Where the pairs stand, or what refers to this object, for many related ones. */
  readonly many?: Through | Reverse
  /** The fields that are shown; default: all. */
  readonly fields?: readonly string[]
}

/**
 * Related objects as they are, instead of their keys: one, or null; with `many` a list in the order of keys. Read-only.
 * Objects that a row filter hides from the caller do not appear, on any level.
 */
export function nested({ of, column, many, fields: names, ignoreRowFilter = false }: NestedOptions): Field<object> {
  if ((column === undefined) === (many === undefined)) throw new Error('nested(): give one of "column" and "many"')
  const fields = pickFields(of, names)
  const shown: Shown = { of, fields, ignoreRowFilter }
  const field = defineField<object>(
    {},
    {
      type: many ? 'list' : 'nested object',
      storage: { kind: 'none' },
      uses: [keyUse('of', of), ...(many ? relatedUses(of, many) : [{ option: 'column', column: column! }])],
      parse: input => input as object,
      show: place => (many ? showMany(place, shown, many) : showOne(place, shown, column!)),
      ...computeNested(fields),
      ...volatileOf(fields),
    },
  )
  return readOnly(
    many ? { ...field, child: { ...field, type: 'nested object', children: fields } } : { ...field, children: fields },
  )
}

interface Shown extends Required<RowFilterOptions> {
  readonly of: NestedTarget
  readonly fields: Fields
}

function pickFields({ name: target, fields }: NestedTarget, names: readonly string[] = Object.keys(fields)): Fields {
  const unknown = names.find(name => !Object.hasOwn(fields, name))
  if (unknown !== undefined) throw new Error(`nested(): "${target}" has no field "${unknown}"`)
  return Object.fromEntries(names.map(name => [name, fields[name]!]).filter(([, field]) => !(field as Field).writeOnly))
}

// The table goes by a name of its own, for it may be that of the place, or stand in several levels: one that is short,
// for PostgreSQL cuts names, and that no table has.
function within(place: Place, { of, fields, ignoreRowFilter }: Shown): Level {
  const depth = place.depth + 1
  const inner = { ...place, resource: of.name, table: `nested ${depth}`, fields: of.fields, key: of.key, depth }
  const object = place.dialect.object(
    Object.entries(fields).map(([name, field]) => [name, field.show({ ...inner, name })]),
  )
  const condition = ignoreRowFilter ? undefined : place.visible(of, inner.table)
  return { inner, object, exists: condition === undefined ? sql`` : sql` and ${condition}` }
}

interface Level {
  readonly inner: Place
  readonly object: Sql
  /** Further conditions: the row filter of this level's resource. */
  readonly exists: Sql
}

function showOne(place: Place, shown: Shown, column: string): Sql {
  const { of } = shown
  const { inner, object, exists } = within(place, shown)
  return place.dialect.json(
    sql`(select ${object} from ${sql.table(of.table)} as ${sql.id(inner.table)} where ${columnOf(inner, of.key)} = ${columnOf(place, column)}${exists})`,
  )
}

function showMany(place: Place, shown: Shown, many: Through | Reverse): Sql {
  const { of } = shown
  const { inner, object, exists } = within(place, shown)
  const key = columnOf(inner, of.key)
  const isRelated =
    'reverse' in many
      ? sql`${columnOf(inner, many.reverse)} = ${columnOf(place, place.key)}`
      : sql`${key} in (select ${sql.ref(`${many.table}.${many.other}`)} from ${sql.table(many.table)} where ${sql.ref(`${many.table}.${many.own}`)} = ${columnOf(place, place.key)})`
  return place.dialect.objects(
    sql`select ${object} as value from ${sql.table(of.table)} as ${sql.id(inner.table)} where ${isRelated}${exists} order by ${key}`,
  )
}

// It is as volatile as what is in it.
function volatileOf(fields: Fields): Pick<Field, 'volatile'> {
  const said = Object.values(fields).flatMap(({ volatile }) => volatile ?? [])
  return said.length === 0 ? {} : { volatile: said.includes(true) }
}

function computeNested(fields: Fields): Pick<Field, 'compute'> {
  const computed = Object.entries(fields).filter(([, field]) => field.compute)
  if (computed.length === 0) return {}
  return {
    compute(shown, context) {
      for (const object of [shown].flat() as (Record<string, unknown> | null)[]) {
        if (object === null) continue
        for (const [name, field] of computed) object[name] = field.compute!(object[name], context)
      }
      return shown
    },
  }
}
