// The form controls of fields: label, help text, limits, choices, current values and errors.

import { html } from 'ghtml'
import { type Field, type FieldGroup, type Fields, findFile, groupNames, hasParts, hasTime, isSecret } from '#core'
import { escapeContent } from '../html/escape-content.ts'
import type { Words } from '../html/words.ts'
import { choiceGridField, formatGridValues } from '../values/choice-grid.ts'
import { fileControl } from '../values/file-control.ts'
import type { FormValues } from '../values/form-contents.ts'
import type { GroupFacts } from '../values/object-section.ts'
import { isSameValue, isTrue } from '../values/value-texts.ts'
import { childrenControl } from './children-control.ts'
import { combobox, maxShortList, selectHtml } from './combobox.ts'
import type { ControlContext } from './control-context.ts'
import { formatValue } from './format-form-value.ts'
import { formatInSentence } from './new-page.ts'
import { listDefaultChoices } from './picker-requests.ts'
import { listChoices } from './pickers.ts'
import { type FieldControl, pickerControl, relationControl } from './relation-control.ts'

/** The fieldsets of a form. */
export interface Fieldsets {
  readonly groups?: readonly FieldGroup[] | undefined
  /** HTML below the controls of a fieldset, by its heading. */
  readonly facts?: GroupFacts | undefined
}

/** The controls of all writable fields, in fieldsets if they have groups. */
export function fieldControls(
  fields: Fields,
  formValues: FormValues,
  context: ControlContext,
  { groups = [], facts }: Fieldsets = {},
): string {
  const writable = Object.keys(fields).filter(name => !fields[name]!.readOnly)
  const control = (name: string) => fieldControl(name, fields[name]!, formValues, context)
  return sortFilesLast(groupNames(writable, groups), fields)
    .map(({ heading, names }) =>
      groupHtml(
        heading && context.words.text(heading),
        names.map(control).join('') + (heading === undefined ? '' : (facts?.get(heading) ?? '')),
      ),
    )
    .join('')
}

const groupHtml = (heading: string | undefined, controlsHtml: string): string =>
  heading === undefined
    ? controlsHtml
    : html`<fieldset class="group"><legend>${heading}</legend>
!${controlsHtml}</fieldset>
`

// The parser reads the fields after the first file of a form together with the files.
function sortFilesLast(groups: readonly FieldGroup[], fields: Fields): readonly FieldGroup[] {
  const hasFile = ({ names }: FieldGroup) => names.some(name => findFile(fields[name]!) !== undefined)
  return [...groups.filter(group => !hasFile(group)), ...groups.filter(hasFile)]
}

function fieldControl(name: string, field: Field, formValues: FormValues, context: ControlContext): string {
  const rows = formValues.rows?.(name)
  if (rows !== undefined) {
    const children = { name, field, shown: rows, context, renderControls: fieldControls }
    return childrenControl(children, typedAttribute(name, formValues))
  }
  const { namePrefix = '', isNewRow = false } = context
  if (field.parts && formValues.parts)
    return partsControl(name, field, formValues.parts(name), { context, attribute: typedAttribute(name, formValues) })
  const controlName = namePrefix + name
  const id = `${context.idPrefix}-${controlName}`
  const choose = formatChoose(name, field, context.words)
  const isMissing = choose !== undefined && formValues.values(name).every(value => value === '')
  const messages = formValues.errors(name)
  const errors = isMissing && messages.length > 0 ? [choose] : messages
  const describedBy = `${field.help === undefined ? '' : `${id}-help `}${id}-errors`
  const help =
    field.help === undefined ? '' : html`<p class="help" id="${id}-help">${context.words.text(field.help)}</p>`
  const notesHtml = html`!${help}!${currentNote(name, field, formValues, context)}<ul class="errors" id="${id}-errors" !${errors.length > 0 ? '' : 'hidden'}>!${errors.map(error => html`<li>${error}</li>`)}</ul>`
  if (field.choiceGrid && namePrefix === '') {
    const control = { id, name, selected: formValues.values(name), errors, words: context.words }
    return choiceGridField(field, control, { describedBy, notesHtml })
  }
  const hasFile = field.file !== undefined && formValues.values(name).length > 0
  const isRequired = !isNewRow && field.required && !field.kind.isCheckbox && !field.kind.hasItems && !hasFile
  const attributes = html`id="${id}" name="${controlName}" aria-describedby="${describedBy}" !${isRequired ? 'required' : ''} !${errors.length > 0 ? 'aria-invalid="true"' : ''}`
  const isTime = hasTime(field.kind) && findTimeText(formValues.values(name)[0] ?? '', field) !== undefined
  const zone = isTime ? html` <span class="required" data-without-script>(UTC)</span>` : ''
  const unit = field.currency === undefined ? '' : html` <span class="required">(${field.currency})</span>`
  const label = html`<label for="${id}">${context.words.label(name, field)}!${zone}!${unit}!${isRequired ? html` <span class="required">${context.words('page.required')}</span>` : ''}</label>`
  const input = inputControl(name, field, formValues, { attributes, context })
  const isCheckbox = field.kind.isCheckbox
  return html`<div class="field!${isCheckbox ? ' checkbox' : ''}" !${namePrefix === '' ? html`data-field="${name}"!${typedAttribute(name, formValues)}` : ''}!${choose === undefined ? '' : html` data-choose="${choose}"`}>
!${isCheckbox ? `${input} ${label}` : `${label}\n${input}`}
!${notesHtml}
</div>
`
}

