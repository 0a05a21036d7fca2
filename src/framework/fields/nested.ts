import { sql } from 'kysely'
import type { Sql } from '../database/dialect.ts'
import { columnReference } from './column-reference.ts'
import { defineField, type FieldOptions, readOnly } from './define-field.ts'
import {
  createKeyUse,
  type Field,
  type FieldDefinition,
  type FieldLocation,
  type Fields,
  type Join,
  type JoinTable,
  type RelationTarget,
  type Reverse,
  type RowFilterOptions,
} from './field.ts'
import type { ConditionalOf, RelatedTo } from './field-types.ts'
import { inheritFrom } from './inner-fields.ts'
import { createLevel, pickFields, selectRelated, showObject } from './level.ts'
import { createUnresolved } from './named-target.ts'
import type { ShownObject } from './related-types.ts'
import { createRelatedUses } from './to-many.ts'
import { andVisible } from './visible.ts'

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
): Field<object, NestedObjects<Options>, never, ConditionalOf<Options>> & RelatedTo<Options['of']> {
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
    resolve: find => createNested(find(of), options),
    ...createObjectParts({ target: of, through: many ?? { column: column! }, ignoreRowFilter }, fields),
  })
  return many
    ? { ...field, child: { ...field, type: 'nested object', children: fields } }
    : { ...field, children: fields }
}

/** The same field, but it shows the related objects to which `join` leads, with these fields. */
export function showObjects(field: Field, join: Join, fields: Fields): Field {
  const { compute: _, computeAll: __, volatile: ___, requestUses: ____, ...kept } = field
  return Object.freeze({ ...kept, ...createObjectParts(join, fields) })
}

const createObjectParts = (join: Join, fields: Fields): Pick<Field, 'show' | 'shownFields'> => ({
  shownFields: fields,
  show: location =>
    'column' in join.through
      ? showOne(location, join, fields, join.through.column)
      : showMany(location, join, fields, join.through),
  ...inheritFrom(fields),
})

const showOne = (location: FieldLocation, join: Join, fields: Fields, column: string): Sql =>
  location.dialect.json(
    selectRelated(location, join, columnReference(location, column), level => showObject(level, fields)),
  )

function showMany(location: FieldLocation, join: Join, fields: Fields, many: JoinTable | Reverse): Sql {
  const { target } = join
  const level = createLevel(location, target)
  const [key, owner] = [columnReference(level, target.key.column), columnReference(location, location.key.column)]
  const isRelated =
    'reverse' in many
      ? sql`${columnReference(level, many.reverse)} = ${owner}`
      : sql`${key} in (select ${sql.ref(`${many.table}.${many.other}`)} from ${sql.table(many.table)} where ${sql.ref(`${many.table}.${many.own}`)} = ${owner})`
  const visible = andVisible(location, join, level.table)
  return location.dialect.objects(
    sql`select ${showObject(level, fields)} as value from ${sql.table(target.table)} as ${sql.id(level.table)} where ${isRelated}${visible} order by ${key}`,
  )
}
