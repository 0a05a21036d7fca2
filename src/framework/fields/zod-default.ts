// The default of a schema: Zod takes it as it is, so whether the schema would refuse it is asked here, at start.

import { type $ZodType, safeParse } from 'zod/v4/core'
import { refusedDefault } from './check-field.ts'

/** What is looked at in the definition of a schema. */
interface Definition {
  readonly type: string
  readonly innerType?: $ZodType
  readonly in?: $ZodType
  readonly out?: $ZodType
  readonly defaultValue?: unknown
}

const definitionOf = (schema: $ZodType): Definition => schema._zod.def as Definition

/** Throws if the schema refuses its own default. A schema whose checks take their time is not asked. */
export function checkSchemaDefault(schema: $ZodType): void {
  const { type, innerType, in: source, defaultValue } = definitionOf(schema)
  if (type === 'default') checkValue(resultOf(innerType!), defaultValue)
  else if (type === 'prefault') checkValue(innerType!, defaultValue)
  else if (innerType !== undefined) checkSchemaDefault(innerType)
  else if (source !== undefined) checkSchemaDefault(source)
}

// A default stands for what the schema makes, not for what it takes; what a transform makes has no schema.
function resultOf(schema: $ZodType): $ZodType | undefined {
  const { type, out } = definitionOf(schema)
  if (type === 'transform') return undefined
  return out === undefined ? schema : resultOf(out)
}

function checkValue(schema: $ZodType | undefined, value: unknown): void {
  if (schema === undefined) return
  const { success, error } = attempt(schema, value)
  if (success) return
  throw refusedDefault(
    value,
    error!.issues.map(({ message }) => message),
  )
}

/** Asks a schema at once; one whose checks take their time succeeds. */
export function attempt(schema: $ZodType, value: unknown): ReturnType<typeof safeParse> {
  try {
    return safeParse(schema, value)
  } catch {
    return { success: true, data: undefined }
  }
}
