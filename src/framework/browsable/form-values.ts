// The values and errors that a form shows. If the request was rejected, these are the submitted values, the errors, and the values
// that others have saved in between.

import { formatJson } from '../exact-json.ts'
import type { Field, Fields } from '../fields/field.ts'
import type { RequestBody } from '../parsers/request-body.ts'
import { type FormValues, isJsonField } from './field-controls.ts'

/** The object of a page, and the request that was rejected. */
export interface FormSource {
  /** The object that the page shows; empty for an error. */
  readonly object: Readonly<Record<string, unknown>>
  /** Whether the object of the page does not exist: a PUT creates it. */
  readonly isMissing: boolean
  /** The rejected request and its errors; undefined if the request was valid. */
  readonly rejected:
    | {
        readonly method: string
        readonly body: RequestBody
        readonly errors: Readonly<Record<string, unknown>>
        /** The object as others have saved it since the page was made; undefined if the state is the expected one. */
        readonly current?: Readonly<Record<string, unknown>>
      }
    | undefined
}

/**
 * The submitted values of a rejected request; otherwise the defaults of a new object, or the values of the page's
 * object. Values of write-only fields are never shown.
 */
export function createFormValues(
  method: string,
  fields: Fields,
  { rejected, object, isMissing }: FormSource,
): FormValues {
  const formValues =
    rejected?.method === method
      ? submittedValues(fields, rejected)
      : objectValues(fields, method === 'POST' || isMissing ? listDefaults(fields) : object)
  return {
    ...formValues,
    values: name => (fields[name]!.writeOnly ? [] : formValues.values(name)),
    ...(rejected?.method === method && rejected.current && { current: objectValues(fields, rejected.current).values }),
  }
}

function submittedValues(fields: Fields, { body, errors }: NonNullable<FormSource['rejected']>): FormValues {
  const dataValues = body.kind === 'data' ? objectValues(fields, Object(body.data)) : undefined
  const form = body.kind === 'form' || body.kind === 'upload' ? body.form : undefined
  const findValues = (name: string) => (form ? listValues(name, form) : (dataValues?.values(name) ?? []))
  return {
    // A file is not sent twice.
    values: name => (fields[name]!.file ? [] : findValues(name)),
    errors: name => [...toLines(errors[name]), ...(name === '' ? listFormErrors(fields, errors) : [])],
  }
}

// Drops the empty inputs of a field with several values.
const listValues = (name: string, form: URLSearchParams): readonly string[] => {
  const values = form.getAll(name)
  return values.length > 1 ? values.filter(value => value !== '') : values
}

// Errors under names without a control, such as `non_field_errors`.
const listFormErrors = (fields: Fields, errors: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.entries(errors)
    .filter(([name]) => name !== '' && (fields[name] === undefined || fields[name].readOnly))
    .flatMap(([name, messages]) => toLines(isFormError(name) ? messages : { [name]: messages }))

const isFormError = (name: string): boolean => name === 'detail' || name === 'non_field_errors'

const listDefaults = (fields: Fields): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.default]))

function objectValues(fields: Fields, object: Readonly<Record<string, unknown>>): FormValues {
  return {
    errors: () => [],
    values(name) {
      const field = fields[name]!
      const value = Object.hasOwn(object, name) ? toTaken(object[name], field) : undefined
      if (value === undefined || value === null) return []
      const hasSeveral = Array.isArray(value) && (field.relation ?? field.choices ?? field.child?.choices) !== undefined
      return hasSeveral ? value.map(toText) : [isJsonField(field) && !field.choices ? formatJson(value) : toText(value)]
    },
  }
}

// A relation can show objects and take their keys.
function toTaken(value: unknown, field: Field): unknown {
  if (field.relation === undefined) return value
  if (Array.isArray(value)) return value.map(item => toTaken(item, field))
  return typeof value === 'object' && value !== null
    ? (value as Record<string, unknown>)[field.relation.findValueField()]
    : value
}

const toText = (value: unknown): string => (typeof value === 'object' ? formatJson(value) : String(value))

/** Flattens nested errors to lines such as `address: city: This field is required.` */
function toLines(errors: unknown): readonly string[] {
  if (errors === undefined || errors === null) return []
  if (typeof errors !== 'object') return [String(errors)]
  if (Array.isArray(errors)) return errors.flatMap(toLines)
  return Object.entries(errors).flatMap(([key, nested]) => toLines(nested).map(line => `${key}: ${line}`))
}
