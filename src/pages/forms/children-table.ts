// The children of an object as a table: a row for each, with a control or a value in each cell. On a phone, a row is a card.

import { html } from 'ghtml'
import { type Field, type Fields, hasParts, listChildFields, listOnWire } from '#core'
import type { Words } from '../html/words.ts'
import type { ShownSum } from '../values/form-contents.ts'
import { formattedHtml, isNumeric, toText } from '../values/list-cells.ts'
import {
  type Children,
  hiddenInputs,
  isFixed,
  placeControl,
  removeControl,
  rowErrors,
  type ShownRow,
} from './children-rows.ts'
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

// The short values that the rows show and bodies do not contain, such as the price of an order line.
function listFacts({ field, shown }: Children, columns: readonly Column[]): readonly Column[] {
  const { childStorage, child, children } = field
  const taken = listChildFields(field)
  const isFact = ([name, each]: Column) =>
    !Object.hasOwn(taken, name) &&
    shown.rows.some(({ saved }) => saved !== undefined && Object.hasOwn(saved, name)) &&
    each.keyColumn === undefined &&
    each.relation === undefined &&
    each.readOnly &&
    each.kind.shown !== 'url' &&
    !hasParts(each.kind) &&
    !each.kind.isCheckbox &&
    !each.file
  const all = Object.entries(listOnWire(child?.children ?? children ?? {}))
  return childStorage!.actions.has('select') ? [] : all.filter(isFact).slice(0, maxColumns - columns.length)
}

/** The table. `locate` finds the id and the prefix of a row. */
export function childrenTable(children: Children, locate: (index: number) => Pick<ShownRow, 'id' | 'prefix'>): string {
  const { field, shown, context } = children
  const { words } = context
  const columns = listColumns(shown.fields)
  const facts = listFacts(children, columns)
  const hasPlaces = field.childStorage!.position !== undefined
  const heading = ([name, each]: Column) => html`<th scope="col" !${numberClass(each)}>${words.label(name, each)}</th>`
  const rows = shown.rows.map(row => rowHtml({ ...children, row, ...locate(row.index) }, columns, facts))
  const width = columns.length + facts.length + (hasPlaces ? 1 : 0)
  return html`<div class="table children"><table>
<thead><tr>!${hasPlaces ? html`<th scope="col" class="number">${words('page.place')}</th>` : ''}!${[...columns, ...facts].map(heading)}<td></td></tr></thead>
<tbody>
!${rows}</tbody>!${sumsHtml(shown.sums ?? [], width, words)}</table></div>
`
}

const sumsHtml = (sums: readonly ShownSum[], width: number, words: Words): string =>
  sums.length === 0
    ? ''
    : html`
<tfoot>!${sums.map(
        ({ name, field, value }) =>
          html`<tr><th scope="row" colspan="${width - 1}">${words.label(name, field)}</th><td class="number">!${formattedHtml(value, field, words) ?? html`${String(value)}`}</td><td></td></tr>`,
      )}</tfoot>
`

const numberClass = (field: Field): string => (isNumeric(field) ? 'class="number"' : '')

function rowHtml(shown: ShownRow, columns: readonly Column[], facts: readonly Column[]): string {
  const { row, id, prefix, context, renderControls } = shown
  const own = { ...context, namePrefix: prefix, isNewRow: row.isNew }
  const cell = ([name, each]: Column) =>
    each.readOnly || isFixed(shown, each)
      ? valueHtml([name, each], row.values(name), context)
      : renderControls({ [name]: each }, row, own)
  const fact = ([name, each]: Column) =>
    row.saved === undefined ? '' : valueHtml([name, each], [toText(row.saved[name])], context)
  const cells = [
    ...columns.map(column => html`<td !${numberClass(column[1])}>!${cell(column)}</td>`),
    ...facts.map(column => html`<td !${numberClass(column[1])}>!${fact(column)}</td>`),
  ]
  const place = placeControl(shown)
  const placeCell = place === '' ? '' : html`<td class="number">!${place}</td>`
  const errors = rowErrors(row)
  const errorRow =
    errors === ''
      ? ''
      : html`<tr><td colspan="${cells.length + 1}">!${errors}</td></tr>
`
  return html`!${errorRow}<tr class="row" id="${id}">!${placeCell}!${cells}<td class="remove-row">!${hiddenInputs(shown)}!${removeControl(shown)}</td></tr>
`
}

function valueHtml([name, field]: Column, values: readonly string[], { words, pickers }: ControlContext): string {
  const format = (value: string) =>
    formattedHtml(value, field, words) ?? html`${formatValue(field, value, pickers, words)}`
  const texts = values.filter(value => value !== '').map(format)
  return html`<div class="field"><span class="label">${words.label(name, field)}</span><bdi>!${texts.join(', ')}</bdi></div>`
}
