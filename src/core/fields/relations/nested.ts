import { sql } from 'kysely'
import { isObject } from '../../base/is-object.ts'
import type { Sql } from '../../database/dialect.ts'
import { rowsOf } from '../../database/row-source.ts'
import { orNull } from '../../describe/json-schema.ts'
import { formatTypeName, invalid } from '../../errors/invalid.ts'
import { columnReference } from '../column-reference.ts'
import { createCompletable } from '../complete-field.ts'
import { defineField, type FieldOptions } from '../define-field.ts'
import {
  type ChildAction,
  type ChildStorage,
  type ColumnUse,
  createKeyUse,
  type Field,
  type FieldDefinition,
  type FieldLocation,
  type Fields,
  type Join,
  type JoinTable,
  type RelationTarget,
  type Reverse,
} from '../field.ts'
import type { ConditionalOf, NullOf, PresenceOf, RelatedTo } from '../field-types.ts'
import { inheritFrom } from '../inner-fields.ts'
import { objectKind } from '../kinds/json.ts'
import { listKind } from '../kinds/list.ts'
import { createLevel, pickFields, selectRelated, showObject } from '../level.ts'
import { noColumns } from '../storage.ts'
import { andVisible } from '../visible.ts'
import { describeChildren } from './child-schema.ts'
import { createUndeclared, createUnresolved } from './named-target.ts'
import {
  checkNested,
  childActions,
  isStoredNested,
  missingStorage,
  type NestedOptions,
  type StoredNestedOptions,
} from './nested-options.ts'
import type { FieldMistakes, ShownObject, TakenObject } from './related-types.ts'
import { createRelatedUses } from './to-many.ts'

/**
 * Representations of related objects instead of their keys: one or null, or with `many` a list sorted by key. Objects that a
 * row filter hides from the caller do not appear at any level. With `writable`, a body writes them together with this object.
 *
 * @example
 * const lines = nested({ of: orderLines, many: { reverse: 'order_id' }, fields: ['id', 'product', 'quantity'], writable: true })
 */
export function nested<const Options extends NestedOptions>(
  options: Options & UnknownOptions<Options> & NestedMistakes<Options['of'], Options['fields']>,
): NestedField<Options> {
  checkNested(options)
  const { of } = options
  return createWithTarget(of, options) as FieldDefinition<object> as NestedField<Options>
}

function createWithTarget(of: RelationTarget | string, options: NestedOptions): FieldDefinition<object> {
  if (!isStoredNested(options)) return createOfTable(of, options)
  return createCompletable(typeof of === 'string' ? createNamed(of, options) : createNested(of, options), {
    forTargets: find => createWithTarget(find(of), options),
  })
}

// The declared table of the resource knows where the relation is stored.
const createOfTable = (of: RelationTarget | string, options: NestedOptions): FieldDefinition<object> =>
  createUndeclared<object>(of, pickVisible(options), createParts(options), {
    needsRelation: missingStorage,
    forRelation: relation => {
      const { one, many, ...others } = options
      const isToOne = 'column' in relation
      if (isToOne !== (one === undefined && many === undefined))
        throw new Error(
          isToOne
            ? `nested(): it is a relation to one object, in the column "${relation.column}": remove "${many ? 'many' : 'one'}"`
            : 'nested(): it is a relation to rows that refer to this one: write many: true, or one: true',
        )
      const stored = {
        ...others,
        ...(isToOne ? relation : one ? { one: relation } : { many: relation }),
      } as NestedOptions
      checkNested(stored)
      return createWithTarget(of, stored)
    },
  })

type NestedField<Options extends NestedOptions> = Options extends { readonly writable: true | readonly ChildAction[] }
  ? Field<
      NestedValues<Options>,
      NestedObjects<Options>,
      NestedBodies<Options>,
      'many' | WrittenPresence<Options> | ConditionalOf<Options>,
      RelatedTo<Options['of'], 'nested'>
    >
  : Field<object, NestedObjects<Options>, never, ConditionalOf<Options>, RelatedTo<Options['of'], 'nested'>>

/** A row whose column is NOT NULL needs its object. */
type WrittenPresence<Options> = Options extends ReferringObjects ? 'optional' : PresenceOf<Options>

/** The related objects refer to this one. */
type ReferringObjects = { readonly one: object | true } | { readonly many: object | true }

