// The fields of forms and of their rows whose controls offer related objects, or many choices.

import { type Field, type Fields, type Form, listChildFields, searchPrefix } from '#core'
import { formatRowPrefix, hasRows } from '../values/child-rows.ts'
import type { ChildRow, ChildRows, FormValues } from '../values/form-contents.ts'
import { createFormValues, type FormSource } from '../values/form-values.ts'
import { maxShortList } from './combobox.ts'
import { findPickers, type PickerContext, type PickerRequest, type Pickers } from './pickers.ts'

/** The most options that each row of children repeats. */
const maxListedInRows = 20

type Forms = Readonly<Record<string, Form>>

/** Finds the options of these fields. */
export const findFormPickers = (forms: Forms, source: FormSource, context: PickerContext): Promise<Pickers> =>
  findPickers(listPickerRequests(forms, source), context)

// With their selected values, and the texts by which a form without the script searches them.
function listPickerRequests(forms: Forms, source: FormSource): readonly PickerRequest[] {
  const requests = new Map<Field, PickerRequest>()
  for (const [method, { fields }] of Object.entries(forms)) {
    const formValues = createFormValues(method, fields, source)
    for (const request of Object.entries(fields).flatMap(([name, field]) =>
      listRowRequests(name, field, source, formValues.rows),
    ))
      requests.set(request.field, request)
    for (const request of requestFields(fields, formValues, source)) {
      const { values = [] } = requests.get(request.field) ?? {}
      requests.set(request.field, { ...request, values: [...values, ...request.values] })
    }
  }
  return [...requests.values()]
}

// The fields of a form, and those of its objects.
const requestFields = (
  fields: Fields,
  { values, current, parts }: FormValues,
  source: FormSource,
  prefix = '',
): readonly PickerRequest[] =>
  Object.entries(fields).flatMap(([name, field]) => {
    if (field.parts && parts && !field.readOnly) return requestFields(field.parts, parts(name), source, `${name}.`)
    if (!isPicked(field)) return []
    const shown = [...values(name), ...(current?.(name) ?? []), ...listDefaultChoices(field)]
    return [{ field, values: shown, search: findSearch(prefix + name, source) }]
  })

// The rows of children share the options of each relation.
function listRowRequests(
  name: string,
  field: Field,
  source: FormSource,
  rows: FormValues['rows'],
): readonly PickerRequest[] {
  const shown = hasRows(field) ? rows?.(name) : undefined
  return shown === undefined ? [] : requestPickers(listChildFields(field), placeRows(name, field, shown, ''), source)
}

interface PlacedRow {
  readonly row: ChildRow
  /** Begins the names of its controls. */
  readonly prefix: string
}

const placeRows = (
  name: string,
  field: Field,
  { rows, theirs = [] }: ChildRows,
  prefix: string,
): readonly PlacedRow[] =>
  [...rows, ...theirs].map(row => ({ row, prefix: prefix + formatRowPrefix(name, field, row.index) }))

const requestPickers = (fields: Fields, placed: readonly PlacedRow[], source: FormSource): readonly PickerRequest[] =>
  Object.entries(fields).flatMap(([child, each]) => {
    const inside = placed.flatMap(({ row, prefix }) => {
      const shown = row.rows?.(child)
      return shown === undefined ? [] : placeRows(child, each, shown, prefix)
    })
    if (inside.length > 0) return requestPickers(listChildFields(each), inside, source)
    if (!isPicked(each)) return []
    const search = placed
      .map(({ prefix }) => findSearch(prefix + child, source))
      .find(text => text !== undefined && text !== '')
    const values = [...placed.flatMap(({ row }) => row.values(child)), ...listDefaultChoices(each)]
    return { field: each, values, search, maxListed: maxListedInRows }
  })

/** The choices that a control without a value selects: the default. */
export const listDefaultChoices = ({ choices, child, default: value }: Field): readonly string[] =>
  (choices ?? child?.choices) === undefined || value === undefined ? [] : [value].flat().map(String)

/** Whether the control of the field selects related objects, or one of many choices. */
export function isPicked({ relation, readOnly, writeOnly, choices, child, choiceGrid }: Field): boolean {
  if (readOnly || writeOnly || choiceGrid) return false
  const listed = choices ?? child?.choices
  return listed === undefined ? relation !== undefined : listed.size > maxShortList
}

function findSearch(name: string, { rejected }: FormSource): string | undefined {
  const body = rejected?.body
  return body?.kind === 'form' || body?.kind === 'upload'
    ? (body.form.get(searchPrefix + name) ?? undefined)
    : undefined
}
