// The controls of a form, made of fields: labels, help, limits, choices, what was typed, and what was wrong with it.

import { html } from 'ghtml'
import type { Field, Fields } from '../fields/field.ts'
import { labelOf } from '../metadata.ts'

/** What stands in the controls of a form. */
export interface Filled {
  /** The values of a field as texts: several for a list. */
  values(name: string): readonly string[]
  /** What was wrong with a field. */
  errors(name: string): readonly string[]
}

/** What a page knows of the rest of the API. */
export interface Surroundings {
  /** Prefix of the ids, so that a page may have several forms. */
  readonly form: string
  /** The URL of a resource's list. */
  listUrl(resource: string): string
}

/** The controls of the fields that can be written. */
export function controls(fields: Fields, filled: Filled, surroundings: Surroundings): string {
  return Object.entries(fields)
    .filter(([, field]) => !field.readOnly)
    .map(([name, field]) => control(name, field, filled, surroundings))
    .join('')
}

function control(name: string, field: Field, filled: Filled, surroundings: Surroundings): string {
  const id = `${surroundings.form}-${name}`
  const errors = filled.errors(name)
  const described = `${field.help === undefined ? '' : `${id}-help `}${id}-errors`
  const isRequired = field.required && field.type !== 'boolean' && field.type !== 'list'
  const attributes = html`id="${id}" name="${name}" aria-describedby="${described}" !${isRequired ? 'required' : ''} !${errors.length > 0 ? 'aria-invalid="true"' : ''}`
  const label = html`<label for="${id}">${labelOf(name, field)}!${isRequired ? ' <span class="required">required</span>' : ''}</label>`
  const input = controlOf(name, field, filled, { attributes, surroundings })
  const isBox = field.type === 'boolean'
  return html`<div class="field!${isBox ? ' box' : ''}" data-field="${name}">
!${isBox ? `${input} ${label}` : `${label}\n${input}`}
!${field.help === undefined ? '' : html`<p class="help" id="${id}-help">${field.help}</p>`}<ul class="errors" id="${id}-errors" !${errors.length > 0 ? '' : 'hidden'}>!${errors.map(error => html`<li>${error}</li>`)}</ul>
</div>
`
}

interface Parts {
  /** Of the control, escaped. */
  readonly attributes: string
  readonly surroundings: Surroundings
}

function controlOf(name: string, field: Field, filled: Filled, { attributes, surroundings }: Parts): string {
  const values = filled.values(name)
  const value = values[0] ?? ''
  if (field.type === 'boolean')
    return html`<input type="checkbox" value="true" !${attributes} !${isTrue(value) ? 'checked' : ''}>`
  const choices = field.choices ?? field.child?.choices
  if (choices) return select(field, choices, values, attributes)
  if (field.relation) return relation(name, field, values, { attributes, surroundings })
  if (field.multiline || isData(field))
    return html`<textarea !${attributes} rows="!${field.multiline ? 10 : 4}" spellcheck="false" !${lengths(field)}>!${'\n'}${value}</textarea>`
  return html`<input type="!${inputType(field)}" value="${value}" !${attributes} !${lengths(field)} !${range(field)}>`
}

const isTrue = (value: string): boolean => value === 'true' || value === 'on'

/** Is it written as JSON where there is no better control? */
export const isData = ({ type, children }: Field): boolean =>
  type === 'json' || type === 'list' || children !== undefined

const inputTypes: Readonly<Record<string, string>> = {
  email: 'email',
  url: 'url',
  integer: 'number',
  float: 'number',
  date: 'date',
}

// A text that is never shown is a secret.
const inputType = ({ type, writeOnly }: Field): string =>
  writeOnly && type === 'string' ? 'password" autocomplete="new-password' : (inputTypes[type] ?? 'text')

function lengths({ bounds, type }: Field): string {
  // A list's bounds are of its items.
  if (type === 'list') return ''
  const { max_length: max, min_length: min } = bounds
  return [
    ...(max === undefined ? [] : [`maxlength="${max}"`]),
    ...(min === undefined ? [] : [`minlength="${min}"`]),
  ].join(' ')
}

function range({ type, bounds }: Field): string {
  if (type !== 'integer' && type !== 'float') return ''
  const { min_value: min, max_value: max } = bounds
  const step = type === 'float' ? ['step="any"'] : []
  return [...step, ...(min === undefined ? [] : [`min="${min}"`]), ...(max === undefined ? [] : [`max="${max}"`])].join(
    ' ',
  )
}

function select(
  { nullable, type, default: initial }: Field,
  choices: ReadonlySet<string>,
  values: readonly string[],
  attributes: string,
): string {
  const chosen = new Set(
    values.length > 0
      ? values.filter(value => value !== '')
      : initial === undefined
        ? []
        : [initial].flat().map(String),
  )
  const empty = type === 'choice' && (nullable || chosen.size === 0) ? '<option value=""></option>' : ''
  // A value of before that is no choice any more stays until somebody changes it.
  const options = [...new Set([...choices, ...chosen])].map(
    choice => html`<option value="${choice}" !${chosen.has(choice) ? 'selected' : ''}>${choice}</option>`,
  )
  return html`<select !${attributes} !${type === 'list' ? 'multiple' : ''}>!${empty}!${options}</select>`
}

// Thousands of related objects are no options: they are searched as one types, and without scripts named as they are shown.
function relation(name: string, field: Field, values: readonly string[], { attributes, surroundings }: Parts): string {
  const { target, many, linked } = field.relation!
  const search = html`data-search="${surroundings.listUrl(target.name)}" data-key="!${linked ? 'url' : 'id'}" autocomplete="off"`
  if (!many) return html`<input type="text" value="${values[0] ?? ''}" !${attributes} !${search}>`
  const another = `${labelOf(name, field)}, another`
  const rows = [...values, ''].map(
    (value, index) =>
      html`<input type="text" value="${value}" !${index === 0 ? attributes : attributes.replace(/^id="[^"]*"/, () => html`aria-label="${another}"`)} !${search}>`,
  )
  return html`<div class="many" data-another="${another}">!${rows}</div>`
}
