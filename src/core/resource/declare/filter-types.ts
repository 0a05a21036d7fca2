// The types of declared filters: which lookups fit a field, and the parameters that follow from them.

import type { AnyRecord, AnyRecords, FieldLink } from '../../fields/field-types.ts'
import type { PositiveLookup } from '../../fields/kinds/kind.ts'
import type { TargetTypes, TypesOfTarget } from '../../fields/relations/related-types.ts'
import type { WireName } from '../../fields/wire-names.ts'
import type { Identity } from '../../http/identity.ts'
import type { AnySchema, ConditionMistakes, IsSeveral, TableNameOf } from '../../tables/condition-types.ts'
import type { CustomFilter, FilterDeclarations, FullTextFilter, Lookup, NamedLookups, ParsedFilter } from './filters.ts'
import type { NamedTypes, Resolved, ResolvedField } from './resolved-fields.ts'

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

type ValueOf<F extends AnyRecord> = Exclude<[F['taken']] extends [never] ? F['shown'] : F['taken'], null>

/** The declaration of a filter with the name of a field. */
type FieldFilter<F extends AnyRecord> =
  | true
  | readonly FittingLookup<ValueOf<F>>[]
  | NamedLookups<FittingLookup<ValueOf<F>>>
  | CustomFilter
  | FullTextFilter
  | ParsedFilter

/** The mistakes in the filters, by name; `unknown` without mistakes. `T`: the table of the resource. */
export type FilterMistakes<Filters, R extends AnyRecords, T, S extends AnySchema, User extends Identity> = [
  WrongFilter<Filters, R>,
] extends [never]
  ? string extends TableNameOf<S>
    ? unknown
    : true extends IsSeveral<T>
      ? unknown
      : WhereMistakes<Filters, T, S, User>
  : { readonly [Name in WrongFilter<Filters, R>]: FilterMistake<FilteredField<Name, R>, Name> }

type WhereMistakes<Filters, T, S extends AnySchema, User extends Identity> = [WrongWhere<Filters, T, S, User>] extends [
  never,
]
  ? unknown
  : { readonly [Name in WrongWhere<Filters, T, S, User>]: ConditionMistakes<ConditionOf<Filters[Name]>, T, S, User> }

type WrongWhere<Filters, T, S extends AnySchema, User extends Identity> = {
  [Name in keyof Filters]: [ConditionMistakes<ConditionOf<Filters[Name]>, T, S, User>] extends [never] ? never : Name
}[keyof Filters]

type ConditionOf<Filter> =
  Filter extends CustomFilter<unknown, infer C> ? (unknown extends C ? Record<never, never> : C) : Record<never, never>

// The literal types of a mistake are the text of the compiler's message, so none has a name of its own.
type FilterMistake<F, Name> = [F] extends [never]
  ? { readonly 'there is no such field: name one, or write filter() with SQL of your own': Name }
  : F extends AnyRecord
    ? { readonly 'lookups that fit the type of the field': FittingLookup<ValueOf<F>> }
    : { readonly 'fields of the resource': keyof F }

type WrongFilter<Filters, R extends AnyRecords> = {
  [Name in keyof Filters]: Name extends keyof R
    ? Filters[Name] extends FieldFilter<R[Name]>
      ? never
      : Name
    : Filters[Name] extends CustomFilter | ParsedFilter | FullTextFilter<keyof R & string>
      ? never
      : Filters[Name] extends NamelessFilter<FilteredField<Name, R>>
        ? never
        : Name
}[keyof Filters]

/** What a filter may be that leads to this field of a related resource; never if there is no such field. */
type NamelessFilter<F> = [F] extends [never]
  ? never
  : F extends AnyRecord
    ? FieldFilter<F>
    : true | readonly Lookup[] | NamedLookups

/** The field that a filter compares: unknown if the compiler does not know the related resource, never if there is none. */
type FilteredField<Name, R extends AnyRecords> = Name extends keyof R
  ? R[Name]
  : Name extends `${string}.${string}`
    ? FieldAt<R, Name, never>
    : never

/** The fields of the resource to which a field refers; `All` are the resources to which fields refer by name. */
type FieldsOfTarget<F extends AnyRecord, All extends NamedTypes> = TargetOf<F, All>['fields']

/** A resource that the compiler does not know. */
interface UnknownTarget extends TargetTypes {
  readonly wire: undefined
}

/** The resource to which a field refers; `All` are the resources to which fields refer by name. */
export type TargetOf<F extends AnyRecord, All extends NamedTypes> = TargetByKind<F['link'], All>[F['link']['kind']]

interface TargetByKind<Link extends FieldLink, All extends NamedTypes> {
  readonly given: TypesOfTarget<Link['target']>
  readonly named: NamedTarget<Extract<All, { readonly name: Link['target'] }>>
  readonly plain: NoTarget
  readonly computed: NoTarget
  readonly key: NoTarget
  readonly parts: PartsTarget<Link['target']>
}

/** The fields of an object, each with a column of its own: paths lead through it. */
interface PartsTarget<Parts> extends TargetTypes {
  readonly fields: Extract<Parts, AnyRecords>
  readonly wire: undefined
}

