// The notice of a list without objects says why there are none, and what to do next.

import { html } from 'ghtml'
import { formatInSentence } from '../forms/new-page.ts'
import type { PageContext } from '../page/page-context.ts'
import { shorten } from '../values/list-cells.ts'
import { listActive } from './active-filters.ts'
import { formatHref, type ListQuery } from './list-query.ts'

/** The notice; `newHtml`: the link to the page that creates an object, empty for callers who may not. */
export function emptyList(list: ListQuery, { view, words }: PageContext, newHtml: string): string {
  const name = formatInSentence(words.list(view.resource ?? view), words)
  const active = listActive(list)
  const search = list.query.get(list.listMetadata.parameterNames.search) ?? ''
  const [text, clear] =
    active.length === 0
      ? [words('page.none_yet', { list: name }), undefined]
      : search === ''
        ? [words('page.none_filtered', { list: name }), words('page.clear_filters')]
        : [words('page.none_found', { list: name, text: shorten(search) }), words('page.clear_search')]
  const clearHtml =
    clear === undefined ? '' : html`<a class="button" href="${formatClearUrl(list, search)}">${clear}</a>`
  return html`<div class="empty"><p role="status"><bdi>${text}</bdi></p>
<p class="steps">!${clearHtml}!${newHtml}</p></div>
`
}

// A search is cleared alone, because the filters may be what the reader wants.
function formatClearUrl({ listMetadata, path, query }: ListQuery, search: string): string {
  const remaining = new URLSearchParams(query)
  const { parameterNames, filters } = listMetadata
  const cleared = search === '' ? Object.keys(filters) : [parameterNames.search]
  for (const name of cleared) remaining.delete(name)
  return formatHref(path, remaining)
}
