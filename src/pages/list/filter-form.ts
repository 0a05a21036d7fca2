// One form that searches, filters and orders a list, and works without JavaScript. It keeps the other parameters of the
// URL, except those that select a page: the filtered list starts at its first page.

import { html } from 'ghtml'
import { searchPrefix } from '#core'
import { listActive } from './active-filters.ts'
import { displayMenu } from './display-menu.ts'
import { filterControls } from './filter-controls.ts'
import { formatHref, isSearchable, type ListQuery, listFormParameters } from './list-query.ts'

/**
 * The form; empty for a list without search, filters, ordering and sizes of pages. Its link to reset also removes groups of
 * filters and the choice of fields, which only the URL contains.
 */
export function filterForm(list: ListQuery): string {
  const { listMetadata, path, query, words } = list
  const formParams = listFormParameters(listMetadata)
  if (formParams.length === 0) return ''
  const otherParams = [...query].filter(([name]) => !formParams.includes(name) && !name.startsWith(searchPrefix))
  const keptParams = otherParams.filter(([name]) => !listMetadata.changesList(name))
  const isChanged = keptParams.length < otherParams.length || formParams.some(name => (query.get(name) ?? '') !== '')
  const resetUrl = formatHref(path, new URLSearchParams(keptParams))
  const { shown, others } = filterControls(list)
  const count = listActive(list).length
  const more =
    others === ''
      ? ''
      : html`<details class="menu more-filters"><summary class="button">${words('page.add_filter')}</summary><div>!${others}<p><button>${words('page.apply')}</button></p></div></details>`
  // Enter in any text presses the first button, which may belong to the search of one filter.
  return html`<form class="filters" method="get" action="${path}" role="search" aria-label="${words('page.filter')}">
<button hidden></button>!${otherParams.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}!${isSearchable(listMetadata) ? searchControl(list) : ''}<details class="fold"><summary>${words('page.filters')}!${count === 0 ? '' : html` (${count})`}</summary><div>!${shown}!${more}!${displayMenu(list)}<p><button>${words('page.apply')}</button>!${isChanged ? html` <a class="button" href="${resetUrl}">${words('page.reset')}</a>` : ''}</p></div></details>
</form>
`
}

const maxSearchNames = 4

function searchControl({ listMetadata: { searchFields, parameterNames }, query, words }: ListQuery): string {
  const labels = Object.entries(searchFields).map(([name, field]) => words.label(name, field))
  const shown = labels.length > maxSearchNames ? [] : [...new Set(labels)]
  return html`<p class="search"><label for="list-search">${words('page.filter_search')}</label><input id="list-search" type="search" name="${parameterNames.search}" value="${query.get(parameterNames.search) ?? ''}" placeholder="${shown.join(', ')}"></p>`
}
