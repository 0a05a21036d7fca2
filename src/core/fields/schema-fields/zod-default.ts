// Checks a schema's default at start, because Zod uses defaults without checking them.

import { type $ZodType, safeParse } from 'zod/v4/core'
import { createDefaultError } from '../check-field.ts'

/** The part of a schema's definition that is read here. */
interface Definition {
  readonly type: string
  readonly innerType?: $ZodType
  readonly in?: $ZodType
  readonly out?: $ZodType
  readonly defaultValue?: unknown
}

const readDefinition = (schema: $ZodType): Definition => schema._zod.def as Definition

/** Throws if the schema rejects its own default. Schemas with asynchronous checks are skipped. */
export function checkSchemaDefault(schema: $ZodType): void {
  const { type, innerType, in: source, defaultValue } = readDefinition(schema)
  if (type === 'default') checkValue(findOutput(innerType!), defaultValue)
  else if (type === 'prefault') checkValue(innerType!, defaultValue)
  else if (innerType !== undefined) checkSchemaDefault(innerType)
  else if (source !== undefined) checkSchemaDefault(source)
}

// A default is an output value, not an input value. Undefined for a transform, because its output has no schema.
function findOutput(schema: $ZodType): $ZodType | undefined {
  const { type, out } = readDefinition(schema)
  if (type === 'transform') return undefined
  return out === undefined ? schema : findOutput(out)
}

function checkValue(schema: $ZodType | undefined, value: unknown): void {
  if (schema === undefined) return
  const { success, error } = parseSync(schema, value)
  if (success) return
  throw createDefaultError(
    value,
    error!.issues.map(({ message }) => message),
  )
}

/** Parses synchronously; returns success for a schema with asynchronous checks. */
export function parseSync(schema: $ZodType, value: unknown): ReturnType<typeof safeParse> {
  try {
    return safeParse(schema, value)
  } catch {
    return { success: true, data: undefined }
  }
}
