// Types whose members are the compiler's messages about mistakes in a declaration. Without mistakes, they are `unknown`.

import type { AnyRecords } from '../../fields/field-types.ts'
import type { Identity } from '../../http/identity.ts'
import type { Permission } from '../../policy/permissions/permission.ts'
import type { AnySchema, IsSeveral, RelationName, TableNameOf } from '../../tables/condition-types.ts'
import type { FieldAt } from './filter-types.ts'

/** The option `permissions`. A permission that is no list is an error that says so. */
export type PermissionList<User extends Identity, Column extends string> =
  | readonly Permission<User, Column>[]
  | LonePermission<User, Column>

// With an index signature, the compiler's message names the wrong item of a list.
interface LonePermission<User extends Identity, Column extends string> extends Permission<User> {
  readonly 'a list: write permissions: [authenticated]': never
  readonly [index: number]: Permission<User, Column>
}

/** The option `lookup`. */
export type LookupMistakes<Lookup, R extends AnyRecords> = [Lookup] extends [never]
  ? unknown
  : string extends Lookup
    ? unknown
    : [Lookup] extends [readonly string[]]
      ? unknown
      : [R[Lookup & keyof R]['isIdentifier']] extends [true]
        ? unknown
        : { readonly 'a field with the option "unique", which every caller sees': Lookup }

/** The option `source` of fields, and the relations of values of related rows. `T`: the table of the resource. */
export type FieldMistakes<R extends AnyRecords, T, S extends AnySchema> = [R[keyof R]['link']['source']] extends [null]
  ? string extends TableNameOf<S>
    ? unknown
    : RelationMistakes<R, T, S>
  : SourceMistakes<R> & RelationMistakes<R, T, S>

type RelationMistakes<R extends AnyRecords, T, S extends AnySchema> =
  string extends TableNameOf<S>
    ? unknown
    : true extends IsSeveral<T>
      ? unknown
      : [Exclude<RelationUsed<R[keyof R]['link']>, RelationName<S, T>>] extends [never]
        ? unknown
        : {
            readonly [Name in WrongRelation<R, RelationName<S, T>>]: {
              readonly [Table in T & string as `the table ${Table} has no such relation`]: R[Name]['link']['target']
            }
          }

type RelationUsed<Link> = Link extends { readonly kind: 'computed'; readonly target: infer Name extends string }
  ? Name
  : never

type WrongRelation<R extends AnyRecords, Known> = {
  [Name in keyof R]: [RelationUsed<R[Name]['link']>] extends [never]
    ? never
    : [Extract<RelationUsed<R[Name]['link']>, Known>] extends [never]
      ? Name
      : never
}[keyof R]

type SourceMistakes<R extends AnyRecords> = [WrongSource<R>] extends [never]
  ? unknown
  : { readonly [Name in WrongSource<R>]: { readonly 'no field at the path of "source"': R[Name]['link']['source'] } }

type WrongSource<R extends AnyRecords> = {
  [Name in keyof R]: R[Name]['link']['source'] extends infer Path extends string
    ? [FieldAt<R, Path, never>] extends [never]
      ? Name
      : never
    : never
}[keyof R]