/** The attribute of a field whose value is not saved, because its form was rejected. */
const typedAttribute = (name: string, { isTyped }: FormValues): string => (isTyped?.(name) ? ' data-typed="true"' : '')

// The error of a relation or a choice that is empty; undefined for other fields, and for those that may be empty.
function formatChoose(name: string, field: Field, words: Words): string | undefined {
  const { relation, choices, nullable, kind } = field
  if ((relation === undefined && choices === undefined) || nullable || kind.hasItems || kind.isCheckbox)
    return undefined
  const label = formatInSentence(words.label(name, field), words)
  const article = words.language.startsWith('en') ? (/^[aeiou]/i.test(label) ? 'an ' : 'a ') : ''
  return words('page.choose', { name: article + label })
}

function partsControl(
  name: string,
  field: Field,
  values: FormValues,
  { context, attribute }: { readonly context: ControlContext; readonly attribute: string },
): string {
  const { idPrefix, words } = context
  const { help, nullable, parts = {} } = field
  const id = `${idPrefix}-${name}-errors`
  const errors = values.errors('')
  // An object that may be null may stay empty.
  const { isNewRow = nullable } = context
  const helpHtml = help === undefined ? '' : html`<p class="help">${words.text(help)}</p>`
  return html`<fieldset class="group" data-field="${name}"!${attribute} aria-describedby="${id}"><legend>${words.label(name, field)}</legend>
!${helpHtml}<ul class="errors" id="${id}" !${errors.length > 0 ? '' : 'hidden'}>!${errors.map(error => html`<li>${error}</li>`)}</ul>
!${fieldControls(parts, values, { ...context, isNewRow, namePrefix: `${name}.` })}</fieldset>
`
}

// Shows the value that others have saved, if it differs from the caller's.
function currentNote(
  name: string,
  field: Field,
  { values, current }: FormValues,
  { words, pickers }: ControlContext,
): string {
  if (current === undefined || field.writeOnly || field.file) return ''
  const theirs = current(name)
  if (isSameValue(field, values(name), theirs)) return ''
  const text = field.choiceGrid
    ? formatGridValues(field, theirs, words).join('; ')
    : theirs.map(value => formatValue(field, value, pickers, words)).join(', ')
  return html`<p class="theirs">${words('page.now')} <bdi>!${text === '' ? '&ndash;' : html`${text}`}</bdi></p>
`
}

interface ControlParts {
  /** HTML attributes of the control, escaped. */
  readonly attributes: string
  readonly context: ControlContext
}

