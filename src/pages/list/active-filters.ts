// The filters of a list's URL: a chip for each, with a link that removes it, and the parameters that filter nothing.

import { html } from 'ghtml'
import { formatChoice, type ListMetadata, listApiParameters, pageParameters, searchPrefix, type View } from '#core'
import type { PageContext } from '../page/page-context.ts'
import { textHtml } from '../values/list-cells.ts'
import { formatHref, isSearchable, type ListQuery, listFormParameters } from './filter-form.ts'

/** The chips; empty if the URL filters nothing. */
export function filterChips(list: ListQuery): string {
  const { words } = list
  const chips = listActive(list).map(([name, value]) => {
    const label = formatFilterLabel(name, list)
    const query = new URLSearchParams(list.query)
    query.delete(name, value)
    const valueHtml = textHtml(formatValue(name, value, list))
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
      value !== '' &&
      (Object.hasOwn(listMetadata.filters, name) ||
        (name === listMetadata.parameterNames.search && isSearchable(listMetadata))),
  )

const formatFilterLabel = (name: string, { listMetadata: { filters }, words }: ListQuery): string =>
  Object.hasOwn(filters, name) ? words.label(name, filters[name]!) : words('page.filter_search')

function formatValue(name: string, value: string, { listMetadata, words, pickers }: ListQuery): string {
  const field = listMetadata.filters[name]
  if (field === undefined) return value
  const { kind, choices, relation } = field
  if (kind.isCheckbox) return value === 'true' ? words('page.yes') : value === 'false' ? words('page.no') : value
  if (choices) return words.text(formatChoice(choices, value))
  const options = relation && pickers.get(field)?.options
  if (options === undefined) return value
  const texts = relation!.many ? value.split(',') : [value]
  return texts.map(text => options.find(option => option.value === text)?.name ?? text).join(', ')
}

/** Says which parameters of the URL filter nothing, because the list does not have them; empty if it has all. */
export function ignoredParameters(list: ListQuery, { view, words }: Pick<PageContext, 'view' | 'words'>): string {
  const known = listParameters(list.listMetadata, view)
  const ignored = [...new Set(list.query.keys())].filter(
    name => !known.has(name) && !name.startsWith(searchPrefix) && !list.listMetadata.changesList(name),
  )
  if (ignored.length === 0) return ''
  const parts = ignored.flatMap((name, index) => [index === 0 ? '' : ', ', html`<code>!${textHtml(name)}</code>`])
  return html`<p class="notice" role="status">${words('page.ignored')} !${parts.join('')}</p>
`
}

function listParameters(
  list: ListMetadata,
  view: Pick<View, 'formatParam' | 'versioning' | 'descriptions'>,
): ReadonlySet<string> {
  return new Set([
    ...listFormParameters(list),
    ...Object.keys(list.pageParameters),
    ...Object.keys(view.descriptions.GET?.query ?? {}),
    ...listApiParameters(view),
    ...pageParameters,
  ])
}

/** The URL without the parameters that the form sent empty; undefined if there is none. */
export function findCleanUrl(url: string, list: ListMetadata): string | undefined {
  if (!/=(?:&|$)/.test(url)) return undefined
  const { pathname, searchParams: query } = new URL(url, 'http://localhost')
  const own = listFormParameters(list).flatMap(name => [name, searchPrefix + name])
  const empty = own.filter(name => query.has(name, ''))
  for (const name of empty) query.delete(name, '')
  return empty.length === 0 ? undefined : formatHref(pathname, query)
}
