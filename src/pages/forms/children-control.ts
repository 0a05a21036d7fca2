// The controls of the children of an object: a fieldset for each, with a checkbox that removes it, and empty ones to add some.

import { html } from 'ghtml'
import { type Field, type Fields, hasParts, removeName, savedPrefix } from '#core'
import { addField } from '../gateway/page-form.ts'
import { formatRowPrefix } from '../values/child-rows.ts'
import type { ChildRow, ChildRows, FormValues } from '../values/form-contents.ts'
import { shortText } from '../values/list-cells.ts'
import type { ControlContext } from './control-context.ts'
import { formatValue } from './format-form-value.ts'

type RenderControls = (fields: Fields, values: FormValues, context: ControlContext) => string

/** The fieldset of the field, with one for each row. `renderControls` renders the controls of one row. */
export function childrenControl(
  name: string,
  field: Field,
  shown: ChildRows,
  context: ControlContext,
  renderControls: RenderControls,
): string {
  const { rows, mark, errors, theirs, fields } = shown
  const { idPrefix, words, searchAction, namePrefix = '' } = context
  const { isList, actions } = field.childStorage!
  const fullName = namePrefix + name
  const id = `${idPrefix}-${fullName}`
  const isInside = namePrefix !== ''
  const label = words.label(name, field)
  const addLabel = isInside ? html`aria-label="${words('page.add_row')}: ${label}"` : ''
  const rowsHtml = rows.map(row => rowFieldset({ name, field, fields, row, context, renderControls }))
  const next = `${id}-${Math.max(-1, ...rows.map(({ index }) => index)) + 1}`
  const add =
    isList && actions.has('add') && searchAction !== undefined
      ? html`<p><button name="${addField}" value="${fullName}" !${addLabel} formaction="${searchAction}#${next}" formnovalidate>${words('page.add_row')}</button></p>`
      : ''
  const saved =
    theirs === undefined
      ? ''
      : html`<p class="theirs">${words('page.now')} <bdi>${theirs.map(row => summarizeRow(row, fields, context)).join('; ') || '–'}</bdi></p>`
  // Enter in any text presses the first button of a form, which has to be this one.
  const firstButton = isInside ? '' : '<button hidden></button>'
  return html`<fieldset class="group rows" !${isInside ? '' : html`data-field="${name}"`} aria-describedby="${id}-errors"><legend>${label}</legend>
!${firstButton}<input type="hidden" name="${namePrefix + savedPrefix + name}" value="${mark}">
!${field.help === undefined ? '' : html`<p class="help">${words.text(field.help)}</p>`}!${saved}<ul class="errors" id="${id}-errors" !${errors.length > 0 ? '' : 'hidden'}>!${errors.map(error => html`<li>${error}</li>`)}</ul>
!${rowsHtml}!${add}</fieldset>
`
}

// A nullable column may lose its object, which stays if bodies do not remove it.
const canLeaveOut = ({ childStorage, nullable }: Field): boolean => {
  const { column, actions } = childStorage!
  return column === undefined ? actions.has('remove') : nullable
}

const summarizeRow = ({ values }: ChildRow, fields: Fields, { pickers, words }: ControlContext): string =>
  Object.entries(fields)
    .filter(([, field]) => field.keyColumn === undefined && (!hasParts(field.kind) || field.choices))
    .flatMap(([name, field]) => values(name).map(value => shortText(formatValue(field, value, pickers, words))))
    .filter(text => text !== '')
    .join(', ')

interface RowParts {
  readonly name: string
  readonly field: Field
  readonly fields: Fields
  readonly row: ChildRow
  readonly context: ControlContext
  readonly renderControls: RenderControls
}

function rowFieldset({ name, field, fields, row, context, renderControls }: RowParts): string {
  const { isList, actions, target } = field.childStorage!
  const { words, idPrefix, pickers } = context
  const { index, isNew, isRemoved, values } = row
  const fullName = (context.namePrefix ?? '') + name
  const namePrefix = formatRowPrefix(fullName, field, index)
  const id = `${idPrefix}-${fullName}-${index}`
  const isFixed = (each: Field) => !isNew && (!actions.has('change') || each.fixed)
  const select = (matches: (each: Field) => boolean) => Object.entries(fields).filter(([, each]) => matches(each))
  const hidden = select(each => each.readOnly || isFixed(each)).flatMap(([key]) =>
    values(key).map(value => html`<input type="hidden" name="${namePrefix + key}" value="${value}">`),
  )
  const facts = select(each => !each.readOnly && isFixed(each)).map(
    ([key, each]) =>
      html`<p>${words.label(key, each)}: <bdi>${values(key)
        .map(value => formatValue(each, value, pickers, words))
        .join(', ')}</bdi></p>`,
  )
  const controls = renderControls(Object.fromEntries(select(each => !isFixed(each))), row, {
    ...context,
    namePrefix,
    isNewRow: isNew,
  })
  const errors = row.errors('')
  const remove =
    isNew || !canLeaveOut(field)
      ? ''
      : html`<p class="field checkbox"><input type="checkbox" id="${id}-remove" name="${namePrefix + removeName}" value="true" !${isRemoved ? 'checked' : ''}> <label for="${id}-remove">${words('page.remove_row')}</label></p>`
  const title = words.one(target)
  const ownName =
    target.objectName === undefined || fields[target.objectName] === undefined ? '' : values(target.objectName)[0]!
  const legend = isNew
    ? words('page.new', { name: title })
    : shortText(ownName) || (isList ? `${title} ${index + 1}` : title)
  return html`<fieldset class="row" id="${id}"><legend>${legend}</legend>
!${hidden}!${
    errors.length === 0
      ? ''
      : html`<ul class="errors">!${errors.map(error => html`<li>${error}</li>`)}</ul>
`
  }!${facts}!${controls}!${remove}</fieldset>
`
}