/** `null` if a body may contain null instead of the only object. */
type NullOfWritten<Options> = Options extends ReferringObjects ? null : NullOf<Options>

/** `null` if there may be no object. As for `related`, the types do not say that a row filter may hide it. */
type NullOfShown<Options> = Options extends { readonly writable: true | readonly ChildAction[] }
  ? NullOfWritten<Options>
  : null

type NestedValues<Options> = Options extends { readonly many: object | true }
  ? readonly Readonly<Record<string, unknown>>[]
  : Readonly<Record<string, unknown>> | NullOfWritten<Options>

const findActions = ({ writable = false }: NestedOptions): ReadonlySet<ChildAction> =>
  new Set(writable === true ? childActions : writable || [])

const pickVisible = ({ visible }: NestedOptions): Pick<FieldOptions<object>, 'visible'> => (visible ? { visible } : {})

type NestedMistakes<Of, Names> = [Of] extends [string] ? unknown : FieldMistakes<Of, 'fields', Names>

type UnknownOptions<Options> = { readonly [Name in Exclude<keyof Options, keyof NestedOptions>]: never }

type NestedObjects<Options extends NestedOptions> = Options extends { readonly many: object | true }
  ? readonly NestedObject<Options>[]
  : NestedObject<Options> | NullOfShown<Options>

type NestedObject<Options extends NestedOptions> = ShownObject<Options['of'], NestedNames<Options>>

type NestedBodies<Options extends NestedOptions> = Options extends { readonly many: object | true }
  ? readonly NestedBody<Options>[]
  : NestedBody<Options> | NullOfWritten<Options>

type NestedBody<Options extends NestedOptions> =
  | TakenObject<Options['of'], NestedNames<Options>>
  | (Options extends { readonly of: object; readonly writable: readonly (infer Action)[] }
      ? 'select' extends Action
        ? Partial<ShownObject<Options['of'], NestedNames<Options>>>
        : never
      : never)

type NestedNames<Options extends NestedOptions> = Options extends {
  readonly fields: readonly (infer Name extends string)[]
}
  ? Name
  : undefined

const createNamed = (of: string, options: NestedOptions): FieldDefinition<object> =>
  createUnresolved<object>(of, pickVisible(options), createParts(options))

const createParts = (options: NestedOptions) => ({
  kind: options.many ? listKind : objectKind,
  required: false,
  columns: noColumns,
  ...(findActions(options).size === 0
    ? { readOnly: true }
    : { writesChildren: true as const, required: isRequired(options) }),
})

const isRequired = ({ column, nullable }: NestedOptions): boolean => column !== undefined && !nullable

function createNested(of: RelationTarget, options: StoredNestedOptions): FieldDefinition<object> {
  const { column, one, many, fields: names, position, ignoreRowFilter = false } = options
  const fields = pickFields(of, names)
  const join: NestedJoin = { target: of, through: many ?? one ?? { column: column! }, ignoreRowFilter }
  const field = defineField<object>(pickVisible(options), {
    kind: many ? listKind : objectKind,
    join,
    columnUses: [
      createKeyUse('of', of),
      ...listJoinUses(join, options),
      ...(position === undefined
        ? []
        : [{ option: 'position', table: of.table, column: position, purpose: 'place' } as const]),
    ],
    ...createWriting(of, options),
    ...createObjectParts(
      {
        ...join,
        ...(one && { isOne: true }),
        ...(isRequired(options) && findActions(options).size > 0 && { isPresent: true }),
        ...(position !== undefined && { position }),
      },
      fields,
    ),
  })
  return many ? { ...field, child: { ...field, kind: objectKind, children: fields } } : { ...field, children: fields }
}

function listJoinUses({ target, through }: Join, options: StoredNestedOptions): readonly ColumnUse[] {
  const isWritten = findActions(options).size > 0
  if ('column' in through) {
    const isUnshared = isWritten && !options.shared && !findActions(options).has('select')
    return [{ option: 'column', column: through.column, ...(isUnshared && { purpose: 'unshared' }) }]
  }
  const uses = createRelatedUses(target, through)
  if (!isWritten || options.one === undefined) return uses
  return uses.map(use => ({ ...use, option: 'one.reverse', purpose: 'single' }))
}

