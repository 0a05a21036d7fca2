// The filters of a list's URL: a chip for each, with a link that removes it, and the parameters that filter nothing.

import { html } from 'ghtml'
import { formatChoice } from '../fields/choices.ts'
import { hasNames } from '../fields/field.ts'
import { formatLabel } from '../fields/format-label.ts'
import type { ListMetadata, ObjectNames } from '../metadata.ts'
import type { View } from '../view.ts'
import { formatHref, isSearchable, type ListQuery, listFormParameters } from './filter-form.ts'
import { textHtml } from './list-cells.ts'
import type { PageContext } from './page-context.ts'
import type { Words } from './words.ts'

/** The chips; empty if the URL filters nothing. `names`: the related objects by which it filters. */
export function filterChips(list: ListQuery, names: ObjectNames, words: Words): string {
  const chips = listActive(list).map(([name, value]) => {
    const label = formatFilterLabel(name, list)
    const query = new URLSearchParams(list.query)
    query.delete(name, value)
    const valueHtml = textHtml(formatValue(name, value, list, names))
    return html`<li class="chip"><span>${label}: <b>!${valueHtml}</b></span><a href="${formatHref(list.path, query)}" aria-label="${words('page.remove_filter', { name: label })}">&times;</a></li>`
  })
  return chips.length === 0
    ? ''
    : html`<ul class="chips" aria-label="${words('page.active_filters')}">!${chips}</ul>
`
}

/** The filters and the search of the URL. */
export const listActive = ({ listMetadata, query }: ListQuery): readonly (readonly [name: string, value: string])[] =>
  [...query].filter(
    ([name, value]) =>
      value !== '' && (Object.hasOwn(listMetadata.filters, name) || (name === 'search' && isSearchable(listMetadata))),
  )

const formatFilterLabel = (name: string, { listMetadata: { filters } }: ListQuery): string =>
  name === 'search' ? 'Search' : formatLabel(name, filters[name]!)

function formatValue(name: string, value: string, { listMetadata }: ListQuery, names: ObjectNames): string {
  const field = listMetadata.filters[name]
  if (field?.type === 'boolean') return value === 'true' ? 'Yes' : value === 'false' ? 'No' : value
  return names[name]?.get(value)?.name ?? (field?.choices ? formatChoice(field.choices, value) : value)
}

/** The values of the filters by a relation that the list shows too, so that their names can be read. */
export const listFilteredValues = (
  { filters, fields }: ListMetadata,
  query: URLSearchParams,
): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    Object.keys(filters)
      .filter(name => query.has(name) && fields[name] !== undefined && hasNames(fields[name]))
      .map(name => [name, query.getAll(name)]),
  )

/** Says which parameters of the URL filter nothing, because the list does not have them; empty if it has all. */
export function ignoredParameters(list: ListQuery, { view, words }: Pick<PageContext, 'view' | 'words'>): string {
  const known = listParameters(list.listMetadata, view)
  const ignored = [...new Set(list.query.keys())].filter(
    name => !known.has(name) && !list.listMetadata.changesList(name),
  )
  if (ignored.length === 0) return ''
  const parts = ignored.flatMap((name, index) => [index === 0 ? '' : ', ', html`<code>!${textHtml(name)}</code>`])
  return html`<p class="notice" role="status">${words('page.ignored')} !${parts.join('')}</p>
`
}

function listParameters(list: ListMetadata, view: Pick<View, 'formatParam' | 'descriptions'>): ReadonlySet<string> {
  return new Set([
    ...listFormParameters(list),
    ...Object.keys(list.pageParameters),
    ...Object.keys(view.descriptions.GET?.query ?? {}),
    ...(view.formatParam === null ? [] : [view.formatParam]),
    ...['new', 'delete', 'q'],
  ])
}

/** The URL without the parameters that the form sent empty; undefined if there is none. */
export function findCleanUrl(url: string, list: ListMetadata): string | undefined {
  if (!/=(?:&|$)/.test(url)) return undefined
  const { pathname, searchParams: query } = new URL(url, 'http://localhost')
  const empty = listFormParameters(list).filter(name => query.has(name, ''))
  for (const name of empty) query.delete(name, '')
  return empty.length === 0 ? undefined : formatHref(pathname, query)
}
