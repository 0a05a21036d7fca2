// The types of declared filters: which lookups fit a field, and the parameters that follow from them.

import type { ShownBy, TakenBy } from '../../fields/field-types.ts'
import type { CustomFilter } from './custom-filter.ts'
import type { FilterDeclarations } from './declared-filters.ts'
import type { Lookup } from './lookups.ts'

type NumberLookup = 'exact' | 'in' | 'isnull' | 'gt' | 'gte' | 'lt' | 'lte' | 'range'

// Texts, dates and decimals are all strings to the compiler.
type FittingLookup<Value> = [Value] extends [never]
  ? Lookup
  : [Value] extends [boolean]
    ? 'exact' | 'isnull'
    : [Value] extends [number]
      ? NumberLookup
      : Lookup

type ValueOf<F> = Exclude<[TakenBy<F>] extends [never] ? ShownBy<F> : TakenBy<F>, null>

/** What each declared filter may be. A name that is not a field's needs a filter with its own SQL. */
export type CheckedFilters<Filters, F> = {
  readonly [Name in keyof Filters]: Name extends keyof F
    ? true | readonly FittingLookup<ValueOf<F[Name]>>[] | CustomFilter
    : Name extends `${keyof F & string}.${string}`
      ? true | readonly Lookup[]
      : FilterWithoutField<Name>
}

/** A filter whose name is not a field's. */
interface FilterWithoutField<out Name> extends CustomFilter {
  /** Exists only for the compiler. */
  readonly '~name'?: Name
}

/** The parameters of filters: `ValueOf` of a name is the value that one lookup compares. */
export type FilterEntry<Filters extends FilterDeclarations, Values> = {
  [Name in keyof Filters & string]: Filters[Name] extends readonly (infer Each extends Lookup)[]
    ? LookupEntry<ParameterName<Name>, Each, ValueNamed<Values, Name>>
    : {
        readonly name: ParameterName<Name>
        readonly value: Filters[Name] extends CustomFilter<infer Value> ? Value : ValueNamed<Values, Name>
      }
}[keyof Filters & string]

/** Through relations, any value that is not an object. */
type ValueNamed<Values, Name> = Name extends keyof Values ? Values[Name] : string | number | boolean

type LookupEntry<Name extends string, Each extends Lookup, Value> = Each extends 'exact'
  ? { readonly name: Name; readonly value: Value }
  : { readonly name: `${Name}__${Each}`; readonly value: LookupValue<Each, Value> }

type LookupValue<Each extends Lookup, Value> = Each extends 'in'
  ? readonly Value[]
  : Each extends 'range'
    ? readonly [Value, Value]
    : Each extends 'gt' | 'gte' | 'lt' | 'lte'
      ? Value
      : Each extends 'isnull'
        ? boolean
        : Each extends 'year'
          ? number
          : string

type ParameterName<Path extends string> = Path extends `${infer First}.${infer Rest}`
  ? `${First}__${ParameterName<Rest>}`
  : Path
