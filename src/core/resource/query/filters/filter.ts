// A filter of a resource's lists: one parameter, such as `total__gte`, and the condition of its SQL.

import type { Arguments } from '../../../database/database.ts'
import type { NamedFullTextIndex, Sql } from '../../../database/dialect.ts'
import type { Field, FieldLocation } from '../../../fields/field.ts'
import type { Lookup } from '../../declare/filters.ts'
import type { QueriedValue } from '../queried-value.ts'
import type { RequestDependence } from '../request-dependence.ts'
import type { ParsedLookup } from './lookups.ts'
import type { ReadOptions } from './read-values.ts'

/** The condition of a filter on the row at this location. */
export type CompileFilter = (location: FieldLocation, parameter: (name: string) => Sql) => Sql

/** A filter: one parameter of a list. */
export interface Filter extends RequestDependence {
  /** The name of the parameter, such as `total__gte`. */
  readonly parameter: string
  /** Undefined for a filter with its own SQL or by words. */
  readonly lookup: DeclaredLookup | undefined
  /** The fields that it reveals. */
  readonly path: readonly Field[]
  /** Describes the values for forms. */
  readonly input: Field
  /** The conditions of its variants; a filter with one condition has the variant ''. */
  readonly conditions: Readonly<Record<string, CompileFilter>>
  /** Reads the texts of the query, at least one. Rejects with ValidationError. */
  read(texts: readonly string[], options: FilterOptions): Promise<ReadFilter>
  /** True: its value is a condition on other filters, and is none itself. */
  readonly isParsed?: boolean
  /** The full-text index that it needs, by the table and its key column; undefined for other filters. */
  readonly findFullTextIndex?: (table: string, key: string) => NamedFullTextIndex
  /** Follows the error of a database that rejects the SQL. */
  readonly advice?: string
}

/** The filters of the list, for the one whose value is a condition on them. */
export interface FilterOptions extends ReadOptions {
  /** The filters that the caller has. */
  readonly filters: readonly Filter[]
  /** The most filters in one query. */
  readonly maxFilters: number
}

/** A lookup that a resource declares, and the value that it compares. */
export interface DeclaredLookup extends ParsedLookup {
  readonly name: Lookup
  readonly compared: QueriedValue
}

/** The values of a filter in a request. */
export interface ReadFilter {
  /** The name of the condition. */
  readonly variant: string
  /** Inside of a parsed filter, a number precedes the names. */
  readonly values: Arguments
  /** The condition, if the value of the query is one. */
  readonly compile?: CompileFilter
  /** The filters in that condition. */
  readonly filters?: readonly Filter[]
}
