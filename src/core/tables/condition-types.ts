// What the compiler knows about conditions: names, lookups and values are compared with the declared tables. Only what is written costs
// the compiler work, since there is no list of all paths.

import type { SqlValue } from '../database/database.ts'
import type { FieldTypes } from '../fields/field-types.ts'
import type { Identity } from '../http/identity.ts'
import type { KeyValue } from '../keys/key.ts'
import type { TableColumnTypes } from './column.ts'
import type { Placeholder } from './condition.ts'
import type { Operands } from './operands.ts'
import type { Table } from './table.ts'

/** The part of a schema that has the tables. */
export interface AnySchema {
  readonly tables: readonly Table[]
}

/** The columns of each table, and the relations that lead to it. The names are any, if the application declares no tables. */
type PathsOf<S extends AnySchema> = PathsByTable<S['tables'][number]>

/** The names of the tables; any, if the application declares none. */
export type TableNameOf<S extends AnySchema> = S['tables'][number]['name']

/**
 * What conditions may name in a table. `reverse`: the tables that refer to it, by the names of these relations. `many`: the joining tables.
 */
interface TablePaths {
  readonly columns: object
  readonly key: unknown
  readonly reverse: object
  readonly many: object
}

// The compiler lists the names of the tables again for each `keyof` of such a type, so nothing below has one, except for a message.
type AnyPaths = Readonly<Record<string, TablePaths>>

type PathsByTable<T extends Table> = {
  [Each in T as Each['name']]: {
    readonly columns: Each['columns']
    readonly key: NonNullable<Each['~key']>['value']
    readonly reverse: ReferencesByTarget<T> extends {
      readonly [Name in Each['name']]: infer References extends NamedReference
    }
      ? FromByName<References>
      : object
    readonly many: NonNullable<Each['~many']>
  }
}

/** A reference to the table `target`, which the other table calls `name`. */
interface NamedReference {
  readonly target: string
  readonly name: string
  readonly from: string
}

type ReferencesByTarget<T extends Table> = { readonly [Each in ReferencesOf<T> as Each['target']]: Each }

type FromByName<Each extends NamedReference> = { readonly [One in Each as One['name']]: One['from'] }

/** The references of these tables. */
export type ReferencesOf<T extends Table> = T extends unknown
  ? WithOrigin<ReferenceIn<T['ownColumns'][keyof T['ownColumns']]>, T['name']>
  : never

type WithOrigin<Each, From extends string> = Each extends AnyReference
  ? {
      readonly target: Each['target']
      readonly name: Each['related'] extends string ? Each['related'] : From
      readonly from: From
    }
  : never

interface AnyReference {
  readonly target: string
  readonly related: string | null
}

/** The reference that a column is; never for others. The compiler finds it once for all columns of a type. */
type ReferenceIn<Column> = Column extends { readonly column: string; readonly '~column'?: infer Types }
  ? Extract<Types, AnyReference>
  : never

/** The names of the relations of these tables. */
export type RelationName<S extends AnySchema, T> = string extends TableNameOf<S> ? string : RelationOf<T, PathsOf<S>>

type RelationOf<T, Paths extends AnyPaths> = T extends string
  ? (keyof (Paths[T]['reverse'] & Paths[T]['many']) & string) | ReferenceName<Paths[T]['columns']>
  : never

type ReferenceName<Columns> = {
  [Name in keyof Columns & string]: [ReferenceIn<Columns[Name]>] extends [never] ? never : Name
}[keyof Columns & string]

/** The tables to which a relation of this name leads from these tables. */
type RelationTarget<Name, T, Paths extends AnyPaths> = T extends string
  ? Name extends keyof Paths[T]['columns']
    ? ReferenceIn<Paths[T]['columns'][Name]>['target']
    : Name extends keyof Paths[T]['reverse']
      ? Paths[T]['reverse'][Name]
      : Name extends keyof Paths[T]['many']
        ? JoinTarget<Paths[T]['many'][Name], T, Paths>
        : never
  : never

/** The table to which a joining table leads from another one. */
type JoinTarget<Each, T, Paths extends AnyPaths> = Each extends { readonly through: infer Join extends string }
  ? Other<ReferenceIn<Paths[Join]['columns'][keyof Paths[Join]['columns']]>['target'], T>
  : never

