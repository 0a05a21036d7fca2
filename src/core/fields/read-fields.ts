// Reads the fields of a request body. Rejects with one ValidationError that contains the errors of all fields.

import { isPromise, type MaybePromise } from '../base/maybe-promise.ts'
import { type ErrorDetail, type ErrorTree, UnsupportedMediaType, ValidationError } from '../errors/exceptions.ts'
import { replaceMessages } from '../errors/field-messages.ts'
import { formatTypeName, invalid } from '../errors/invalid.ts'
import type { RequestBody } from '../http/parsers/request-body.ts'
import { checkKeys, createDefaultError } from './check-field.ts'
import type { Field, FieldDefinition, Fields, ParseContext } from './field.ts'
import { absent, readFormValue } from './forms/form-value.ts'
import { findUnknownFields, findUnknownMembers } from './unknown-names.ts'
import { nameOnWire } from './wire-names.ts'

/** The context of the fields, and how to treat fields that the body does not contain. */
export interface ReadOptions {
  readonly context: ParseContext
  /** True (PATCH): the body contains only fields to change. Default: false; it must contain all required fields. */
  readonly partial?: boolean
  /** True: the object exists and keeps the values of absent fields. Default: false; absent fields get their defaults. */
  readonly exists?: boolean
  /** The names on the wire that a body may contain beside those of the fields, if the context refuses unknown ones. */
  readonly otherNames?: ReadonlySet<string>
}

/**
 * Checks a parsed value against the database, and returns the value to store, or `absent` if the field stays unchanged. Rejects
 * with ValidationError.
 */
export type Check = (name: string, value: unknown) => MaybePromise<unknown>

/**
 * Returns the values of writable fields; fields that stay unchanged are omitted. Throws or rejects with ValidationError. It
 * returns a promise only if a field or a check does, so that thousands of bodies are read without any.
 */
export function readFields(
  fields: Fields,
  body: RequestBody,
  options: ReadOptions,
  check?: Check,
): MaybePromise<Record<string, unknown>> {
  const { context, otherNames } = options
  const unknown = context.refusesUnknown ? findUnknownFields(fields, body, otherNames) : undefined
  return readObject(fields, createInput(body, options), options, check, unknown)
}

/** Reads the parameters of a query; absent ones get their defaults. Throws or rejects with ValidationError. */
export const readParameters = (
  fields: Fields,
  query: URLSearchParams,
  context: ParseContext,
  check?: Check,
): MaybePromise<Record<string, unknown>> =>
  // Unlike a form, a query that lacks a boolean does not say that it is false.
  readObject(fields, { read: (name, field) => readFormValue(query, name, field, true) }, { context }, check)

/**
 * The values of a new object for fields that the body does not contain: the default, or null for a nullable field
 * without a default.
 *
 * @example
 * const complete = { ...defaultValues(fields), ...values }
 */
export function defaultValues(fields: Fields): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(fields)) {
    const value = field.default ?? (field.nullable ? null : undefined)
    if (!field.readOnly && value !== undefined) values[name] = value
  }
  return values
}

/** The values of a new object for fields that the body does not contain and whose default is a function. */
export async function createDefaults(fields: Fields, context: ParseContext): Promise<Record<string, unknown>> {
  const values: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(fields))
    if (field.createDefault !== undefined && !field.readOnly) values[name] = await createDefault(name, field, context)
  return values
}

/** Selects from the values that `readFields` returned those that the body contains, without those of absent fields. */
export function selectGiven(
  fields: Fields,
  body: RequestBody,
  values: Readonly<Record<string, unknown>>,
  options: Pick<ReadOptions, 'partial'>,
): Record<string, unknown> {
  const input = createInput(body, options)
  const given: Record<string, unknown> = {}
  for (const { name, wireName, field } of listWritable(fields))
    if (Object.hasOwn(values, name) && input.read(wireName, field) !== absent) given[name] = values[name]
  return given
}

/** The object that contains the fields' values. */
interface Input {
  /** Returns a field's value; `absent` if there is none. */
  read(name: string, field: Field): unknown
}

