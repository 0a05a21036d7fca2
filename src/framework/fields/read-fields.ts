// Reads a body field by field. Rejects with one ValidationError that names every field at fault.

import { type ErrorDetail, type ErrorTree, UnsupportedMediaType, ValidationError } from '../errors/exceptions.ts'
import type { RequestBody } from '../parsers/request-body.ts'
import { type Field, type Fields, invalid, type ParseContext, typeName } from './field.ts'
import { absent, formValue } from './form-value.ts'

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

/** The values of the fields that can be written; those that the body leaves as they are do not appear. */
export function readFields(
  fields: Fields,
  body: RequestBody,
  options: ReadOptions,
  check?: Check,
): Promise<Record<string, unknown>> {
  return readObject(fields, giver(body, options), options, check)
}

/**
 * The values of a new object that a body says nothing of: the defaults, and null where there is none and null is allowed.
 *
 * @example
 * const whole = { ...defaultValues(fields), ...values }
 */
export function defaultValues(fields: Fields): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(fields)) {
    const value = field.default ?? (field.nullable ? null : undefined)
    if (!field.readOnly && value !== undefined) values[name] = value
  }
  return values
}

/** The value that a body gives to a field; `absent` where it gives none. */
type Giver = (name: string, field: Field) => unknown

async function readObject(
  fields: Fields,
  give: Giver,
  options: ReadOptions,
  check?: Check,
): Promise<Record<string, unknown>> {
  const errors: Record<string, ErrorTree<ErrorDetail>> = {}
  const values: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(fields)) {
    if (field.readOnly) continue
    try {
      const value = await readField(field, give(name, field), options)
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

/** An object inside a body, read by the fields that it is made of; throws ValidationError. */
export function readNested(fields: Fields, data: unknown, context: ParseContext): Promise<Record<string, unknown>> {
  checkObject(data)
  return readObject(fields, name => ownValue(data, name), { context })
}

/** What is given, null included, as its field reads it; throws ValidationError. */
export async function readGiven<Value>(
  field: Field<Value>,
  given: unknown,
  context: ParseContext,
): Promise<Value | null> {
  if (given === null && !field.nullable) throw invalid('This field may not be null.', 'null')
  return given === null && !field.parsesNothing ? null : readValue(field, given, context)
}

/** A value that is there, as its field reads it and its validators let it pass. */
export async function readValue<Value>(field: Field<Value>, input: unknown, context: ParseContext): Promise<Value> {
  const value = await field.parse(input, context)
  await field.validate?.(value, context)
  return value
}

function giver(body: RequestBody, { partial }: ReadOptions): Giver {
  if (body.kind === 'empty') return () => absent
  if (body.kind === 'form') return (name, field) => formValue(body.form, name, field, partial)
  // Parts are a stream for the views that asked for one: there are no fields to read from it.
  if (body.kind === 'parts') throw new UnsupportedMediaType('multipart/form-data')
  const { data } = body
  checkObject(data)
  return name => ownValue(data, name)
}

function checkObject(data: unknown): asserts data is Record<string, unknown> {
  if (typeof data === 'object' && data !== null && !Array.isArray(data)) return
  throw new ValidationError(`Invalid data. Expected a dictionary, but got ${typeName(data)}.`)
}

const ownValue = (data: Record<string, unknown>, name: string): unknown =>
  Object.hasOwn(data, name) ? data[name] : absent

const readField = (field: Field, given: unknown, options: ReadOptions): unknown =>
  given === absent ? absentValue(field, options) : readGiven(field, given, options.context)

async function absentValue(field: Field, { partial, exists, context }: ReadOptions): Promise<unknown> {
  if (partial) return absent
  if (field.required) throw invalid('This field is required.', 'required')
  if (exists) return absent
  const value = field.parsesNothing ? await readValue(field, undefined, context) : field.default
  return value ?? (field.nullable ? null : absent)
}
