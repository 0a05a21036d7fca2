// What a condition compares with a column, as the compiler knows it.

import type { SqlValue } from '../database/database.ts'

/** What is compared with values of a type, by lookup. Texts, dates and decimals are all strings to the compiler. */
export type Operands<Value> = unknown extends Value
  ? TextOperands<SqlValue>
  : [Value] extends [boolean]
    ? BooleanOperands
    : [Value] extends [number]
      ? NumberOperands<Value>
      : [Value] extends [string]
        ? TextOperands<Value>
        : NullOperands

interface NullOperands<Value = never> {
  readonly exact: Value | null
  readonly isnull: boolean
}

interface BooleanOperands extends NullOperands<boolean> {}

interface NumberOperands<Value> extends NullOperands<Value> {
  readonly in: readonly Value[]
  readonly gt: Value
  readonly gte: Value
  readonly lt: Value
  readonly lte: Value
  readonly range: readonly [Value, Value]
}

interface TextOperands<Value> extends NumberOperands<Value> {
  readonly iexact: string
  readonly contains: string
  readonly icontains: string
  readonly startswith: string
  readonly istartswith: string
  readonly endswith: string
  readonly iendswith: string
  readonly regex: string
  readonly iregex: string
}
