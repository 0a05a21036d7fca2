// The JSON Schema of a Standard Schema, which the library may offer (`~standard.jsonSchema`).

import type { StandardSchemaV1 } from '@standard-schema/spec'
import { adoptSchema } from '../../describe/adopt-schema.ts'
import type { JsonSchema, SchemaContext } from '../../describe/json-schema.ts'
import { findJsonSchema } from '../schemas/standard-schema.ts'

/** Describes what a schema accepts; a schema without a description accepts every value. */
export function describeSchema(schema: StandardSchemaV1, context: SchemaContext): JsonSchema {
  const found = findJsonSchema(schema)
  return found === undefined ? {} : adoptSchema(found, { root: found, side: 'input' }, context)
}
