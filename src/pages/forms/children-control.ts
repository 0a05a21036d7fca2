// The controls of the children of an object: a table, or a fieldset for each, with a checkbox that removes it, and empty ones to add some.

import { html } from 'ghtml'
import { type Fields, hasParts, savedPrefix } from '#core'
import { addField } from '../gateway/page-form.ts'
import { formatRowPrefix } from '../values/child-rows.ts'
import type { ChildRow } from '../values/form-contents.ts'
import { shortText } from '../values/list-cells.ts'
import {
  type Children,
  hiddenInputs,
  isFixed,
  placeControl,
  removeControl,
  rowErrors,
  type ShownRow,
} from './children-rows.ts'
import { childrenTable, fitsTable } from './children-table.ts'
import type { ControlContext } from './control-context.ts'
import { formatValue } from './format-form-value.ts'

/** The fieldset of the field, with its rows. `attribute`: a further attribute of the fieldset, after a space. */
export function childrenControl(children: Children, attribute: string): string {
  const { name, field, shown, context } = children
  const { rows, mark, errors, theirs, fields } = shown
  const { idPrefix, words, searchAction, namePrefix = '' } = context
  const { isList, actions } = field.childStorage!
  const fullName = namePrefix + name
  const id = `${idPrefix}-${fullName}`
  const isInside = namePrefix !== ''
  const label = words.label(name, field)
  const addLabel = isInside ? html`aria-label="${words('page.add_row')}: ${label}"` : ''
  const locate = (index: number) => ({ id: `${id}-${index}`, prefix: formatRowPrefix(fullName, field, index) })
  const rowsHtml = fitsTable(children)
    ? childrenTable(children, locate)
    : rows.map(row => rowFieldset({ ...children, row, ...locate(row.index) })).join('')
  const next = `${id}-${Math.max(-1, ...rows.map(({ index }) => index)) + 1}`
  const add =
    isList && actions.has('add') && searchAction !== undefined
      ? html`<p><button name="${addField}" value="${fullName}" !${addLabel} formaction="${searchAction}#${next}" formnovalidate>${words('page.add_row')}</button></p>`
      : ''
  const saved =
    theirs === undefined
      ? ''
      : html`<p class="theirs">${words('page.now')} <bdi>${theirs.map(row => summarizeRow(row, fields, context)).join('; ') || '–'}</bdi></p>`
  return html`<fieldset class="group rows" !${isInside ? '' : html`data-field="${name}"`}!${attribute} aria-describedby="${id}-errors"><legend>${label}</legend>
<input type="hidden" name="${namePrefix + savedPrefix + name}" value="${mark}">
!${field.help === undefined ? '' : html`<p class="help">${words.text(field.help)}</p>`}!${saved}<ul class="errors" id="${id}-errors" !${errors.length > 0 ? '' : 'hidden'}>!${errors.map(error => html`<li>${error}</li>`)}</ul>
!${rowsHtml}!${add}</fieldset>
`
}

const summarizeRow = ({ values }: ChildRow, fields: Fields, { pickers, words }: ControlContext): string =>
  Object.entries(fields)
    .filter(([, field]) => field.keyColumn === undefined && (!hasParts(field.kind) || field.choices))
    .flatMap(([name, field]) => values(name).map(value => shortText(formatValue(field, value, pickers, words))))
    .filter(text => text !== '')
    .join(', ')

function rowFieldset(shown: ShownRow): string {
  const { field, row, id, prefix, context, renderControls } = shown
  const { isList, target } = field.childStorage!
  const { fields } = shown.shown
  const { words, pickers } = context
  const { index, isNew, values } = row
  const facts = Object.entries(fields)
    .filter(([, each]) => !each.readOnly && isFixed(shown, each))
    .map(([key, each]) => {
      const texts = values(key).map(value => formatValue(each, value, pickers, words))
      return html`<p>${words.label(key, each)}: <bdi>${texts.join(', ')}</bdi></p>`
    })
  const writable = Object.fromEntries(Object.entries(fields).filter(([, each]) => !isFixed(shown, each)))
  const controls = renderControls(writable, row, { ...context, namePrefix: prefix, isNewRow: isNew })
  const title = words.one(target)
  const ownName =
    target.objectName === undefined || fields[target.objectName] === undefined ? '' : values(target.objectName)[0]!
  const legend = isNew
    ? words('page.new', { name: title })
    : shortText(ownName) || (isList ? `${title} ${index + 1}` : title)
  return html`<fieldset class="row" id="${id}"><legend>${legend}</legend>
!${hiddenInputs(shown)}!${rowErrors(row)}!${facts}!${controls}!${placeControl(shown)}!${removeControl(shown)}</fieldset>
`
}
