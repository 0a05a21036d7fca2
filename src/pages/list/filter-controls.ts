// The controls of the filters of a list: related objects by name, choices by their labels, a date or a number from one value to
// another.

import { html } from 'ghtml'
import { type Field, type Fields, hasTime, type ListMetadata, searchPrefix } from '#core'
import { combobox, maxShortList, selectHtml } from '../forms/combobox.ts'
import type { PickerRequest, Pickers } from '../forms/pickers.ts'
import { formatPickUrl, searchInput } from '../forms/relation-control.ts'
import type { Words } from '../html/words.ts'
import { toLines } from '../values/value-texts.ts'

export interface FilterControls {
  readonly query: URLSearchParams
  /** The options of filters by a relation. */
  readonly pickers: Pickers
  readonly words: Words
  /** The errors of a rejected query, by parameter. */
  readonly errors: Readonly<Record<string, unknown>>
}

/** Begins the name of a filter in a search for its objects, because a field may have the same name. */
export const filterPrefix = 'filter:'

/** The most objects that a filter lists at once. */
const maxListed = 100

/** The relations by which the list can be filtered. */
export const listFilterRequests = ({ filters }: ListMetadata, query: URLSearchParams): readonly PickerRequest[] =>
  Object.entries(filters)
    .filter(([, { relation }]) => relation !== undefined)
    .map(([name, field]) => ({
      field,
      values: readFilterValues(name, field, query),
      search: query.get(searchPrefix + name) ?? undefined,
      maxListed,
    }))

/** The values of a filter. One that takes several separates them with commas too. */
export const readFilterValues = (name: string, field: Field, query: URLSearchParams): readonly string[] =>
  query.getAll(name).flatMap(text => (field.relation?.many ? text.split(',') : [text]))

/** The controls of all filters. */
export const filterControls = (filters: Fields, context: FilterControls): string =>
  Object.entries(filters)
    .filter(([name]) => findRange(name, filters) !== 'end')
    .map(([name, field]) =>
      findRange(name, filters) === 'start' ? rangeControl(name, filters, context) : filterControl(name, field, context),
    )
    .join('')

const startSuffix = '__gte'
const endSuffix = '__lte'

// Whether the filter is an end of a range, whose other end is a filter too.
function findRange(name: string, filters: Fields): 'start' | 'end' | undefined {
  if (name.endsWith(startSuffix) && Object.hasOwn(filters, toEnd(name))) return 'start'
  const start = name.slice(0, -endSuffix.length) + startSuffix
  return name.endsWith(endSuffix) && Object.hasOwn(filters, start) ? 'end' : undefined
}

const toEnd = (start: string): string => start.slice(0, -startSuffix.length) + endSuffix

function rangeControl(name: string, filters: Fields, context: FilterControls): string {
  const { query, words } = context
  const field = filters[name]!
  // The label ends with that of the lookup.
  const label = words.label(name, field).replace(/: [^:]*$/, '')
  const isTime = hasTime(field.kind)
  const input = (parameter: string, text: string) =>
    valueInput(
      field,
      query.get(parameter) ?? '',
      html`name="${parameter}" aria-label="${`${label}: ${text}`}"!${invalidAttributes(parameter, context)}`,
    )
  return html`<fieldset class="range"><legend>${isTime ? `${label} (UTC)` : label}</legend>!${input(name, words('page.from'))} <span aria-hidden="true">&ndash;</span> !${input(toEnd(name), words('page.to'))}!${errorList(name, context)}!${errorList(toEnd(name), context)}</fieldset>`
}

function filterControl(name: string, field: Field, context: FilterControls): string {
  const id = `list-${name}`
  const label = context.words.label(name, field)
  const control = inputControl(
    { name, field, attributes: html`id="${id}" name="${name}"!${invalidAttributes(name, context)}` },
    context,
  )
  return html`<div><label for="${id}">${label}</label>!${control}!${errorList(name, context)}</div>`
}

const invalidAttributes = (name: string, { errors }: FilterControls): string =>
  errors[name] === undefined ? '' : html` aria-invalid="true" aria-describedby="list-${name}-errors"`

const errorList = (name: string, { errors }: FilterControls): string =>
  errors[name] === undefined
    ? ''
    : html`<ul class="errors" id="list-${name}-errors">!${toLines(errors[name]).map(line => html`<li>${line}</li>`)}</ul>`

interface NamedFilter {
  readonly name: string
  readonly field: Field
  readonly attributes: string
}

function inputControl({ name, field, attributes }: NamedFilter, { query, pickers, words }: FilterControls): string {
  const values = readFilterValues(name, field, query)
  const picker = pickers.get(field)
  const isMultiple = field.relation?.many ?? false
  const emptyText = isMultiple ? undefined : words('page.any')
  if (picker !== undefined) {
    const searchUrl = picker.isComplete ? undefined : formatPickUrl(filterPrefix + name)
    const select = {
      attributes,
      options: picker.options,
      selected: values,
      isMultiple,
      emptyText,
      searchUrl,
      hint: words('page.any'),
    }
    const search = picker.isComplete ? '' : searchInput({ name, field }, picker, { words, searchAction: undefined })
    return combobox(select, words) + search
  }
  const options = listChoices(field, words)
  const value = query.getAll(name).join(',')
  if (options === undefined) return valueInput(field, value, attributes)
  const select = { attributes, options, selected: [value], isMultiple: false, emptyText }
  return options.length > maxShortList ? combobox(select, words) : selectHtml(select)
}

const listChoices = ({ kind, choices }: Field, words: Words) =>
  kind.isCheckbox
    ? [
        { value: 'true', name: words('page.yes') },
        { value: 'false', name: words('page.no') },
      ]
    : choices && [...choices].map(([value, label]) => ({ value: String(value), name: words.text(label) }))

function valueInput({ kind }: Field, value: string, attributes: string): string {
  // An input of dates or numbers would not show another value.
  const [inputType, pattern] = kind.filterInput ?? ['text', /^/]
  const isShown = value === '' || pattern.test(value)
  const shown = inputType === 'datetime-local' && isShown ? value.slice(0, 19).replace(/z$/i, '') : value
  const step = kind.step ? html`step="${kind.step}"` : ''
  return html`<input type="${isShown ? inputType : 'text'}" value="${shown}" !${attributes} !${step}>`
}
