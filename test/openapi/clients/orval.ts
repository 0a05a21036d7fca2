// Uses the client of orval, whose base URL is a part of the generated code.

import { createOrder, listProducts, shipOrder } from './orval/shop.ts'

export async function run(_baseUrl: string, token: string, product: number, customer: string) {
  const options = { headers: { Authorization: `Token ${token}` } }
  const products = await listProducts({ category: 'orval', price__lte: '4.00' }, options)
  const body = { number: 'orval', customer, lines: [{ product, quantity: 2 }] }
  const made = await createOrder(body, options)
  const refused = await createOrder(body, options)
  const shipped = await shipOrder(body.number, options)
  return {
    names: products.status === 200 ? products.data.results.map(({ name }) => name) : undefined,
    total: made.status === 201 ? made.data.total : undefined,
    errors: refused.status === 400 && 'number' in refused.data ? refused.data.number : [],
    status: shipped.status === 200 ? shipped.data.status : undefined,
  }
}
