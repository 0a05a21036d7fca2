// Relations: the value of the field is a key of another resource's table, or a list of keys.

import { sql } from 'kysely'
import { rowsOf } from '../../database/row-source.ts'
import { type JsonSchema, orNull } from '../../describe/json-schema.ts'
import { formatTypeName, invalid } from '../../errors/invalid.ts'
import type { KeyValue } from '../../keys/key.ts'
import { columnReference } from '../column-reference.ts'
import { createCompletable } from '../complete-field.ts'
import { type ColumnOf, defineField, type FieldOptions, type SourceField, type SourceOf } from '../define-field.ts'
import {
  createKeyUse,
  type Field,
  type FieldDefinition,
  type FieldLocation,
  type JoinTable,
  type Relation,
  type RelationTarget,
  type Reverse,
  type SchemaBuilder,
} from '../field.ts'
import type { ConditionalOf, FieldLink, FieldTrait, NullOf, RelatedTo, TraitOf } from '../field-types.ts'
import { valueKind } from '../kinds/kind.ts'
import { listKind } from '../kinds/list.ts'
import { noColumns } from '../storage.ts'
import { createVisibleKey, createVisibleRows } from '../visible.ts'
import { createUndeclared, createUnresolved } from './named-target.ts'
import { createForms, type Forms, type RelatedForms } from './related-forms.ts'
import type { NameMistakes, ShownRelation, TakenRelation, TargetKey } from './related-types.ts'
import { createRelatedUses } from './to-many.ts'

/** Options of a relation to one object. */
export interface ToOneOptions extends FieldOptions<KeyValue>, RelatedForms {
  /** The column with the key of the related object; default: the field's name and `_id`. */
  readonly column?: string
}

/** Options of a relation to many objects: through a join table, or, read-only, the objects that refer to this one. */
export interface ToManyOptions
  extends Omit<FieldOptions<readonly KeyValue[]>, 'column' | 'fixed' | 'source'>,
    RelatedForms {
  /** True: the table that the declared table of the resource names in its option `many`, under the name of the field. */
  readonly many: JoinTable | Reverse | true
  /** The maximum number of related objects in a body; default 1000. */
  readonly max?: number
}

/** The field of a relation to one object. */
type ToOneField<Target, Options> = Options extends { readonly source: unknown }
  ? SourceField<
      TargetKey<Target>,
      ShownRelation<Target, Options>,
      NullOf<Options>,
      ConditionalOf<Options>,
      SourceOf<Options>
    >
  : RelatedField<
      TargetKey<Target> | NullOf<Options>,
      ShownRelation<Target, Options> | NullOf<Options>,
      TakenRelation<Target, Options> | NullOf<Options>,
      TraitOf<Options>,
      RelatedTo<Target, 'value', ColumnOf<Options>>
    >

/** The field of a relation to many objects. */
type ToManyField<Target, Options> = RelatedField<
  readonly TargetKey<Target>[],
  readonly ShownRelation<Target, Options>[],
  Options extends { readonly many: Reverse } ? never : readonly TakenRelation<Target, Options>[],
  TraitOf<Options> | 'many',
  RelatedTo<Target, 'value'>
>

type RelatedField<Value, Shown, Taken, Trait extends FieldTrait, Link extends FieldLink> = Field<
  Value,
  Shown,
  Taken,
  Trait,
  Link
>

/** Misspelt options, each a compile error. */
type UnknownNames<Options> = {
  readonly [Name in Exclude<
    keyof Options,
    keyof (Options extends { readonly many: unknown } ? ToManyOptions : ToOneOptions)
  >]: never
}

/**
 * A relation to a resource, or to the resource of this name in the same API. In bodies and responses, related objects
 * stand under one name, each in the form that the options choose.
 *
 * @example
 * const fields = {
 *   customer: related(customers, { shows: ['id', 'name'] }),
 *   parent: related('categories', { nullable: true }),
 *   country: related(countries, { column: 'country_code', by: 'code' }),
 *   tags: related(tags, { many: { table: 'order_tags', own: 'order_id', other: 'tag_id' }, form: 'url' }),
 * }
 */
export function related<
  const Target extends RelationTarget | string,
  const Options extends ToOneOptions | ToManyOptions = ToOneOptions,
>(
  target: Target,
  options?: Options & UnknownNames<Options> & NameMistakes<Target, Options>,
): Options extends { readonly many: unknown } ? ToManyField<Target, Options> : ToOneField<Target, Options>
export function related(
  target: RelationTarget | string,
  options: ToOneOptions | ToManyOptions = {},
): FieldDefinition<never> {
  return ('many' in options ? createToMany(target, options) : createToOne(target, options)) as FieldDefinition<never>
}

// `isDerived`: the column follows from the name of the field, unless a declared table knows it.
function createToOne(
  target: RelationTarget | string,
  options: ToOneOptions,
  isDerived = false,
): FieldDefinition<KeyValue> {
  const { column } = options
  return createCompletable(
    typeof target === 'string'
      ? createUnresolved<KeyValue>(target, options, { kind: valueKind })
      : createResolved(target, options),
    {
      ...(column === undefined && { forName: name => createToOne(target, { ...options, column: `${name}_id` }, true) }),
      ...(isDerived && { forRelation: relation => createToOne(target, { ...options, ...relation }) }),
      forTargets: find => createToOne(find(target), options),
    },
  )
}

