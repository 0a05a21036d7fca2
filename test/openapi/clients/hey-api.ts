// Uses the client of Hey API.

import { client } from './hey-api/shop/client.gen.ts'
import { createOrder, listProducts, shipOrder } from './hey-api/shop/index.ts'

export async function run(baseUrl: string, token: string, product: number, customer: string) {
  client.setConfig({ baseUrl, headers: { Authorization: `Token ${token}` } })
  const products = await listProducts({ query: { category: 'hey-api', price__lte: '4.00' } })
  const body = { number: 'hey-api', customer, lines: [{ product, quantity: 2 }] }
  const made = await createOrder({ body })
  const { error } = await createOrder({ body })
  const shipped = await shipOrder({ path: { key: body.number } })
  return {
    names: products.data?.results.map(({ name }) => name),
    total: made.data?.total,
    errors: error && 'number' in error ? error.number : [],
    status: shipped.data?.status,
  }
}
