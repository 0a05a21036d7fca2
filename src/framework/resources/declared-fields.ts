// The fields that an application declares, and the types of their values.

import type { $ZodType, output } from 'zod/v4/core'
import { checkBounds, checkDefault } from '../fields/check-field.ts'
import type { Field, Fields } from '../fields/field.ts'
import { type FieldLike, isSchema, zodField } from '../fields/zod-field.ts'

/** Declared fields: each is a field or a plain Zod schema. */
export type DeclaredFields = Readonly<Record<string, FieldLike>>

type FieldValue<F extends FieldLike> =
  F extends Field<infer V, unknown, unknown> ? V : F extends $ZodType ? output<F> : never

/** The values that a request body set, by field. */
export type Values<F extends DeclaredFields = Fields> = {
  readonly [Name in keyof F]?: FieldValue<F[Name]> | null
}

/**
 * The values of an object after the write: those that the request body sets, and the unchanged ones. The value of a
 * nullable field may be null, although its type does not say so. A to-many relation is present only if the body contains
 * it.
 */
export type CompleteValues<F extends DeclaredFields> = {
  readonly [Name in keyof F]: FieldValue<F[Name]>
}

/** Converts Zod schemas to fields and checks each field. Errors begin with `owner`, such as `resource "books"`. */
export function createFields(fields: DeclaredFields, owner: string): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, createField(field, owner, name)]))
}

function createField(field: FieldLike, owner: string, name: string): Field {
  try {
    const created = isSchema(field) ? zodField(field) : field
    checkBounds(created)
    // An asynchronous check of a default is awaited when the API is mounted (checkDefaults).
    const checking = checkDefault(created)
    if (checking instanceof Promise) checking.catch(() => undefined)
    return created
  } catch (error) {
    throw new Error(`${owner}: field "${name}": ${(error as Error).message}`)
  }
}
