// Creates a field from a Zod schema, with the schema's checks, messages, type, bounds and choices.

import { type $ZodType, type input, type output, safeParseAsync } from 'zod/v4/core'
import { ValidationError } from '../../errors/exceptions.ts'
import { defineField, type FieldOptions } from '../define-field.ts'
import type { Field } from '../field.ts'
import type { ConditionalOf, FieldTrait, KnownOptions } from '../field-types.ts'
import { createErrorTree } from '../issues.ts'
import { checkStrings } from '../kinds/json.ts'
import type { SchemaField } from './json-schema-field.ts'
import { convertStrings } from './json-schema-strings.ts'
import { checkSchemaDefault, parseSync } from './zod-default.ts'
import { describeSchema } from './zod-description.ts'

/** A field, or a Zod schema from which a field is created. */
export type FieldLike = Field | $ZodType

/** The field that is created from a schema. */
export type ZodField<Schema extends $ZodType, Trait extends FieldTrait = never> = Field<
  output<Schema>,
  output<Schema>,
  Exclude<input<Schema>, undefined>,
  SchemaTrait<Schema> | Trait
>

/** The traits of the field that is created from a schema. */
export type SchemaTrait<Schema extends $ZodType> =
  | (undefined extends input<Schema> ? 'optional' : never)
  | (undefined extends output<Schema> ? 'omittable' : never)

/** Options of a field that is created from a schema. */
export type ZodFieldOptions<Value> = Pick<FieldOptions<Value>, 'column' | 'label' | 'help' | 'messages' | 'visible'>

/** True for a schema of Zod 4. */
export const isSchema = (value: FieldLike): value is $ZodType => '_zod' in value

/**
 * Creates a field that parses input with the schema and stores the schema's output. Strings, integers, numbers and
 * booleans are stored in a column of their type, which must hold every value that the schema accepts: four bytes for
 * `z.int32()`, a double for `z.number()`. Other values are stored as JSON. The schema also handles null, if it accepts
 * null, and absent values. Strings are converted to numbers and booleans, because forms contain only strings. Throws for
 * a schema whose input or output JSON cannot represent.
 *
 * @example
 * const fields = {
 *   stars: z.int().min(1).max(5),
 *   labels: zodField(z.array(z.string()).default([]), { column: 'labels_json' }),
 * }
 */
export function zodField<
  Schema extends $ZodType,
  Options extends ZodFieldOptions<output<Schema>> = ZodFieldOptions<output<Schema>>,
>(
  schema: Schema,
  options: KnownOptions<Options, ZodFieldOptions<output<Schema>>> = {} as never,
): ZodField<Schema, ConditionalOf<Options>> {
  checkSchemaDefault(schema)
  const input = describeSchema(schema, 'input')
  const output = describeSchema(schema, 'output')
  const { kind, bounds, choices, blank, child, children, nullable } = input
  return defineField<output<Schema>>(
    { ...options, nullable, ...readRequired(schema, input) },
    {
      kind: { ...kind, conversion: output.kind.conversion },
      bounds,
      ...(choices && { choices }),
      ...(child && { child }),
      ...(children && { children }),
      ...(blank !== undefined && { blank }),
      parsesNullish: true,
      async parse(value) {
        const result = await safeParseAsync(schema, convertStrings(value, input), { reportInput: true })
        if (!result.success) throw new ValidationError(createErrorTree(result.error.issues))
        checkStrings(result.data)
        return result.data
      },
      describeTaken: input.describeTaken!,
      describeShown: output.describeShown!,
    },
  )
}

// Reads `optin` instead of parsing undefined, because `z.coerce` converts undefined to a value.
function readRequired(
  schema: $ZodType,
  { initial, nullable }: SchemaField,
): Pick<FieldOptions<never>, 'default'> & { readonly required: boolean } {
  if (schema._zod.optin === undefined) return { required: true }
  if (initial !== undefined || nullable)
    return { required: false, ...(initial != null && { default: initial as never }) }
  const { success, data } = parseSync(schema, undefined)
  return { required: !success, ...(data !== undefined && { default: data as never }) }
}