// Both references may lead to the same table.
type Other<Target, T> = [Exclude<Target, T>] extends [never] ? T : Exclude<Target, T>

/** The tables to which relations lead, by the names of all relations; any names, if the application declares no tables. */
export type TargetsOf<S extends AnySchema> =
  string extends TableNameOf<S> ? Readonly<Record<string, string>> : TargetsByName<S['tables'][number]>

type TargetsByName<T extends Table> = {
  readonly [Each in ReverseTarget<ReferencesOf<T>> | ForwardTarget<T> | ManyTarget<T, T> as Each['name']]: Each['to']
}

type ReverseTarget<Each extends NamedReference> = Each extends unknown
  ? { readonly name: Each['name']; readonly to: Each['from'] }
  : never

type ForwardTarget<T extends Table> = T extends unknown
  ? {
      [Name in ReferenceName<T['columns']>]: {
        readonly name: Name
        readonly to: ReferenceIn<T['columns'][Name]>['target']
      }
    }[ReferenceName<T['columns']>]
  : never

type ManyTarget<T extends Table, All extends Table> = T extends unknown
  ? {
      [Name in keyof NonNullable<T['~many']> & string]: {
        readonly name: Name
        readonly to: Other<
          ReferencesOf<Extract<All, NamedTable<NonNullable<T['~many']>[Name]['through']>>>['target'],
          T['name']
        >
      }
    }[keyof NonNullable<T['~many']> & string]
  : never

interface NamedTable<out Name extends string> {
  readonly name: Name
}

/** The declared names of the columns of these tables; any name if the application declares no tables. */
export type DeclaredName<T, S extends AnySchema> = string extends TableNameOf<S> ? string : ColumnOf<T, PathsOf<S>>

type ColumnOf<T, Paths extends AnyPaths> = T extends string ? keyof Paths[T]['columns'] & string : never

/**
 * True for a union of names. While the compiler infers which table or relation a declaration names, it is the union of all: a check of
 * the condition with all of them would be work for nothing.
 */
export type IsSeveral<Name, All = Name> = Name extends unknown ? ([All] extends [Name] ? false : true) : never

/** `Checked`, for a condition on the rows of one table. */
export type CheckedForTable<C, T, S extends AnySchema, User extends Identity> =
  true extends IsSeveral<T> ? C : Checked<C, T, S, User>

/**
 * A condition on rows of the tables `T`, of which one must have each name: the condition itself, or, if it has mistakes, a type that says
 * what is wrong with which part. It stays as it is if the application declares no tables.
 */
export type Checked<C, T, S extends AnySchema, User extends Identity> = [ConditionMistakes<C, T, S, User>] extends [
  never,
]
  ? C
  : ConditionMistakes<C, T, S, User>

/** The mistakes in a condition; never without mistakes. */
export type ConditionMistakes<C, T, S extends AnySchema, User extends Identity> = string extends
  | TableNameOf<S>
  | keyof C
  ? never
  : Mistakes<C, T, PathsOf<S>, User>

type Mistakes<C, T, Paths extends AnyPaths, User> = [MistakenName<C, T, Paths, User>] extends [never]
  ? never
  : {
      readonly [Name in keyof C]: Name extends MistakenName<C, T, Paths, User>
        ? Mistake<Name, C[Name], T, Paths, User>
        : C[Name]
    }

type MistakenName<C, T, Paths extends AnyPaths, User> = {
  [Name in keyof C]: [Mistake<Name, C[Name], T, Paths, User>] extends [never] ? never : Name
}[keyof C]

/** The mistake in a part of a condition: a type that says it, or the type of the value that it should have. */
type Mistake<Name, Part, T, Paths extends AnyPaths, User> = Name extends 'and' | 'or'
  ? ListMistake<Part, T, Paths, User>
  : Name extends 'not'
    ? PartMistakes<Part, T, Paths, User>
    : Name extends `${infer First}.${infer Rest}`
      ? [RelationTarget<First, T, Paths>] extends [never]
        ? UnknownName<First, T, Paths>
        : Mistake<Rest, Part, RelationTarget<First, T, Paths>, Paths, User>
      : Part extends SqlValue | readonly unknown[] | Placeholder
        ? ValueMistake<Part, Operand<Name, T, Paths>, Name, T, Paths, User>
        : [RelationTarget<Name, T, Paths>] extends [never]
          ? UnknownName<Name, T, Paths>
          : Mistakes<Part, RelationTarget<Name, T, Paths>, Paths, User>

