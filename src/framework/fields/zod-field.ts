// Creates a field from a Zod schema, with the schema's checks, messages, type, bounds and choices.

import { type $ZodIssue, type $ZodType, type input, type output, safeParseAsync } from 'zod/v4/core'
import { type ErrorDetail, type ErrorTree, ValidationError } from '../errors/exceptions.ts'
import { hasDefaultText } from '../messages/zod-issue.ts'
import { defineField, type Field, type FieldOptions } from './field.ts'
import type { ConditionalOf, FieldTrait, KnownOptions } from './field-types.ts'
import { checkStrings, jsonStorage } from './json.ts'
import { numeral } from './number.ts'
import { checkSchemaDefault, parseSync } from './zod-default.ts'
import { describeSchema, type SchemaField } from './zod-description.ts'

/** A field, or a Zod schema from which a field is created. */
export type FieldLike = Field | $ZodType

/** The field that is created from a schema. */
export type ZodField<Schema extends $ZodType, Trait extends FieldTrait = never> = Field<
  output<Schema>,
  output<Schema>,
  Exclude<input<Schema>, undefined>,
  (undefined extends input<Schema> ? 'optional' : never) | Trait
>

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
  const { type, bounds, choices, blank, child, children, nullable } = input
  return defineField<output<Schema>>(
    { ...options, nullable, ...readRequired(schema, input) },
    {
      type,
      bounds,
      ...(choices && { choices }),
      ...(child && { child }),
      ...(children && { children }),
      ...(blank !== undefined && { blank }),
      parsesNullish: true,
      async parse(value) {
        const result = await safeParseAsync(schema, convertStrings(value, input), { reportInput: true })
        if (!result.success) throw new ValidationError(toErrorTree(result.error.issues, 0))
        checkStrings(result.data)
        return result.data
      },
      ...createStorage(output),
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

const booleanTexts = new Map([
  ...['1', 't', 'true', 'y', 'yes', 'on'].map(text => [text, true] as const),
  ...['0', 'f', 'false', 'n', 'no', 'off'].map(text => [text, false] as const),
])

const maxInputLength = 1000

// Other strings stay unchanged, and the schema rejects them.
function convertStrings(input: unknown, { type, child, children }: SchemaField): unknown {
  if (Array.isArray(input)) return child ? input.map(item => convertStrings(item, child)) : input
  if (typeof input === 'object' && input !== null) return children ? mapEntries(input, children) : input
  if (typeof input === 'bigint' && (type === 'integer' || type === 'float')) return Number(input)
  if (typeof input !== 'string') return input
  const text = input.trim()
  if (type === 'boolean') return booleanTexts.get(text.toLowerCase()) ?? input
  const isNumber = (type === 'integer' || type === 'float') && text.length <= maxInputLength && numeral.test(text)
  return isNumber ? Number(text) : input
}

const mapEntries = (input: object, children: Readonly<Record<string, SchemaField>>): object =>
  Object.fromEntries(
    Object.entries(input).map(([name, value]) => [
      name,
      Object.hasOwn(children, name) ? convertStrings(value, children[name]!) : value,
    ]),
  )

function createStorage({ type }: SchemaField): Pick<Field, 'store' | 'showValue'> {
  if (type === 'list' || type === 'nested object' || type === 'json') return jsonStorage
  if (type === 'boolean') return { showValue: (value, dialect) => dialect.boolean(value) }
  return type === 'float' ? { showValue: (value, dialect) => dialect.number(value) } : {}
}

// Nests the issues by their paths.
function toErrorTree(issues: readonly $ZodIssue[], depth: number): ErrorTree<ErrorDetail> {
  const own = issues.filter(({ path }) => path.length === depth)
  if (own.length > 0) return own.map(toDetail)
  const byKey = Map.groupBy(issues, ({ path }) => String(path[depth]))
  return Object.fromEntries([...byKey].map(([key, group]) => [key, toErrorTree(group, depth + 1)]))
}

const toDetail = (issue: $ZodIssue): ErrorDetail => {
  const { message, code = 'invalid' } = issue
  return { message, code, ...(hasDefaultText(issue) && { issue }) }
}
