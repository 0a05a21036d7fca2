// Describes the input or output of a Zod schema as a field, derived from its JSON Schema.

import { type $ZodType, toJSONSchema } from 'zod/v4/core'
import { describeJsonSchema, type SchemaField, type SchemaKeywords } from './json-schema-field.ts'

/** Describes the schema's input or output; throws for values that JSON cannot represent. */
export function describeSchema(schema: $ZodType, io: 'input' | 'output'): SchemaField {
  try {
    return describeJsonSchema(toJSONSchema(schema, { io }) as SchemaKeywords, io)
  } catch (error) {
    throw new Error(`${(error as Error).message}: ${advice}`)
  }
}

const advice =
  'values must be JSON: use z.iso.datetime() for dates, and end a transform with .pipe(…), which declares its output'
