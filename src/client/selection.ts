// The types of responses to requests with `fields`, `omit` and `expand`.

import type { AnyRecord, FieldPath, NamedParameter, OnWire, ResourceTypes, Shown, TargetOf, WireName } from '#core'

/** The names that a request selects. They are those on the wire. */
export type Selection<Field, Omitted, Expanded, Names = never, Set extends string = never, Chosen = boolean> = {
  /** Only these fields are shown; a path such as `author.name` chooses inside an object. */
  readonly [Name in NamedParameter<Names, 'fields'>]?: readonly Field[]
} & {
  /** These fields are not shown. */
  readonly [Name in NamedParameter<Names, 'omit'>]?: readonly Omitted[]
} & {
  /** These relations are shown as objects. */
  readonly [Name in NamedParameter<Names, 'expand'>]?: readonly Expanded[]
} & {
  /** Only the fields of the set are shown. */
  readonly [Name in Set]?: Chosen
}

/** The names of the sets of fields; never without one. */
export type SetName<T extends ResourceTypes> = [T['operations']['fieldSets']] extends [never]
  ? never
  : keyof T['operations']['fieldSets'] & string

/** The fields that a request with these names shows; never for all. `Chosen`: true if it chooses a set. */
export type FieldsOf<T extends ResourceTypes, Field, Chosen> = [Field] extends [never]
  ? true extends Chosen
    ? WireName<T['wire'], NamesInSets<T['operations']['fieldSets']>>
    : never
  : Field

type NamesInSets<Sets> = Sets[keyof Sets] extends readonly (infer Name)[] ? Name : never

/** The names of the fields that requests may select; never if the resource has no `sparseFields`. */
export type FieldPaths<T extends ResourceTypes, Action extends string> = true extends T['operations']['sparse']
  ? FieldPath<keyof Shown<T, Action> & string>
  : never

/** The paths of the relations that requests may expand. `All`: the resources of the API. */
export type ExpandPaths<T extends ResourceTypes, All extends ResourceTypes> = [T['operations']['expandable']] extends [
  never,
]
  ? never
  : ExpandPath<T, T['operations']['expandable'], All>

type Target = Pick<ResourceTypes, 'fields' | 'wire'>

// A path leads through its first relation, which can be expanded alone, unless its objects are shown anyway.
type ExpandPath<
  T extends Target,
  Path extends string,
  All extends ResourceTypes,
  Prefix extends string = '',
> = Path extends `${infer First}.${infer Rest}`
  ?
      | (IsNested<T['fields'][First]> extends true ? never : `${Prefix}${WireName<T['wire'], First> & string}`)
      | ExpandPath<Related<T['fields'][First], All>, Rest, All, `${Prefix}${WireName<T['wire'], First> & string}.`>
  : `${Prefix}${WireName<T['wire'], Path> & string}`

type Related<F extends AnyRecord, All extends ResourceTypes> =
  TargetOf<F, All> extends infer T extends ResourceTypes ? T : ResourceTypes

type IsNested<F extends AnyRecord> = [F['link']['form']] extends ['nested'] ? true : false

/** An object with the selected fields and relations. */
export type Selected<Value, T extends ResourceTypes, All extends ResourceTypes, Field, Omitted, Expand> = [
  Field | Omitted | Expand,
] extends [never]
  ? Value
  : WithoutFields<OnlyFields<Expanded<Value, T, All, Expand>, Field>, Omitted>

type First<Path> = Path extends `${infer Name}.${string}` ? Name : Path
type Rest<Path, Name> = Path extends `${Name & string}.${infer Below}` ? Below : never

type Expanded<Value, T extends Target, All extends ResourceTypes, Path> = [Path] extends [never]
  ? Value
  : {
      readonly [Name in keyof Value]: Name extends First<Path>
        ? ExpandedValue<Value[Name], FieldOnWire<T, Name>, All, Rest<Path, Name>>
        : Value[Name]
    }

type FieldOnWire<T extends Target, Name> =
  OnWire<T['wire'], T['fields']> extends infer Fields
    ? Name extends keyof Fields
      ? Fields[Name] extends AnyRecord
        ? Fields[Name]
        : never
      : never
    : never

type ExpandedValue<Value, F extends AnyRecord, All extends ResourceTypes, Below> =
  IsNested<F> extends true
    ? ExpandedItems<Value, Related<F, All>, All, Below>
    : Reshaped<Value, Expanded<Shown<Related<F, All>, 'retrieve', All>, Related<F, All>, All, Below>>

type ExpandedItems<Value, T extends Target, All extends ResourceTypes, Path> = Value extends readonly (infer Item)[]
  ? readonly Expanded<Item, T, All, Path>[]
  : Value extends null
    ? null
    : Expanded<Value, T, All, Path>

/** The object in the place of a key: in a list, or nullable. */
type Reshaped<Value, Object> = [Value] extends [readonly unknown[]]
  ? readonly Object[]
  : null extends Value
    ? Object | null
    : Object

type OnlyFields<Value, Path> = [Path] extends [never]
  ? Value
  : {
      readonly [Name in keyof Value as Name extends First<Path> ? Name : never]: Name extends Path
        ? Value[Name]
        : OnlyFieldsOf<Value[Name], Rest<Path, Name>>
    }

type OnlyFieldsOf<Value, Path> = Value extends readonly (infer Item)[]
  ? readonly OnlyFields<Item, Path>[]
  : Value extends null
    ? null
    : OnlyFields<Value, Path>

type WithoutFields<Value, Path> = [Path] extends [never]
  ? Value
  : {
      readonly [Name in keyof Value as Name extends Path ? never : Name]: WithoutFieldsOf<Value[Name], Rest<Path, Name>>
    }

type WithoutFieldsOf<Value, Path> = [Path] extends [never]
  ? Value
  : Value extends readonly (infer Item)[]
    ? readonly WithoutFields<Item, Path>[]
    : Value extends null
      ? null
      : WithoutFields<Value, Path>
