// The menu of what is chosen less often than filters: the order, the columns and the number of rows.

import { html } from 'ghtml'
import { columnsParameter } from '#core'
import { selectHtml } from '../forms/combobox.ts'
import { type Column, listPossibleColumns, listUsualColumns, readColumns } from '../values/list-columns.ts'
import { isOrderable, type ListQuery } from './list-query.ts'

/** The menu, as a part of the form of filters; empty if nothing can be chosen. */
export function displayMenu(list: ListQuery): string {
  const { listMetadata, words } = list
  const { sizeParameter } = listMetadata
  const parts = [
    isOrderable(listMetadata) ? orderingControl(list) : '',
    sizeParameter === undefined ? '' : sizeControl(sizeParameter, list),
    columnsControl(list),
  ]
  if (parts.every(part => part === '')) return ''
  return html`<details class="menu display"><summary class="button">${words('page.display')}</summary><div>!${parts}<p><button>${words('page.apply')}</button></p></div></details>`
}

function columnsControl({ listMetadata, query, words }: ListQuery): string {
  const possible = listPossibleColumns(listMetadata)
  // The URL chooses the fields of the response.
  if (possible.length < 2 || query.has(listMetadata.parameterNames.fields)) return ''
  const columns = readColumns(query) ?? listUsualColumns(listMetadata)
  const isChosen = ({ name }: Column) => columns.includes(name)
  const chosen = columns.flatMap(name => possible.find(column => column.name === name) ?? [])
  // The form sends the columns in their order.
  const boxes = [...chosen, ...possible.filter(column => !isChosen(column))].map(
    ({ name, field }) =>
      html`<label><input type="checkbox" name="${columnsParameter}" value="${name}" !${columns.includes(name) ? 'checked' : ''}> ${words.label(name, field)}</label>`,
  )
  return html`<fieldset><legend>${words('page.columns')}</legend>!${boxes}</fieldset>`
}

function orderingControl({ listMetadata, query, words }: ListQuery): string {
  const { orderingFields, parameterNames, defaultOrdering = '' } = listMetadata
  const ordering = query.get(parameterNames.ordering) ?? ''
  const allOptions = Object.entries(orderingFields).flatMap(([name, field]) => {
    const label = words.label(name, field)
    return [
      { value: name, name: words('page.ascending', { name: label }) },
      { value: `-${name}`, name: words('page.descending', { name: label }) },
    ]
  })
  // An ordering by several fields, which the URL may contain, gets an option of its own.
  const select = {
    attributes: html`id="list-ordering" name="${parameterNames.ordering}"`,
    options: allOptions.filter(({ value }) => value !== defaultOrdering),
    selected: [ordering === defaultOrdering ? '' : ordering],
    isMultiple: false,
    emptyText: allOptions.find(({ value }) => value === defaultOrdering)?.name ?? words('page.default_order'),
  }
  return html`<p><label for="list-ordering">${words('page.order')}</label>!${selectHtml(select)}</p>`
}

const pageSizes = [10, 20, 50, 100, 200]

function sizeControl(name: string, { listMetadata, query, words }: ListQuery): string {
  const { min_value: min = 1, max_value: max = Number.MAX_SAFE_INTEGER } = listMetadata.pageParameters[name] ?? {}
  const sizes = pageSizes
    .filter(size => size >= min && size <= max)
    .map(size => ({ value: `${size}`, name: `${size}` }))
  const select = {
    attributes: html`id="list-page-size" name="${name}"`,
    options: sizes,
    selected: [query.get(name) ?? ''],
    isMultiple: false,
    emptyText: words('page.default_size'),
  }
  return html`<p><label for="list-page-size">${words('page.page_size')}</label>!${selectHtml(select)}</p>`
}
