// What the rows of children have in common, in a table and as fieldsets.

import { html } from 'ghtml'
import { type Field, type Fields, placeName, removeName } from '#core'
import type { ChildRow, ChildRows, FormValues } from '../values/form-contents.ts'
import type { ControlContext } from './control-context.ts'

/** Renders the controls of these fields. */
export type RenderControls = (fields: Fields, values: FormValues, context: ControlContext) => string

/** The children of one field of a form. */
export interface Children {
  /** The name of the field, after that of the row around it. */
  readonly name: string
  readonly field: Field
  readonly shown: ChildRows
  readonly context: ControlContext
  readonly renderControls: RenderControls
}

/** One of the children. */
export interface ShownRow extends Children {
  readonly row: ChildRow
  readonly id: string
  /** Begins the names of its controls. */
  readonly prefix: string
}

/** Whether bodies do not change this field of the row. */
export const isFixed = (
  { row: { isNew }, field: { childStorage } }: Pick<ShownRow, 'row' | 'field'>,
  each: Field,
): boolean => !isNew && (!childStorage!.actions.has('change') || each.fixed)

/** The values that have no control. */
export const hiddenInputs = (shown: ShownRow): string =>
  Object.entries(shown.shown.fields)
    .filter(([, each]) => each.readOnly || isFixed(shown, each))
    .flatMap(([key]) =>
      shown.row.values(key).map(value => html`<input type="hidden" name="${shown.prefix + key}" value="${value}">`),
    )
    .join('')

/** The checkbox that leaves the row out; empty if it has to stay. */
export function removeControl({ row, field, id, prefix, context: { words } }: ShownRow): string {
  if (row.isNew || !canLeaveOut(field)) return ''
  return html`<p class="field checkbox"><input type="checkbox" id="${id}-remove" name="${prefix + removeName}" value="true" !${row.isRemoved ? 'checked' : ''}> <label for="${id}-remove">${words('page.remove_row')}</label></p>`
}

/** The input of the place of the row in a list whose order is stored; empty for other rows. */
export function placeControl({
  row: { index },
  field: { childStorage },
  id,
  prefix,
  context: { words },
}: ShownRow): string {
  if (childStorage!.position === undefined) return ''
  return html`<div class="field"><label for="${id}-place">${words('page.place')}</label><input type="number" min="1" id="${id}-place" name="${prefix + placeName}" value="${index + 1}"></div>`
}

// A nullable column may lose its object, which stays if bodies do not remove it.
const canLeaveOut = ({ childStorage, nullable }: Field): boolean => {
  const { column, actions } = childStorage!
  return column === undefined ? actions.has('remove') : nullable
}

/** The errors of the row as a whole. */
export function rowErrors({ errors }: ChildRow): string {
  const lines = errors('')
  return lines.length === 0
    ? ''
    : html`<ul class="errors">!${lines.map(error => html`<li>${error}</li>`)}</ul>
`
}
