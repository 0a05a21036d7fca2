// The types of relations: what they show and take of the related resource, which a field gives or names.

import type { KeyTypes, KeyValue } from '../../keys/key.ts'
import type { AnyRecords, ChildBody, IdentifierName, NamedReference, ShownFields } from '../field-types.ts'
import type { OnWire } from '../wire-names.ts'

/** The types of a related resource. */
export interface TargetTypes {
  readonly key: KeyTypes
  readonly fields: AnyRecords
  readonly wire: unknown
}

/** The types of a resource that a relation is given. */
export type TypesOfTarget<Target> = Target extends { readonly '~types'?: infer Types extends TargetTypes }
  ? Types
  : TargetTypes

/** The key of a related object in hooks and in the database. */
export type TargetKey<Target> = Target extends string ? KeyValue : TypesOfTarget<Target>['key']['value']

/** The value that identifies a related object: its key, or the value of the field `by`. */
type Identified<Target, Options> = Target extends string
  ? NamedReference<
      Target,
      Options extends { readonly by: infer Name extends string } ? { kind: 'by'; field: Name } : { kind: 'key' }
    >
  : Options extends { readonly by: infer Name extends string }
    ? TypesOfTarget<Target>['fields'][Name]['shown']
    : TypesOfTarget<Target>['key']['shown']

/** An object with some of the fields of the related resource, or all of them. */
export type ShownObject<Target, Names extends string | undefined> = Target extends string
  ? NamedReference<Target, [Names] extends [string] ? { kind: 'fields'; names: Names } : { kind: 'all' }>
  : OnWire<
      TypesOfTarget<Target>['wire'],
      ShownFields<
        [Names] extends [string]
          ? Pick<TypesOfTarget<Target>['fields'], Names & keyof TypesOfTarget<Target>['fields']>
          : TypesOfTarget<Target>['fields']
      >
    >

/** The body of a related object that is written with the object to which it refers. */
export type TakenObject<Target, Names extends string | undefined> = Target extends string
  ? NamedReference<Target, { kind: 'body'; names: Names }>
  : OnWire<
      TypesOfTarget<Target>['wire'],
      ChildBody<
        [Names] extends [string]
          ? Pick<TypesOfTarget<Target>['fields'], Names & keyof TypesOfTarget<Target>['fields']>
          : TypesOfTarget<Target>['fields']
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

/** The type of a related object in bodies. */
export type TakenRelation<Target, Options> = TakenForm<Options> extends 'url' ? string : Identified<Target, Options>

/** The type of a related object in responses. */
export type ShownRelation<Target, Options> =
  ShownForm<Options> extends 'url' | 'text'
    ? string
    : ShownForm<Options> extends readonly (infer Name extends string)[]
      ? ShownObject<Target, Name>
      : Identified<Target, Options>

/** The mistakes in the options `by` and `shows`; `unknown` without mistakes. */
export type NameMistakes<Target, Options> = [Target] extends [string]
  ? unknown
  : ByMistakes<Target, Options> & FieldMistakes<Target, 'shows', ShownForm<Options>>

type ByMistakes<Target, Options> = Options extends { readonly by: infer Name extends string }
  ? Name extends IdentifierName<TypesOfTarget<Target>['fields']>
    ? unknown
    : {
        readonly by: {
          readonly 'unique fields of the related resource': IdentifierName<TypesOfTarget<Target>['fields']>
        }
      }
  : unknown

/** The mistakes in an option that names fields of the related resource; `unknown` without mistakes. */
export type FieldMistakes<Target, Option extends string, Names> = [Names] extends [readonly (infer Name)[]]
  ? [Name] extends [keyof TypesOfTarget<Target>['fields']]
    ? unknown
    : string extends Name
      ? unknown
      : { readonly [O in Option]: { readonly 'fields of the related resource': keyof TypesOfTarget<Target>['fields'] } }
  : unknown