function createResolved(target: RelationTarget, options: ToOneOptions): FieldDefinition<KeyValue> {
  const forms = createForms(target, options)
  const relation = createRelation(target, options, forms)
  return defineField<KeyValue>(options, {
    kind: forms.kind,
    relation,
    columnUses: [createKeyUse('target', target)],
    parse: forms.taken.parse,
    describeTaken: forms.taken.describe,
    describeShown: builder => describeOne(forms, relation, builder),
    show: location =>
      forms.show(
        location,
        createVisibleKey(location, relation, columnReference(location, options.column ?? `${location.name}_id`)),
      ),
    ...forms.parts,
  })
}

// A related object that the caller may not see is shown as null.
function describeOne(forms: Forms, { target, ignoreRowFilter }: Relation, builder: SchemaBuilder): JsonSchema {
  const schema = forms.describeShown(builder)
  return !ignoreRowFilter && builder.hidesRows?.(target) ? orNull(schema) : schema
}

const createRelation = (
  target: RelationTarget,
  options: ToOneOptions | ToManyOptions,
  { taken: { identifier, findValueField, missing }, linked, showsIdentifier }: Forms,
): Relation => ({
  target,
  many: 'many' in options,
  linked,
  showsIdentifier,
  identifier,
  findValueField,
  missing,
  ignoreRowFilter: options.ignoreRowFilter ?? false,
})

const relatedAlias = 'related row'

type StoredMany = ToManyOptions & { readonly many: JoinTable | Reverse }

const isStored = (options: ToManyOptions): options is StoredMany => options.many !== true

function createToMany(target: RelationTarget | string, options: ToManyOptions): FieldDefinition<readonly KeyValue[]> {
  if (!isStored(options))
    return createUndeclared(
      target,
      options,
      { kind: listKind, columns: noColumns },
      {
        needsRelation:
          'related(): many: true needs the declared table of the resource: write the join table with "table", "own" and "other"',
        forRelation: relation => {
          if ('own' in relation) return createToMany(target, { ...options, many: relation })
          throw new Error(
            'reverse' in relation
              ? `related(): many: true is for a table that joins two others: write many: { reverse: "${relation.reverse}" }`
              : 'related(): many: it is a relation to one object: remove "many"',
          )
        },
      },
    )
  const parts = {
    kind: listKind,
    columns: noColumns,
    ...('reverse' in options.many ? { readOnly: true, required: false } : { storedRows: options.many }),
  }
  return createCompletable(
    typeof target === 'string'
      ? createUnresolved<readonly KeyValue[]>(target, options, parts)
      : createResolvedToMany(target, options, parts),
    { forTargets: find => createToMany(find(target), options) },
  )
}

// The objects are in the order of their keys.
function createResolvedToMany(
  target: RelationTarget,
  options: StoredMany,
  parts: Pick<FieldDefinition<readonly KeyValue[]>, 'kind' | 'columns'>,
): FieldDefinition<readonly KeyValue[]> {
  const { many, max = 1000 } = options
  const forms = createForms(target, options)
  const relation = createRelation(target, options, forms)
  return defineField<readonly KeyValue[]>(options, {
    ...parts,
    relation,
    join: { target, through: many, ignoreRowFilter: options.ignoreRowFilter ?? false },
    columnUses: [createKeyUse('target', target), ...createRelatedUses(target, many)],
    parse: (input, context) => parseMany(input, max, item => forms.taken.parse(item, context)),
    show: location => showMany(location, { many, relation, forms }),
    describeTaken: builder => ({ type: 'array', items: forms.taken.describe(builder), maxItems: max }),
    describeShown: builder => ({ type: 'array', items: forms.describeShown(builder) }),
    ...forms.parts,
  })
}

interface ToManyParts {
  readonly many: JoinTable | Reverse
  readonly relation: Relation
  readonly forms: Forms
}

function showMany(location: FieldLocation, { many, relation, forms }: ToManyParts) {
  const { target, ignoreRowFilter } = relation
  const isReverse = 'reverse' in many
  const [from, own, other] = isReverse
    ? [target, many.reverse, target.key.column]
    : [{ table: many.table }, many.own, many.other]
  // The alias is needed because the table may be the location's own table.
  const [key, owner] = [sql.id(relatedAlias, other), sql.id(relatedAlias, own)]
  const rows = isReverse ? undefined : createVisibleRows(location, relation, key)
  const condition =
    isReverse && !ignoreRowFilter
      ? location.visibleCondition(target, relatedAlias)
      : rows && sql`exists (select 1 ${rows})`
  const andVisible = condition === undefined ? sql`` : sql` and ${condition}`
  const { array, objects } = location.dialect
  return (forms.isObject ? objects : array)(
    sql`select ${forms.show(location, key)} as value from ${rowsOf(from, relatedAlias)} where ${owner} = ${columnReference(location, location.key.column)}${andVisible} order by ${key}`,
  )
}

function parseMany(input: unknown, max: number, parse: (item: unknown) => KeyValue): readonly KeyValue[] {
  if (!Array.isArray(input)) throw invalid('not_a_list', { type: formatTypeName(input) })
  if (input.length > max) throw invalid('max_length.list', { max })
  return [...new Set(input.map(parse))]
}
