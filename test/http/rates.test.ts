// Throttling by rates (LIM-THR, ERR-EXC-r10, ERR-GAP-b2), with counts in each kind of database.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  type ApiOptions,
  anonThrottle,
  authenticated,
  type Database,
  databaseStore,
  memoryStore,
  NotFound,
  openDatabase,
  scopedThrottle,
  throttleMigrations,
  userThrottle,
  type ViewOptions,
} from 'resource-api'
import type { RateStore, Throttle } from 'resource-api/extend'
import type { Client, RequestOptions } from '../support/client.ts'
import { asUser, onEachDatabase, startApi, userScheme } from '../support/own-api.ts'

const startTime = Date.UTC(2026, 0, 1)
let now = startTime
const clock = () => new Date(now)

const createView = (...throttles: readonly Throttle[]): ViewOptions => ({
  name: 'Hello',
  throttles,
  handlers: { GET: () => ({ status: 200, body: 'hello' }) },
})

const createScopedThrottle = (store: RateStore, scope: string, ...rates: readonly string[]) =>
  scopedThrottle({ scope, rates, store })

// Each test has its own path, so that the tests do not share rates.
const createOptions = (store: RateStore): ApiOptions => ({
  authentication: [userScheme],
  views: {
    '/anon/': createView(anonThrottle({ rates: '2/minute', store })),
    '/user/': createView(userThrottle({ rates: '2/minute', store })),
    '/uploads/': createView(createScopedThrottle(store, 'uploads', '2/minute')),
    '/more-uploads/': createView(createScopedThrottle(store, 'uploads', '2/minute')),
    '/downloads/': createView(createScopedThrottle(store, 'downloads', '2/minute')),
    '/several/': createView(createScopedThrottle(store, 'several', '2/minute', '5/hour')),
    '/two/': createView(createScopedThrottle(store, 'low', '2/minute'), createScopedThrottle(store, 'high', '5/hour')),
    '/twice/': createView(
      createScopedThrottle(store, 'twice', '2/minute'),
      createScopedThrottle(store, 'twice', '2/minute'),
    ),
    '/forwarded/': createView(anonThrottle({ rates: '2/day', store })),
    '/many/': createView(createScopedThrottle(store, 'many', '10/minute')),
    '/many-of-two/': createView(createScopedThrottle(store, 'many-of-two', '10/minute', '12/hour')),
    '/secret/': { ...createView(createScopedThrottle(store, 'secret', '1/minute')), permissions: [authenticated] },
    '/answers/': {
      ...createView(createScopedThrottle(store, 'answers', '9/minute')),
      handlers: {
        GET({ request }) {
          const { raise } = request.query as { raise?: string }
          if (raise === '404') throw new NotFound()
          if (raise === '500') throw new Error('unexpected')
          return { status: 200, body: 'hello' }
        },
        POST: ({ requestBody }) => ({ status: 201, body: requestBody }),
      },
    },
  },
})

const createDatabaseOptions = (database: Database) => createOptions(databaseStore(database, { clock }))

/** Sends the requests one after the other. */
async function requestStatuses(client: Client, count: number, path: string, options?: RequestOptions) {
  const statuses: number[] = []
  for (let request = 0; request < count; request++) statuses.push((await client.get(path, options)).status)
  return statuses
}

/** Sends this many concurrent requests with each client, and returns how many are not throttled. */
async function countAccepted(count: number, path: string, clients: readonly Client[], options?: RequestOptions) {
  const requests = clients.flatMap(client => Array.from({ length: count }, () => client.get(path, options)))
  const statuses = (await Promise.all(requests)).map(({ status }) => status)
  assert.ok(statuses.every(status => status === 200 || status === 429))
  return statuses.filter(status => status === 200).length
}

