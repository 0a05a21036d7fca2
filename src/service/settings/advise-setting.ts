// The advice for a setting that does not exist: the setting with the nearest name, in the same part of the schema.

import type * as z from 'zod'
import { adviseName } from '#core'

/** The end of the message, such as `: write "bodySize"`; empty if no name is close. */
export const adviseSetting = (
  schema: z.core.$ZodType,
  { path, keys: [name = ''] }: Pick<z.core.$ZodIssueUnrecognizedKeys, 'path' | 'keys'>,
): string => adviseName(name, Object.keys(findShape(schema, path)))

type Shape = Readonly<Record<string, z.core.$ZodType>>

function findShape(schema: z.core.$ZodType, [name, ...rest]: readonly PropertyKey[]): Shape {
  const shape = readShape(schema)
  if (name === undefined) return shape
  const part = shape[String(name)]
  return part === undefined ? {} : findShape(part, rest)
}

// A default, `nullable` and the like wrap the schema of the value.
function readShape(schema: z.core.$ZodType): Shape {
  const { shape, innerType } = schema._zod.def as { readonly shape?: Shape; readonly innerType?: z.core.$ZodType }
  return shape ?? (innerType === undefined ? {} : readShape(innerType))
}
