// A whole service: these lines and the declarations give it accounts, login, tokens, the administration, HTML pages,
// data files and a demonstration. `resource-api serve --demo` in this folder starts it.

import { pageNumber } from 'resource-api'
import { defineService, profile } from 'resource-api/service'
import { migrations } from './migrations.ts'
import { lines, orders, products } from './resources.ts'

const shop = profile('shop', {
  description: 'Tea and coffee. Log in to order.',
  resources: [products, orders, lines],
  migrations,
  pagination: pageNumber({ pageSize: 20 }),
  admin: {
    products: { searchFields: ['name'] },
    orders: {
      listFields: ['url', 'customer', 'status', 'total'],
      filters: { status: true, total: ['gte', 'lte'] },
      actions: ['list', 'retrieve'],
    },
  },
  fixtures: { products, orders, lines },
  examples: [{ title: 'Find tea', path: 'products/?search=tea' }],
  demo: {
    data: {
      users: [{ username: 'demo', is_superuser: true }, { username: 'grace' }],
      products: [
        { id: 1, name: 'Green tea', price: '4.50' },
        { id: 2, name: 'Black tea', price: '3.90' },
        { id: 3, name: 'Coffee', price: '7.20' },
      ],
      orders: [{ id: 1, customer: 'grace', status: 'open', created: '2026-02-01T10:00:00Z' }],
      lines: [
        { order: 1, product: { name: 'Green tea' }, quantity: 2 },
        { order: 1, product: { name: 'Coffee' } },
      ],
    },
  },
})

export default defineService({
  profiles: [shop],
  pages: { title: 'The tea shop' },
  tokens: 'named',
  throttles: { anon: '60/minute' },
})
