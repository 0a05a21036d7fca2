// The expressions that databases write with different words. They are nodes of Kysely, which the query compiler of the dialect
// writes: SQLite and PostgreSQL share the words of Kysely's default compiler, and another database overrides `visitCast` and
// the like in its own.

import {
  BinaryOperationNode,
  CastNode,
  DataTypeNode,
  type Expression,
  ExpressionWrapper,
  FunctionNode,
  type Operator,
  OperatorNode,
  OrderByItemNode,
  RawNode,
  sql,
} from 'kysely'
import type { Sql } from './dialect.ts'

/** The types to which values are cast. `numeric` must keep all digits, as on SQLite and PostgreSQL. */
export type CastType = 'text' | 'bigint' | 'numeric' | 'double precision' | 'boolean'

/** The value with this type. A parameter with it has the type whatever it is compared with. */
export const castTo = (value: Sql, type: CastType): Sql =>
  wrap(CastNode.create(value.toOperationNode(), DataTypeNode.create(type)))

/** The texts as one text; null if one is null. */
export const concat = (first: Sql, ...others: readonly Sql[]): Sql =>
  others.reduce((joined, text) => operate(joined, '||', text), first)

/** The quotient of two integers, truncated toward zero. */
export const divide = (dividend: Sql, divisor: Sql): Sql => operate(dividend, '/', divisor)

/** The member of a JSON object as text. */
export const member = (json: Sql, name: string): Sql => operate(json, '->>', sql.lit(name))

/** The member of a JSON object as JSON. */
export const jsonMember = (json: Sql, name: string): Sql => operate(json, '->', sql.lit(name))

/** The number of characters of a text. */
export const textLength = (text: Sql): Sql => wrap(FunctionNode.create('length', [text.toOperationNode()]))

/** A part of `order by`. Null is last in ascending order, and first in descending order. */
export function orderItem(
  value: Sql,
  { descending, nullable }: { readonly descending: boolean; readonly nullable: boolean },
): Sql {
  const item = OrderByItemNode.create(value.toOperationNode(), RawNode.createWithSql(descending ? 'desc' : 'asc'))
  return wrap(nullable ? OrderByItemNode.cloneWith(item, { nulls: descending ? 'first' : 'last' }) : item)
}

type Node = ReturnType<Expression<unknown>['toOperationNode']>

const wrap = (node: Node): Sql => new ExpressionWrapper<never, never, unknown>(node)

const operate = (left: Sql, operator: Operator, right: Sql): Sql =>
  wrap(BinaryOperationNode.create(left.toOperationNode(), OperatorNode.create(operator), right.toOperationNode()))
