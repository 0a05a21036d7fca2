// The children of an object in a form. The fields of the children of a list are named `lines[0]product`, as in Django REST
// framework, and those of a single child `invoice.number`. A page's form also has a mark of the saved children.

import { createHash } from 'node:crypto'
import type { ChildStorage, Field, Fields } from './field.ts'
import { listOnWire } from './wire-names.ts'

/** Follows the prefix of a row whose child is removed, if its value is `true`. */
export const removeName = '_remove'
/** Begins the names of the hidden inputs with the marks of the saved children. */
export const savedPrefix = '_saved.'

/** The fields of one child in a form, by their names without the prefix of the row. */
export interface FormRow {
  /** The index in its name; 0 for a single child. */
  readonly index: number
  readonly form: URLSearchParams
}

// Two fields may show the same fields of the children of different columns.
const formFields = new WeakMap<ChildStorage, WeakMap<Fields, Fields>>()

/** The fields of a child that a form may contain, with its key, by their names on the wire. */
export function listChildFields(field: Field): Fields {
  const shown = field.child?.children ?? field.children ?? {}
  const storage = field.storage as ChildStorage
  const ofStorage = formFields.get(storage) ?? new WeakMap<Fields, Fields>()
  formFields.set(storage, ofStorage)
  const known = ofStorage.get(shown)
  if (known !== undefined) return known
  const { fields, reverse } = storage
  const isTaken = (name: string, { readOnly, keyColumn, file, storage, join }: Field) =>
    fields.includes(name) &&
    (!readOnly || keyColumn !== undefined) &&
    file === undefined &&
    (join !== undefined || storage.kind !== 'column' || (storage.column ?? name) !== reverse)
  const listed = listOnWire(Object.fromEntries(Object.entries(shown).filter(entry => isTaken(...entry))))
  ofStorage.set(shown, listed)
  return listed
}

/** The rows of a form, in the order of their indexes. */
export function listFormRows(form: URLSearchParams, name: string, { isList }: ChildStorage): readonly FormRow[] {
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
  return [...rows].map(([index, row]) => ({ index, form: row })).toSorted((a, b) => a.index - b.index)
}

const rowName = { true: /^(\d{1,9})\]\.?(.+)$/, false: /^()(.+)$/ }

/** Whether nothing was typed into a row. A checkbox alone does not make a new child. */
export const isEmptyRow = ({ form }: FormRow, fields: Fields): boolean =>
  Object.entries(fields).every(
    ([name, { type }]) => type === 'boolean' || form.getAll(name).every(value => value === ''),
  )

export const isRemovedRow = ({ form }: FormRow): boolean => form.get(removeName) === 'true'

/** A mark of the values of rows: the same for the rows of a page that come back unchanged. */
export function markRows(rows: readonly FormRow[], fields: Fields): string {
  const values = rows
    .filter(row => !isEmptyRow(row, fields))
    .map(({ form }) =>
      [removeName, ...Object.keys(fields)].map(name =>
        form
          .getAll(name)
          .filter(value => value !== '')
          .map(value => value.replaceAll('\r\n', '\n')),
      ),
    )
  return createHash('sha256').update(JSON.stringify(values)).digest('base64url')
}
