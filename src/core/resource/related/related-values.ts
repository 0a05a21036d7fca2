// Fields whose values come from the related rows of a declared table: each is a part of the statement that reads the object.

import { sql } from 'kysely'
import type { Sql } from '../../database/dialect.ts'
import { orderItem } from '../../database/expressions.ts'
import { createCompletable } from '../../fields/complete-field.ts'
import { readOnly } from '../../fields/define-field.ts'
import type { Field, FieldDefinition } from '../../fields/field.ts'
import type { Computed, FieldTrait } from '../../fields/field-types.ts'
import { boolean } from '../../fields/kinds/boolean.ts'
import { computed } from '../../fields/kinds/computed.ts'
import { integer } from '../../fields/kinds/integer.ts'
import { toColumn } from '../../tables/column-names.ts'
import type { Condition } from '../../tables/condition.ts'
import { keyColumn, requireRelation, type TableRelation } from '../../tables/find-relation.ts'
import type { Table } from '../../tables/table.ts'
import { aliasOf, type ConditionScope, createScope, selectRelated } from './compile-condition.ts'

type ComputedField<Value> = Field<Value, Value, never, never, Computed>

/**
 * The number of related rows, of those that fulfil the condition. A relation is a reference to this table, by the name of the other table
 * or the `relatedName` of the reference.
 *
 * @example
 * const favoritesCount = count('favorites')
 */
export const count = (relation: string, condition: Condition = {}): ComputedField<number> =>
  relate(integer(), relation, (found, scope) => sql`(${selectRelated(found, sql`count(*)`, scope, condition, true)})`)

/**
 * Whether there is a related row that fulfils the condition.
 *
 * @example
 * const favorited = exists('favorites', { user: caller('id') })
 */
export const exists = (relation: string, condition: Condition = {}): ComputedField<boolean> =>
  relate(boolean(), relation, (found, scope) => sql`exists (${selectRelated(found, sql`1`, scope, condition, true)})`)

/**
 * The sum of a column of the related rows, or of a product of columns; 0 without rows. `field` gives the type.
 *
 * @example
 * const total = sum(decimal({ maxDigits: 12, decimalPlaces: 2 }), 'lines', product('quantity', 'price'))
 */
export const sum = <Value, Shown>(
  field: Field<Value, Shown, unknown, FieldTrait>,
  relation: string,
  added: string | Product,
  condition: Condition = {},
): Field<Value, Shown, never, never, Computed> =>
  relate(field as unknown as Field, relation, (found, scope) => {
    const factors = typeof added === 'string' ? [added] : added.factors
    const columns = factors.map(name => sql.ref(`${aliasOf(scope)}.${toColumn(found.table, name)}`))
    const total = sql`coalesce(sum(${sql.join(columns, sql` * `)}), 0)`
    return sql`(${selectRelated(found, total, scope, condition, true)})`
  }) as never

/** The product of columns of a row. */
export interface Product {
  readonly factors: readonly string[]
}

/** The product of columns of a row, for {@link sum}. */
export const product = (...factors: readonly [string, string, ...string[]]): Product => Object.freeze({ factors })

/**
 * A column of the related row that is first in this order; null without rows. `field` gives the type. The key breaks ties.
 *
 * @example
 * const lastComment = latest(text(), 'comments', '-created_at', 'body')
 */
export const latest = <Value, Shown>(
  field: Field<Value, Shown, unknown, FieldTrait>,
  relation: string,
  order: string,
  column: string,
  condition: Condition = {},
): Field<Value | null, Shown | null, never, never, Computed> =>
  relate({ ...(field as unknown as Field), nullable: true }, relation, (found, scope) => {
    const descending = order.startsWith('-')
    const inner = (name: string) => sql.ref(`${aliasOf(scope)}.${name}`)
    const items = [toColumn(found.table, order.replace(/^-/, '')), keyColumn(found.table)].map(name =>
      orderItem(inner(name), { descending, nullable: false }),
    )
    const selected = selectRelated(found, inner(toColumn(found.table, column)), scope, condition, true)
    return sql`(${selected} order by ${sql.join(items)} limit 1)`
  }) as never

/** Creates a field that is completed once its table is known. */
function relate<Value>(
  type: FieldDefinition<Value>,
  relation: string,
  compile: (found: TableRelation, scope: ConditionScope) => Sql,
): ComputedField<Value> {
  const forTable = (table: Table): FieldDefinition<Value> => {
    const found = requireRelation(table, table, relation)
    return computed(type as Field<Value>, scope => compile(found, createScope(table, scope)))
  }
  const placeholder = readOnly({ ...type, columns: () => [], default: undefined } as Field<Value>)
  return createCompletable(placeholder as FieldDefinition<Value>, {
    forTable: forTable as never,
  }) as ComputedField<Value>
}
