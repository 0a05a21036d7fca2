// The fields that an application declares, and the types of their values.

import type { $ZodType, input, output } from 'zod/v4/core'
import type { Key, KeyTypes } from '../keys/key.ts'
import { checkBounds, checkDefault, checkFieldMessages } from './check-field.ts'
import { checkIsField } from './check-is-field.ts'
import { completeField } from './complete-field.ts'
import type { Field, FieldDefinition, Fields } from './field.ts'
import type { FieldTrait, HasTrait, Joined, OwnKey, ShownBy, TakenBy } from './field-types.ts'
import { type FieldLike, isSchema, type ZodField, zodField } from './schema-fields/zod-field.ts'

/** Declared fields: each is a field or a plain Zod schema. */
export type DeclaredFields = Readonly<Record<string, FieldLike>>

/** Declared fields, with those that are created from Zod schemas, and those that follow the key of the resource. */
export type CreatedFields<F extends DeclaredFields, K extends KeyTypes = KeyTypes> = {
  readonly [Name in keyof F]: F[Name] extends $ZodType ? ZodField<F[Name]> : CreatedField<F[Name], K>
}

type CreatedField<F, K extends KeyTypes> = [ShownBy<F>] extends [never]
  ? F
  : [ShownBy<F>] extends [OwnKey]
    ? Field<K['value'], K['shown'], K['taken'], 'fixed' | 'key'>
    : F

type ValueOf<F> = F extends FieldDefinition<infer Value> ? Value : F extends $ZodType ? output<F> : never

type IsWritten<F> = F extends $ZodType ? true : [TakenBy<F>] extends [never] ? false : true

// No stored value is loaded for a write-only field, nor for the rows of another table.
type IsComplete<F> = F extends $ZodType
  ? true
  : [ShownBy<F>] extends [never]
    ? false
    : HasTrait<F, 'many'> extends true
      ? false
      : true

/** The values that a request body set, by field. */
export type Values<F extends DeclaredFields = Fields> = {
  readonly [Name in keyof F as IsWritten<F[Name]> extends true ? Name : never]?: ValueOf<F[Name]>
}

/** The values of a request body whose absent fields have their defaults, by field. */
export type FilledValues<F extends DeclaredFields> = WrittenValues<F, OmittableName<F>>

/** The values of a request body that changes what exists: absent fields keep their values. */
export type ReplacedValues<F extends DeclaredFields> = WrittenValues<F, AbsentName<F>>

type WrittenValues<F extends DeclaredFields, Optional> = Joined<
  { readonly [Name in Exclude<WrittenName<F>, Optional>]: ValueOf<F[Name]> } & {
    readonly [Name in Extract<WrittenName<F>, Optional>]?: ValueOf<F[Name]>
  }
>

type WrittenName<F> = { [Name in keyof F]: IsWritten<F[Name]> extends true ? Name : never }[keyof F]

/** The fields that may have no value, even when defaults replace absent ones. */
type OmittableName<F> = {
  [Name in keyof F]: F[Name] extends $ZodType
    ? undefined extends output<F[Name]>
      ? Name
      : never
    : HasOneOf<F[Name], 'omittable' | 'conditional', Name>
}[keyof F]

type AbsentName<F> = {
  [Name in keyof F]: F[Name] extends $ZodType
    ? undefined extends input<F[Name]>
      ? Name
      : never
    : HasOneOf<F[Name], 'optional' | 'fixed' | 'conditional', Name>
}[keyof F]

type HasOneOf<F, Trait extends FieldTrait, Name> = true extends { [T in Trait]: HasTrait<F, T> }[Trait] ? Name : never

/**
 * The values of an object after the write: those that the request body sets, and the unchanged ones. A write-only field
 * or a to-many relation is present only if the body contains it.
 */
export type CompleteValues<F extends DeclaredFields> = Joined<
  { readonly [Name in CompleteName<F>]: ValueOf<F[Name]> } & {
    readonly [Name in Exclude<WrittenName<F>, CompleteName<F>>]?: ValueOf<F[Name]>
  }
>

type CompleteName<F> = {
  [Name in keyof F]: IsWritten<F[Name]> extends true ? (IsComplete<F[Name]> extends true ? Name : never) : never
}[keyof F]

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
