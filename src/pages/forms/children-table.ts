// The children of an object as a table: a row for each, with a control or a value in each cell. On a phone, a row is a card.

import { html } from 'ghtml'
import { type Field, type Fields, hasParts } from '#core'
import { formattedHtml, isNumeric } from '../values/list-cells.ts'
import { type Children, hiddenInputs, isFixed, removeControl, rowErrors, type ShownRow } from './children-rows.ts'
import type { ControlContext } from './control-context.ts'
import { formatValue } from './format-form-value.ts'

const maxColumns = 6

/** Whether the children have a place in a table: few columns of short values, and no children of their own. */
export function fitsTable({ field, shown: { fields, rows } }: Children): boolean {
  const columns = listColumns(fields)
  const isShort = ([, { childStorage, multiline, parts, file, kind, choices, relation }]: Column) =>
    !(childStorage || multiline || parts || file) && (!hasParts(kind) || (choices ?? relation) !== undefined)
  const hasRows = rows.some(row => columns.some(([name]) => row.rows?.(name) !== undefined))
  return field.childStorage!.isList && columns.length <= maxColumns && columns.every(isShort) && !hasRows
}

type Column = readonly [name: string, field: Field]

const listColumns = (fields: Fields): readonly Column[] =>
  Object.entries(fields).filter(([, { keyColumn }]) => keyColumn === undefined)

/** The table. `locate` finds the id and the prefix of a row. */
export function childrenTable(children: Children, locate: (index: number) => Pick<ShownRow, 'id' | 'prefix'>): string {
  const { shown, context } = children
  const columns = listColumns(shown.fields)
  const heading = ([name, field]: Column) =>
    html`<th scope="col" !${numberClass(field)}>${context.words.label(name, field)}</th>`
  const rows = shown.rows.map(row => rowHtml({ ...children, row, ...locate(row.index) }, columns))
  return html`<div class="table children"><table>
<thead><tr>!${columns.map(heading)}<td></td></tr></thead>
<tbody>
!${rows}</tbody></table></div>
`
}

const numberClass = (field: Field): string => (isNumeric(field) ? 'class="number"' : '')

function rowHtml(shown: ShownRow, columns: readonly Column[]): string {
  const { row, id, prefix, context, renderControls } = shown
  const own = { ...context, namePrefix: prefix, isNewRow: row.isNew }
  const cell = ([name, each]: Column) =>
    each.readOnly || isFixed(shown, each)
      ? valueHtml([name, each], row.values(name), context)
      : renderControls({ [name]: each }, row, own)
  const errors = rowErrors(row)
  const errorRow =
    errors === ''
      ? ''
      : html`<tr><td colspan="${columns.length + 1}">!${errors}</td></tr>
`
  return html`!${errorRow}<tr class="row" id="${id}">!${columns.map(column => html`<td !${numberClass(column[1])}>!${cell(column)}</td>`)}<td class="remove-row">!${hiddenInputs(shown)}!${removeControl(shown)}</td></tr>
`
}

function valueHtml([name, field]: Column, values: readonly string[], { words, pickers }: ControlContext): string {
  const format = (value: string) =>
    formattedHtml(value, field, words) ?? html`${formatValue(field, value, pickers, words)}`
  const texts = values.filter(value => value !== '').map(format)
  return html`<div class="field"><span class="label">${words.label(name, field)}</span><bdi>!${texts.join(', ')}</bdi></div>`
}
