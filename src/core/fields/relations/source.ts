// Fields whose value comes from a related row: `source: 'customer.country.name'` follows relations of the resource, and
// `source: via(…)` a column that no field shows. The row filter of each resource on the way applies.

import { sql } from 'kysely'
import type { Sql } from '../../database/dialect.ts'
import { rowsOf } from '../../database/row-source.ts'
import { orNull } from '../../describe/json-schema.ts'
import { columnReference } from '../column-reference.ts'
import type {
  Field,
  FieldDefinition,
  FieldLocation,
  ForeignColumn,
  RelationTarget,
  RowFilterOptions,
  SchemaBuilder,
} from '../field.ts'
import { selectRelated } from '../level.ts'
import { noColumns, storageColumn } from '../storage.ts'
import { andVisible, createVisibleKey } from '../visible.ts'

/**
 * `via('owner_id', 'users', 'username')` is the name of the user whose key is in the column `owner_id`. The value is null if
 * a row filter hides the row from the caller. With a resource as `target`, the resource's row filter applies; with a
 * table, the row filters of all resources of the API with this table apply (if there are none, those of other APIs), and
 * the key column is `id`.
 */
export const via = (
  reference: string,
  target: RelationTarget | string,
  column: string,
  options: RowFilterOptions = {},
): ForeignColumn => ({ ...options, reference, target: typeof target === 'string' ? { table: target } : target, column })

/** The field with the option `source`: it is read-only, and shows the value from there as it would show its own column. */
export function showFromSource<Value>(
  field: FieldDefinition<Value>,
  source: string | ForeignColumn,
): FieldDefinition<Value> {
  const compileValue = (location: FieldLocation): Sql =>
    typeof source === 'string' ? selectPath(location, source) : selectColumn(location, source)
  return Object.freeze({
    ...field,
    ...(typeof source === 'string' ? {} : createColumnParts(source)),
    readOnly: true,
    required: false,
    columns: noColumns,
    compileValue,
    show: (location: FieldLocation) => field.show({ ...location, value: compileValue(location) }),
    describeShown: (builder: SchemaBuilder) => orNull(builder.shownValue(field)),
  })
}

const createColumnParts = (source: ForeignColumn): Pick<Field, 'foreignColumn' | 'columnUses'> => {
  const { reference, target, column } = source
  return {
    foreignColumn: source,
    columnUses: [
      { option: 'source.reference', column: reference },
      { option: 'source.column', table: target.table, column },
      {
        option: 'source.table',
        table: target.table,
        ...(target.name === undefined ? { column: 'id' } : { column: target.key.column, target, mayBeUnmounted: true }),
      },
    ],
  }
}

const targetAlias = 'referred row'

function selectColumn(location: FieldLocation, source: ForeignColumn): Sql {
  const { reference, target, column } = source
  const key = target.name === undefined ? 'id' : target.key.column
  // The alias is needed because the table may be the location's own table.
  return sql`(select ${sql.id(targetAlias, column)} from ${rowsOf(target, targetAlias)} where ${sql.id(targetAlias, key)} = ${columnReference(location, reference)}${andVisible(location, source, targetAlias)})`
}

function selectPath(location: FieldLocation, path: string): Sql {
  try {
    return selectHops(location, path.split('.'))
  } catch (error) {
    throw new Error(
      `resource "${location.resource}": field "${location.name}": source "${path}": ${(error as Error).message}`,
    )
  }
}

function selectHops(location: FieldLocation, [name, ...rest]: readonly string[]): Sql {
  const field = Object.hasOwn(location.fields, name!) ? location.fields[name!]! : undefined
  if (field === undefined) throw new Error(`"${location.resource}" has no field "${name}"`)
  const { keyColumn, relation, writeOnly, visible, isPartial } = field
  if (visible !== undefined || isPartial)
    throw new Error(
      `field "${name}" of "${location.resource}" is not visible to every caller, and this would reveal it`,
    )
  const column = keyColumn ?? storageColumn(name!, field)
  if (column === undefined || writeOnly)
    throw new Error(`field "${name}" of "${location.resource}" has no column that responses show`)
  const value = columnReference(location, column)
  if (rest.length === 0) return relation === undefined ? value : createVisibleKey(location, relation, value)
  if (relation === undefined)
    throw new Error(`field "${name}" of "${location.resource}" is not a relation to one object`)
  return selectRelated(location, relation, value, level => selectHops(level, rest))
}
