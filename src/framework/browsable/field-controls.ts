// The form controls of fields: label, help text, limits, choices, current values and errors.

import { html } from 'ghtml'
import { type Choices, formatChoice } from '../fields/choices.ts'
import type { Field, Fields, RelationTarget } from '../fields/field.ts'
import { type FieldGroup, type FieldGroups, groupNames } from '../fields/field-groups.ts'
import { formatLabel } from '../fields/format-label.ts'
import { escapeContent } from './escape-content.ts'
import { fileControl } from './file-control.ts'
import type { Words } from './words.ts'

/** The values and errors that a form shows. */
export interface FormValues {
  /** The values of a field as strings; only a list has several. */
  values(name: string): readonly string[]
  /** The errors of a field; for an empty name, the errors of the whole form. */
  errors(name: string): readonly string[]
  /** The values of a field that others have saved since the form was made; undefined if nobody has. */
  readonly current?: (name: string) => readonly string[]
}

export interface ControlContext {
  /** Prefix of the ids, unique per form of a page. */
  readonly idPrefix: string
  /** The URL of a related resource's list. */
  listUrl(target: RelationTarget): string
  readonly words: Words
}

/** The controls of all writable fields, in fieldsets if they have groups. */
export function fieldControls(
  fields: Fields,
  formValues: FormValues,
  context: ControlContext,
  groups: FieldGroups = {},
): string {
  const writable = Object.keys(fields).filter(name => !fields[name]!.readOnly)
  const control = (name: string) => fieldControl(name, fields[name]!, formValues, context)
  return sortFilesLast(groupNames(writable, groups), fields)
    .map(({ heading, names }) => groupHtml(heading, names.map(control).join('')))
    .join('')
}

const groupHtml = (heading: string | undefined, controlsHtml: string): string =>
  heading === undefined
    ? controlsHtml
    : html`<fieldset class="group"><legend>${heading}</legend>
!${controlsHtml}</fieldset>
`

// What follows the first file of a form is read with the files.
function sortFilesLast(groups: readonly FieldGroup[], fields: Fields): readonly FieldGroup[] {
  const hasFile = ({ names }: FieldGroup) => names.some(name => fields[name]!.file !== undefined)
  return [...groups.filter(group => !hasFile(group)), ...groups.filter(hasFile)]
}

function fieldControl(name: string, field: Field, formValues: FormValues, context: ControlContext): string {
  const id = `${context.idPrefix}-${name}`
  const errors = formValues.errors(name)
  const describedBy = `${field.help === undefined ? '' : `${id}-help `}${id}-errors`
  const hasFile = field.file !== undefined && formValues.values(name).length > 0
  const isRequired = field.required && field.type !== 'boolean' && field.type !== 'list' && !hasFile
  const attributes = html`id="${id}" name="${name}" aria-describedby="${describedBy}" !${isRequired ? 'required' : ''} !${errors.length > 0 ? 'aria-invalid="true"' : ''}`
  const label = html`<label for="${id}">${formatLabel(name, field)}!${isRequired ? ' <span class="required">required</span>' : ''}</label>`
  const input = inputControl(name, field, formValues, { attributes, context })
  const isCheckbox = field.type === 'boolean'
  return html`<div class="field!${isCheckbox ? ' checkbox' : ''}" data-field="${name}">
!${isCheckbox ? `${input} ${label}` : `${label}\n${input}`}
!${field.help === undefined ? '' : html`<p class="help" id="${id}-help">${field.help}</p>`}!${currentNote(name, field, formValues, context)}<ul class="errors" id="${id}-errors" !${errors.length > 0 ? '' : 'hidden'}>!${errors.map(error => html`<li>${error}</li>`)}</ul>
</div>
`
}

