// The rows of a form with the children of an object: those that are saved or were submitted, and empty ones to add some.

import {
  type Field,
  type Fields,
  type FormRow,
  isObject,
  isRemovedRow,
  listChildFields,
  listFormRows,
  listKeptRows,
  markRows,
  savedPrefix,
} from '#core'
import { addField } from '../gateway/page-form.ts'
import type { ChildRow, ChildRows, FormValues } from './form-contents.ts'
import { listFormErrors, listValues, objectValues, toLines } from './value-texts.ts'

/** More rows than this are edited as JSON text, because each has all its controls. */
const maxRows = 20
/** The children of children are rows too, and their own children JSON text. */
const maxDepth = 2
/** How many rows are offered to add children, at each depth. */
const emptyRows = [2, 1]

/**
 * Whether a form shows the children of the field in rows, as far as there are not too many. `depth`: 0 for a field of the form, and
 * 1 for a field of its rows.
 */
export const hasRows = (field: Field, depth = 0): boolean =>
  depth < maxDepth &&
  !field.readOnly &&
  Object.values(listChildFields(field)).some(({ keyColumn, kind }) => keyColumn === undefined && !kind.isCheckbox)

/** The children of a new object. */
export const emptyChildren = ({ kind }: Field): unknown => (kind.hasItems ? [] : null)

/** The rows of children in a representation or a JSON body; undefined if they cannot be shown in rows. */
export function listDataRows(field: Field, value: unknown, errors: unknown, depth = 0): ChildRows | undefined {
  const { isList, actions, column } = field.childStorage!
  const objects = isList ? value : value === null ? [] : [value]
  if (!Array.isArray(objects) || objects.length > maxRows || !objects.every(isObject)) return undefined
  const fields = listChildFields(field)
  const saved = objects.map((object, index) =>
    createDataRow(field, object, { index, errors: childErrors(errors, index, isList), depth }),
  )
  // A list that only adds leaves the saved children as they are, and an object that is only added replaces the saved one.
  const isReplaced = column !== undefined && actions.has('add')
  const shown = actions.has('change') || (actions.has('remove') && !isReplaced) ? saved : []
  return {
    fields,
    rows: addEmptyRows(field, shown, emptyRows[depth]!, depth),
    mark: markRows(
      shown.map(row => toFormRow(row, fields)),
      fields,
    ),
    errors: listOwnErrors(errors),
  }
}

/** A submitted form, or the part of it that has one row. */
interface SubmittedPart {
  readonly form: URLSearchParams
  readonly errors: unknown
  /** The saved children, as the page of their object shows them. */
  readonly saved: unknown
  /** The name of the children for which one more row is asked for, as far as it is one in this part. */
  readonly added: string | undefined
  readonly depth: number
}

/** The rows that a form has submitted; undefined if it has none. */
export const listSubmittedRows = (
  name: string,
  field: Field,
  form: URLSearchParams,
  { errors, saved }: Pick<SubmittedPart, 'errors' | 'saved'>,
): ChildRows | undefined =>
  listPartRows(name, field, { form, errors, saved, added: form.get(addField) ?? undefined, depth: 0 })

function listPartRows(name: string, field: Field, part: SubmittedPart): ChildRows | undefined {
  const { form, errors, added, depth, saved } = part
  const storage = field.childStorage!
  const fields = listChildFields(field)
  const submitted = listFormRows(form, name, field)
  if (submitted.length === 0 || submitted.length > 2 * maxRows) return undefined
  const kept = listKeptRows(submitted, fields)
  const rows = submitted.map((row, order) => {
    const place = kept.indexOf(row)
    const prefix = formatRowPrefix(name, field, row.index)
    const index = storage.position === undefined ? row.index : order
    return createFormRow(
      field,
      { ...row, index },
      {
        form: row.form,
        errors: place < 0 ? undefined : childErrors(errors, place, storage.isList),
        saved,
        added: added?.startsWith(prefix) ? added.slice(prefix.length) : undefined,
        depth,
      },
    )
  })
  return {
    fields,
    rows: added === name ? addEmptyRows(field, rows, 1, depth) : rows,
    mark: form.get(savedPrefix + name) ?? '',
    errors: listOwnErrors(errors),
  }
}

/** Begins the names of the controls of a row. */
export const formatRowPrefix = (name: string, { childStorage }: Field, index: number): string =>
  childStorage!.isList ? `${name}[${index}]` : `${name}.`

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

interface RowPlace {
  readonly index: number
  readonly errors: unknown
  readonly depth: number
}

