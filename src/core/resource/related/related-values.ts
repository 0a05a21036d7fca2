// Fields whose values come from the related rows of a declared table: each is a part of the statement that reads the object.

import { sql } from 'kysely'
import type { Sql } from '../../database/dialect.ts'
import { orderItem } from '../../database/expressions.ts'
import { createCompletable } from '../../fields/complete-field.ts'
import { readOnly } from '../../fields/define-field.ts'
import type { Field, FieldDefinition } from '../../fields/field.ts'
import type { Computed, FieldLink, FieldTrait } from '../../fields/field-types.ts'
import { boolean } from '../../fields/kinds/boolean.ts'
import { computed } from '../../fields/kinds/computed.ts'
import { integer } from '../../fields/kinds/integer.ts'
import type { Identity } from '../../http/identity.ts'
import { toColumn } from '../../tables/column-names.ts'
import type { Condition } from '../../tables/condition.ts'
import type {
  AnySchema,
  Checked,
  DeclaredName,
  IsSeveral,
  TableNameOf,
  TargetsOf,
} from '../../tables/condition-types.ts'
import { keyColumn, requireRelation, type TableRelation } from '../../tables/find-relation.ts'
import type { Table } from '../../tables/table.ts'
import { aliasOf, type ConditionScope, compileCondition, createScope, selectRelated } from './compile-condition.ts'

/** The field of a value of related rows. */
type RelatedValue<Value, Shown, Relation> = Field<
  Value,
  Shown,
  never,
  never,
  FieldLink<'computed', Relation, null, null, null>
>

type RelatedColumn<Relation, S extends AnySchema> = DeclaredName<TargetsOf<S>[Relation & keyof TargetsOf<S>], S>

type ConditionOn<C, Relation, S extends AnySchema, User extends Identity> =
  true extends IsSeveral<Relation> ? C : Checked<C, TargetsOf<S>[Relation & keyof TargetsOf<S>], S, User>

/** The type of {@link count} and {@link exists}, in an API whose callers are of the type `User`, for a database with these tables. */
export interface DefineRelated<Value, User extends Identity, S extends AnySchema = AnySchema> {
  // Whether the row itself fulfils a condition.
  <const C extends Condition>(
    condition: Value extends boolean ? Checked<C, TableNameOf<S>, S, User> : never,
  ): Field<Value, Value, never, never, Computed>
  // The compiler reports the errors of the last signature.
  <const Relation extends keyof TargetsOf<S> & string, const C extends Condition = Record<never, never>>(
    relation: Relation,
    condition?: ConditionOn<C, NoInfer<Relation>, S, User>,
  ): RelatedValue<Value, Value, Relation>
}

/** The type of {@link sum}, in an API whose callers are of the type `User`, for a database with these tables. */
export type DefineSum<User extends Identity, S extends AnySchema = AnySchema> = <
  Value,
  Shown,
  const Relation extends keyof TargetsOf<S> & string,
  const C extends Condition = Record<never, never>,
>(
  field: Field<Value, Shown, unknown, FieldTrait>,
  relation: Relation,
  added: RelatedColumn<NoInfer<Relation>, S> | Product<RelatedColumn<NoInfer<Relation>, S>>,
  condition?: ConditionOn<C, NoInfer<Relation>, S, User>,
) => RelatedValue<Value, Shown, Relation>

/** The type of {@link latest}, in an API whose callers are of the type `User`, for a database with these tables. */
export type DefineLatest<User extends Identity, S extends AnySchema = AnySchema> = <
  Value,
  Shown,
  const Relation extends keyof TargetsOf<S> & string,
  const C extends Condition = Record<never, never>,
>(
  field: Field<Value, Shown, unknown, FieldTrait>,
  relation: Relation,
  order: RelatedColumn<NoInfer<Relation>, S> | `-${RelatedColumn<NoInfer<Relation>, S>}`,
  column: RelatedColumn<NoInfer<Relation>, S>,
  condition?: ConditionOn<C, NoInfer<Relation>, S, User>,
) => RelatedValue<Value | null, Shown | null, Relation>

/**
 * The number of related rows, of those that fulfil the condition. A relation is a reference to this table, by the name of the other table
 * or the `relatedName` of the reference.
 *
 * @example
 * const favoritesCount = count('favorites')
 */
