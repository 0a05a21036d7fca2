// The fields that an application declares, and the types of their values.

import type { $ZodType, input, output } from 'zod/v4/core'
import type { Key, KeyTypes } from '../keys/key.ts'
import { checkBounds, checkDefault, checkFieldMessages } from './check-field.ts'
import { checkIsField } from './check-is-field.ts'
import { completeField } from './complete-field.ts'
import type { Field, Fields } from './field.ts'
import type { AnyRecords, FieldRecord, FieldTypes, Joined, Unlinked } from './field-types.ts'
import { type FieldLike, isSchema, type SchemaTrait, zodField } from './schema-fields/zod-field.ts'

/** Declared fields: each is a field or a plain Zod schema. */
export type DeclaredFields = Readonly<Record<string, FieldLike>>

/** The types of declared fields. `K`: of the key of their resource. */
export type FieldRecords<F extends DeclaredFields, K extends KeyTypes = KeyTypes> = {
  readonly [Name in keyof F]: RecordOf<F[Name], K>
}

// No type parameter but these two, so that the compiler does this once for all fields with the same types.
type RecordOf<F, K extends KeyTypes> = F extends { readonly '~types'?: infer T extends FieldTypes }
  ? T extends KeyFieldTypes
    ? FieldRecord<FieldTypes<K['value'], K['shown'], K['taken'], 'fixed' | 'key' | KeyPresence<K>, Unlinked>>
    : FieldRecord<T>
  : F extends $ZodType
    ? FieldRecord<FieldTypes<output<F>, output<F>, Exclude<input<F>, undefined>, SchemaTrait<F>, Unlinked>>
    : never

type KeyPresence<K extends KeyTypes> = undefined extends K['taken'] ? 'optional' : never

interface KeyFieldTypes {
  readonly link: { readonly kind: 'key' }
}

/** The values that a request body set, by field. */
export type Values<R extends AnyRecords = AnyRecords> = {
  readonly [Name in keyof R as R[Name] extends NotTaken ? never : Name]?: R[Name]['value']
}

/** A field that no body contains. */
export interface NotTaken {
  readonly takes: 'never'
}

/** The values of a request body whose absent fields have their defaults, by field. */
export type FilledValues<R extends AnyRecords> = PartlyOptional<R, OmittableName<R>>

/** The values of a request body that changes what exists: absent fields keep their values. */
export type ReplacedValues<R extends AnyRecords> = PartlyOptional<R, AbsentName<R>>

type PartlyOptional<R extends AnyRecords, Optional> = Joined<
  { readonly [Name in Exclude<TakenName<R>, Optional>]: R[Name]['value'] } & {
    readonly [Name in Extract<TakenName<R>, Optional>]?: R[Name]['value']
  }
>

type TakenName<R extends AnyRecords> = { [Name in keyof R]: R[Name] extends NotTaken ? never : Name }[keyof R]

/** The fields that may have no value, even when defaults replace absent ones. */
type OmittableName<R extends AnyRecords> = {
  [Name in keyof R]: [R[Name]['trait'] & ('omittable' | 'conditional')] extends [never] ? never : Name
}[keyof R]

type AbsentName<R extends AnyRecords> = {
  [Name in keyof R]: [R[Name]['trait'] & ('optional' | 'fixed' | 'conditional')] extends [never] ? never : Name
}[keyof R]

/**
 * The values of an object after the write: those that the request body sets, and the unchanged ones. A write-only field
 * or a to-many relation is present only if the body contains it.
 */
export type CompleteValues<R extends AnyRecords> = 'sometimes' extends R[keyof R]['hooks']
  ? Joined<LoadedValues<R> & GivenValues<R>>
  : LoadedValues<R>

type LoadedValues<R extends AnyRecords> = {
  readonly [Name in keyof R as R[Name] extends Loaded ? Name : never]: R[Name]['value']
}

type GivenValues<R extends AnyRecords> = {
  readonly [Name in keyof R as R[Name] extends Given ? Name : never]?: R[Name]['value']
}

interface Loaded {
  readonly hooks: 'always'
}

interface Given {
  readonly hooks: 'sometimes'
}

/** Converts Zod schemas to fields and checks each field. Errors begin with `owner`, such as `resource "books"`. */
export function createFields(fields: DeclaredFields, owner: string): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, createField(field, owner, name)]))
}

/** Completes the fields `key()` for the key of their resource. */
export const completeKeyFields = (fields: Fields, key: Key): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, completeField(field, 'forKey', key)]))

function createField(field: FieldLike, owner: string, name: string): Field {
  checkIsField(field, `${owner}: field "${name}"`)
  try {
    const declared: Field = isSchema(field) ? zodField(field) : field
    const created: Field = completeField(declared, 'forName', name)
    checkBounds(created)
    checkFieldMessages(created)
    // An asynchronous check of a default is awaited when the API is mounted (checkDefaults).
    const checking = checkDefault(created)
    if (checking instanceof Promise) checking.catch(() => undefined)
    return created
  } catch (error) {
    throw new Error(`${owner}: field "${name}": ${(error as Error).message}`)
  }
}
