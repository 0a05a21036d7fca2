// The types of fields: in hooks, in responses and in request bodies. They exist only for the compiler.

/**
 * Properties of a field that the types of bodies and representations follow. `optional`: a body need not contain it.
 * `omittable`: it then has no value, because it has no default and is not nullable. `fixed`: a body gives it when the object
 * is created, and never again. `key`: it is the key of its resource. `many`: it is stored as rows of another table. `conditional`:
 * not every caller sees it. `unique`: no two objects have the same value.
 */
export type FieldTrait = 'optional' | 'omittable' | 'fixed' | 'key' | 'many' | 'conditional' | 'unique'

/** The types of a field. */
export interface FieldTypes<
  out Value = unknown,
  out Shown = unknown,
  out Taken = unknown,
  out Trait extends FieldTrait = FieldTrait,
  out Link extends FieldLink = FieldLink,
> {
  /** The type in hooks and in the database. */
  readonly value: Value
  /** The type in responses; `never` for a write-only field. */
  readonly shown: Shown
  /** The type in request bodies; `never` for a read-only field. */
  readonly taken: Taken
  readonly trait: Trait
  readonly link: Link
}

/**
 * The kind of a field's link. `plain`: the field refers to no resource. `computed`: it refers to no resource, and no column stores
 * it. `key`: it has the types of its resource's key. `parts`: columns store its parts, whose
 * records are the target. `given`: it refers to the resource `Target`. `named`: it refers to the
 * resource with the name `Target`.
 */
export type LinkKind = 'plain' | 'computed' | 'key' | 'parts' | 'given' | 'named'

/**
 * The resource to which a field refers, whether it shows objects in any case (`nested`) or the database stores `microseconds`, its column if that has another name,
 * and the option `source`. Each is null if there is none.
 */
export interface FieldLink<
  out Kind extends LinkKind = LinkKind,
  out Target = unknown,
  out Form = unknown,
  out Column = unknown,
  out Source = unknown,
> {
  readonly kind: Kind
  readonly target: Target
  readonly form: Form
  readonly column: Column
  readonly source: Source
}

/** The link of most fields. */
export interface Unlinked extends FieldLink<'plain', null, null, null, null> {}

/** The link of a field that no column stores. */
export interface Computed extends FieldLink<'computed', null, null, null, null> {}

/** The link of a field that refers to a resource, or to one of the name `Target`. */
export type RelatedTo<Target, Form extends 'value' | 'nested', Column = null> = Target extends string
  ? FieldLink<'named', Target, Form, Column, null>
  : FieldLink<'given', Target, Form, Column, null>

/**
 * A field in the types of its resource: its own types, and what follows from them. The compiler computes this once for all fields
 * with the same types, so that a further field costs little.
 */
export interface FieldRecord<T extends FieldTypes = FieldTypes> {
  readonly value: T['value']
  readonly shown: T['shown']
  readonly taken: T['taken']
  readonly trait: T['trait']
  readonly link: T['link']
  /** Which callers see it. */
  readonly shows: [T['shown']] extends [never] ? 'never' : 'conditional' extends T['trait'] ? 'sometimes' : 'always'
  /** Whether a body contains it. */
  readonly takes: [T['taken']] extends [never] ? 'never' : 'optional' extends T['trait'] ? 'sometimes' : 'always'
  /** True: a body that changes the object need not repeat its value. */
  readonly isFixed: [T['taken']] extends [never] ? false : 'fixed' extends T['trait'] ? true : false
  /**
   * Whether the values of a write contain it. No stored value is loaded for a write-only field, nor for the rows of another
   * table.
   */
  readonly hooks: [T['taken']] extends [never]
    ? 'never'
    : [T['shown']] extends [never]
      ? 'sometimes'
      : 'many' extends T['trait']
        ? 'sometimes'
        : T['link']['kind'] extends 'computed'
          ? 'sometimes'
          : 'always'
  readonly isKey: 'key' extends T['trait'] ? true : false
  /** True: its value names one object, so URLs and relations may contain it. */
  readonly isIdentifier: [T['shown']] extends [never]
    ? false
    : 'conditional' extends T['trait']
      ? false
      : 'unique' extends T['trait']
        ? true
        : [T['taken']] extends [never]
          ? false
          : 'key' extends T['trait']
            ? true
            : false
  /** The column that stores it: `*` stands for the name of the field; null if there is none. */
  readonly column: 'many' extends T['trait']
    ? null
    : T['link']['column'] extends string
      ? T['link']['column']
      : T['link']['kind'] extends 'plain'
        ? '*'
        : T['link'] extends { readonly kind: 'given' | 'named'; readonly form: 'value' }
          ? '*_id'
          : null
}

type Part = 'never' | 'sometimes' | 'always'

/** Any {@link FieldRecord}. */
export interface AnyRecord extends FieldTypes {
  readonly shows: Part
  readonly takes: Part
  readonly isFixed: boolean
  readonly hooks: Part
  readonly isKey: boolean
  readonly isIdentifier: boolean
  readonly column: unknown
}

