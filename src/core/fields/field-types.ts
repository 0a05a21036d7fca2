// The types of fields on the wire: what responses show and what request bodies take. They exist only for the compiler.

/**
 * Properties of a field that the types of bodies and representations follow. `optional`: a body need not contain it.
 * `omittable`: it then has no value, because it has no default and is not nullable. `fixed`: a body gives it when the object
 * is created, and never again. `key`: it is the key of its resource. `many`: it is stored as rows of another table. `conditional`:
 * not every caller sees it.
 */
export type FieldTrait = 'optional' | 'omittable' | 'fixed' | 'key' | 'many' | 'conditional'

/** The types of a field. */
export interface FieldTypes<out Shown = unknown, out Taken = unknown, out Trait extends FieldTrait = FieldTrait> {
  /** The type in responses; `never` for a write-only field. */
  readonly shown: Shown
  /** The type in request bodies; `never` for a read-only field. */
  readonly taken: Taken
  readonly trait: Trait
}

/** A field that refers to a resource, or to one of the name `Target`. */
export interface RelatedTo<out Target, out Form extends 'value' | 'nested' = 'value' | 'nested'> {
  /** Exists only for the compiler. */
  readonly '~related'?: Target
  /** `nested`: the field shows objects anyway. Exists only for the compiler. */
  readonly '~form'?: Form
}

/** `null` if the options of a field contain `nullable: true`. */
export type NullOf<Options> = Options extends { readonly nullable: true } ? null : never

/** The traits of a field with these options. */
export type TraitOf<Options> =
  | PresenceOf<Options>
  | (Options extends { readonly fixed: true } ? 'fixed' : never)
  | ConditionalOf<Options>

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

/** The type of a field in responses; `never` if no response contains it. */
export type ShownBy<F> = F extends { readonly '~types'?: { readonly shown: infer Shown } } ? Shown : never

/** The type of a field in request bodies; `never` if a body cannot set it. */
export type TakenBy<F> = F extends { readonly '~types'?: { readonly taken: infer Taken } } ? Taken : never

type TraitOfField<F> = F extends { readonly '~types'?: { readonly trait: infer Trait } } ? Trait : never

/** Whether a field has this trait. */
export type HasTrait<F, Trait extends FieldTrait> = Trait extends TraitOfField<F> ? true : false

/** An intersection of objects as one object. */
export type Joined<Parts> = { [Name in keyof Parts]: Parts[Name] }

/** The JSON object with these fields in a response. */
export type ShownFields<F> = [ConditionalName<F>] extends [never]
  ? EveryShown<F>
  : Joined<EveryShown<Omit<F, ConditionalName<F>>> & Partial<EveryShown<Pick<F, ConditionalName<F>>>>>

type EveryShown<F> = {
  readonly [Name in keyof F as [ShownBy<F[Name]>] extends [never] ? never : Name]: ShownBy<F[Name]>
}

/** The names of the fields that not every caller sees. */
export type ConditionalName<F> = {
  [Name in keyof F]: HasTrait<F[Name], 'conditional'> extends true ? Name : never
}[keyof F]

/** The JSON object with these fields in a request body. */
export type TakenFields<F> = Joined<
  {
    readonly [Name in keyof F as [TakenBy<F[Name]>] extends [never]
      ? never
      : HasTrait<F[Name], 'optional'> extends true
        ? never
        : Name]: TakenBy<F[Name]>
  } & {
    readonly [Name in keyof F as [TakenBy<F[Name]>] extends [never]
      ? never
      : HasTrait<F[Name], 'optional'> extends true
        ? Name
        : never]?: TakenBy<F[Name]>
  }
>

/** The body of a child with these fields: a new child, or the key of one and its changes. */
export type ChildBody<F> = TakenFields<F> | ChangedChild<F>

// Only `key()` has this trait and is not taken: the service or the database makes the key.
type MadeKeyName<F> = {
  [Name in keyof F]: [TakenBy<F[Name]>] extends [never]
    ? HasTrait<F[Name], 'fixed'> extends true
      ? Name
      : never
    : never
}[keyof F]

type ChangedChild<F> = [MadeKeyName<F>] extends [never]
  ? never
  : Joined<{ readonly [Name in MadeKeyName<F>]: ShownBy<F[Name]> } & Partial<TakenFields<F>>>
