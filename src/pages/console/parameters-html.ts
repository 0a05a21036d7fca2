// The parameters of a list, each with a link to an example: the query of the page itself.

import { html } from 'ghtml'
import type { Field, ListMetadata } from '#core'
import type { Words } from '../html/words.ts'

/** More filters are folded. */
const maxOpen = 8

/** The HTML of the parameters. */
export function parametersHtml(list: ListMetadata, words: Words): string {
  const { filters, orderingFields, searchFields, pageParameters, parameterNames } = list
  const searched =
    Object.keys(searchFields).length === 0
      ? []
      : [linkTo({ [parameterNames.search]: 'a' }), ' ', html`${Object.keys(searchFields).join(', ')}`]
  const examples = Object.entries(filters).map(([name, filter]) => filterHtml(name, filter, words))
  const orders = Object.keys(orderingFields).flatMap(name => [
    linkTo({ [parameterNames.ordering]: name }),
    linkTo({ [parameterNames.ordering]: `-${name}` }),
  ])
  const pages = Object.keys(pageParameters).map(name => html`<code>?${name}=</code>`)
  return [
    group(words('page.filters'), examples.length > maxOpen ? fold(examples, words) : listHtml(examples)),
    group(words('page.search'), searched.join('')),
    group(words('page.ordering'), orders.join(' ')),
    group(words('page.paging'), pages.join(' ')),
  ].join('')
}

const group = (title: string, contentHtml: string): string =>
  contentHtml === ''
    ? ''
    : html`<h2>${title}</h2>
<div class="parameters">!${contentHtml}</div>
`

const listHtml = (items: readonly string[]): string =>
  items.length === 0 ? '' : html`<ul>!${items.map(item => html`<li>!${item}</li>`)}</ul>`

const fold = (items: readonly string[], words: Words): string =>
  html`!${listHtml(items.slice(0, maxOpen))}<details><summary>${words('page.more', { count: items.length - maxOpen })}</summary>!${listHtml(items.slice(maxOpen))}</details>`

function filterHtml(name: string, filter: Field, words: Words): string {
  const value = findExample(filter)
  const label = words.label(name, filter)
  const isOwnName = label.toLowerCase() === name.replaceAll('_', ' ').toLowerCase()
  const title = filter.help === undefined ? (isOwnName ? '' : label) : words.text(filter.help)
  const start =
    value === undefined
      ? html`<code>?${name}=</code> ${filter.relation?.target.name ?? filter.kind.name}`
      : linkTo({ [name]: value })
  return title === '' ? start : html`!${start} ${title}`
}

const linkTo = (query: Readonly<Record<string, string>>): string => {
  const text = `?${new URLSearchParams(query)}`
  return html`<a href="${text}"><code>${text}</code></a>`
}

// Undefined for a key, because only those of existing objects are valid.
function findExample({ kind, choices, child, relation, bounds }: Field): string | undefined {
  if (relation !== undefined) return undefined
  const [choice] = (choices ?? child?.choices)?.keys() ?? []
  if (choice !== undefined) return String(choice)
  const { example } = child?.kind ?? kind
  const { min_value: min } = bounds
  return min !== undefined && min > Number(example) ? String(min) : example
}
