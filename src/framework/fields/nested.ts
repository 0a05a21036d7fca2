import { sql } from 'kysely'
import type { Sql } from '../database/dialect.ts'
import {
  columnReference,
  createKeyUse,
  defineField,
  type Field,
  type FieldDefinition,
  type FieldLocation,
  type FieldOptions,
  type Fields,
  type JoinTable,
  type RelationTarget,
  type Reverse,
  type RowFilterOptions,
  readOnly,
} from './field.ts'
import type { ConditionalOf } from './field-types.ts'
import { inheritFrom } from './inner-fields.ts'
import { createLevel, pickFields, showObject } from './level.ts'
import { createUnresolved } from './named-target.ts'
import type { ShownObject } from './related-types.ts'
import { createRelatedUses } from './to-many.ts'

export interface NestedOptions extends RowFilterOptions, Pick<FieldOptions<object>, 'visible'> {
  /** The resource, or the name of a resource of the same API. */
  readonly of: RelationTarget | string
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
export function nested<const Options extends NestedOptions>(
  options: Options & UnknownOptions<Options>,
): Field<object, NestedObjects<Options>, never, ConditionalOf<Options>> {
  if ((options.column === undefined) === (options.many === undefined))
    throw new Error('nested(): give one of "column" and "many"')
  const { of, many } = options
  return readOnly<object, NestedObjects<Options>>(
    typeof of === 'string'
      ? createUnresolved(
          of,
          pickVisible(options),
          { type: many ? 'list' : 'nested object', storage: { kind: 'none' } },
          found => createNested(found, options),
        )
      : createNested(of, options),
  )
}

const pickVisible = ({ visible }: NestedOptions): Pick<FieldOptions<object>, 'visible'> => (visible ? { visible } : {})

type UnknownOptions<Options> = { readonly [Name in Exclude<keyof Options, keyof NestedOptions>]: never }

type NestedObjects<Options extends NestedOptions> = Options extends { readonly many: object }
  ? readonly NestedObject<Options>[]
  : NestedObject<Options> | null

type NestedObject<Options extends NestedOptions> = ShownObject<
  Options['of'],
  Options extends { readonly fields: readonly (infer Name extends string)[] } ? Name : undefined
>

function createNested(of: RelationTarget, options: NestedOptions): FieldDefinition<object> {
  const { column, many, fields: names, ignoreRowFilter = false } = options
  const fields = pickFields(of, names)
  const output: NestedOutput = { of, fields, ignoreRowFilter }
  const field = defineField<object>(pickVisible(options), {
    type: many ? 'list' : 'nested object',
    readOnly: true,
    required: false,
    storage: { kind: 'none' },
    join: { target: of, through: many ?? { column: column! }, ignoreRowFilter },
    columnUses: [
      createKeyUse('of', of),
      ...(many ? createRelatedUses(of, many) : [{ option: 'column', column: column! }]),
    ],
    parse: input => input as object,
    show: location => (many ? showMany(location, output, many) : showOne(location, output, column!)),
    resolve: find => createNested(find(of), options),
    ...inheritFrom(fields),
  })
  return many
    ? { ...field, child: { ...field, type: 'nested object', children: fields } }
    : { ...field, children: fields }
}

interface NestedOutput extends Required<RowFilterOptions> {
  readonly of: RelationTarget
  readonly fields: Fields
}

function createOutput(location: FieldLocation, { of, fields, ignoreRowFilter }: NestedOutput): Output {
  const inner = createLevel(location, of)
  const condition = ignoreRowFilter ? undefined : location.visibleCondition(of, inner.table)
  return {
    inner,
    object: showObject(inner, fields),
    rowFilter: condition === undefined ? sql`` : sql` and ${condition}`,
  }
}

interface Output {
  readonly inner: FieldLocation
  readonly object: Sql
  /** ` and …` with the row filter of this level's resource; empty if there is none. */
  readonly rowFilter: Sql
}

function showOne(location: FieldLocation, output: NestedOutput, column: string): Sql {
  const { of } = output
  const { inner, object, rowFilter } = createOutput(location, output)
  return location.dialect.json(
    sql`(select ${object} from ${sql.table(of.table)} as ${sql.id(inner.table)} where ${columnReference(inner, of.key.column)} = ${columnReference(location, column)}${rowFilter})`,
  )
}

function showMany(location: FieldLocation, output: NestedOutput, many: JoinTable | Reverse): Sql {
  const { of } = output
  const { inner, object, rowFilter } = createOutput(location, output)
  const key = columnReference(inner, of.key.column)
  const isRelated =
    'reverse' in many
      ? sql`${columnReference(inner, many.reverse)} = ${columnReference(location, location.key.column)}`
      : sql`${key} in (select ${sql.ref(`${many.table}.${many.other}`)} from ${sql.table(many.table)} where ${sql.ref(`${many.table}.${many.own}`)} = ${columnReference(location, location.key.column)})`
  return location.dialect.objects(
    sql`select ${object} as value from ${sql.table(of.table)} as ${sql.id(inner.table)} where ${isRelated}${rowFilter} order by ${key}`,
  )
}
