// A Zod schema as a field: its checks and messages are the schema's, and so are its type, bounds and choices.

import { type $ZodIssue, type $ZodType, type output, safeParseAsync } from 'zod/v4/core'
import { type ErrorDetail, type ErrorTree, ValidationError } from '../errors/exceptions.ts'
import { columnOf, defineField, type Field, type FieldOptions } from './field.ts'
import { asJson, checkTexts } from './json.ts'
import { numeral } from './number.ts'
import { attempt, checkSchemaDefault } from './zod-default.ts'
import { describeSchema, type SchemaField } from './zod-description.ts'

/** A schema, or a field. */
export type FieldLike = Field | $ZodType

/** Is it a schema of Zod 4? */
export const isSchema = (value: FieldLike): value is $ZodType => '_zod' in value

/**
 * A field that takes what the schema takes and keeps what it makes. Texts, integers, numbers and booleans have a column
 * of their kind, which must hold whatever the schema lets through: `z.int32()` goes into four bytes, a `z.number()` is a
 * double. Anything else is kept as JSON. The schema says what becomes of null, where it allows that, and of no value.
 * Texts of a form become numbers and booleans. Throws for a schema that takes or makes what JSON cannot say.
 *
 * @example
 * const fields = {
 *   stars: z.int().min(1).max(5),
 *   labels: zodField(z.array(z.string()).default([]), { column: 'labels_json' }),
 * }
 */
export function zodField<Schema extends $ZodType>(
  schema: Schema,
  options: Pick<FieldOptions<output<Schema>>, 'column' | 'label' | 'help'> = {},
): Field<output<Schema>> {
  checkSchemaDefault(schema)
  const taken = describeSchema(schema, 'input')
  const made = describeSchema(schema, 'output')
  const { type, bounds, choices, blank, child, children, nullable } = taken
  return defineField<output<Schema>>(
    { ...options, nullable, ...absence(schema, taken) },
    {
      type,
      bounds,
      ...(choices && { choices }),
      ...(child && { child }),
      ...(children && { children }),
      ...(blank !== undefined && { blank }),
      parsesNothing: true,
      async parse(input) {
        const result = await safeParseAsync(schema, fromText(input, taken))
        if (!result.success) throw new ValidationError(errorsOf(result.error.issues, 0))
        checkTexts(result.data)
        return result.data
      },
      ...storageOf<output<Schema>>(made, options.column),
    },
  )
}

// Only a schema that says of itself that it may do without a value can: `z.coerce` makes something of everything.
function absence(
  schema: $ZodType,
  { initial, nullable }: SchemaField,
): Pick<FieldOptions<never>, 'default'> & { readonly required: boolean } {
  if (schema._zod.optin === undefined) return { required: true }
  if (initial !== undefined || nullable)
    return { required: false, ...(initial != null && { default: initial as never }) }
  const { success, data } = attempt(schema, undefined)
  return { required: !success, ...(data !== undefined && { default: data as never }) }
}

const truths = new Map([
  ...['1', 't', 'true', 'y', 'yes', 'on'].map(text => [text, true] as const),
  ...['0', 'f', 'false', 'n', 'no', 'off'].map(text => [text, false] as const),
])

const longest = 1000

// What is no number or boolean stays as it is, for the schema to refuse it.
function fromText(input: unknown, { type, child, children }: SchemaField): unknown {
  if (Array.isArray(input)) return child ? input.map(item => fromText(item, child)) : input
  if (typeof input === 'object' && input !== null) return children ? mapEntries(input, children) : input
  if (typeof input === 'bigint' && (type === 'integer' || type === 'float')) return Number(input)
  if (typeof input !== 'string') return input
  const text = input.trim()
  if (type === 'boolean') return truths.get(text.toLowerCase()) ?? input
  const isNumber = (type === 'integer' || type === 'float') && text.length <= longest && numeral.test(text)
  return isNumber ? Number(text) : input
}

const mapEntries = (input: object, children: Readonly<Record<string, SchemaField>>): object =>
  Object.fromEntries(
    Object.entries(input).map(([name, value]) => [
      name,
      Object.hasOwn(children, name) ? fromText(value, children[name]!) : value,
    ]),
  )

function storageOf<Value>({ type }: SchemaField, column: string | undefined): Partial<Field<Value>> {
  if (type === 'list' || type === 'nested object' || type === 'json') return asJson<Value>(column)
  if (type === 'boolean') return { show: place => place.dialect.boolean(columnOf(place, column ?? place.name)) }
  return type === 'float' ? { show: place => place.dialect.number(columnOf(place, column ?? place.name)) } : {}
}

// Issues by the path that they name, in the shape of the value.
function errorsOf(issues: readonly $ZodIssue[], depth: number): ErrorTree<ErrorDetail> {
  const own = issues.filter(({ path }) => path.length === depth)
  if (own.length > 0) return own.map(({ message, code }) => ({ message, code: code ?? 'invalid' }))
  const byKey = Map.groupBy(issues, ({ path }) => String(path[depth]))
  return Object.fromEntries([...byKey].map(([key, group]) => [key, errorsOf(group, depth + 1)]))
}
