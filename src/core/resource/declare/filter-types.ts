// The types of declared filters: which lookups fit a field, and the parameters that follow from them.

import type { RelatedTo, ShownBy, TakenBy } from '../../fields/field-types.ts'
import type { TargetTypes, TypesOfTarget } from '../../fields/relations/related-types.ts'
import type { WireName } from '../../fields/wire-names.ts'
import type { CustomFilter, FilterDeclarations, FullTextFilter, Lookup, PositiveLookup } from './filters.ts'

type NumberPositiveLookup = 'exact' | 'in' | 'isnull' | 'gt' | 'gte' | 'lt' | 'lte' | 'range'
type NumberLookup = NumberPositiveLookup | 'not' | `not__${Exclude<NumberPositiveLookup, 'exact' | 'isnull'>}`

// Texts, dates and decimals are all strings to the compiler.
type FittingLookup<Value> = [Value] extends [never]
  ? Lookup
  : [Value] extends [boolean]
    ? 'exact' | 'isnull' | 'not'
    : [Value] extends [number]
      ? NumberLookup
      : Lookup

type ValueOf<F> = Exclude<[TakenBy<F>] extends [never] ? ShownBy<F> : TakenBy<F>, null>

/** The declared filters, each checked. One whose name is not that of a field needs its own SQL. */
export type CheckedFilters<Filters, F> = {
  readonly [Name in keyof Filters]: Name extends keyof F
    ? true | readonly FittingLookup<ValueOf<F[Name]>>[] | CustomFilter | FullTextFilter<keyof F & string>
    : Filters[Name] extends FullTextFilter
      ? FullTextFilter<keyof F & string>
      : Name extends `${infer First extends keyof F & string}.${infer Rest}`
        ? CheckedPath<Followed<TargetOf<F[First], never>, Rest, never>['field'], Name>
        : FilterWithoutField<Name>
}

type CheckedPath<Found, Name> = unknown extends Found
  ? true | readonly Lookup[]
  : [Found] extends [never]
    ? FilterWithoutField<Name>
    : true | readonly FittingLookup<ValueOf<Found>>[]

/** A filter whose name is not a field's. */
interface FilterWithoutField<out Name> extends CustomFilter {
  /** Exists only for the compiler. */
  readonly '~name'?: Name
}

/** A resource that the compiler does not know. */
type UnknownTarget = TargetTypes & {
  readonly fields: Readonly<Record<string, unknown>>
  readonly wire: undefined
}

/** The resource to which a field refers; `All` are the resources to which fields refer by name. */
export type TargetOf<F, All extends TargetTypes> =
  F extends RelatedTo<infer Target>
    ? [unknown] extends [Target]
      ? UnknownTarget
      : Target extends string
        ? NamedTarget<Extract<All, { readonly name: Target }>>
        : TypesOfTarget<Target>
    : UnknownTarget

type NamedTarget<Target extends TargetTypes> = [Target] extends [never] ? UnknownTarget : Target

/**
 * The field to which a path such as `customer.country` leads, and the name of the path on the wire. The field is unknown if
 * the compiler does not know a resource on the way, and never if there is no such field.
 */
export type Followed<
  T extends Pick<TargetTypes, 'fields' | 'wire'>,
  Path extends string,
  All extends TargetTypes,
  Prefix extends string = '',
> = string extends keyof T['fields']
  ? { readonly name: `${Prefix}${Underscored<Path>}`; readonly field: unknown }
  : Path extends `${infer First}.${infer Rest}`
    ? Followed<
        TargetOf<FieldNamed<T['fields'], First>, All>,
        Rest,
        All,
        `${Prefix}${WireName<T['wire'], First> & string}__`
      >
    : { readonly name: `${Prefix}${WireName<T['wire'], Path> & string}`; readonly field: FieldNamed<T['fields'], Path> }

type FieldNamed<F, Name> = Name extends keyof F ? F[Name] : never

type Underscored<Path extends string> = Path extends `${infer First}.${infer Rest}`
  ? `${First}__${Underscored<Rest>}`
  : Path

/** The name on the wire and the type of the value that a filter compares. */
export interface Filtered {
  readonly name: string
  readonly value: unknown
}

/** The parameters of filters. `Found`: what each compares; a filter with its own SQL keeps its name. */
export type FilterEntry<
  Filters extends FilterDeclarations,
  Found extends { readonly [Name in keyof Filters & string]: Filtered },
> = {
  [Name in keyof Filters & string]: Filters[Name] extends readonly (infer Each extends Lookup)[]
    ? LookupEntry<Found[Name]['name'], Each, Found[Name]['value']>
    : Filters[Name] extends CustomFilter<infer Value>
      ? { readonly name: Name; readonly value: Value }
      : Filters[Name] extends FullTextFilter
        ? { readonly name: Name; readonly value: string }
        : Found[Name]
}[keyof Filters & string]

type LookupEntry<Name extends string, Each extends Lookup, Value> = Each extends 'exact'
  ? { readonly name: Name; readonly value: Value }
  : { readonly name: `${Name}__${Each}`; readonly value: LookupValue<PositiveOf<Each>, Value> }

type PositiveOf<Each extends Lookup> = Each extends 'not'
  ? 'exact'
  : Each extends `not__${infer Negated extends PositiveLookup}`
    ? Negated
    : Each

type LookupValue<Each, Value> = Each extends 'in'
  ? readonly Value[]
  : Each extends 'range'
    ? readonly [Value, Value]
    : Each extends 'exact' | 'gt' | 'gte' | 'lt' | 'lte'
      ? Value
      : Each extends 'isnull'
        ? boolean
        : Each extends 'year'
          ? number
          : string
