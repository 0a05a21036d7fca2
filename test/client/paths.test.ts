// The URLs that properties and calls of a client lead to.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ClientOptions, createClient } from 'resource-api/client'
import type { things } from './things.ts'

/** Returns a client without types, and the requests that it sends. */
function record(options: Partial<ClientOptions> = {}) {
  const sent: string[] = []
  // biome-ignore lint/suspicious/noExplicitAny: the names are not those of a declared API
  const client: any = createClient<(typeof things)[]>({
    baseUrl: 'https://api.example/shop',
    fetch: async (url, { method, body }) => {
      sent.push(
        `${method} ${url.replace('https://api.example/shop/', '').replace('%24', '$')}${body === undefined ? '' : ` ${body}`}`,
      )
      return Response.json([])
    },
    ...options,
  })
  return { client, sent }
}

async function readSent(
  send: (client: ReturnType<typeof record>['client']) => unknown,
  options?: Partial<ClientOptions>,
) {
  const { client, sent } = record(options)
  await send(client)
  return sent.join()
}

test('methods of lists, objects, children, singletons and views', async () => {
  const requests: Readonly<Record<string, (client: ReturnType<typeof record>['client']) => unknown>> = {
    'GET orders/': client => client.orders.list(),
    'GET orders/7/': client => client.orders(7).retrieve(),
    'GET orders/a%2Fb%20%C3%A9/': client => client.orders('a/b é').retrieve(),
    'GET orders/9007199254740993/': client => client.orders(9007199254740993n).retrieve(),
    'POST orders/ {"a":1}': client => client.orders.create({ a: 1 }),
    'PATCH orders/7/ {"a":1}': client => client.orders(7).update({ a: 1 }),
    'PUT orders/7/ {"a":1}': client => client.orders(7).replace({ a: 1 }),
    'DELETE orders/7/': client => client.orders(7).destroy({ retries: 0 }),
    'POST orders/ [{"a":1}]': client => client.orders.create([{ a: 1 }]),
    'DELETE orders/ [1,2]': client => client.orders.destroy([1, 2]),
    'GET customers/3/orders/': client => client.customers(3).orders.list(),
    'GET customers/3/orders/7/': client => client.customers(3).orders(7).retrieve(),
    'GET customers/3/orders/watched/': client => client.customers(3).orders.watched.list(),
    'GET collections/a/b%2Fc/': client => client.collections(['a', 'b/c']).retrieve(),
    'GET shelves/3/collections/a/7/': client => client.shelves(3).resource('collections')(['a', 7]).retrieve(),
    'GET collections/a/b/versions/2/': client => client.collections(['a', 'b']).versions(2).retrieve(),
    'POST orders/7/tags/ ["a","b"]': client => client.orders(7).tags(['a', 'b']),
    'PATCH settings/ {"a":1}': client => client.settings.update({ a: 1 }),
    'GET articles/feed/?page=2': client => client.articles.feed.list({ page: 2 }),
    'POST orders/7/ship/': client => client.orders(7).ship(),
    'POST orders/7/ship/ {"until":"2027-01-01"}': client => client.orders(7).ship({ until: '2027-01-01' }),
    'PUT orders/7/watch/': client => client.orders(7).watch.put(),
    'DELETE orders/7/watch/?force=true': client => client.orders(7).watch.delete({ query: { force: true } }),
    'GET orders/sales/2026/': client => client.orders.view('sales/:year', { year: 2026 }).get(),
    'POST orders/7/lines/3/ship/ {}': client => client.orders(7).view('lines/:line/ship', { line: 3 }).post({}),
    'GET tags/': client => client.view('/tags/').get(),
    'GET https://api.example/shop/': client => client.view('/').get(),
  }
  for (const [request, send] of Object.entries(requests)) {
    const expected = request.replace(' https://api.example/shop/', ' ')
    assert.equal(await readSent(send), expected)
  }
})

test('names that are special in JavaScript, or methods, are names like others', async () => {
  for (const name of ['constructor', 'prototype', 'toString', 'name', 'length', 'call', 'list', '$ref', '__proto__']) {
    assert.equal(await readSent(client => client[name].list()), `GET ${name}/`)
    if (name !== 'list') assert.equal(await readSent(client => client.orders(1)[name].list()), `GET orders/1/${name}/`)
  }
  for (const name of ['then', 'view', 'resource', 'fetch', 'list', 'get'])
    assert.equal(await readSent(client => client.resource(name).list()), `GET ${name}/`)
  assert.equal(await readSent(client => client.orders.resource('list').list()), 'GET orders/list/')
  assert.equal(await readSent(client => client.orders(1).resource('then')(2).retrieve()), 'GET orders/1/then/2/')
})

test('a client is no promise, and the platform may look at it', async () => {
  const { client, sent } = record()
  assert.equal(await client, client)
  const { orders } = client
  assert.equal(await orders, orders)
  assert.equal(orders.then, undefined)
  assert.equal(client[Symbol.iterator], undefined)
  assert.deepEqual(sent, [])
})

test('a key that is missing, or that no URL can contain, sends nothing', async () => {
  const { client, sent } = record()
  for (const key of [undefined, null, '', '.', '..', {}, [], ['a', '..'], ['a', undefined]])
    assert.throws(() => client.orders(key), { name: 'TypeError' }, String(key))
  assert.throws(() => client.customers(3).orders(undefined), { name: 'TypeError' })
  assert.throws(() => client.orders(1)(2), { name: 'TypeError' })
  assert.throws(() => client.orders.view('sales/:year', {}), { name: 'TypeError' })
  assert.deepEqual(sent, [])
})

test('queries: lists, quotes, booleans, dates, absent values', async () => {
  const query = {
    status__in: ['open', 'a,b', 'say "hi"', ''],
    expand: ['customer', 'lines.product'],
    fields: [],
    late: true,
    since: new Date(0),
    gone: undefined,
    none: null,
    empty: '',
  }
  const [, search = ''] = (await readSent(client => client.orders.list(query))).split('?')
  assert.deepEqual(
    [...new URLSearchParams(search)],
    [
      ['status__in', 'open,"a,b","say ""hi""",""'],
      ['expand', 'customer,lines.product'],
      ['late', 'true'],
      ['since', '1970-01-01T00:00:00.000Z'],
      ['empty', ''],
    ],
  )
  const { client } = record()
  assert.throws(() => client.orders.list({ status__in: [] }), {
    name: 'TypeError',
    message: /status__in: an empty list/,
  })
})

test('URLs without a slash at the end, and a base URL with a query or without a slash', async () => {
  assert.equal(await readSent(client => client.orders(7).ship(), { trailingSlash: false }), 'POST orders/7/ship')
  assert.equal(
    await readSent(client => client.orders.list({ a: 1 }), { baseUrl: 'https://api.example/shop/?old=1#part' }),
    'GET orders/?a=1',
  )
  assert.throws(() => createClient({ baseUrl: '/shop/' }), { name: 'TypeError' })
})
