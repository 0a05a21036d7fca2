// A whole service: these lines and the declarations give it accounts, login, tokens, the administration, HTML pages,
// data files and a demonstration. `resource-api serve --demo` in this folder starts it.

import { pageNumber } from 'resource-api'
import { defineService, profile } from 'resource-api/service'
import { attachments } from './attachments.ts'
import { categories, countries, prices, products } from './catalogue.ts'
import { lines } from './lines.ts'
import { customers, delivery, events, orders, settings } from './orders.ts'
import { schema } from './tables.ts'

export const shop = profile('shop', {
  description: 'Tea and coffee. Log in to order.',
  resources: [
    products,
    prices,
    categories,
    countries,
    customers,
    orders,
    lines,
    attachments,
    delivery,
    events,
    settings,
  ],
  tables: schema,
  pagination: pageNumber({ pageSize: 20 }),
  strict: true,
  idempotencyKeys: true,
  admin: {
    products: { searchFields: ['name'] },
    categories: {},
    attachments: { filters: { order: true } },
    customers: { searchFields: ['name', 'email'] },
    orders: {
      listFields: ['url', 'number', 'customer', 'status', 'total'],
      filters: { status: true, total: ['gte', 'lte'] },
      actions: ['list', 'retrieve'],
    },
  },
  fixtures: { countries, categories, products, customers, orders, lines },
  examples: [
    { title: 'Find tea', path: 'products/?search=tea' },
    { title: 'Find tea for less than 4', path: 'products/?category=tea&price__lte=4&ordering=-price' },
  ],
  demo: {
    data: {
      users: [{ username: 'demo', is_superuser: true }, { username: 'grace' }],
      countries: [
        { code: 'AT', name: 'Austria' },
        { code: 'IN', name: 'India' },
      ],
      categories: [
        { slug: 'drinks', name: 'Drinks' },
        { slug: 'tea', name: 'Tea', parent: { slug: 'drinks' } },
      ],
      products: [
        { name: 'Green tea', description: 'From Assam', price: '4.50', category: { slug: 'tea' } },
        { name: 'Black tea', price: '3.90', category: { slug: 'tea' } },
        { name: 'Coffee', price: '7.20', category: { slug: 'drinks' } },
      ],
      customers: [{ user: 'grace', name: 'Grace', email: 'grace@example.org', country: 'AT' }],
      orders: [{ number: '2026-0001', customer: { email: 'grace@example.org' }, created: '2026-02-01T10:00:00Z' }],
      lines: [
        { order: { number: '2026-0001' }, product: { name: 'Green tea' }, quantity: 2, price: '4.50' },
        { order: { number: '2026-0001' }, product: { name: 'Coffee' }, price: '7.20' },
      ],
    },
  },
})

export default defineService({
  profiles: [shop],
  pages: { title: 'The tea shop' },
  openapi: { license: { name: 'MIT', identifier: 'MIT' } },
  tokens: 'named',
  throttles: { anon: '60/minute' },
})
