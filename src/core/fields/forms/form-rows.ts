// The children of an object in a form. The fields of the children of a list are named `lines[0]product`, as in Django REST
// framework, those of a single child `invoice.number`, and those of the children of children `lines[0]notes[1]text`. A page's
// form also has a mark of the saved children, for each list.

import { createHash } from 'node:crypto'
import type { ChildStorage, Field, Fields } from '../field.ts'
import { storageColumn } from '../storage.ts'
import { listOnWire } from '../wire-names.ts'

/** Follows the prefix of a row whose child is removed, if its value is `true`. */
export const removeName = '_remove'
/** Follows the prefix of a row of a list whose order is stored: its place, from 1. */
export const placeName = '_place'
/** Begins the names of the hidden inputs with the marks of the saved children. */
export const savedPrefix = '_saved.'

/** The fields of one child in a form, by their names without the prefix of the row. */
export interface FormRow {
  /** The index in its name; 0 for a single child. */
  readonly index: number
  readonly form: URLSearchParams
}

const noFields: Fields = Object.freeze({})

// Two fields may show the same fields of the children of different columns.
const formFields = new WeakMap<ChildStorage, WeakMap<Fields, Fields>>()

/** The fields of a child that a form may contain, with its key, by their names on the wire; none if the field writes no children. */
export function listChildFields(field: Field): Fields {
  const shown = field.child?.children ?? field.children ?? {}
  const storage = field.childStorage
  if (storage === undefined) return noFields
  const ofStorage = formFields.get(storage) ?? new WeakMap<Fields, Fields>()
  formFields.set(storage, ofStorage)
  const known = ofStorage.get(shown)
  if (known !== undefined) return known
  const { fields, reverse } = storage
  const isTaken = (name: string, field: Field) =>
    fields.includes(name) &&
    (!field.readOnly || field.keyColumn !== undefined) &&
    field.file === undefined &&
    (reverse === undefined || field.join !== undefined || storageColumn(name, field) !== reverse)
  const listed = listOnWire(Object.fromEntries(Object.entries(shown).filter(entry => isTaken(...entry))))
  ofStorage.set(shown, listed)
  return listed
}

/** The rows of a form, in the order of their places, or of their indexes; none if the field writes no children. */
export function listFormRows(form: URLSearchParams, name: string, { childStorage }: Field): readonly FormRow[] {
  if (childStorage === undefined) return []
  const { isList, position } = childStorage
  const rows = new Map<number, URLSearchParams>()
  const prefix = isList ? `${name}[` : `${name}.`
  for (const [key, value] of form) {
    const [, digits = '0', rest] = (key.startsWith(prefix) && rowName[`${isList}`].exec(key.slice(prefix.length))) || []
    if (rest === undefined) continue
    const index = Number(digits)
    const row = rows.get(index) ?? new URLSearchParams()
    rows.set(index, row)
    row.append(rest, value)
  }
  const found = [...rows].map(([index, row]) => ({ index, form: row })).toSorted((a, b) => a.index - b.index)
  return position === undefined ? found : found.toSorted((a, b) => readPlace(a) - readPlace(b))
}

// A row that was moved to the place of another stands before it if it came from below, and after it if it came from above.
function readPlace({ index, form }: FormRow): number {
  const own = index + 1
  const place = Number(form.get(placeName) || own)
  return Number.isNaN(place) ? own : place + Math.sign(place - own) / 2
}

const rowName = { true: /^(\d{1,9})\]\.?(.+)$/, false: /^()(.+)$/ }

/** Whether nothing was typed into a row, and into those of its own children. A checkbox alone does not make a new child. */
export const isEmptyRow = ({ form }: FormRow, fields: Fields): boolean =>
  Object.entries(fields).every(
    ([name, field]) =>
      field.kind.isCheckbox ||
      (form.getAll(name).every(value => value === '') &&
        listFormRows(form, name, field).every(row => isEmptyRow(row, listChildFields(field)))),
  )

export const isRemovedRow = ({ form }: FormRow): boolean => form.get(removeName) === 'true'

/** A mark of the values of rows: the same for the rows of a page that come back unchanged. */
export const markRows = (rows: readonly FormRow[], fields: Fields): string =>
  createHash('sha256')
    .update(JSON.stringify(listRowValues(rows, fields)))
    .digest('base64url')

function listRowValues(rows: readonly FormRow[], fields: Fields): readonly unknown[] {
  const entries = Object.entries(fields)
  return rows
    .filter(row => !isEmptyRow(row, fields))
    .map(({ form }) => [
      readTexts(form, removeName),
      ...entries.map(([name, field]) => [
        ...readTexts(form, name),
        ...listRowValues(listFormRows(form, name, field), listChildFields(field)),
      ]),
    ])
}

const readTexts = (form: URLSearchParams, name: string): readonly string[] =>
  form
    .getAll(name)
    .filter(value => value !== '')
    .map(value => value.replaceAll('\r\n', '\n'))
