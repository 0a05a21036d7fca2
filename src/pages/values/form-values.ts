// The values and errors that a form shows. If the request was rejected, these are the submitted values, the errors, and the values
// that others have saved in between.

import { type Field, type Fields, isObject, type RequestBody } from '#core'
import { emptyChildren, hasRows, listDataRows, listSubmittedRows, mergeRows } from './child-rows.ts'
import type { ChildRows, FormValues } from './form-contents.ts'
import { listFormErrors, listValues, objectValues, toLines } from './value-texts.ts'

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
  const isNew = method === 'POST' || isMissing
  const formValues: FormValues =
    rejected?.method === method
      ? submittedValues(fields, rejected)
      : objectValues(fields, isNew ? listDefaults(fields) : object)
  const rows = (name: string) =>
    rejected?.method === method
      ? findSubmittedRows(name, fields[name]!, rejected)
      : listDataRows(fields[name]!, isNew ? emptyChildren(fields[name]!) : object[name], undefined)
  return {
    ...formValues,
    rows: name => (hasRows(fields[name]!) ? rows(name) : undefined),
    values: name => (fields[name]!.writeOnly ? [] : formValues.values(name)),
    ...(rejected?.method === method &&
      rejected.current &&
      showCurrent(formValues, objectValues(fields, rejected.current))),
  }
}

const showCurrent = ({ parts }: FormValues, current: FormValues): Pick<FormValues, 'current' | 'parts'> => ({
  current: current.values,
  parts: name => ({ ...parts!(name), current: current.parts!(name).values }),
})

function findSubmittedRows(
  name: string,
  field: Field,
  { body, errors, current }: NonNullable<FormSource['rejected']>,
): ChildRows | undefined {
  if (body.kind === 'data') return listDataRows(field, Object(body.data)[name], errors[name])
  if (body.kind !== 'form' && body.kind !== 'upload') return undefined
  const mine = body.form.has(name) ? undefined : listSubmittedRows(name, field, body.form, errors[name])
  return current === undefined ? mine : mergeRows(mine, listDataRows(field, current[name], undefined))
}

function submittedValues(fields: Fields, { body, errors }: NonNullable<FormSource['rejected']>): FormValues {
  const dataValues = body.kind === 'data' ? objectValues(fields, Object(body.data)) : undefined
  const form = body.kind === 'form' || body.kind === 'upload' ? body.form : undefined
  const findValues = (name: string) => (form ? listValues(name, form) : (dataValues?.values(name) ?? []))
  return {
    // A file is not sent twice.
    values: name => (fields[name]!.file ? [] : findValues(name)),
    parts: name => ({
      values: part => (form ? listValues(`${name}.${part}`, form) : (dataValues?.parts?.(name).values(part) ?? [])),
      errors: part => toLines(isObject(errors[name]) ? errors[name][part] : part === '' ? errors[name] : undefined),
    }),
    errors: name => [...toLines(errors[name]), ...(name === '' ? listFormErrors(fields, errors) : [])],
  }
}

const listDefaults = (fields: Fields): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.default]))