export const count: DefineRelated<number, Identity> = ((relation: string, condition: Condition = {}) =>
  relate(
    integer(),
    relation,
    (found, scope) => sql`(${selectRelated(found, sql`count(*)`, scope, condition, true)})`,
  )) as never

/**
 * Whether there is a related row that fulfils the condition; with a condition alone, whether the row itself fulfils it.
 *
 * @example
 * const favorited = exists('favorites', { user: caller('id') })
 * const mayEdit = exists({ 'team.members': { user: caller('id'), role: 'editor' } })
 */
export const exists: DefineRelated<boolean, Identity> = ((relation: string | Condition, condition: Condition = {}) =>
  typeof relation === 'string'
    ? relate(
        boolean(),
        relation,
        (found, scope) => sql`exists (${selectRelated(found, sql`1`, scope, condition, true)})`,
      )
    : completeForTable(boolean(), table =>
        computed(boolean(), scope => sql`${compileCondition(relation, createScope(table, scope))} is true`),
      )) as never

/**
 * The sum of a column of the related rows, or of a product of columns; 0 without rows. `field` gives the type.
 *
 * @example
 * const total = sum(decimal({ maxDigits: 12, decimalPlaces: 2 }), 'lines', product('quantity', 'price'))
 */
export const sum: DefineSum<Identity> = ((
  field: Field,
  relation: string,
  added: string | Product,
  condition: Condition = {},
) =>
  relate(
    field,
    relation,
    (found, scope) => {
      const factors = typeof added === 'string' ? [added] : added.factors
      const columns = factors.map(name => sql.ref(`${aliasOf(scope)}.${toColumn(found.table, name)}`))
      const total = sql`coalesce(sum(${sql.join(columns, sql` * `)}), 0)`
      return sql`(${selectRelated(found, total, scope, condition, true)})`
    },
    ({ table, other }) => ({ sumOf: { table: table.name, reverse: other } }),
  )) as never

/** The product of columns of a row. */
export interface Product<out Column extends string = string> {
  readonly factors: readonly Column[]
}

/** The product of columns of a row, for {@link sum}. */
export const product = <const Column extends string>(
  ...factors: readonly [Column, Column, ...Column[]]
): Product<Column> => Object.freeze({ factors })

/**
 * A column of the related row that is first in this order; null without rows. `field` gives the type. The key breaks ties.
 *
 * @example
 * const lastComment = latest(text(), 'comments', '-created_at', 'body')
 */
export const latest: DefineLatest<Identity> = ((
  field: Field,
  relation: string,
  order: string,
  column: string,
  condition: Condition = {},
) =>
  relate({ ...field, nullable: true }, relation, (found, scope) => {
    const descending = order.startsWith('-')
    const inner = (name: string) => sql.ref(`${aliasOf(scope)}.${name}`)
    const items = [toColumn(found.table, order.replace(/^-/, '')), keyColumn(found.table)].map(name =>
      orderItem(inner(name), { descending, nullable: false }),
    )
    const selected = selectRelated(found, inner(toColumn(found.table, column)), scope, condition, true)
    return sql`(${selected} order by ${sql.join(items)} limit 1)`
  })) as never

/** Creates a field that is completed once its table is known. */
function relate<Value, Relation extends string>(
  type: FieldDefinition<Value>,
  relation: Relation,
  compile: (found: TableRelation, scope: ConditionScope) => Sql,
  describe: (found: TableRelation) => Partial<Field> = () => ({}),
): RelatedValue<Value, Value, Relation> {
  return completeForTable(type, table => {
    const found = requireRelation(table, table, relation)
    const field = computed(type as Field<Value>, scope => compile(found, createScope(table, scope)))
    return { ...field, ...describe(found) } as FieldDefinition<Value>
  }) as RelatedValue<Value, Value, Relation>
}

function completeForTable<Value>(
  type: FieldDefinition<Value>,
  forTable: (table: Table) => FieldDefinition<Value>,
): FieldDefinition<Value> {
  const placeholder = readOnly({ ...type, columns: () => [], default: undefined } as Field<Value>)
  return createCompletable(placeholder as FieldDefinition<Value>, { forTable: forTable as never })
}
