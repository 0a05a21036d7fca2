// Fields as an application declares them, and the types of their values.

import type { $ZodType, output } from 'zod/v4/core'
import { checkBounds, checkDefault } from '../fields/check-field.ts'
import type { Field, Fields } from '../fields/field.ts'
import { type FieldLike, isSchema, zodField } from '../fields/zod-field.ts'

/** Fields as they are declared: a plain Zod schema is one too. */
export type DeclaredFields = Readonly<Record<string, FieldLike>>

type ValueOf<F extends FieldLike> = F extends Field<infer V> ? V : F extends $ZodType ? output<F> : never

/** The values that a body gave, by field. */
export type Values<F extends DeclaredFields = Fields> = {
  readonly [Name in keyof F]?: ValueOf<F[Name]> | null
}

/**
 * The values of an object as it will be: those that a body gave, and those that it keeps. A nullable field may be null,
 * and a relation to many is there only where the body names it.
 */
export type Complete<F extends DeclaredFields> = {
  readonly [Name in keyof F]: ValueOf<F[Name]>
}

/** Fields with their schemas made fields; `owner` is whose they are. */
export function completeFields(fields: DeclaredFields, owner: string): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, completeField(field, owner, name)]))
}

function completeField(field: FieldLike, owner: string, name: string): Field {
  try {
    const completed = isSchema(field) ? zodField(field) : field
    checkBounds(completed)
    // A default whose check takes its time is refused when the API is mounted.
    const checking = checkDefault(completed)
    if (checking instanceof Promise) checking.catch(() => undefined)
    return completed
  } catch (error) {
    throw new Error(`${owner}: field "${name}": ${(error as Error).message}`)
  }
}