/** The fields whose value names one object. */
export type IdentifierName<R extends AnyRecords> = {
  [Name in keyof R]: R[Name]['isIdentifier'] extends true ? Name : never
}[keyof R]

/** The fields of a resource, by name. */
export type AnyRecords = Readonly<Record<string, AnyRecord>>

/** `null` if the options of a field contain `nullable: true`. */
export type NullOf<Options> = Options extends { readonly nullable: true } ? null : never

/** The traits of a field with these options. */
export type TraitOf<Options> =
  | PresenceOf<Options>
  | (Options extends { readonly fixed: true } ? 'fixed' : never)
  | ConditionalOf<Options>
  | (Options extends { readonly unique: unknown } ? 'unique' : never)

/** `conditional` if the options of a field contain `visible`. */
export type ConditionalOf<Options> = Options extends { readonly visible: unknown } ? 'conditional' : never

/** The traits of a field with these options in a body that need not contain it. */
export type PresenceOf<Options> = Options extends { readonly required: true }
  ? never
  : Options extends { readonly nullable: true } | { readonly default: unknown }
    ? 'optional'
    : Options extends { readonly required: false }
      ? 'optional' | 'omittable'
      : never

/** Options without misspelt names: an unknown name is a compile error at that name. */
export type KnownOptions<Options extends Known, Known extends object> = Options & {
  readonly [Name in Exclude<keyof Options, keyof Known>]: never
}

/** Stands for the type of the resource's own key, which the field `key()` has. */
export interface OwnKey {
  readonly type: 'own key'
}

/** Stands for the type of related objects whose resource a field only names; `Form` is what it contains of them. */
export interface NamedReference<out Name extends string = string, out Form extends ReferenceForm = ReferenceForm> {
  readonly type: 'named reference'
  readonly name: Name
  readonly form: Form
}

/**
 * The part of a related object that a field contains: its key, the value of one field, some fields, all fields, or the body that
 * writes it.
 */
export type ReferenceForm =
  | { readonly kind: 'key' }
  | { readonly kind: 'by'; readonly field: string }
  | { readonly kind: 'fields'; readonly names: string }
  | { readonly kind: 'all' }
  | { readonly kind: 'body'; readonly names: string | undefined }

/** Whether a field has this trait. */
export type HasTrait<F extends AnyRecord, Trait extends FieldTrait> = Trait extends F['trait'] ? true : false

/** An intersection of objects as one object. */
export type Joined<Parts> = { [Name in keyof Parts]: Parts[Name] }

/** The JSON object with these fields in a response. */
export type ShownFields<R extends AnyRecords> = [R[keyof R]['shows']] extends ['always']
  ? { readonly [Name in keyof R]: R[Name]['shown'] }
  : AlwaysShown<R> & SometimesShown<R> extends infer Shown
    ? { [Name in keyof Shown]: Shown[Name] }
    : never

type AlwaysShown<R extends AnyRecords> = {
  readonly [Name in keyof R as R[Name] extends ShownAlways ? Name : never]: R[Name]['shown']
}

type SometimesShown<R extends AnyRecords> = {
  readonly [Name in keyof R as R[Name] extends ShownSometimes ? Name : never]?: R[Name]['shown']
}

export interface ShownAlways {
  readonly shows: 'always'
}

export interface ShownSometimes {
  readonly shows: 'sometimes'
}

/** The JSON object with these fields in the body of a create. */
export type TakenFields<R extends AnyRecords> = AlwaysTaken<R> & SometimesTaken<R> extends infer Body
  ? { [Name in keyof Body]: Body[Name] }
  : never

type AlwaysTaken<R extends AnyRecords> = {
  readonly [Name in keyof R as R[Name] extends TakenAlways ? Name : never]: R[Name]['taken']
}

type SometimesTaken<R extends AnyRecords> = {
  readonly [Name in keyof R as R[Name] extends TakenSometimes ? Name : never]?: R[Name]['taken']
}

interface TakenAlways {
  readonly takes: 'always'
}

interface TakenSometimes {
  readonly takes: 'sometimes'
}

/** The body of a child with these fields: a new child, or the key of one and its changes. */
export type ChildBody<R extends AnyRecords> = TakenFields<R> | ChangedChild<R>

/** The key, if a body may leave it out. */
type MadeKeyName<R extends AnyRecords> = { [Name in keyof R]: R[Name] extends MadeKey ? Name : never }[keyof R]

interface MadeKey {
  readonly isKey: true
  readonly takes: 'never' | 'sometimes'
}

type ChangedChild<R extends AnyRecords> = [MadeKeyName<R>] extends [never]
  ? never
  : Joined<{ readonly [Name in MadeKeyName<R>]: R[Name]['shown'] } & Partial<TakenFields<R>>>
