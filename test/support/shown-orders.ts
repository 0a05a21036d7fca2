// The lists of orders that queries with `fields`, `omit` and `expand` get, in plain TypeScript.

import {
  type CallerKey,
  findCountries,
  findCustomers,
  findLines,
  findTags,
  type Order,
  sumLines,
} from './filter-model.ts'
import { shopRows } from './filtered-shop.ts'

/** The names in a query. */
export interface Selection {
  readonly expand: readonly string[]
  readonly fields: readonly string[]
  readonly omit: readonly string[]
}

/** The relations that a query may expand. */
export const expandable: readonly string[] = ['customer', 'customer.country', 'tags', 'lines']

const ownNames = ['number', 'status', 'customer', 'customer_name', 'tags', 'lines', 'lines_total']
const innerNames: Readonly<Record<string, readonly string[]>> = {
  customer: ['customer.id', 'customer.name', 'customer.country'],
  'customer.country': ['customer.country.code', 'customer.country.name'],
  tags: ['tags.id', 'tags.slug'],
  lines: ['lines.product', 'lines.price'],
}

const isExpanded = (expand: readonly string[], name: string): boolean =>
  expand.some(other => other === name || other.startsWith(`${name}.`))

/** The names for `fields` and `omit` in a query that expands these relations. */
export const listNames = (expand: readonly string[]): readonly string[] => [
  ...ownNames,
  ...expandable.flatMap(name => (isExpanded(expand, name) ? innerNames[name]! : [])),
]

/** The order with this key as a caller sees it. */
export function showOrder(id: number, { expand, fields, omit }: Selection, caller: CallerKey): object {
  const order = shopRows.orders.find(other => other.id === id)!
  const choose = (value: unknown, path: string): unknown => {
    if (Array.isArray(value)) return value.map(item => choose(item, path))
    if (typeof value !== 'object' || value === null) return value
    const chosen = Object.entries(value).flatMap(([name, inner]) => {
      const inside = `${path}${name}`
      const isNamed = fields.some(
        field => field === inside || inside.startsWith(`${field}.`) || field.startsWith(`${inside}.`),
      )
      return isNamed && !omit.includes(inside) ? [[name, choose(inner, `${inside}.`)]] : []
    })
    return Object.fromEntries(chosen)
  }
  return choose(showAll(order, expand, caller), '') as object
}

function showAll(order: Order, expand: readonly string[], caller: CallerKey): object {
  const [customer] = findCustomers(order, caller)
  const [country] = findCountries(order, caller)
  const [tags, lines] = [findTags(order, caller), findLines(order, caller)]
  const shownCountry = country && { code: country.code, name: country.name }
  const shownCustomer = customer && {
    id: customer.id,
    name: customer.name,
    country: (isExpanded(expand, 'customer.country') ? shownCountry : country?.code) ?? null,
  }
  return {
    id: order.id,
    number: order.number,
    status: order.status,
    customer: (isExpanded(expand, 'customer') ? shownCustomer : customer?.id) ?? null,
    customer_name: customer?.name ?? null,
    tags: tags.map(({ id, slug }) => (expand.includes('tags') ? { id, slug } : slug)),
    lines: lines.map(({ id, product, price }) => (expand.includes('lines') ? { id, product, price } : id)),
    lines_total: sumLines(order).toFixed(2),
  }
}