// Shows the value that others have saved, if it differs from the caller's.
function currentNote(name: string, field: Field, { values, current }: FormValues, { words }: ControlContext): string {
  if (current === undefined || field.writeOnly || field.file) return ''
  const [mine, theirs] = [values(name), current(name)].map(texts => texts.map(text => text.replaceAll('\r\n', '\n')))
  const isSame =
    field.type === 'boolean'
      ? isTrue(mine![0] ?? '') === isTrue(theirs![0] ?? '')
      : mine!.join('\0') === theirs!.join('\0')
  if (isSame) return ''
  const choices = field.choices ?? field.child?.choices
  const text = theirs!.map(value => (choices ? formatChoice(choices, value) : value)).join(', ')
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
  if (field.type === 'boolean')
    return html`<input type="checkbox" value="true" !${attributes} !${isTrue(value) ? 'checked' : ''}>`
  const choices = field.choices ?? field.child?.choices
  if (choices) return select(field, choices, values, attributes)
  if (field.file) return fileControl(field, name, value, attributes)
  if (field.relation) return relationControl(name, field, values, { attributes, context })
  if (field.multiline || isJsonField(field))
    return html`<textarea !${attributes} rows="!${countRows(value, field)}" spellcheck="false" !${lengthAttributes(field)}>!${'\n'}!${escapeContent(value)}</textarea>`
  return html`<input type="!${findInputType(field)}" value="${value}" !${attributes} !${lengthAttributes(field)} !${rangeAttributes(field)}>`
}

const maxRows = 30

// As high as the text, as far as it fits on a screen.
function countRows(text: string, { multiline }: Field): number {
  const lines = text.split('\n', maxRows).reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / 80)), 1)
  return Math.min(maxRows, Math.max(multiline ? 6 : 4, lines))
}

const isTrue = (value: string): boolean => value === 'true' || value === 'on'

/** Whether the field is edited as JSON text unless it has choices or a relation. */
export const isJsonField = ({ type, children }: Field): boolean =>
  type === 'json' || type === 'list' || children !== undefined

const inputTypes: Readonly<Record<string, string>> = {
  email: 'email',
  url: 'url',
  integer: 'number',
  float: 'number',
  date: 'date',
}

// A write-only text is treated as a secret. The result is inserted between the quotes of `type="…"`; for a secret, it
// closes the quote itself, so that it can add an `autocomplete` attribute.
const findInputType = ({ type, writeOnly }: Field): string =>
  writeOnly && type === 'string' ? 'password" autocomplete="new-password' : (inputTypes[type] ?? 'text')

function lengthAttributes({ bounds, type }: Field): string {
  // The bounds of a list apply to its items.
  if (type === 'list') return ''
  const { max_length: max, min_length: min } = bounds
  return [
    ...(max === undefined ? [] : [`maxlength="${max}"`]),
    ...(min === undefined ? [] : [`minlength="${min}"`]),
  ].join(' ')
}

function rangeAttributes({ type, bounds }: Field): string {
  if (type !== 'integer' && type !== 'float') return ''
  const { min_value: min, max_value: max } = bounds
  const step = type === 'float' ? ['step="any"'] : []
  return [...step, ...(min === undefined ? [] : [`min="${min}"`]), ...(max === undefined ? [] : [`max="${max}"`])].join(
    ' ',
  )
}

function select(
  { nullable, type, default: defaultValue }: Field,
  choices: Choices,
  values: readonly string[],
  attributes: string,
): string {
  const selected = new Set(
    values.length > 0
      ? values.filter(value => value !== '')
      : defaultValue === undefined
        ? []
        : [defaultValue].flat().map(String),
  )
  const emptyOption = type === 'choice' && (nullable || selected.size === 0) ? '<option value=""></option>' : ''
  // A stored value that has been removed from the choices stays selectable, so that saving does not change it.
  const options = [...new Set([...[...choices.keys()].map(String), ...selected])].map(
    value =>
      html`<option value="${value}" !${selected.has(value) ? 'selected' : ''}>${formatChoice(choices, value)}</option>`,
  )
  return html`<select !${attributes} !${type === 'list' ? 'multiple' : ''}>!${emptyOption}!${options}</select>`
}

// There may be thousands of related objects, too many for a `<select>`: the script searches them as the user types.
// Without the script, the user types the URL or id.
function relationControl(
  name: string,
  field: Field,
  values: readonly string[],
  { attributes, context }: ControlParts,
): string {
  const { target, many, findValueField } = field.relation!
  const search = html`data-search-url="${context.listUrl(target)}" data-value-field="${findValueField()}" autocomplete="off"`
  if (!many) return html`<input type="text" value="${values[0] ?? ''}" !${attributes} !${search}>`
  const addLabel = `${formatLabel(name, field)}, additional value`
  const inputs = [...values, ''].map(
    (value, index) =>
      html`<input type="text" value="${value}" !${index === 0 ? attributes : attributes.replace(/^id="[^"]*"/, () => html`aria-label="${addLabel}"`)} !${search}>`,
  )
  return html`<div class="multiple" data-add-label="${addLabel}">!${inputs}</div>`
}