// A class, because a closure for each of thousands of bodies costs more.
class DataInput implements Input {
  readonly #data: Record<string, unknown>
  constructor(data: unknown) {
    checkObject(data)
    this.#data = data
  }
  read(name: string): unknown {
    return Object.hasOwn(this.#data, name) ? this.#data[name] : absent
  }
}

/** An object whose fields are read one after the other. */
interface ObjectReading {
  readonly fields: readonly WritableField[]
  readonly input: Input
  readonly options: ReadOptions
  readonly check: Check | undefined
  readonly values: Record<string, unknown>
  /** Undefined until a field has an error. */
  errors: Record<string, ErrorTree<ErrorDetail>> | undefined
}

function readObject(
  fields: Fields,
  input: Input,
  options: ReadOptions,
  check?: Check,
  errors?: Record<string, ErrorTree<ErrorDetail>>,
): MaybePromise<Record<string, unknown>> {
  return readFrom(0, { fields: listWritable(fields), input, options, check, values: {}, errors })
}

// Closures are created only for fields that must be awaited: bodies may have thousands of fields.
function readFrom(start: number, reading: ObjectReading): MaybePromise<Record<string, unknown>> {
  const { fields } = reading
  for (let index = start; index < fields.length; index++) {
    const writable = fields[index]!
    try {
      const value = readChecked(writable, reading)
      if (value === absent) continue
      if (isPromise(value)) return continueAfter(value, index, reading)
      keepValue(writable, value, reading)
    } catch (error) {
      keepError(writable, error, reading)
    }
  }
  if (reading.errors !== undefined) throw new ValidationError(reading.errors)
  return reading.values
}

async function continueAfter(value: Promise<unknown>, index: number, reading: ObjectReading) {
  const writable = reading.fields[index]!
  try {
    keepValue(writable, await value, reading)
  } catch (error) {
    keepError(writable, error, reading)
  }
  return readFrom(index + 1, reading)
}

function readChecked({ name, wireName, field }: WritableField, reading: ObjectReading): MaybePromise<unknown> {
  const value = readField(name, field, reading.input.read(wireName, field), reading.options)
  const { check } = reading
  if (value === absent || check === undefined) return value
  return isPromise(value) ? value.then(found => (found === absent ? absent : check(name, found))) : check(name, value)
}

function keepValue({ name }: WritableField, value: unknown, { values }: ObjectReading): void {
  if (value !== absent) values[name] = value
}

function keepError({ wireName, field }: WritableField, error: unknown, reading: ObjectReading): void {
  if (!(error instanceof ValidationError)) throw error
  reading.errors ??= {}
  reading.errors[wireName] = replaceMessages(error.errors, field.messages)
}

interface WritableField {
  readonly name: string
  readonly wireName: string
  readonly field: Field
}

const writableFields = new WeakMap<Fields, readonly WritableField[]>()

function listWritable(fields: Fields): readonly WritableField[] {
  const known = writableFields.get(fields)
  if (known !== undefined) return known
  const listed = Object.entries(fields).flatMap(([name, field]) =>
    field.readOnly ? [] : { name, wireName: nameOnWire(name, field), field },
  )
  writableFields.set(fields, listed)
  return listed
}

/** Reads an object inside a body; throws or rejects with ValidationError. */
export function readNested(
  fields: Fields,
  data: unknown,
  context: ParseContext,
): MaybePromise<Record<string, unknown>> {
  const input = new DataInput(data)
  const unknown = context.refusesUnknown ? findUnknownMembers(fields, data as object) : undefined
  return readObject(fields, input, { context }, undefined, unknown)
}

/** Reads a value that the body contains, which may be null; throws or rejects with ValidationError. */
export function readPresent<Value>(
  field: FieldDefinition<Value>,
  input: unknown,
  context: ParseContext,
): MaybePromise<Value | null> {
  if (input === null && !field.nullable) throw invalid('null')
  return input === null && !field.parsesNullish ? null : parseValue(field, input, context)
}

/** Parses and validates a value; rejects with ValidationError. */
export async function readValue<Value>(
  field: FieldDefinition<Value>,
  input: unknown,
  context: ParseContext,
): Promise<Value> {
  return parseValue(field, input, context)
}

// Most fields parse and validate without waiting, which matters for bodies with thousands of values.
function parseValue<Value>(field: FieldDefinition<Value>, input: unknown, context: ParseContext): MaybePromise<Value> {
  const parsing = field.parse(input, context)
  return isPromise(parsing)
    ? parsing.then(value => validateValue(field, value, context))
    : validateValue(field, parsing, context)
}

function validateValue<Value>(field: FieldDefinition<Value>, value: Value, context: ParseContext): MaybePromise<Value> {
  if (field.validate === undefined) return value
  const validating = field.validate(value, context)
  return isPromise(validating) ? validating.then(() => value) : value
}

function createInput(body: RequestBody, { partial }: Pick<ReadOptions, 'partial'>): Input {
  if (body.kind === 'data') return new DataInput(body.data)
  if (body.kind === 'empty') return { read: () => absent }
  // Multipart streams are for views that process the parts themselves; fields cannot be read from them.
  if (body.kind !== 'form') throw new UnsupportedMediaType('multipart/form-data')
  const { form, files } = body
  return {
    read(name, field) {
      const file = files?.get(name)
      if (file instanceof ValidationError) throw file
      return file ?? readFormValue(form, name, field, partial)
    },
  }
}

function checkObject(data: unknown): asserts data is Record<string, unknown> {
  if (typeof data === 'object' && data !== null && !Array.isArray(data)) return
  throw invalid('invalid.object', { type: formatTypeName(data) })
}

const readField = (name: string, field: Field, input: unknown, options: ReadOptions): MaybePromise<unknown> =>
  input === absent ? readAbsent(name, field, options) : readPresent(field, input, options.context)

function readAbsent(name: string, field: Field, { partial, exists, context }: ReadOptions): MaybePromise<unknown> {
  if (partial) return absent
  if (exists && (field.fixed || field.file)) return absent
  if (field.required) throw invalid('required')
  if (exists) return absent
  if (field.createDefault !== undefined) return createDefault(name, field, context)
  const complete = (value: unknown) => value ?? (field.nullable ? null : absent)
  if (!field.parsesNullish) return complete(field.default)
  const parsing = parseValue(field, undefined, context)
  return isPromise(parsing) ? parsing.then(complete) : complete(parsing)
}

/** Reads the result of a default that is a function. Throws or rejects with an Error that names the field if the field rejects it. */
function createDefault(name: string, field: Field, context: ParseContext): MaybePromise<unknown> {
  if (context.origin === undefined)
    throw new Error(`field "${name}": its default is a function of the request, and there is none: give the value`)
  const value = field.createDefault!(context.origin)
  if (value === null && field.nullable) return null
  const reject = (error: unknown): never => {
    if (!(error instanceof ValidationError)) throw error
    throw new Error(`field "${name}": ${createDefaultError(value, error.detail).message}`, { cause: error })
  }
  try {
    if (field.relation !== undefined) {
      checkKeys(value, field.relation.identifier, field.relation.many)
      return value
    }
    const parsing = field.parse(value, context)
    return isPromise(parsing) ? parsing.catch(reject) : parsing
  } catch (error) {
    return reject(error)
  }
}
