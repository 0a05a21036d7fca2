// The control of a relation: related objects are selected by name, as one of many choices is. With the script, it is a combobox;
// without it, a `<select>`, with a search if there are many options.

import { html } from 'ghtml'
import { type Field, searchParameter, searchPrefix } from '#core'
import type { Words } from '../html/words.ts'
import { shortText } from '../values/list-cells.ts'
import { type ComboboxOptions, combobox } from './combobox.ts'
import type { ControlContext } from './control-context.ts'
import type { Picker } from './pickers.ts'

/** A field of a form, with its values and the HTML attributes of its control. */
export interface FieldControl {
  readonly name: string
  readonly field: Field
  readonly values: readonly string[]
  /** Escaped. */
  readonly attributes: string
}

/** The control. Without options, because the caller may not list the objects, it takes their keys or URLs. */
export function relationControl(control: FieldControl, context: ControlContext): string {
  const picker = context.pickers.get(control.field)
  if (picker === undefined) return textInputs(control, context.words)
  const { field, values } = control
  const isMultiple = field.relation!.many
  const selected = values.filter(value => value !== '')
  const emptyText = isMultiple || (field.required && selected.length > 0) ? undefined : ''
  return pickerControl(control, picker, { selected, isMultiple, emptyText, context })
}

interface PickedOptions extends Pick<ComboboxOptions, 'selected' | 'isMultiple' | 'emptyText'> {
  readonly context: ControlContext
}

/** The combobox with the options of a picker. */
export function pickerControl(
  control: FieldControl,
  picker: Picker,
  { selected, isMultiple, emptyText, context }: PickedOptions,
): string {
  const { name, attributes } = control
  const { words, searchAction, searchUrl: url, idPrefix, namePrefix = '' } = context
  const searchUrl = picker.isComplete ? undefined : formatPickUrl(namePrefix.replace(/\[\d+\]/g, '.') + name, url)
  const select = combobox(
    {
      ...{ attributes, options: picker.options, selected, isMultiple, emptyText, searchUrl },
      isLoadedOnce: picker.isLoadedOnce,
      hint: words('page.picker_hint'),
    },
    words,
  )
  if (picker.isComplete || searchAction === undefined) return select
  const place = `${searchAction}#${idPrefix}-${namePrefix}${name}`
  // Rows share a picker, so the text that was searched belongs to one of them only.
  const shown = namePrefix.includes('[') ? { ...picker, searched: undefined } : picker
  return select + searchInput(control, shown, { words, searchAction: place, namePrefix })
}

/** The URL with which the script searches the objects of a field; `url`: that of another page. */
export const formatPickUrl = (name: string, url = ''): string =>
  `${url}${url.includes('?') ? '&' : '?'}${new URLSearchParams({ [searchParameter]: name })}`

/**
 * The input with which the form is sent without the script, to come back with the objects that were found. `searchAction`: where it
 * is sent; undefined if the form itself is a search.
 */
export function searchInput(
  { name, field }: Pick<FieldControl, 'name' | 'field'>,
  { searched }: Picker,
  { words, searchAction, namePrefix = '' }: Pick<ControlContext, 'words' | 'searchAction' | 'namePrefix'>,
): string {
  const label = words('page.picker_search', { name: words.label(name, field) })
  const action = searchAction === undefined ? '' : html`formaction="${searchAction}"`
  const result =
    searched === undefined
      ? ''
      : html`<span class="help" role="status">${words('page.picker_searched', { text: shortText(searched) })}</span>`
  return html`<p class="picker-search" data-without-script><input type="search" name="${searchPrefix + namePrefix + name}" value="${searched ?? ''}" aria-label="${label}"> <button !${action} formnovalidate>${words('page.picker_button')}</button> !${result}</p>`
}

function textInputs({ name, field, values, attributes }: FieldControl, words: Words): string {
  if (!field.relation!.many) return html`<input type="text" value="${values[0] ?? ''}" !${attributes}>`
  const addLabel = words('page.additional_value', { name: words.label(name, field) })
  const inputs = [...values, ''].map(
    (value, index) =>
      html`<input type="text" value="${value}" !${index === 0 ? attributes : attributes.replace(/^id="[^"]*"/, () => html`aria-label="${addLabel}"`)}>`,
  )
  return html`<div class="multiple">!${inputs}</div>`
}
