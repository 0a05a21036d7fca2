// Types whose members are the compiler's messages about mistakes in a declaration. Without mistakes, they are `unknown`.

import type { AnyRecords } from '../../fields/field-types.ts'
import type { Identity } from '../../http/identity.ts'
import type { Permission } from '../../policy/permissions/permission.ts'
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
