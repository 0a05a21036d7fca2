// The common part of all relations: the value is a key of another resource's table, or a list of keys. How a
// representation shows a key depends on the kind of relation.

import { sql } from 'kysely'
import type { SqlValue } from '../database/database.ts'
import type { Sql } from '../database/dialect.ts'
import type { ValidationError } from '../errors/exceptions.ts'
import {
  type ColumnUse,
  columnReference,
  createJoinTableUses,
  createKeyUse,
  defineField,
  type Field,
  type FieldLocation,
  type FieldOptions,
  type FieldType,
  formatTypeName,
  invalid,
  type JoinTable,
  type ParseContext,
  type Relation,
  type RelationTarget,
  type RowFilterOptions,
} from './field.ts'

/** Options of a relation to one object, whose key is in a column. */
export interface ToOneOptions extends FieldOptions<number>, RowFilterOptions {
  readonly to: RelationTarget
  readonly column: string
}

/** Options of a relation to many objects: through a join table, or, read-only, the objects that refer to this one. */
export interface ToManyOptions extends Omit<FieldOptions<readonly number[]>, 'column'>, RowFilterOptions {
  readonly to: RelationTarget
  readonly many: JoinTable | Reverse
  /** The maximum number of related objects in a body; default 1000. */
  readonly max?: number
}

/** A reverse relation: `reverse` is the column of the related table that contains this object's key. */
export interface Reverse {
  readonly reverse: string
}

/** How representations and request bodies contain the key of a related object. */
export interface KeyRepresentation {
  readonly type: FieldType
  parse(input: unknown, context: ParseContext, target: RelationTarget): number
  show(location: FieldLocation, target: RelationTarget, key: Sql): Sql
  missing(key: SqlValue): ValidationError
}

/** Creates a relation to one object. */
export function relatedToOne(options: ToOneOptions, representation: KeyRepresentation): Field<number> {
  const { to, column } = options
  const relation = createRelation(options, false, representation)
  return defineField<number>(options, {
    type: representation.type,
    relation,
    columnUses: [createKeyUse('to', to)],
    parse: (input, context) => representation.parse(input, context, to),
    show: location =>
      representation.show(location, to, createVisibleKey(location, relation, columnReference(location, column))),
  })
}

const createRelation = (
  { to, ignoreRowFilter = false }: ToOneOptions | ToManyOptions,
  many: boolean,
  representation: KeyRepresentation,
) => ({
  target: to,
  many,
  linked: representation.type === 'url',
  missing: representation.missing,
  ignoreRowFilter,
})

type VisibilityContext = Pick<FieldLocation, 'visibleCondition'>

const visibleAlias = 'visible row'

/** The key in a column as SQL; null if the row filter hides the object from the caller. */
export function createVisibleKey(location: VisibilityContext, relation: Relation, key: Sql): Sql {
  const rows = createVisibleRows(location, relation, key)
  return rows === undefined ? key : sql`(select ${sql.id(visibleAlias, relation.target.key)} ${rows})`
}

/** The `from` and `where` that select the object with this key if the caller may see it; undefined if there is no filter. */
export function createVisibleRows(
  { visibleCondition }: VisibilityContext,
  { target, ignoreRowFilter }: Relation,
  key: Sql,
): Sql | undefined {
  const condition = ignoreRowFilter ? undefined : visibleCondition(target, visibleAlias)
  return (
    condition &&
    sql`from ${sql.table(target.table)} as ${sql.id(visibleAlias)} where ${sql.id(visibleAlias, target.key)} = ${key} and ${condition}`
  )
}

const relatedAlias = 'related row'

/** Creates a relation to many objects, in the order of their keys. */
export function relatedToMany(options: ToManyOptions, representation: KeyRepresentation): Field<readonly number[]> {
  const { to, many, max = 1000 } = options
  const isReverse = 'reverse' in many
  const [table, own, other] = isReverse ? [to.table, many.reverse, to.key] : [many.table, many.own, many.other]
  const relation = createRelation(options, true, representation)
  const field = defineField<readonly number[]>(options, {
    type: 'list',
    storage: isReverse ? { kind: 'none' } : { kind: 'rows', table, own, other },
    relation,
    columnUses: [createKeyUse('to', to), ...createRelatedUses(to, many)],
    parse: (input, context) => parseMany(input, max, item => representation.parse(item, context, to)),
    show: location => {
      // The alias is needed because the table may be the location's own table.
      const [key, owner] = [sql.id(relatedAlias, other), sql.id(relatedAlias, own)]
      const rows = isReverse ? undefined : createVisibleRows(location, relation, key)
      const condition =
        isReverse && !relation.ignoreRowFilter
          ? location.visibleCondition(to, relatedAlias)
          : rows && sql`exists (select 1 ${rows})`
      const andVisible = condition === undefined ? sql`` : sql` and ${condition}`
      return location.dialect.array(
        sql`select ${representation.show(location, to, key)} as value from ${sql.table(table)} as ${sql.id(relatedAlias)} where ${owner} = ${columnReference(location, location.key)}${andVisible} order by ${key}`,
      )
    },
  })
  return isReverse ? Object.freeze({ ...field, readOnly: true, required: false }) : field
}

/** The columns that the option `many` uses. */
export const createRelatedUses = (to: RelationTarget, many: JoinTable | Reverse): readonly ColumnUse[] =>
  'reverse' in many
    ? [{ option: 'many.reverse', table: to.table, column: many.reverse }]
    : createJoinTableUses('many', many)

function parseMany(input: unknown, max: number, parse: (item: unknown) => number): readonly number[] {
  if (!Array.isArray(input)) throw invalid('not_a_list', { type: formatTypeName(input) })
  if (input.length > max) throw invalid('max_length.list', { max })
  return [...new Set(input.map(parse))]
}
