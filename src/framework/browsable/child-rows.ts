// The rows of a form with the children of an object: those that are saved or were submitted, and empty ones to add some.

import type { ChildStorage, Field, Fields } from '../fields/field.ts'
import {
  type FormRow,
  isRemovedRow,
  listChildFields,
  listFormRows,
  markRows,
  savedPrefix,
} from '../fields/form-rows.ts'
import { listKeptRows } from '../fields/form-value.ts'
import { isObject } from '../is-object.ts'
import { addField } from '../page-form.ts'
import type { ChildRow, ChildRows, FormValues } from './form-contents.ts'
import { listFormErrors, listValues, objectValues, toLines } from './value-texts.ts'

/** More rows than this are edited as JSON text, because each has all its controls. */
const maxRows = 20
const emptyRows = 2

/** Whether a form shows the children of the field in rows, as far as there are not too many. */
export const hasRows = (field: Field): boolean =>
  !field.readOnly &&
  field.storage.kind === 'children' &&
  Object.values(listChildFields(field)).some(({ keyColumn, type }) => keyColumn === undefined && type !== 'boolean')

/** The rows of children in a representation or a JSON body; undefined if they cannot be shown in rows. */
export function listDataRows(field: Field, value: unknown, errors: unknown): ChildRows | undefined {
  const { isList, actions, column } = field.storage as ChildStorage
  const objects = isList ? value : value === null ? [] : [value]
  if (!Array.isArray(objects) || objects.length > maxRows || !objects.every(isObject)) return undefined
  const fields = listChildFields(field)
  const saved = objects.map((object, index) => createDataRow(fields, object, index, childErrors(errors, index, isList)))
  // A list that only adds leaves the saved children as they are, and an object that is only added replaces the saved one.
  const isReplaced = column !== undefined && actions.has('add')
  const shown = actions.has('change') || (actions.has('remove') && !isReplaced) ? saved : []
  return {
    fields,
    rows: addEmptyRows(field, fields, shown, emptyRows),
    mark: markRows(
      shown.map(row => toFormRow(row, fields)),
      fields,
    ),
    errors: listOwnErrors(errors),
  }
}

/** The rows that a form has submitted; undefined if it has none. */
export function listSubmittedRows(
  name: string,
  field: Field,
  form: URLSearchParams,
  errors: unknown,
): ChildRows | undefined {
  const storage = field.storage as ChildStorage
  const fields = listChildFields(field)
  const submitted = listFormRows(form, name, storage)
  if (submitted.length === 0 || submitted.length > 2 * maxRows) return undefined
  const kept = listKeptRows(submitted, fields)
  const rows = submitted.map(row => {
    const place = kept.indexOf(row)
    return createFormRow(fields, row, place < 0 ? undefined : childErrors(errors, place, storage.isList))
  })
  return {
    fields,
    rows: form.get(addField) === name ? addEmptyRows(field, fields, rows, 1) : rows,
    mark: form.get(savedPrefix + name) ?? '',
    errors: listOwnErrors(errors),
  }
}

/** Merges what others have saved: it replaces rows that the caller has not changed, and is shown beside those that were. */
export function mergeRows(mine: ChildRows | undefined, current: ChildRows | undefined): ChildRows | undefined {
  if (mine === undefined || current === undefined || mine.mark === current.mark) return mine
  const sent = markRows(
    mine.rows.map(row => toFormRow(row, mine.fields)),
    mine.fields,
  )
  if (sent === mine.mark) return current
  return { ...mine, mark: current.mark, theirs: current.rows.filter(({ isNew }) => !isNew) }
}

const childErrors = (errors: unknown, index: number, isList: boolean): unknown =>
  isList ? (Array.isArray(errors) ? errors[index] : undefined) : errors

// Messages of the field itself, such as that there are too many children.
const listOwnErrors = (errors: unknown): readonly string[] =>
  (Array.isArray(errors) ? errors : []).filter(error => typeof error === 'string')

function createDataRow(
  fields: Fields,
  object: Readonly<Record<string, unknown>>,
  index: number,
  errors: unknown,
): ChildRow {
  const { values } = objectValues(fields, object)
  return createRow(fields, { index, isNew: false, isRemoved: false, find: values, errors })
}

function createFormRow(fields: Fields, row: FormRow, errors: unknown): ChildRow {
  const { index, form } = row
  const key = Object.keys(fields).find(name => fields[name]!.readOnly)
  const isNew = key !== undefined && (form.get(key) ?? '') === ''
  return createRow(fields, { index, isNew, isRemoved: isRemovedRow(row), find: name => listValues(name, form), errors })
}

function addEmptyRows(field: Field, fields: Fields, rows: readonly ChildRow[], count: number): readonly ChildRow[] {
  const { isList, actions, max } = field.storage as ChildStorage
  if (!actions.has('add')) return rows
  const added = Math.max(0, Math.min(count, (isList ? Math.min(max, 2 * maxRows) : 1) - rows.length))
  const next = Math.max(-1, ...rows.map(({ index }) => index)) + 1
  const empty = Array.from({ length: added }, (_, place) =>
    createRow(fields, {
      index: next + place,
      isNew: true,
      isRemoved: false,
      find: name => (fields[name]!.type === 'boolean' ? [String(fields[name]!.default ?? false)] : []),
      errors: undefined,
    }),
  )
  return [...rows, ...empty]
}

interface RowParts extends Pick<ChildRow, 'index' | 'isNew' | 'isRemoved'> {
  readonly find: FormValues['values']
  readonly errors: unknown
}

function createRow(fields: Fields, { find, errors, ...parts }: RowParts): ChildRow {
  const own = isObject(errors) ? errors : {}
  return {
    ...parts,
    // A control without a value shows none, and not the default.
    values: name => {
      const { writeOnly, type } = fields[name]!
      const values = writeOnly ? [] : find(name)
      return values.length === 0 && type !== 'boolean' ? [''] : values
    },
    errors: name =>
      name === '' ? [...(isObject(errors) ? [] : toLines(errors)), ...listFormErrors(fields, own)] : toLines(own[name]),
  }
}

// The row as its controls would send it.
function toFormRow({ index, values }: ChildRow, fields: Fields): FormRow {
  const form = new URLSearchParams()
  for (const [name, { type }] of Object.entries(fields))
    for (const value of values(name)) if (type !== 'boolean' || value === 'true') form.append(name, value)
  return { index, form }
}