suite('without a trusted proxy', () => {
  onEachDatabase(
    createDatabaseOptions,
    service => {
      const request = (count: number, path: string, options?: RequestOptions) =>
        requestStatuses(service().client, count, path, options)

      test('LIM-THR-p1: anon counts only anonymous callers, by address', async () => {
        assert.deepEqual(await request(3, '/anon/'), [200, 200, 429])
        assert.deepEqual(await request(3, '/anon/', asUser('ann')), [200, 200, 200])
      })

      test('LIM-THR-p1: user counts each user, and anonymous callers by address', async () => {
        assert.deepEqual(await request(3, '/user/', asUser('ann')), [200, 200, 429])
        assert.deepEqual(await request(3, '/user/', asUser('bob')), [200, 200, 429])
        assert.deepEqual(await request(3, '/user/'), [200, 200, 429])
      })

      test('LIM-THR-p1: the views of a scope share its rate, and other scopes do not', async () => {
        assert.deepEqual(await request(1, '/uploads/', asUser('ann')), [200])
        assert.deepEqual(await request(2, '/more-uploads/', asUser('ann')), [200, 429])
        assert.deepEqual(await request(1, '/uploads/', asUser('ann')), [429])
        assert.deepEqual(await request(1, '/uploads/', asUser('bob')), [200])
        assert.deepEqual(await request(1, '/uploads/'), [200])
        assert.deepEqual(await request(1, '/downloads/', asUser('ann')), [200])
      })

      test('LIM-THR-p1: a window ends one period after its first request', async () => {
        const { client } = service()
        assert.deepEqual(await request(2, '/downloads/', asUser('bob')), [200, 200])
        now += 59_001
        const { status, headers } = await client.get('/downloads/', asUser('bob'))
        assert.deepEqual([status, headers['retry-after'], headers.ratelimit], [429, '1', '"downloads";r=0;t=1'])
        now += 999
        assert.deepEqual(await request(3, '/downloads/', asUser('bob')), [200, 200, 429])
      })

      for (const [path, shortRate, longRate] of [
        ['/several/', 'several-minute', 'several-hour'],
        ['/two/', 'low', 'high'],
      ] as const) {
        test(`LIM-THR-p1, ERR-GAP-b2: a request that one of several rates refuses counts for none of them: ${path}`, async () => {
          const { client } = service()
          const policy = `"${shortRate}";q=2;w=60, "${longRate}";q=5;w=3600`
          for (const [status, remaining, remainingOfHour, reset, resetOfHour, wait] of [
            [200, 1, 4, 60, 3600],
            [200, 0, 3, 60, 3600],
            [429, 0, 3, 60, 3600, 60],
            [429, 0, 3, 60, 3600, 60],
            [200, 1, 2, 60, 3540],
            [200, 0, 1, 60, 3540],
            [429, 0, 1, 60, 3540, 60],
            [200, 1, 0, 60, 3480],
            [429, 1, 0, 60, 3480, 3480],
          ] as const) {
            if (status === 200 && remaining === 1) now += remainingOfHour === 4 ? 0 : 60_000
            const response = await client.get(path)
            assert.equal(response.status, status)
            assert.equal(response.headers['retry-after'], wait?.toString())
            assert.equal(response.headers['ratelimit-policy'], policy)
            const expected = `"${shortRate}";r=${remaining};t=${reset}, "${longRate}";r=${remainingOfHour};t=${resetOfHour}`
            assert.equal(response.headers.ratelimit, expected)
          }
        })
      }

      test('LIM-THR-p1: a rate that two throttles share counts a request once', async () => {
        const { headers } = await service().client.get('/twice/')
        assert.equal(headers.ratelimit, '"twice";r=1;t=60')
      })

      test('ERR-EXC-r10, ERR-GAP-b2: every response has the rate headers, for any status', async () => {
        const { client } = service()
        const json = { 'content-type': 'application/json' }
        const requests: readonly (readonly [number, string, string, RequestOptions?])[] = [
          [200, 'GET', ''],
          [200, 'HEAD', ''],
          [200, 'OPTIONS', ''],
          [404, 'GET', '?raise=404'],
          [405, 'PUT', ''],
          [406, 'GET', '', { headers: { accept: 'text/csv' } }],
          [400, 'POST', '', { headers: json, body: '{' }],
          [415, 'POST', '', { headers: { 'content-type': 'text/csv' }, body: 'a' }],
          [500, 'GET', '?raise=500'],
          [429, 'GET', ''],
        ]
        for (const [index, [status, method, query, options]] of requests.entries()) {
          const response = await client.request(method, `/answers/${query}`, options)
          assert.equal(response.status, status)
          assert.equal(response.headers['ratelimit-policy'], '"answers";q=9;w=60')
          assert.equal(response.headers.ratelimit, `"answers";r=${Math.max(0, 8 - index)};t=60`)
        }
      })

      test('SVC-1, LIM-THR-p1: a request refused before the throttles is not counted, and its response has no rate headers', async () => {
        const { client } = service()
        for (const [status, headers] of [
          [401, {}],
          [401, asUser('nobody').headers],
        ] as const) {
          const response = await client.get('/secret/', { headers })
          assert.equal(response.status, status)
          assert.equal(response.headers['ratelimit-policy'], undefined)
        }
        assert.deepEqual(await request(2, '/secret/', asUser('ann')), [200, 429])
      })

      test('LIM-THR-p1: forwarded headers of an untrusted client are ignored', async () => {
        const received = []
        for (const ip of ['203.0.113.1', '203.0.113.2', '127.0.0.1'])
          received.push(
            ...(await request(1, '/forwarded/', { headers: { 'x-forwarded-for': ip, forwarded: `for=${ip}` } })),
          )
        assert.deepEqual(received, [200, 200, 429])
      })

      for (const path of ['/many/', '/many-of-two/']) {
        test(`LIM-THR-p1: exactly 10 of 200 concurrent requests pass, with one process or two: ${path}`, async () => {
          const { client, url } = service()
          const database = openDatabase(url)
          const secondApi = await startApi(createDatabaseOptions(database))
          assert.equal(await countAccepted(100, path, [client, secondApi.client]), 10)
          assert.equal(await countAccepted(200, path, [client], asUser('ann')), 10)
          await secondApi.stop()
          await database.close()
        })
      }
    },
    { migrations: throttleMigrations.steps },
  )
})

