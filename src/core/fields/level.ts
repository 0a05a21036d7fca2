// The fields of a related object inside the representation of another one.

import { sql } from 'kysely'
import { adviseName } from '../base/nearest-name.ts'
import type { Sql } from '../database/dialect.ts'
import { rowsOf } from '../database/row-source.ts'
import { columnReference } from './column-reference.ts'
import type { FieldLocation, Fields, RelationTarget, RowFilterOptions } from './field.ts'
import { andVisible } from './visible.ts'
import { nameOnWire } from './wire-names.ts'

/**
 * The location of the fields of a related object. The alias of its table is unique per level, because the same table may
 * occur at several levels. It is short, because PostgreSQL truncates long names, and contains a space, so that it does not
 * equal a table's name.
 */
export function createLevel(location: FieldLocation, target: RelationTarget): FieldLocation {
  const depth = location.depth + 1
  return {
    ...location,
    ...location.within(target),
    resource: target.name,
    table: `nested ${depth}`,
    fields: target.fields,
    key: target.key,
    lookup: target.lookup,
    value: undefined,
    depth,
  }
}

/**
 * The SQL of a related object's value, from that of its key; null if there is no such object. `select` creates it at the
 * level of the object.
 */
export function selectRelated(
  location: FieldLocation,
  relation: RowFilterOptions & { readonly target: RelationTarget },
  key: Sql,
  select: (level: FieldLocation) => Sql,
): Sql {
  const { target } = relation
  const level = createLevel(location, target)
  const visible = andVisible(location, relation, level.table)
  return sql`(select ${select(level)} from ${rowsOf(target, level.table)} where ${columnReference(level, target.key.column)} = ${key}${visible})`
}

/** The JSON object with these fields at a level. */
export const showObject = (level: FieldLocation, fields: Fields): Sql =>
  level.dialect.object(
    Object.entries(fields)
      .filter(([, field]) => level.isShown(field))
      .map(([name, field]) => [nameOnWire(name, field), field.show({ ...level, name })]),
  )

/** The named fields of a target; default: all that responses show. Throws if there is no such field. */
export function pickFields(
  { name: target, fields }: RelationTarget,
  names: readonly string[] = Object.keys(fields).filter(name => !fields[name]!.writeOnly),
  option = 'nested()',
): Fields {
  if (!Array.isArray(names)) throw new Error(`${option} must be a list: write [${JSON.stringify(names)}]`)
  for (const name of names) {
    if (!Object.hasOwn(fields, name))
      throw new Error(`${option}: "${target}" has no field "${name}"${adviseName(name, Object.keys(fields))}`)
    if (fields[name]!.writeOnly) throw new Error(`${option}: field "${name}" of "${target}" is write-only: remove it`)
  }
  return Object.fromEntries(names.map(name => [name, fields[name]!]))
}
