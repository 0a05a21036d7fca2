// What relations have in common: a value is a key of another resource's table, or a list of such keys, in whichever
// way a representation writes a key.

import { sql } from 'kysely'
import type { SqlValue } from '../database/database.ts'
import type { Sql } from '../database/dialect.ts'
import type { ValidationError } from '../errors/exceptions.ts'
import {
  type ColumnUse,
  columnOf,
  defineField,
  type Field,
  type FieldOptions,
  type FieldType,
  invalid,
  keyUse,
  type ParseContext,
  type Place,
  type Relation,
  type RelationTarget,
  type RowFilterOptions,
  type Through,
  throughUses,
  typeName,
} from './field.ts'

/** A relation to one object, whose key stands in a column. */
export interface ToOneOptions extends FieldOptions<number>, RowFilterOptions {
  readonly to: RelationTarget
  readonly column: string
}

/** A relation to many objects through a table of pairs, or, read-only, to those that refer to this one. */
export interface ToManyOptions extends Omit<FieldOptions<readonly number[]>, 'column'>, RowFilterOptions {
  readonly to: RelationTarget
  readonly many: Through | Reverse
  /** How many related objects a body may name; default 1000. */
  readonly max?: number
}

/** The column of the other table that holds this object's key. */
export interface Reverse {
  readonly reverse: string
}

/** How a representation writes the key of a related object. */
export interface KeyForm {
  readonly type: FieldType
  parse(input: unknown, context: ParseContext, target: RelationTarget): number
  show(place: Place, target: RelationTarget, key: Sql): Sql
  missing(key: SqlValue): ValidationError
}

/** A relation to one object in the given form. */
export function relatedToOne(options: ToOneOptions, form: KeyForm): Field<number> {
  const { to, column } = options
  const relation = createRelation(options, false, form)
  return defineField<number>(options, {
    type: form.type,
    relation,
    uses: [keyUse('to', to)],
    parse: (input, context) => form.parse(input, context, to),
    show: place => form.show(place, to, visibleKey(place, relation, columnOf(place, column))),
  })
}

const createRelation = (
  { to, ignoreRowFilter = false }: ToOneOptions | ToManyOptions,
  many: boolean,
  form: KeyForm,
) => ({
  target: to,
  many,
  linked: form.type === 'url',
  missing: form.missing,
  ignoreRowFilter,
})

type Visible = Pick<Place, 'visible'>

const visibleRow = 'visible row'

/** The key that stands in a column; null where the object does not exist for the caller. */
export function visibleKey(place: Visible, relation: Relation, key: Sql): Sql {
  const rows = visibleRows(place, relation, key)
  return rows === undefined ? key : sql`(select ${sql.id(visibleRow, relation.target.key)} ${rows})`
}

/** The `from` and `where` that find the object with this key if it exists for the caller; undefined if all objects do. */
export function visibleRows({ visible }: Visible, { target, ignoreRowFilter }: Relation, key: Sql): Sql | undefined {
  const condition = ignoreRowFilter ? undefined : visible(target, visibleRow)
  return (
    condition &&
    sql`from ${sql.table(target.table)} as ${sql.id(visibleRow)} where ${sql.id(visibleRow, target.key)} = ${key} and ${condition}`
  )
}

const related = 'related row'

/** A relation to many objects in the given form, shown in the order of their keys. */
export function relatedToMany(options: ToManyOptions, form: KeyForm): Field<readonly number[]> {
  const { to, many, max = 1000 } = options
  const isReverse = 'reverse' in many
  const [table, own, other] = isReverse ? [to.table, many.reverse, to.key] : [many.table, many.own, many.other]
  const relation = createRelation(options, true, form)
  const field = defineField<readonly number[]>(options, {
    type: 'list',
    storage: isReverse ? { kind: 'none' } : { kind: 'rows', table, own, other },
    relation,
    uses: [keyUse('to', to), ...relatedUses(to, many)],
    parse: (input, context) => parseMany(input, max, item => form.parse(item, context, to)),
    show: place => {
      // The table may be that of the place.
      const [key, owner] = [sql.id(related, other), sql.id(related, own)]
      const rows = isReverse ? undefined : visibleRows(place, relation, key)
      const condition =
        isReverse && !relation.ignoreRowFilter ? place.visible(to, related) : rows && sql`exists (select 1 ${rows})`
      const exists = condition === undefined ? sql`` : sql` and ${condition}`
      return place.dialect.array(
        sql`select ${form.show(place, to, key)} as value from ${sql.table(table)} as ${sql.id(related)} where ${owner} = ${columnOf(place, place.key)}${exists} order by ${key}`,
      )
    },
  })
  return isReverse ? Object.freeze({ ...field, readOnly: true, required: false }) : field
}

/** The names of the option `many`. */
export const relatedUses = (to: RelationTarget, many: Through | Reverse): readonly ColumnUse[] =>
  'reverse' in many ? [{ option: 'many.reverse', table: to.table, column: many.reverse }] : throughUses('many', many)

function parseMany(input: unknown, max: number, parse: (item: unknown) => number): readonly number[] {
  if (!Array.isArray(input)) throw invalid(`Expected a list of items but got type "${typeName(input)}".`, 'not_a_list')
  if (input.length > max) throw invalid(`Ensure this field has no more than ${max} elements.`, 'max_length')
  return [...new Set(input.map(parse))]
}
