// The parameters of a list, each with a link to an example: the query of the page itself.

import { html } from 'ghtml'
import type { Field, FieldType, ListMetadata } from '#core'
import type { Words } from '../html/words.ts'

/** More filters are folded. */
const maxOpen = 8

/** The HTML of the parameters. */
export function parametersHtml(list: ListMetadata, words: Words): string {
  const { filters, orderingFields, searchFields, pageParameters } = list
  const searched =
    Object.keys(searchFields).length === 0
      ? []
      : [linkTo({ search: 'a' }), ' ', html`${Object.keys(searchFields).join(', ')}`]
  const examples = Object.entries(filters).map(([name, filter]) => filterHtml(name, filter, words))
  const orders = Object.keys(orderingFields).flatMap(name => [
    linkTo({ ordering: name }),
    linkTo({ ordering: `-${name}` }),
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
      ? html`<code>?${name}=</code> ${filter.relation?.target.name ?? filter.type}`
      : linkTo({ [name]: value })
  return title === '' ? start : html`!${start} ${title}`
}

const linkTo = (query: Readonly<Record<string, string>>): string => {
  const text = `?${new URLSearchParams(query)}`
  return html`<a href="${text}"><code>${text}</code></a>`
}

const examples: Readonly<Partial<Record<FieldType, string>>> = {
  boolean: 'true',
  integer: '1',
  float: '1.5',
  decimal: '1.5',
  date: '2026-01-31',
  time: '12:00:00',
  datetime: '2026-01-31T12:00:00Z',
  duration: '01:00:00',
  uuid: '0198a5b2-7c1e-7d3a-9f60-3b1c2d4e5f60',
  email: 'ada@example.com',
  slug: 'a',
  string: 'a',
}

// Undefined for a key, because only those of existing objects are valid.
function findExample({ type, choices, child, relation, bounds }: Field): string | undefined {
  if (relation !== undefined) return undefined
  const [choice] = (choices ?? child?.choices)?.keys() ?? []
  if (choice !== undefined) return String(choice)
  if (type === 'integer' && bounds.min_value !== undefined && bounds.min_value > 1) return String(bounds.min_value)
  return examples[child?.type ?? type]
}
