// The controls of the filters of a list: one per value, with the condition inside. Related objects are offered by name, choices by
// their labels, and dates as ranges.

import { html } from 'ghtml'
import { type Field, hasTime, type ListMetadata, searchPrefix } from '#core'
import { combobox, maxShortList, selectHtml } from '../forms/combobox.ts'
import { listChoices, type PickerRequest, type Pickers } from '../forms/pickers.ts'
import { formatPickUrl, searchInput } from '../forms/relation-control.ts'
import type { Words } from '../html/words.ts'
import { toLines } from '../values/value-texts.ts'
import { formatCondition } from './condition-words.ts'
import {
  type ActiveCondition,
  conditionField,
  endField,
  type FilterGroup,
  findCondition,
  valueField,
} from './filter-groups.ts'

export interface FilterControls {
  readonly listMetadata: ListMetadata
  readonly query: URLSearchParams
  readonly groups: readonly FilterGroup[]
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

/** The filters by relations, and by many choices. */
export const listFilterRequests = (
  groups: readonly FilterGroup[],
  list: ListMetadata,
  query: URLSearchParams,
): readonly PickerRequest[] =>
  groups.flatMap(group => {
    const field = findOptionField(group, list)
    if (field === undefined) return []
    const search = query.get(searchPrefix + group.parameter) ?? undefined
    return { field, values: findCondition(group, query)?.values ?? [], search, maxListed }
  })

/** The field with the related objects or the many choices that a filter offers; undefined if it offers none. */
export function findOptionField({ parameter, field }: FilterGroup, { filters }: ListMetadata): Field | undefined {
  const input = filters[parameter]!
  if (input.relation !== undefined) return input
  return (field.choices?.size ?? 0) > maxShortList ? field : undefined
}

/** The most controls that are shown at once; the others are behind a button. */
const maxShown = 5

/** The controls: those that the query uses and the first ones, and the others. */
export function filterControls(context: FilterControls): { readonly shown: string; readonly others: string } {
  const { query } = context
  const groups = context.groups.map(group => ({ group, active: findCondition(group, query) }))
  const isUsed = ({ group, active }: (typeof groups)[number]) =>
    active !== undefined || group.parameters.some(name => context.errors[name] !== undefined)
  const used = new Set(groups.filter(isUsed))
  const room = maxShown - used.size
  const free = new Set(groups.filter(each => !used.has(each)).slice(0, Math.max(room, 0)))
  const render = (all: typeof groups) => all.map(({ group, active }) => groupControl(group, active, context)).join('')
  return {
    shown: render(groups.filter(each => used.has(each) || free.has(each))),
    others: render(groups.filter(each => !used.has(each) && !free.has(each))),
  }
}

function groupControl(group: FilterGroup, active: ActiveCondition | undefined, context: FilterControls): string {
  const kept = group.parameters
    .filter(name => !active?.used.includes(name))
    .flatMap(name =>
      context.query.getAll(name).map(value => html`<input type="hidden" name="${name}" value="${value}">`),
    )
  const [condition, ...others] = group.conditions
  const errors = errorList(group, context)
  const hidden = active === undefined ? '' : kept.join('')
  if (others.length > 0 || condition!.inputs === 0) return conditionsControl(group, active, context) + hidden
  if (condition!.inputs === 2) return rangeControl(group, active, context) + hidden
  const id = `list-${group.parameter}`
  const name = condition!.parameters.at(-1)!
  const label = context.words.label(name, group.field)
  const attributes = html`id="${id}" name="${name}"!${invalidAttributes(group, context)}`
  return html`<div><label for="${id}">${label}</label>!${inputControl({ group, attributes, active }, context)}!${errors}</div>!${hidden}`
}

function rangeControl(group: FilterGroup, active: ActiveCondition | undefined, context: FilterControls): string {
  const [start, end] = group.conditions[0]!.parameters as [string, string]
  const { words } = context
  const label = words.label(group.name, group.field)
  const input = (name: string, value: string, text: string) =>
    valueInput(
      group.field,
      value,
      html`name="${name}" aria-label="${`${label}: ${text}`}"!${invalidAttributes(group, context)}`,
    )
  return html`<fieldset class="range"><legend>${label}</legend>!${input(start, active?.values[0] ?? '', words('page.from'))} <span aria-hidden="true">&ndash;</span> !${input(end, active?.end ?? '', words('page.to'))}!${errorList(group, context)}</fieldset>`
}

// The stylesheet shows as many inputs as the chosen condition has.
function conditionsControl(group: FilterGroup, active: ActiveCondition | undefined, context: FilterControls): string {
  const { name, field, conditions } = group
  const { words } = context
  const label = words.label(name, field)
  const isTime = hasTime(field.kind)
  // Without a value, a condition that has an input filters nothing.
  const needsEmpty = conditions[0]!.inputs !== 1
  const options = conditions.map(
    condition =>
      html`<option value="${condition.name}" data-inputs="${condition.inputs}" !${condition === active?.condition ? 'selected' : ''}>${formatCondition(condition, group, context)}</option>`,
  )
  const first = conditions[0]!.inputs === 1 ? '' : html`<option value="" data-inputs="0">${words('page.any')}</option>`
  const id = `list-${group.parameter}`
  const inputs = Math.max(...conditions.map(each => each.inputs))
  const valueLabel = conditions.some(each => each.inputs === 2) ? `${label}: ${words('page.from')}` : label
  const attributes = html`id="${needsEmpty ? `${id}-value` : id}" name="${valueField(name)}" aria-label="${valueLabel}"!${invalidAttributes(group, context)}`
  const value = inputs === 0 ? '' : inputControl({ group, attributes, active }, context)
  const end =
    inputs < 2
      ? ''
      : html`<span class="end"><span aria-hidden="true">&ndash;</span> !${valueInput(field, active?.condition.inputs === 2 ? active.end : '', html`name="${endField(name)}" aria-label="${`${label}: ${words('page.to')}`}"`)}</span>`
  return html`<div class="condition"><label for="${needsEmpty ? `${id}-by` : id}">${isTime && inputs > 0 ? `${label} (UTC)` : label}</label><div><select id="${id}-by" name="${conditionField(name)}" aria-label="${words('page.condition', { name: label })}">!${first}!${options}</select>!${value}!${end}</div>!${errorList(group, context)}</div>`
}

const invalidAttributes = ({ parameter, parameters }: FilterGroup, { errors }: FilterControls): string =>
  parameters.every(name => errors[name] === undefined)
    ? ''
    : html` aria-invalid="true" aria-describedby="list-${parameter}-errors"`

function errorList({ parameter, parameters }: FilterGroup, { errors }: FilterControls): string {
  const lines = parameters.flatMap(name => (errors[name] === undefined ? [] : toLines(errors[name])))
  if (lines.length === 0) return ''
  return html`<ul class="errors" id="list-${parameter}-errors">!${lines.map(line => html`<li>${line}</li>`)}</ul>`
}

interface NamedFilter {
  readonly group: FilterGroup
  readonly active: ActiveCondition | undefined
  /** Escaped. */
  readonly attributes: string
}

function inputControl({ group, active, attributes }: NamedFilter, context: FilterControls): string {
  const { listMetadata, pickers, words } = context
  const { parameter, isMultiple, field } = group
  const input = listMetadata.filters[parameter]!
  const values = active === undefined || active.condition.inputs === 0 ? [] : active.values
  const picker = pickers.get(findOptionField(group, listMetadata) ?? input)
  const emptyText = isMultiple ? undefined : words('page.any')
  if (picker !== undefined) {
    const searchUrl = picker.isComplete ? undefined : formatPickUrl(filterPrefix + parameter)
    const select = {
      ...{ attributes, options: picker.options, selected: values, isMultiple, emptyText, searchUrl },
      isLoadedOnce: picker.isLoadedOnce,
      hint: words('page.any'),
    }
    const named = { name: parameter, field: input }
    const search = picker.isComplete ? '' : searchInput(named, picker, { words, searchAction: undefined })
    return combobox(select, words) + search
  }
  const options = listOptions(field, words)
  if (options === undefined) return valueInput(input, values.join(','), attributes)
  const select = { attributes, options, selected: values.length === 0 ? [''] : values, isMultiple, emptyText }
  return isMultiple ? combobox({ ...select, hint: words('page.any') }, words) : selectHtml(select)
}

const listOptions = (field: Field, words: Words) =>
  field.kind.isCheckbox
    ? [
        { value: 'true', name: words('page.yes') },
        { value: 'false', name: words('page.no') },
      ]
    : field.choices && listChoices(field, words)

function valueInput({ kind }: Field, value: string, attributes: string): string {
  // An input of dates or numbers would not show another value.
  const [inputType, pattern] = kind.filterInput ?? ['text', /^/]
  const isShown = value === '' || pattern.test(value)
  const shown = inputType === 'datetime-local' && isShown ? value.slice(0, 19).replace(/z$/i, '') : value
  const step = kind.step ? html`step="${kind.step}"` : ''
  return html`<input type="${isShown ? inputType : 'text'}" value="${shown}" !${attributes} !${step}>`
}