function inputControl(
  name: string,
  field: Field,
  formValues: FormValues,
  { attributes, context }: ControlParts,
): string {
  const values = formValues.values(name)
  const value = values[0] ?? ''
  if (field.kind.isCheckbox)
    return html`<input type="checkbox" value="true" !${attributes} !${isTrue(value) ? 'checked' : ''}>`
  if (field.choices ?? field.child?.choices) return choiceControl({ name, field, values, attributes }, context)
  if (findFile(field)) return fileControl(field, { name, value, attributes, words: context.words })
  if (field.relation) return relationControl({ name, field, values, attributes }, context)
  if (field.multiline || hasParts(field.kind))
    return html`<textarea !${attributes} rows="!${countRows(value, field)}" spellcheck="false" !${lengthAttributes(field)}>!${'\n'}!${escapeContent(value)}</textarea>`
  const time = findTimeText(value, field)
  if (time !== undefined)
    return html`<input type="datetime-local" value="${time}" data-utc !${attributes} !${time.length > 16 ? 'step="0.001"' : ''}>`
  return html`<input type="!${findInputType(field)}" value="${value}" !${attributes} !${lengthAttributes(field)} !${rangeAttributes(field)}!${sizeAttribute(field)}>`
}

// Room for the digits, a sign and a point.
const sizeAttribute = ({ bounds: { max_digits: digits } }: Field): string =>
  digits === undefined ? '' : ` size="${digits + 2}"`

const maxRows = 30

// As high as the text, as far as it fits on a screen.
function countRows(text: string, { multiline }: Field): number {
  const lines = text.split('\n', maxRows).reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / 80)), 1)
  return Math.min(maxRows, Math.max(multiline ? 6 : 4, lines))
}

// The result is inserted between the quotes of `type="…"`; for a secret, it
// closes the quote itself, so that it can add an `autocomplete` attribute.
function findInputType(field: Field): string {
  const { kind, nullable, required } = field
  // An input of colours has always a value.
  if (kind.input === 'color' && (nullable || !required)) return 'text'
  return isSecret(field) ? 'password" autocomplete="new-password' : (kind.input ?? 'text')
}

// A date-time as its input shows it, in UTC, without seconds that are zero; undefined for another field, and for a value that the input
// cannot show.
function findTimeText(value: string, { kind }: Field): string | undefined {
  if (!hasTime(kind)) return undefined
  const text = value.replace(/(?:Z|\+00:00)$/i, '').replace(' ', 'T')
  const [, minutes, seconds = '', fraction = ''] = timeText.exec(text) ?? []
  if (minutes === undefined || /[1-9]/.test(fraction.slice(3))) return value === '' ? '' : undefined
  const milliseconds = /[1-9]/.test(fraction) ? `.${fraction.slice(0, 3)}` : ''
  return minutes + (seconds === '00' && milliseconds === '' ? '' : seconds && `:${seconds}${milliseconds}`)
}

const timeText = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(?::(\d\d)(?:\.(\d+))?)?$/

function lengthAttributes({ bounds, kind }: Field): string {
  // The bounds of a list apply to its items.
  if (kind.hasItems) return ''
  const { max_length: max, min_length: min } = bounds
  return [
    ...(max === undefined ? [] : [`maxlength="${max}"`]),
    ...(min === undefined ? [] : [`minlength="${min}"`]),
  ].join(' ')
}

function rangeAttributes({ kind, bounds }: Field): string {
  if (kind.input !== 'number') return ''
  const { min_value: min, max_value: max } = bounds
  const step = kind.step ? [`step="${kind.step}"`] : []
  return [...step, ...(min === undefined ? [] : [`min="${min}"`]), ...(max === undefined ? [] : [`max="${max}"`])].join(
    ' ',
  )
}

function choiceControl(control: FieldControl, context: ControlContext): string {
  const { field, values, attributes } = control
  const { nullable, kind } = field
  const selected = values.length > 0 ? values.filter(value => value !== '') : listDefaultChoices(field)
  const { hasItems: isMultiple = false } = kind
  const emptyText = !isMultiple && (nullable || selected.length === 0) ? '' : undefined
  const picker = context.pickers.get(field)
  if (picker !== undefined) return pickerControl(control, picker, { selected, isMultiple, emptyText, context })
  const options = listChoices(field, context.words)!
  const select = { attributes, options, selected, isMultiple, emptyText }
  return options.length > maxShortList ? combobox(select, context.words) : selectHtml(select)
}
