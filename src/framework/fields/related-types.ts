// The types of relations: what they show and take of the related resource, which a field gives or names.

import type { KeyTypes, KeyValue } from '../keys/key.ts'
import type { NamedReference, ShownBy, ShownFields } from './field-types.ts'
import type { OnWire } from './wire-names.ts'

/** The types of a related resource. */
interface TargetTypes {
  readonly key: KeyTypes
  readonly fields: object
  readonly wire: unknown
}

type TypesOf<Target> = Target extends { readonly '~types'?: infer Types extends TargetTypes } ? Types : TargetTypes

/** The key of a related object in hooks and in the database. */
export type TargetKey<Target> = Target extends string ? KeyValue : TypesOf<Target>['key']['value']

/** What stands for a related object: its key, or the value of the field `by`. */
type Identified<Target, Options> = Target extends string
  ? NamedReference<
      Target,
      Options extends { readonly by: infer Name extends string } ? { kind: 'by'; field: Name } : { kind: 'key' }
    >
  : Options extends { readonly by: infer Name extends string }
    ? ShownBy<FieldNamed<Target, Name>>
    : TypesOf<Target>['key']['shown']

type FieldNamed<Target, Name extends string> =
  TypesOf<Target>['fields'] extends Readonly<Record<Name, infer Field>> ? Field : never

/** An object with some of the fields of the related resource, or all of them. */
export type ShownObject<Target, Names extends string | undefined> = Target extends string
  ? NamedReference<Target, [Names] extends [string] ? { kind: 'fields'; names: Names } : { kind: 'all' }>
  : OnWire<
      TypesOf<Target>['wire'],
      ShownFields<
        [Names] extends [string]
          ? Pick<TypesOf<Target>['fields'], Names & keyof TypesOf<Target>['fields']>
          : TypesOf<Target>['fields']
      >
    >

/** The option that says what a relation takes. */
type TakenForm<Options> = Options extends { readonly takes: infer Form }
  ? Form
  : Options extends { readonly form: infer Form }
    ? Form
    : undefined

/** The option that says what a relation shows. */
type ShownForm<Options> = Options extends { readonly shows: infer Form }
  ? Form
  : Options extends { readonly form: infer Form }
    ? Form
    : TakenForm<Options>

/** What the body of a relation contains for an object. */
export type TakenRelation<Target, Options> = TakenForm<Options> extends 'url' ? string : Identified<Target, Options>

/** What a response contains for a related object. */
export type ShownRelation<Target, Options> =
  ShownForm<Options> extends 'url' | 'text'
    ? string
    : ShownForm<Options> extends readonly (infer Name extends string)[]
      ? ShownObject<Target, Name>
      : Identified<Target, Options>