type ListMistake<Parts, T, Paths extends AnyPaths, User> = Parts extends readonly unknown[]
  ? [EachMistakes<Parts[number], T, Paths, User>] extends [never]
    ? never
    : { [Index in keyof Parts]: Corrected<Parts[Index], PartMistakes<Parts[Index], T, Paths, User>> }
  : readonly object[]

type EachMistakes<Part, T, Paths extends AnyPaths, User> = Part extends unknown
  ? PartMistakes<Part, T, Paths, User>
  : never

/** In `and`, `or` and `not`, a property of the caller stands for itself. */
type PartMistakes<Part, T, Paths extends AnyPaths, User> =
  Part extends Placeholder<'caller', infer Property>
    ? CallerMistake<Property, boolean, User>
    : Mistakes<Part, T, Paths, User>

type Corrected<Part, Found> = [Found] extends [never] ? Part : Found

// The names of members are the text of the compiler's message.
type UnknownName<Name, T, Paths extends AnyPaths> = [keyof Paths] extends [T]
  ? { readonly 'no table has such a column, relation or lookup': Name }
  : { readonly [Table in T & string as `the table ${Table} has no such column, relation or lookup`]: Name }

type ValueMistake<Part, Expected, Name, T, Paths extends AnyPaths, User> = [Expected] extends [never]
  ? UnknownName<Name, T, Paths>
  : Part extends Placeholder<'caller', infer Property>
    ? CallerMistake<Property, Expected, User>
    : Part extends Placeholder<'value', infer Value>
      ? Compared<Value, Expected>
      : Part extends Placeholder<'now'>
        ? Compared<string, Expected>
        : [Part] extends [Expected]
          ? never
          : Expected

/** Never, if a value of the type may be one of those that are expected. */
type Compared<Value, Expected> = [Value] extends [Expected]
  ? never
  : [Extract<Expected, Value>] extends [never]
    ? Expected
    : never

type CallerMistake<Property, Expected, User> = [PropertyOf<User, Property>] extends [never]
  ? { readonly 'the caller has no such property': Property }
  : Compared<NonNullable<PropertyOf<User, Property>>, Expected>

// Callers of several types have the properties of each.
type PropertyOf<User, Property> = User extends unknown ? (Property extends keyof User ? User[Property] : never) : never

/** What a column, with a lookup or without one, is compared with; never if no table has it. */
type Operand<Name, T, Paths extends AnyPaths> = T extends string
  ? Name extends keyof Paths[T]['columns']
    ? Operands<ValueOf<Paths[T]['columns'][Name], Paths[T]['key'], Paths>>['exact']
    : LookupOperand<Name, Paths[T], Paths>
  : never

// A name may contain two underscores itself.
type LookupOperand<
  Name,
  Each extends TablePaths,
  Paths extends AnyPaths,
  Before extends string = '',
> = Name extends `${infer First}__${infer Rest}`
  ? `${Before}${First}` extends keyof Each['columns']
    ? OperandOf<Operands<ValueOf<Each['columns'][`${Before}${First}`], Each['key'], Paths>>, Rest>
    : LookupOperand<Rest, Each, Paths, `${Before}${First}__`>
  : never

type OperandOf<All, Lookup> = Lookup extends 'not'
  ? All['exact' & keyof All]
  : Lookup extends `not__${infer Negated extends Exclude<keyof All & string, 'exact' | 'isnull'>}`
    ? All[Negated]
    : Lookup extends keyof All
      ? All[Lookup]
      : never

/** The value of a column; of a reference, the key of the other table. */
type ValueOf<Column, OwnKey, Paths extends AnyPaths> = Column extends {
  readonly '~types'?: infer Types extends FieldTypes
}
  ? Types['link']['kind'] extends 'key'
    ? OwnKey
    : Exclude<Types['value'], null>
  : [ReferenceIn<Column>] extends [never]
    ? Column extends { readonly '~column'?: infer Types extends TableColumnTypes }
      ? Exclude<Types['value'], null>
      : never
    : ReferenceIn<Column>['target'] extends infer Target extends string
      ? Paths[Target]['key']
      : KeyValue
