// Checks values with a Standard Schema, and describes it by the JSON Schema that it may offer.

import type { StandardSchemaV1 } from '@standard-schema/spec'
import { type $ZodType, safeParseAsync } from 'zod/v4/core'
import { ValidationError } from '../../errors/exceptions.ts'
import { createErrorTree, type SchemaIssue } from '../../fields/issues.ts'
import { checkStrings } from '../../fields/kinds/json.ts'
import {
  describeJsonSchema,
  type SchemaField,
  type SchemaKeywords,
} from '../../fields/schema-fields/json-schema-field.ts'

/**
 * Checks a value. Rejects with ValidationError, whose errors are nested by the paths of the schema's issues. Text that a
 * database cannot store is refused too.
 */
export async function checkBySchema(
  schema: StandardSchemaV1,
  value: unknown,
  nonFieldErrorsKey?: string,
): Promise<unknown> {
  checkStrings(value)
  const result = await validate(schema, value)
  if (result.issues) throw new ValidationError(createErrorTree(result.issues, nonFieldErrorsKey))
  return result.value
}

// Zod's own function reports the rejected input, from which its locales make the messages of other languages.
async function validate(
  schema: StandardSchemaV1,
  value: unknown,
): Promise<{ readonly value?: unknown; readonly issues?: readonly SchemaIssue[] | undefined }> {
  if (!('_zod' in schema)) return schema['~standard'].validate(value)
  const { success, data, error } = await safeParseAsync(schema as unknown as $ZodType, value, { reportInput: true })
  return success ? { value: data } : { issues: error.issues }
}

interface JsonSchemaOptions {
  readonly target: 'draft-2020-12'
  readonly libraryOptions: Readonly<Record<string, unknown>>
}

// JSON Schema cannot represent every value, such as a date. Each library has its own option to describe the others then.
const libraryOptions = {
  unrepresentable: 'any',
  errorMode: 'ignore',
  fallback: ({ base }: { readonly base: object }) => base,
}

/** The schema's input as a field; undefined if the schema offers no JSON Schema of it. */
export function describeStandardSchema(schema: StandardSchemaV1): SchemaField | undefined {
  const input = findJsonSchema(schema)
  try {
    return input && describeJsonSchema(input)
  } catch {
    // A field cannot describe every enum.
    return undefined
  }
}

/** The JSON Schema of the schema's input (`~standard.jsonSchema`); undefined if the schema offers none. */
export function findJsonSchema(schema: StandardSchemaV1): SchemaKeywords | undefined {
  const { jsonSchema } = schema['~standard'] as {
    readonly jsonSchema?: { input(options: JsonSchemaOptions): SchemaKeywords }
  }
  try {
    return jsonSchema?.input({ target: 'draft-2020-12', libraryOptions })
  } catch {
    // Some libraries cannot describe every schema, such as one with a transform.
    return undefined
  }
}
