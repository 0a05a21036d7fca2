// What the compiler says about names in a declaration that do not fit. Each type is unknown if all is right.

import type { AnyRecords } from '../../fields/field-types.ts'
import type { FieldAt } from './filter-types.ts'

/** The option `lookup`. */
export type LookupMistakes<Lookup, R extends AnyRecords> = [Lookup] extends [never]
  ? unknown
  : string extends Lookup
    ? unknown
    : [R[Lookup & keyof R]['isIdentifier']] extends [true]
      ? unknown
      : { readonly 'a field with the option "unique", which every caller sees': Lookup }

/** The option `source` of fields. */
export type SourceMistakes<R extends AnyRecords> = [R[keyof R]['link']['source']] extends [null]
  ? unknown
  : [WrongSource<R>] extends [never]
    ? unknown
    : { readonly [Name in WrongSource<R>]: { readonly 'no field at the path of "source"': R[Name]['link']['source'] } }

type WrongSource<R extends AnyRecords> = {
  [Name in keyof R]: R[Name]['link']['source'] extends infer Path extends string
    ? [FieldAt<R, Path, never>] extends [never]
      ? Name
      : never
    : never
}[keyof R]
