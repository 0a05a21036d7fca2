// The fields of forms and of their rows whose controls offer related objects, or many choices.

import { type Field, type Fields, type Form, listChildFields, searchPrefix } from '#core'
import { formatRowPrefix, hasRows } from '../values/child-rows.ts'
import type { ChildRow, ChildRows, FormValues } from '../values/form-contents.ts'
import { createFormValues, type FormSource } from '../values/form-values.ts'
import { maxShortList } from './combobox.ts'
import type { PickerRequest } from './pickers.ts'

/** The most options that each row of children repeats. */
const maxListedInRows = 20

/** These fields of the forms, with their selected values, and the texts by which a form without the script searches them. */
export function listPickerRequests(
  forms: Readonly<Record<string, Form>>,
  source: FormSource,
): readonly PickerRequest[] {
  const requests = new Map<Field, PickerRequest>()
  for (const [method, { fields }] of Object.entries(forms)) {
    const { values, current, rows } = createFormValues(method, fields, source)
    for (const request of Object.entries(fields).flatMap(([name, field]) => listRowRequests(name, field, source, rows)))
      requests.set(request.field, request)
    for (const [name, field] of Object.entries(fields).filter(([, each]) => isPicked(each))) {
      const known = requests.get(field)?.values ?? []
      const search = findSearch(name, source)
      const shown = [...values(name), ...(current?.(name) ?? []), ...listDefaultChoices(field)]
      requests.set(field, { field, values: [...known, ...shown], search })
    }
  }
  return [...requests.values()]
}

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