type Writing = Pick<
  FieldDefinition<object>,
  | 'columns'
  | 'childStorage'
  | 'parse'
  | 'required'
  | 'readOnly'
  | 'nullable'
  | 'bounds'
  | 'writesChildren'
  | 'describeTaken'
>

function createWriting(of: RelationTarget, options: StoredNestedOptions): Writing {
  const { column, one, many, fields: names = Object.keys(of.fields), max = 1000, position, nullable = false } = options
  const actions = findActions(options)
  const required = isRequired(options)
  if (actions.size === 0)
    return {
      required: false,
      readOnly: true,
      nullable: false,
      bounds: {},
      columns: noColumns,
      parse: input => input as object,
    }
  const { reverse } = (many ?? one ?? {}) as Partial<Reverse>
  const isList = many !== undefined
  const place = { target: of, reverse, column, join: many && 'table' in many ? many : undefined, isList }
  const storage: ChildStorage = { ...place, fields: names, actions, max, position }
  return {
    required,
    readOnly: false,
    writesChildren: true,
    nullable: column === undefined ? !isList : nullable,
    bounds: isList ? { max_length: max } : {},
    columns: noColumns,
    childStorage: storage,
    parse: input => (isList ? parseList(input, max) : parseObject(input)),
    describeTaken: builder => describeChildren(storage, builder),
  }
}

function parseList(input: unknown, max: number): object {
  if (!Array.isArray(input)) throw invalid('not_a_list', { type: formatTypeName(input) })
  if (input.length > max) throw invalid('max_length.list', { max })
  return input
}

function parseObject(input: unknown): object {
  if (isObject(input)) return input
  throw invalid('invalid.object', { type: formatTypeName(input) })
}

/** The same field, but it shows the related objects to which `join` leads, with these fields. */
export function showObjects(field: Field, join: NestedJoin, fields: Fields): Field {
  const { compute: _, computeAll: __, volatile: ___, requestUses: ____, ...kept } = field
  return Object.freeze({ ...kept, ...createObjectParts(join, fields) })
}

/** A join, and what `nested` adds: whether there is at most one object, or always one, and the order of several. */
export interface NestedJoin extends Join {
  readonly isOne?: boolean
  /** True: there is always an object, which a row filter may hide. */
  readonly isPresent?: boolean
  readonly position?: string
}

const createObjectParts = (
  join: NestedJoin,
  fields: Fields,
): Pick<Field, 'show' | 'shownFields' | 'describeShown'> => ({
  shownFields: fields,
  describeShown: builder => {
    const object = builder.shownObject(fields)
    if (!isOneObject(join)) return { type: 'array', items: object }
    const isHidden = !join.ignoreRowFilter && builder.hidesRows?.(join.target)
    return join.isPresent && !isHidden ? object : orNull(object)
  },
  show: location =>
    'column' in join.through
      ? showOne(location, join, fields, join.through.column)
      : showMany(location, join, fields, join.through),
  ...inheritFrom(fields),
})

const isOneObject = ({ through, isOne = false }: NestedJoin): boolean => 'column' in through || isOne

const showOne = (location: FieldLocation, join: Join, fields: Fields, column: string): Sql =>
  location.dialect.json(
    selectRelated(location, join, columnReference(location, column), level => showObject(level, fields)),
  )

function showMany(location: FieldLocation, join: NestedJoin, fields: Fields, many: JoinTable | Reverse): Sql {
  const { target, isOne, position } = join
  const level = createLevel(location, target)
  const [key, owner] = [columnReference(level, target.key.column), columnReference(location, location.key.column)]
  const isRelated =
    'reverse' in many
      ? sql`${columnReference(level, many.reverse)} = ${owner}`
      : sql`${key} in (select ${sql.ref(`${many.table}.${many.other}`)} from ${sql.table(many.table)} where ${sql.ref(`${many.table}.${many.own}`)} = ${owner})`
  const place = position === undefined ? sql`` : sql`${columnReference(level, position)}, `
  const rows = sql`select ${showObject(level, fields)} as value from ${rowsOf(target, level.table)} where ${isRelated}${andVisible(location, join, level.table)} order by ${place}${key}`
  return isOne ? location.dialect.json(sql`(${rows} limit 1)`) : location.dialect.objects(rows)
}
