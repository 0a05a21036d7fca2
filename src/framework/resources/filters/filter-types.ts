// The types of declared filters: which lookups fit a field, and the parameters that follow from them.

import type { ShownBy, TakenBy } from '../../fields/field-types.ts'
import type { WireName } from '../../fields/wire-names.ts'
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

/**
 * The parameters of filters. `Values`: the value that a filter compares, by the name of the field. `Names`: the names of
 * fields on the wire; a filter with its own SQL keeps its name.
 */
export type FilterEntry<Filters extends FilterDeclarations, Values, Names> = {
  [Name in keyof Filters & string]: Filters[Name] extends readonly (infer Each extends Lookup)[]
    ? LookupEntry<ParameterName<Names, Name>, Each, ValueNamed<Values, Name>>
    : Filters[Name] extends CustomFilter<infer Value>
      ? { readonly name: Name; readonly value: Value }
      : { readonly name: ParameterName<Names, Name>; readonly value: ValueNamed<Values, Name> }
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

/** A path on the wire. The names that the fields of related resources have on the wire are not known here. */
export type ParameterName<Names, Path extends string> = Path extends `${infer First}.${infer Rest}`
  ? `${WireName<Names, First> & string}__${Underscored<Rest>}`
  : WireName<Names, Path> & string

type Underscored<Path extends string> = Path extends `${infer First}.${infer Rest}`
  ? `${First}__${Underscored<Rest>}`
  : Path
