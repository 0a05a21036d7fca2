// A `<select>` that the script replaces with a combobox: a text input with a list of the options that match it, and a chip for
// each selected option if there may be several.

import { html } from 'ghtml'
import type { RelatedOption } from '#core'
import type { Words } from '../html/words.ts'
import { shortText } from '../values/list-cells.ts'

/** The most options that are easy to find in a list without a search. */
export const maxShortList = 20

export interface ComboboxOptions {
  /** The HTML attributes of the `<select>`, escaped. */
  readonly attributes: string
  readonly options: readonly RelatedOption[]
  /** The selected values. A value without an option gets one, so that saving does not change it. */
  readonly selected: readonly string[]
  readonly isMultiple: boolean
  /** The text of an empty option, before the others; undefined for none. */
  readonly emptyText?: string | undefined
  /** The placeholder of the input that the script shows; default: the text of the empty option. */
  readonly hint?: string
  /** Where the script searches for options; undefined if these are all. */
  readonly searchUrl?: string | undefined
  /** Whether the script loads all options with one search. */
  readonly isLoadedOnce?: boolean
}

/** The `<select>`. */
export function combobox(select: ComboboxOptions, words: Words): string {
  const { searchUrl, isLoadedOnce = false, attributes, emptyText = '', hint = emptyText } = select
  const search = searchUrl === undefined ? '' : html`data-search="${searchUrl}" !${isLoadedOnce ? 'data-once' : ''}`
  const texts = html`data-results="${words('page.picker_options')}" data-found="${words('page.picker_found')}" data-none="${words('page.picker_none')}" data-remove="${words('page.picker_remove')}" !${hint && html`data-hint="${hint}"`}`
  return selectHtml({ ...select, attributes: html`!${attributes} data-combobox !${search} !${texts}` })
}

/** A `<select>` without the script. */
export function selectHtml(select: ComboboxOptions): string {
  const { attributes, isMultiple, emptyText, selected } = select
  const isEmpty = selected.every(value => value === '')
  const empty =
    emptyText === undefined ? '' : html`<option value="" !${isEmpty ? 'selected' : ''}>${emptyText}</option>`
  return html`<select !${attributes} !${isMultiple ? 'multiple' : ''}>!${empty}!${optionsHtml(select)}</select>`
}

/** The options as HTML. */
export function optionsHtml({ options, selected }: Pick<ComboboxOptions, 'options' | 'selected'>): string {
  const values = new Set(selected)
  const offered = new Set(options.map(({ value }) => value))
  const unknown = [...values].filter(value => value !== '' && !offered.has(value))
  const shown = [...options, ...unknown.map(value => ({ value, name: value }))].map(({ value, name }) => ({
    value,
    text: shortText(name),
  }))
  const isRepeated = findRepeated(shown.map(({ text }) => text))
  return shown
    .map(({ value, text }) => {
      const name = isRepeated(text) ? `${text} (${formatKey(value)})` : text
      return html`<option value="${value}" !${values.has(value) ? 'selected' : ''}>${name}</option>`
    })
    .join('')
}

function findRepeated(texts: readonly string[]): (text: string) => boolean {
  const all = new Set(texts)
  if (all.size === texts.length) return () => false
  const counts = Map.groupBy(texts, text => text)
  return text => counts.get(text)!.length > 1
}

// A URL ends with the key of the object.
const formatKey = (value: string): string => /([^/]*)\/?$/.exec(value)![1]!