function createDataRow(field: Field, object: Readonly<Record<string, unknown>>, place: RowPlace): ChildRow {
  const fields = listChildFields(field)
  const { values: find } = objectValues(fields, object)
  return createRow(field, {
    ...place,
    isNew: false,
    isRemoved: false,
    saved: object,
    find,
    listRows: (name, each, errors) => listDataRows(each, object[name] ?? emptyChildren(each), errors, place.depth + 1),
  })
}

function createFormRow(field: Field, row: FormRow, part: SubmittedPart): ChildRow {
  const { index, form } = row
  const fields = listChildFields(field)
  const key = Object.keys(fields).find(name => fields[name]!.readOnly)
  const isNew = key !== undefined && (form.get(key) ?? '') === ''
  const depth = part.depth + 1
  return createRow(field, {
    ...part,
    index,
    isNew,
    isRemoved: isRemovedRow(row),
    saved: isNew || key === undefined ? undefined : findSaved(part.saved, key, form.get(key)),
    find: name => listValues(name, form),
    listRows(name, each, errors) {
      if (form.has(name)) return undefined
      return (
        listPartRows(name, each, { ...part, errors, depth, saved: undefined }) ??
        listDataRows(each, emptyChildren(each), errors, depth)
      )
    },
  })
}

const findSaved = (saved: unknown, key: string, value: string | null): ChildRow['saved'] =>
  [saved].flat().find(child => isObject(child) && String(child[key]) === value) as ChildRow['saved']

function addEmptyRows(field: Field, rows: readonly ChildRow[], count: number, depth: number): readonly ChildRow[] {
  const { isList, actions, max } = field.childStorage!
  const fields = listChildFields(field)
  if (!actions.has('add') && !actions.has('select')) return rows
  const added = Math.max(0, Math.min(count, (isList ? Math.min(max, 2 * maxRows) : 1) - rows.length))
  const next = Math.max(-1, ...rows.map(({ index }) => index)) + 1
  const empty = Array.from({ length: added }, (_, place) =>
    createRow(field, {
      index: next + place,
      isNew: true,
      isRemoved: false,
      saved: undefined,
      find: name => (fields[name]!.kind.isCheckbox ? [String(fields[name]!.default ?? false)] : []),
      listRows: (_name, each) => listDataRows(each, emptyChildren(each), undefined, depth + 1),
      errors: undefined,
      depth,
    }),
  )
  return [...rows, ...empty]
}

interface RowParts extends Pick<ChildRow, 'index' | 'isNew' | 'isRemoved' | 'saved'>, RowPlace {
  readonly find: FormValues['values']
  /** The rows of the row's own children; undefined if they are JSON text. */
  readonly listRows: (name: string, field: Field, errors: unknown) => ChildRows | undefined
}

function createRow(field: Field, { find, errors, listRows, depth, ...parts }: RowParts): ChildRow {
  const fields = listChildFields(field)
  const own = isObject(errors) ? errors : {}
  // A child that bodies do not change stays as it is, with its own children.
  const isFixed = !parts.isNew && !field.childStorage!.actions.has('change')
  const rowsByName = new Map<string, ChildRows | undefined>()
  return {
    index: parts.index,
    isNew: parts.isNew,
    isRemoved: parts.isRemoved,
    saved: parts.saved,
    rows(name) {
      if (isFixed || !hasRows(fields[name]!, depth + 1)) return undefined
      if (!rowsByName.has(name)) rowsByName.set(name, listRows(name, fields[name]!, own[name]))
      return rowsByName.get(name)
    },
    // A control without a value shows none, and not the default.
    values: name => {
      const { writeOnly, kind } = fields[name]!
      const values = writeOnly ? [] : find(name)
      return values.length === 0 && !kind.isCheckbox ? [''] : values
    },
    errors: name =>
      name === '' ? [...(isObject(errors) ? [] : toLines(errors)), ...listFormErrors(fields, own)] : toLines(own[name]),
  }
}

// The row as its controls would send it.
function toFormRow({ index, values, rows }: ChildRow, fields: Fields): FormRow {
  const form = new URLSearchParams()
  for (const [name, field] of Object.entries(fields)) {
    const shown = rows?.(name)
    if (shown === undefined) {
      for (const value of values(name)) if (!field.kind.isCheckbox || value === 'true') form.append(name, value)
      continue
    }
    for (const row of shown.rows)
      for (const [part, value] of toFormRow(row, shown.fields).form)
        form.append(formatRowPrefix(name, field, row.index) + part, value)
  }
  return { index, form }
}
