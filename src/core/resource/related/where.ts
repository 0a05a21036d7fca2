// Filters whose condition is a value.

import { sql } from 'kysely'
import type { Field } from '../../fields/field.ts'
import { boolean } from '../../fields/kinds/boolean.ts'
import type { Identity } from '../../http/identity.ts'
import { type Condition, isPlaceholder, type Placeholder } from '../../tables/condition.ts'
import type { AnySchema, Checked, ConditionMistakes, TableNameOf } from '../../tables/condition-types.ts'
import type { Table } from '../../tables/table.ts'
import type { CustomFilter } from '../declare/filters.ts'
import { type FilterScope, filter } from '../query/filters/custom-filter.ts'
import { compileCondition, createScope } from './compile-condition.ts'

/** The type of {@link where}, in an API whose callers are of the type `User`, for a database with these tables. */
export type DefineWhere<User extends Identity, S extends AnySchema = AnySchema> = <const C extends Condition>(
  condition: Checked<C, TableNameOf<S>, S, User>,
) => CustomFilter<QueryValueOf<C>, RightCondition<C, ConditionMistakes<C, TableNameOf<S>, S, User>>>

// A resource repeats no mistake that this call has.
type RightCondition<C, Found> = [Found] extends [never] ? C : unknown

/**
 * A filter by a condition. With `value(…)` in it, the query gives that value; without one, the query says `true` for the rows that fulfil the
 * condition, or `false` for the others.
 *
 * @example
 * const filters = { author: where({ 'author.username': value(text()) }), late: where({ due__lt: now() }) }
 */
export const where: DefineWhere<Identity> = ((condition: Condition) => {
  const given = findValueField(condition)
  return Object.freeze<CustomFilter>({
    field: given ?? boolean(),
    columns: [],
    requestUses: { caller: [], now: false },
    volatile: false,
    forTable: table => createConditionFilter(table, condition, given),
    compile() {
      throw new Error('where(): the resource has no declared table: write table: books, with a table of table()')
    },
  })
}) as never

type QueryValueOf<C> = [FoundValue<C>] extends [never] ? boolean : FoundValue<C>

type FoundValue<C> =
  C extends Placeholder<'value', infer Value>
    ? Value
    : C extends readonly (infer Item)[]
      ? FoundValue<Item>
      : C extends Condition
        ? FoundValue<C[keyof C]>
        : never

function createConditionFilter(table: Table, condition: Condition, given: Field | undefined): CustomFilter {
  const compile = (scope: FilterScope) => compileCondition(condition, createScope(table, scope))
  return given === undefined
    ? filter(boolean(), scope => sql`(${compile(scope)} is true) = ${scope.value}`)
    : (filter(given, compile) as CustomFilter)
}

function findValueField(part: unknown): Field | undefined {
  if (isPlaceholder(part)) return part.placeholder === 'value' ? part.field : undefined
  if (typeof part !== 'object' || part === null) return undefined
  for (const each of Object.values(part)) {
    const found = findValueField(each)
    if (found !== undefined) return found
  }
  return undefined
}
