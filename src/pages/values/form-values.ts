// The values and errors that a form shows. If the request was rejected, these are the submitted values, the errors, and the values
// that others have saved in between.

import { type Field, type Fields, isObject, type RequestBody, savedPrefix } from '#core'
import { emptyChildren, hasRows, listDataRows, listSubmittedRows, mergeRows } from './child-rows.ts'
import type { ChildRows, FormValues, ShownSum } from './form-contents.ts'
import { isSameValue, listFormErrors, listValues, objectValues, toLines } from './value-texts.ts'

/** The object of a page, and the request that was rejected. */
export interface FormSource {
  /** The object that the page shows; empty for an error. */
  readonly object: Readonly<Record<string, unknown>>
  /** The values of the object that add up related rows. */
  readonly sums: readonly ShownSum[]
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
  { rejected, object, sums, isMissing }: FormSource,
): FormValues {
  const isNew = method === 'POST' || isMissing
  const saved = objectValues(fields, isNew ? listDefaults(fields) : object)
  const formValues: FormValues = rejected?.method === method ? submittedValues(fields, rejected, saved) : saved
  const rows = (name: string) =>
    rejected?.method === method
      ? findSubmittedRows(name, fields[name]!, rejected, object[name])
      : addSums(
          listDataRows(fields[name]!, isNew ? emptyChildren(fields[name]!) : object[name], undefined),
          isNew ? [] : sums.filter(({ field }) => addsUp(field, fields[name]!)),
        )
  return {
    ...formValues,
    rows: name => (hasRows(fields[name]!) ? rows(name) : undefined),
    values: name => (fields[name]!.writeOnly ? [] : formValues.values(name)),
    ...(rejected?.method === method && {
      isTyped: name => isTyped(name, fields[name]!, rejected, [formValues, saved]),
    }),
    ...(rejected?.method === method &&
      rejected.current &&
      showCurrent(formValues, objectValues(fields, rejected.current))),
  }
}

const addSums = (rows: ChildRows | undefined, sums: readonly ShownSum[]): ChildRows | undefined =>
  rows && { ...rows, sums }

const addsUp = ({ sumOf }: Field, { childStorage }: Field): boolean =>
  sumOf !== undefined && sumOf.table === childStorage?.target.table && sumOf.reverse === childStorage.reverse

// Bodies contain all of the parts and rows that they change.
function isTyped(
  name: string,
  field: Field,
  { method, body }: NonNullable<FormSource['rejected']>,
  [submitted, saved]: readonly [FormValues, FormValues],
): boolean {
  if (field.writeOnly || field.file) return false
  const isForm = body.kind === 'form' || body.kind === 'upload'
  if (isForm && isLeftOut(name, method, body.form)) return false
  return field.parts !== undefined || hasRows(field) || !isSameValue(field, submitted.values(name), saved.values(name))
}

const showCurrent = ({ parts }: FormValues, current: FormValues): Pick<FormValues, 'current' | 'parts'> => ({
  current: current.values,
  parts: name => ({ ...parts!(name), current: current.parts!(name).values }),
})

function findSubmittedRows(
  name: string,
  field: Field,
  { method, body, errors, current }: NonNullable<FormSource['rejected']>,
  saved: unknown,
): ChildRows | undefined {
  if (body.kind === 'data') return listDataRows(field, Object(body.data)[name], errors[name])
  if (body.kind !== 'form' && body.kind !== 'upload') return undefined
  if (isLeftOut(name, method, body.form)) return listDataRows(field, saved, errors[name])
  const mine = body.form.has(name)
    ? undefined
    : listSubmittedRows(name, field, body.form, { errors: errors[name], saved })
  return current === undefined ? mine : mergeRows(mine, listDataRows(field, current[name], undefined))
}

// The script sends what was changed. The object has the other values, also those that others have saved.
const isLeftOut = (name: string, method: string, form: URLSearchParams): boolean =>
  method === 'PATCH' &&
  !form.has(name) &&
  !form.has(savedPrefix + name) &&
  ![...form.keys()].some(key => key.startsWith(`${name}.`))

function submittedValues(
  fields: Fields,
  { method, body, errors }: NonNullable<FormSource['rejected']>,
  saved: FormValues,
): FormValues {
  const dataValues = body.kind === 'data' ? objectValues(fields, Object(body.data)) : undefined
  const form = body.kind === 'form' || body.kind === 'upload' ? body.form : undefined
  const findValues = (name: string) => {
    if (form === undefined) return dataValues?.values(name) ?? []
    return isLeftOut(name, method, form) ? saved.values(name) : listValues(name, form)
  }
  return {
    // A file is not sent twice.
    values: name => (fields[name]!.file ? [] : findValues(name)),
    parts: name => ({
      values(part) {
        if (form === undefined) return dataValues?.parts?.(name).values(part) ?? []
        return isLeftOut(name, method, form) ? saved.parts!(name).values(part) : listValues(`${name}.${part}`, form)
      },
      errors: part => toLines(isObject(errors[name]) ? errors[name][part] : part === '' ? errors[name] : undefined),
    }),
    errors: name => [...toLines(errors[name]), ...(name === '' ? listFormErrors(fields, errors) : [])],
  }
}

const listDefaults = (fields: Fields): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.default]))
