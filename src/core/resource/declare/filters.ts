// The filters that a resource declares: `filters: { status: true, total: ['gte', 'in'], late: filter(…), words: fullText([…]) }`.

import type { Sql } from '../../database/dialect.ts'
import type { Field, FieldLocation, RequestUses } from '../../fields/field.ts'
import type { PositiveLookup } from '../../fields/kinds/kind.ts'
import type { MessageText } from '../../messages/english.ts'
import type { Condition } from '../../tables/condition.ts'
import type { Table } from '../../tables/table.ts'

/** A lookup that a resource declares. `not` is the negation of `exact`. */
export type Lookup = PositiveLookup | 'not' | `not__${Exclude<PositiveLookup, 'exact' | 'isnull'>}`

/** A filter with its own SQL, or with a condition of the type `C`. `Value` is the type of its value. */
export interface CustomFilter<out Value = unknown, out C = unknown> {
  /** Exists only for the compiler. */
  readonly '~value'?: Value
  /** Exists only for the compiler. */
  readonly '~condition'?: C
  /** Reads and describes the value. */
  readonly field: Field
  /** The columns that the condition names. */
  readonly columns: readonly string[]
  readonly requestUses: RequestUses
  readonly volatile: boolean
  /** The condition on the row at this location. */
  compile(location: FieldLocation, value: Sql): Sql
  /** For the declared table of its resource: a condition without SQL finds columns and relations by it. */
  forTable?(table: Table): CustomFilter
}

/** A filter by words in some fields. */
export interface FullTextFilter<out Name extends string = string> {
  /** The fields with the texts. */
  readonly fullText: readonly Name[]
  /** The name of the index; undefined: the table's name and `_full_text`. */
  readonly index: string | undefined
}

/** A filter whose value is a small language. */
export interface ParsedFilter {
  /**
   * Makes the condition on the other filters of the list, by the names of their parameters, with `and`, `or` and `not`. Throws ValidationError
   * for a text that it refuses.
   *
   * @example
   * const parse = (text: string) => ({ or: text.split('|').map(name => ({ name__icontains: name })) })
   */
  parse(text: string): Condition
  /** Describes the language. */
  readonly help?: MessageText
}

/** The lookups of a field, each with the name of its parameter: `{ exact: 'status', in: 'statuses' }`. */
export type NamedLookups<Names extends Lookup = Lookup> = { readonly [Each in Names]?: string }

/** The lookups of a field (`true`: only `exact`), a filter with its own SQL, one by words, or one whose value is a small language. */
export type FilterDeclaration = true | readonly Lookup[] | NamedLookups | CustomFilter | FullTextFilter | ParsedFilter

/** Filters by the name of a field, by a path through relations, or by any other name for a filter with its own SQL. */
export type FilterDeclarations = Readonly<Record<string, FilterDeclaration>>
