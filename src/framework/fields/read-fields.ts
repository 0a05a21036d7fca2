// Reads a body field by field. Rejects with one ValidationError that names every field at fault.

import { ValidationError } from '../errors/exceptions.ts'
import type { Input } from '../parsers/parser.ts'
import { type Field, invalid, type ParseContext, typeName } from './field.ts'

/** How much a body has to say. */
export interface ReadOptions {
  readonly context: ParseContext
  /** Only what changes (PATCH); default: everything that is required. */
  readonly partial?: boolean
  /** An object that exists keeps the value of what is not sent; a new one takes the default. */
  readonly exists?: boolean
}

/** Looks at a value that its field has read, for what only the database knows. */
export type Check = (name: string, value: unknown) => Promise<ValidationError | undefined>

const absent = Symbol('absent')

/** The values of the fields that can be written; those that the body leaves as they are do not appear. */
export async function readFields(
  fields: Readonly<Record<string, Field>>,
  input: Input,
  options: ReadOptions,
  check?: Check,
): Promise<Record<string, unknown>> {
  checkShape(input)
  const errors: Record<string, ValidationError['errors']> = {}
  const values: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(fields)) {
    if (field.readOnly) continue
    try {
      const value = readField(name, field, input, options)
      if (value === absent) continue
      values[name] = value
      const error = value === null ? undefined : await check?.(name, value)
      if (error !== undefined) throw error
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error
      errors[name] = error.errors
    }
  }
  if (Object.keys(errors).length > 0) throw new ValidationError(errors)
  return values
}

function checkShape(input: Input): void {
  if (input.kind !== 'data') return
  const { data } = input
  if (typeof data === 'object' && data !== null && !Array.isArray(data)) return
  throw new ValidationError(`Invalid data. Expected a dictionary, but got ${typeName(data)}.`)
}

function readField(name: string, field: Field, input: Input, options: ReadOptions): unknown {
  const given = givenValue(name, field, input, options)
  if (given === absent) return absentValue(field, options)
  if (given !== null) return field.parse(given, options.context)
  if (field.nullable) return null
  throw invalid('This field may not be null.', 'null')
}

function absentValue(field: Field, { partial, exists }: ReadOptions): unknown {
  if (partial) return absent
  if (field.required) throw invalid('This field is required.', 'required')
  if (exists) return absent
  return field.default ?? (field.nullable ? null : absent)
}

function givenValue(name: string, field: Field, input: Input, { partial }: ReadOptions): unknown {
  if (input.kind === 'empty') return absent
  if (input.kind === 'form') return formValue(input.form.getAll(name), field, partial)
  const data = input.data as Record<string, unknown>
  return Object.hasOwn(data, name) ? data[name] : absent
}

// A form says nothing of an unchecked box or an empty list, and writes an empty text for no value at all.
function formValue(values: readonly string[], field: Field, partial: boolean | undefined): unknown {
  if (values.length === 0) {
    if (partial) return absent
    if (field.type === 'boolean') return false
    return field.type === 'list' ? [] : absent
  }
  if (field.type === 'list') return values
  const value = values.at(-1)!
  if (value !== '' || field.type === 'string' || field.type === 'email') return value
  if (field.nullable) return null
  return field.required ? value : absent
}
