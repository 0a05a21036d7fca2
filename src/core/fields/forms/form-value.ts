// Reads a field's value from a submitted form. All form values are strings: a list has several values of one name, an
// object's fields are named `name.field`, and JSON is sent as text. A form omits unchecked boxes and empty lists, and
// sends an empty string for an empty input.

import { type ErrorDetail, type ErrorTree, ValidationError } from '../../errors/exceptions.ts'
import { invalid } from '../../errors/invalid.ts'
import { parseJson } from '../../http/parsers/json.ts'
import type { ChildStorage, Field, Fields } from '../field.ts'
import { hasParts } from '../kinds/kind.ts'
import {
  type FormRow,
  isEmptyRow,
  isRemovedRow,
  listChildFields,
  listFormRows,
  markRows,
  savedPrefix,
} from './form-rows.ts'

/** Stands for the value of a field that the body does not contain. */
export const absent = Symbol('absent')

/**
 * Returns a field's value in a form; `absent` if the form does not contain the field. If `partial`, fields that the form
 * omits stay unchanged.
 */
export function readFormValue(form: URLSearchParams, name: string, field: Field, partial = false): unknown {
  const all = form.getAll(name)
  const { choices } = field.child ?? {}
  const hasItems = field.kind.hasItems
  // A form says with an empty value that a list is empty.
  const dropsEmpty = field.relation?.many || (choices !== undefined && !choices.has(''))
  const values = dropsEmpty ? all.filter(value => value !== '') : all
  const { childStorage } = field
  if (childStorage && (hasItems || all.length === 0))
    return all.length === 0 ? readRows(form, name, field, childStorage, partial) : readChildren(all)
  if (hasItems) return all.length === 0 && partial ? absent : readItems(values, field)
  if (values.length === 0) return field.children ? readObject(form, name, field) : readAbsent(field, partial)
  return readSingle(values.at(-1)!, field)
}

// A form without an input for the children does not mean to remove them. An input has one of them, or the whole list.
function readChildren(texts: readonly string[]): unknown {
  const values = texts.filter(text => text !== '').map(parseJsonText)
  if (values.length === 0) return absent
  return values.length === 1 && Array.isArray(values[0]) ? values[0] : values
}

// Children whose rows a page's form sends back unchanged stay as they are.
function readRows(form: URLSearchParams, name: string, field: Field, storage: ChildStorage, partial: boolean): unknown {
  const rows = listFormRows(form, name, field)
  const fields = listChildFields(field)
  const isUnchanged = form.get(savedPrefix + name) === markRows(rows, fields)
  if (rows.length === 0 || (isUnchanged && (partial || !field.required))) return absent
  const kept = listKeptRows(rows, fields)
  const [first] = kept
  if (!storage.isList) return first ? readRow(first, fields) : rows.some(isRemovedRow) ? null : absent
  const errors: ErrorTree<ErrorDetail>[] = []
  const children = kept.map((row, index) => {
    try {
      return readRow(row, fields)
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error
      errors[index] = error.errors
      return {}
    }
  })
  if (errors.length > 0) throw new ValidationError(children.map((_, index) => errors[index] ?? {}))
  return children
}

/** The rows whose children the request contains, in its order: errors of children have these places. */
export const listKeptRows = (rows: readonly FormRow[], fields: Fields): readonly FormRow[] =>
  rows.filter(row => !isRemovedRow(row) && !isEmptyRow(row, fields))

function readRow({ form }: FormRow, fields: Fields): Readonly<Record<string, unknown>> {
  const entries = Object.entries(fields).map(([name, field]) => {
    try {
      const isUntouched = field.writeOnly && form.get(name) === ''
      return [name, isUntouched ? absent : readFormValue(form, name, field)] as const
    } catch (error) {
      throw error instanceof ValidationError ? new ValidationError({ [name]: error.errors }) : error
    }
  })
  return Object.fromEntries(entries.filter(([, value]) => value !== absent))
}

function readAbsent(field: Field, partial: boolean): unknown {
  return field.kind.isCheckbox && !partial ? false : absent
}

const readItems = (values: readonly string[], { child }: Field): unknown =>
  child && hasParts(child.kind) ? values.map(parseJsonText) : values

// Empty inputs for all columns of an object are null.
function readObject(form: URLSearchParams, name: string, { children = {}, parts, nullable }: Field): unknown {
  const texts = [...form].filter(([key]) => key.startsWith(`${name}.`))
  if (texts.length === 0) return absent
  if (nullable && parts && texts.every(([, text]) => text === '')) return null
  const entries = Object.entries(children).map(([child, field]) => [
    child,
    readFormValue(form, `${name}.${child}`, field),
  ])
  return Object.fromEntries(entries.filter(([, value]) => value !== absent))
}

function readSingle(value: string, field: Field): unknown {
  const { blank, nullable, required } = field
  if (value === '' && !blank) {
    if (nullable) return null
    if (!required) return absent
  }
  return field.kind.isJson ? parseJsonText(value) : value
}

function parseJsonText(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    throw invalid('invalid.json')
  }
}