type NamedTarget<Target extends NamedTypes> = [Target] extends [never] ? UnknownTarget : Target

/** That of a field which refers to no resource: no path leads through it. */
interface NoTarget extends TargetTypes {
  readonly fields: Readonly<Record<never, never>>
  readonly wire: undefined
}

/**
 * The field to which a path such as `customer.country` leads: unknown if the compiler does not know a resource on the way, and
 * never if there is no such field.
 */
export type FieldAt<R extends AnyRecords, Path extends string, All extends NamedTypes> = string extends keyof R
  ? unknown
  : Path extends keyof R
    ? R[Path]
    : Path extends `${infer First extends keyof R & string}.${infer Rest}`
      ? FieldAt<FieldsOfTarget<R[First], All>, Rest, All>
      : never

/** The name of a path on the wire: `customer__country`. */
type PathOnWire<
  T extends Pick<TargetTypes, 'fields' | 'wire'>,
  Path extends string,
  All extends NamedTypes,
> = string extends keyof T['fields']
  ? Underscored<Path>
  : Path extends `${infer First extends keyof T['fields'] & string}.${infer Rest}`
    ? `${WireName<T['wire'], First> & string}__${PathOnWire<TargetOf<T['fields'][First], All>, Rest, All>}`
    : WireName<T['wire'], Path> & string

type Underscored<Path extends string> = Path extends `${infer First}.${infer Rest}`
  ? `${First}__${Underscored<Rest>}`
  : Path

/** The parameters of the filters of a list. `All`: the resources to which its fields refer by name. */
export type FilterParameters<T extends FilteredTypes, All extends NamedTypes> = {
  readonly [P in ParameterOf<T, T['filters'], Resolved<T['fields'], All>, All> as P['name'] & string]?: P['value']
}

interface FilteredTypes extends TargetTypes {
  readonly filters: FilterDeclarations
}

type ParameterOf<T extends TargetTypes, Filters, R extends AnyRecords, All extends NamedTypes> = {
  [Name in keyof Filters & string]: Filters[Name] extends true | readonly Lookup[]
    ? Name extends keyof R
      ? LookupParameter<T['wire'], Name, R[Name], LookupOf<Filters[Name]>>
      : LookupParameter<
          undefined,
          PathOnWire<T, Name, All>,
          FoundField<FieldAt<R, Name, All>, All>,
          LookupOf<Filters[Name]>
        >
    : Filters[Name] extends NamedLookups
      ? NamedLookupParameter<Filters[Name], Name extends keyof R ? R[Name] : FoundField<FieldAt<R, Name, All>, All>>
      : CustomParameter<Name, Filters[Name]>
}[keyof Filters & string]

type LookupOf<Declared> = Declared extends readonly (infer Each)[] ? Each : 'exact'

/** The parameter of a lookup. The compiler finds its name and its type when they are needed. */
type LookupParameter<Wire, Name, F extends AnyRecord, Each> = Each extends 'exact'
  ? ExactParameter<Wire, Name, F>
  : SuffixedParameter<Wire, Name, F, Each>

interface ExactParameter<Wire, Name, F extends AnyRecord> {
  readonly name: WireName<Wire, Name>
  readonly value: LookupValues<ComparedValue<F>>['exact']
}

interface SuffixedParameter<Wire, Name, F extends AnyRecord, Each> {
  readonly name: `${WireName<Wire, Name> & string}__${Each & string}`
  readonly value: LookupValues<ComparedValue<F>>[Each & Lookup]
}

type NamedLookupParameter<Names, F extends AnyRecord> = {
  [Each in keyof Names & Lookup]: { readonly name: Names[Each]; readonly value: LookupValues<ComparedValue<F>>[Each] }
}[keyof Names & Lookup]

type FoundField<Found, All extends NamedTypes> = Found extends AnyRecord ? ResolvedField<Found, All> : ScalarRecord

/** The field of a resource that the compiler does not know. */
interface ScalarRecord extends AnyRecord {
  readonly taken: string | number | boolean
}

interface CustomParameter<Name, Declared> {
  readonly name: Name
  readonly value: Declared extends CustomFilter<infer Value> ? Value : string
}

/** The value that a filter compares: one item of a list. */
type ComparedValue<F extends AnyRecord> = ItemOf<ValueOf<F>>

type ItemOf<Value> = Value extends readonly (infer Item)[] ? Item : Value

/** The types of a parameter by its lookup. */
type LookupValues<Value> = {
  readonly [Each in Lookup]: LookupValue<PositiveOf<Each>, Value>
}

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

/** The parameters of an order: a path through relations is written with `__`. */
export type OrderingName<T extends TargetTypes, Name extends string, All extends NamedTypes> =
  | WireName<T['wire'], Name & keyof T['fields']>
  | PathName<T, Exclude<Name, keyof T['fields']>, All>

type PathName<T extends TargetTypes, Path extends string, All extends NamedTypes> = Path extends string
  ? PathOnWire<T, Path, All>
  : never
