// The types of fields that refer to a resource by its name. They depend on the resources that a program gives to the types of
// representations and bodies, because TypeScript does not let two declarations refer to each other.

import type {
  AnyRecord,
  AnyRecords,
  ChildBody,
  NamedReference,
  ReferenceForm,
  ShownFields,
} from '../../fields/field-types.ts'
import type { TargetTypes } from '../../fields/relations/related-types.ts'
import type { OnWire } from '../../fields/wire-names.ts'
import type { KeyValue } from '../../keys/key.ts'

/** The types of a resource that fields may name. */
export interface NamedTypes extends TargetTypes {
  readonly name: string
}

/** The fields, of which those that name a resource have its types; `All` are the resources that they may name. */
export type Resolved<R extends AnyRecords, All extends NamedTypes> = 'named' extends R[keyof R]['link']['kind']
  ? { readonly [Name in keyof R]: ResolvedField<R[Name], All> }
  : R

/** The field; if it names a resource, with the types of that one. */
export type ResolvedField<F extends AnyRecord, All extends NamedTypes> = F extends NamedRecord
  ? ResolvedRecord<F, All>
  : F

interface NamedRecord {
  readonly link: { readonly kind: 'named' }
}

interface ResolvedRecord<F extends AnyRecord, All extends NamedTypes> extends AnyRecord {
  readonly shown: ResolvedType<F['shown'], All>
  readonly taken: ResolvedType<F['taken'], All>
  readonly trait: F['trait']
  readonly shows: F['shows']
  readonly takes: F['takes']
  readonly isFixed: F['isFixed']
  readonly link: F['link']
}

type ResolvedType<Type, All extends NamedTypes> =
  Type extends NamedReference<infer Name, infer Form>
    ? Referred<Extract<All, { readonly name: Name }>, Form>
    : Type extends readonly NamedReference<infer Name, infer Form>[]
      ? readonly Referred<Extract<All, { readonly name: Name }>, Form>[]
      : Type

type Referred<Target extends NamedTypes, Form extends ReferenceForm> = [Target] extends [never]
  ? Form extends { readonly kind: 'key' }
    ? KeyValue
    : unknown
  : Form extends { readonly kind: 'key' }
    ? Target['key']['shown']
    : Form extends { readonly kind: 'by'; readonly field: infer Name extends string }
      ? Target['fields'][Name]['shown']
      : Form extends { readonly kind: 'fields'; readonly names: infer Names extends string }
        ? OnWire<Target['wire'], ShownFields<Pick<Target['fields'], Names>>>
        : Form extends { readonly kind: 'body'; readonly names: infer Names }
          ? OnWire<
              Target['wire'],
              ChildBody<
                Names extends string ? Pick<Target['fields'], Names & keyof Target['fields']> : Target['fields']
              >
            >
          : OnWire<Target['wire'], ShownFields<Target['fields']>>

/** The fields of the resource `Name`, whose references to itself have the type of its own key. */
export type OwnResolved<
  R extends AnyRecords,
  Name extends string,
  Key extends KeyValue,
> = 'named' extends R[keyof R]['link']['kind']
  ? { readonly [N in keyof R]: R[N] extends OwnReference<Name> ? OwnRecord<R[N], Key> : R[N] }
  : R

interface OwnReference<Name extends string> {
  readonly link: { readonly kind: 'named'; readonly target: Name; readonly form: 'value' }
}

interface OwnRecord<F extends AnyRecord, Key extends KeyValue> extends AnyRecord {
  readonly value: F['value'] extends readonly unknown[] ? readonly Key[] : Key | Extract<F['value'], null>
  readonly shown: F['shown']
  readonly taken: F['taken']
  readonly trait: F['trait']
  readonly link: F['link']
  readonly shows: F['shows']
  readonly takes: F['takes']
  readonly isFixed: F['isFixed']
  readonly hooks: F['hooks']
  readonly column: F['column']
}
