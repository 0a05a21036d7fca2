// Uses the types of openapi-typescript with openapi-fetch.

import createClient from 'openapi-fetch'
import type { paths } from './openapi-typescript/shop.ts'

export async function run(baseUrl: string, token: string, product: number, customer: string) {
  const client = createClient<paths>({ baseUrl, headers: { Authorization: `Token ${token}` } })
  const products = await client.GET('/products/', {
    params: { query: { category: 'openapi-fetch', price__lte: '4.00' } },
  })
  const body = { number: 'openapi-fetch', customer, lines: [{ product, quantity: 2 }] }
  const made = await client.POST('/orders/', { body })
  const refused = await client.POST('/orders/', { body })
  const errors =
    refused.response.status === 400 && refused.error && 'number' in refused.error ? refused.error.number : []
  const shipped = await client.POST('/orders/{key}/ship/', { params: { path: { key: body.number } } })
  return {
    names: products.data?.results.map(({ name }) => name),
    total: made.data?.total,
    errors,
    status: shipped.data?.status,
  }
}
