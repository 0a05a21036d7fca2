import { sql } from 'kysely'
import type { Sql } from '../database/dialect.ts'
import {
  columnOf,
  defineField,
  type Field,
  type Fields,
  type Place,
  type RelationTarget,
  readOnly,
  type Through,
} from './field.ts'
import type { Reverse } from './related.ts'

/** A resource, with the fields that it shows. */
export interface NestedTarget extends RelationTarget {
  readonly fields: Fields
}

export interface NestedOptions {
  readonly of: NestedTarget
  /** The column that holds the key of the one related object. */
  readonly column?: string
  /** Where the pairs stand, or what refers to this object, for many related ones. */
  readonly many?: Through | Reverse
  /** The fields that are shown; default: all. */
  readonly fields?: readonly string[]
}

/** Related objects as they are, instead of their keys: one, or null; with `many` a list in the order of keys. Read-only. */
export function nested({ of, column, many, fields: names }: NestedOptions): Field<object> {
  if ((column === undefined) === (many === undefined)) throw new Error('nested(): give one of "column" and "many"')
  const fields = pickFields(of, names)
  const field = defineField<object>(
    {},
    {
      type: many ? 'list' : 'nested object',
      storage: { kind: 'none' },
      parse: input => input as object,
      show: place => (many ? showMany(place, of, fields, many) : showOne(place, of, fields, column!)),
      ...computeNested(fields),
    },
  )
  return readOnly(
    many ? { ...field, child: { ...field, type: 'nested object', children: fields } } : { ...field, children: fields },
  )
}

function pickFields({ name: target, fields }: NestedTarget, names: readonly string[] = Object.keys(fields)): Fields {
  const unknown = names.find(name => !Object.hasOwn(fields, name))
  if (unknown !== undefined) throw new Error(`nested(): "${target}" has no field "${unknown}"`)
  return Object.fromEntries(names.map(name => [name, fields[name]!]).filter(([, field]) => !(field as Field).writeOnly))
}

// The table goes by a name of its own, for it may be that of the place, or stand in several levels: one that is short,
// for PostgreSQL cuts names, and that no table has.
function within(place: Place, of: NestedTarget, fields: Fields): { inner: Place; object: Sql } {
  const depth = place.depth + 1
  const inner = { ...place, resource: of.name, table: `nested ${depth}`, fields: of.fields, key: of.key, depth }
  const object = place.dialect.object(
    Object.entries(fields).map(([name, field]) => [name, field.show({ ...inner, name })]),
  )
  return { inner, object }
}

function showOne(place: Place, of: NestedTarget, fields: Fields, column: string): Sql {
  const { inner, object } = within(place, of, fields)
  return place.dialect.json(
    sql`(select ${object} from ${sql.table(of.table)} as ${sql.id(inner.table)} where ${columnOf(inner, of.key)} = ${columnOf(place, column)})`,
  )
}

function showMany(place: Place, of: NestedTarget, fields: Fields, many: Through | Reverse): Sql {
  const { inner, object } = within(place, of, fields)
  const key = columnOf(inner, of.key)
  const isRelated =
    'reverse' in many
      ? sql`${columnOf(inner, many.reverse)} = ${columnOf(place, place.key)}`
      : sql`${key} in (select ${sql.ref(`${many.table}.${many.other}`)} from ${sql.table(many.table)} where ${sql.ref(`${many.table}.${many.own}`)} = ${columnOf(place, place.key)})`
  return place.dialect.objects(
    sql`select ${object} as value from ${sql.table(of.table)} as ${sql.id(inner.table)} where ${isRelated} order by ${key}`,
  )
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