suite('with the loopback address as trusted proxy', () => {
  const forwardedFor = (ip: string) => ({ headers: { 'x-forwarded-for': ip } })
  onEachDatabase(
    createDatabaseOptions,
    service => {
      const request = (ip: string) => requestStatuses(service().client, 1, '/anon/', forwardedFor(ip))

      test('LIM-THR-p1: the client address comes from the trusted proxy', async () => {
        for (const ip of ['192.0.2.1', '192.0.2.1', '192.0.2.2', '192.0.2.2'])
          assert.deepEqual(await request(ip), [200])
        assert.deepEqual(await request('192.0.2.1'), [429])
        assert.deepEqual(await request('192.0.2.2'), [429])
        // The client sent the first address, and the proxy appended the second one.
        assert.deepEqual(await request('198.51.100.7, 192.0.2.1'), [429])
        assert.deepEqual(await request('192.0.2.3'), [200])
      })

      test('LIM-THR-p1: an IPv4-mapped IPv6 address equals the IPv4 address, and an IPv6 /64 is one client', async () => {
        const received = []
        for (const ip of ['192.0.2.9', '::ffff:192.0.2.9', '::ffff:c000:209']) received.push(...(await request(ip)))
        for (const ip of ['2001:db8::1', '2001:db8:0:0:ffff::1', '2001:DB8::2', '2001:db8:0:1::1'])
          received.push(...(await request(ip)))
        assert.deepEqual(received, [200, 200, 429, 200, 200, 429, 200])
      })
    },
    { migrations: throttleMigrations.steps, trustProxy: '127.0.0.1' },
  )
})

test('LIM-THR-p1: counts in memory need no database', async () => {
  const { client, stop } = await startApi(createOptions(memoryStore({ clock })))
  assert.equal(await countAccepted(200, '/many/', [client]), 10)
  await stop()
})

test('LIM-THR-p1: rates in different stores are also counted all or none', async () => {
  const [firstStore, secondStore] = [memoryStore({ clock }), memoryStore({ clock })]
  const throttles = [
    createScopedThrottle(firstStore, 'one', '2/minute'),
    createScopedThrottle(secondStore, 'other', '1/hour'),
  ]
  const { client, stop } = await startApi({
    views: { '/': createView(...throttles), '/one/': createView(throttles[0]!) },
    root: null,
  })
  assert.deepEqual(await requestStatuses(client, 3, '/'), [200, 429, 429])
  assert.deepEqual(await requestStatuses(client, 2, '/one/'), [200, 429])
  await stop()
})

test('LIM-THR-p1: a request that a custom throttle refuses counts for no rate, and its response has the rate headers', async () => {
  let isOpen = false
  const customThrottle: Throttle = { check: () => (isOpen ? { allowed: true } : { allowed: false, wait: 7 }) }
  const quota = { name: 'own', limit: 3, period: 10, remaining: 2, reset: 1.5 }
  const quotaThrottle: Throttle = {
    check: () => ({ allowed: true, quotas: [quota, { name: 'vague', limit: 1, period: 1 }] }),
  }
  const store = memoryStore({ clock })
  const throttles = [createScopedThrottle(store, 'uploads', '1/minute'), customThrottle, quotaThrottle]
  const { client, stop } = await startApi({ views: { '/hello/': createView(...throttles) } })
  const { status, headers } = await client.get('/hello/')
  assert.deepEqual([status, headers['retry-after']], [429, '7'])
  assert.equal(headers['ratelimit-policy'], '"own";q=3;w=10, "vague";q=1;w=1, "uploads";q=1;w=60')
  assert.equal(headers.ratelimit, '"own";r=2;t=2')
  isOpen = true
  assert.deepEqual(await requestStatuses(client, 2, '/hello/'), [200, 429])
  await stop()
})

test('LIM-THR-p1: an invalid throttle fails at start with a message that names the fix', () => {
  const store = memoryStore()
  for (const [createThrottle, message] of [
    [
      () => anonThrottle({ rates: '10/week', store }),
      /^"10\/week" is not a rate: write a number, a slash, and second,/,
    ],
    [() => anonThrottle({ rates: [], store }), /^the throttle "anon" has no rates: give one, such as 60\/minute$/],
    [
      () => userThrottle({ rates: ['1/minute', '2/60 seconds'], store }),
      /^the throttle "user" has two rates for the same period: remove the higher one$/,
    ],
    [
      () => scopedThrottle({ scope: 'a b', rates: '1/minute', store }),
      /^scopedThrottle\(\): the scope "a b" must consist of letters, digits and \. _ -$/,
    ],
    [
      () => scopedThrottle({ scope: 'anon', rates: '1/minute', store }),
      /^scopedThrottle\(\): "anon" is the name of a built-in throttle: choose another scope$/,
    ],
  ] as const)
    assert.throws(createThrottle, { message })
})
