// The filters of a list's URL: a chip for each, with a link that removes it, and the parameters that filter nothing.

import { html } from 'ghtml'
import { columnsParameter, type ListMetadata, listApiParameters, pageParameters, searchPrefix, type View } from '#core'
import type { PageContext } from '../page/page-context.ts'
import { textHtml } from '../values/list-cells.ts'
import { listPossibleColumns, listUsualColumns, readColumns } from '../values/list-columns.ts'
import { type ConditionText, formatActive } from './condition-words.ts'
import { listConditions, replaceConditions } from './filter-groups.ts'
import { formatHref, isSearchable, type ListQuery, listFormParameters } from './list-query.ts'

/** The chips; empty if the URL filters nothing. */
export function filterChips(list: ListQuery): string {
  const { words } = list
  const chips = listActive(list).map(({ label, value, parameters }) => {
    const query = new URLSearchParams(list.query)
    for (const name of parameters) query.delete(name)
    return html`<li class="chip"><span>${label}: <b>!${textHtml(value)}</b></span><a href="${formatHref(list.path, query)}" aria-label="${words('page.remove_filter', { name: label })}">&times;</a></li>`
  })
  return chips.length === 0
    ? ''
    : html`<ul class="chips" aria-label="${words('page.active_filters')}">!${chips}</ul>
`
}

interface ActiveFilter extends ConditionText {
  /** The parameters of the URL that it consists of. */
  readonly parameters: readonly string[]
}

/** The filters and the search of the URL. */
export function listActive(list: ListQuery): readonly ActiveFilter[] {
  const { listMetadata, query, words } = list
  const conditions = list.groups.flatMap(group =>
    listConditions(group, query).map(active => ({ ...formatActive(group, active, list), parameters: active.used })),
  )
  const { search } = listMetadata.parameterNames
  const text = isSearchable(listMetadata) ? (query.get(search) ?? '') : ''
  return text === ''
    ? conditions
    : [...conditions, { label: words('page.filter_search'), value: text, parameters: [search] }]
}

/** Says which parameters of the URL filter nothing, because the list does not have them; empty if it has all. */
export function ignoredParameters(list: ListQuery, { view, words }: Pick<PageContext, 'view' | 'words'>): string {
  const parameters = listParameters(list.listMetadata, view)
  const ignored = [...new Set(list.query.keys())].filter(
    name => !parameters.has(name) && !name.startsWith(searchPrefix) && !list.listMetadata.changesList(name),
  )
  const possible = listPossibleColumns(list.listMetadata)
  const columns = (readColumns(list.query) ?? []).filter(column => !possible.some(({ name }) => name === column))
  return ignoredNotice(words('page.ignored'), ignored) + ignoredNotice(words('page.ignored_columns'), columns)
}

function ignoredNotice(text: string, names: readonly string[]): string {
  if (names.length === 0) return ''
  const parts = names.flatMap((name, index) => [index === 0 ? '' : ', ', html`<code>!${textHtml(name)}</code>`])
  return html`<p class="notice" role="status">${text} !${parts.join('')}</p>
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

/** The URL with the parameters that the form means, and without those that it sent empty; undefined if that is the URL itself. */
export function findCleanUrl(url: string, list: ListMetadata): string | undefined {
  if (!/=(?:&|$)|[?&]_(?:by|value|to)\.|[?&]_columns=/.test(url)) return undefined
  const { pathname, search, searchParams } = new URL(url, 'http://localhost')
  const query = replaceConditions(searchParams, list)
  const own = listFormParameters(list).flatMap(name => [name, searchPrefix + name])
  for (const name of own) query.delete(name, '')
  joinColumns(query, list)
  const clean = formatHref(pathname, query)
  return clean === formatHref(pathname, new URLSearchParams(search)) ? undefined : clean
}

// The form has a box for each column. The usual columns need no parameter.
function joinColumns(query: URLSearchParams, list: ListMetadata): void {
  const columns = readColumns(query)
  if (columns === undefined) return
  const isUsual = columns.join() === listUsualColumns(list).join()
  if (isUsual || columns.length === 0) query.delete(columnsParameter)
  else query.set(columnsParameter, columns.join())
}
