// Throttles by rates (LIM-THR, ERR-EXC-r10, ERR-GAP-b2), with the counts in each database.

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
  type RateStore,
  scopedThrottle,
  type Throttle,
  throttleMigrations,
  userThrottle,
  type ViewOptions,
} from '../../src/framework/index.ts'
import type { Client, RequestOptions } from '../support/client.ts'
import { as, onEachDatabase, startApi, userScheme } from '../support/own-api.ts'

const begin = Date.UTC(2026, 0, 1)
let now = begin
const clock = () => new Date(now)

const view = (...throttles: readonly Throttle[]): ViewOptions => ({
  name: 'Hello',
  throttles,
  handlers: { GET: () => ({ status: 200, body: 'hello' }) },
})

const scoped = (store: RateStore, scope: string, ...rates: readonly string[]) => scopedThrottle({ scope, rates, store })

// Each test has a path of its own, so that none uses up the rates of another.
const api = (store: RateStore): ApiOptions => ({
  authentication: [userScheme],
  views: {
    '/anon/': view(anonThrottle({ rates: '2/minute', store })),
    '/user/': view(userThrottle({ rates: '2/minute', store })),
    '/uploads/': view(scoped(store, 'uploads', '2/minute')),
    '/more-uploads/': view(scoped(store, 'uploads', '2/minute')),
    '/downloads/': view(scoped(store, 'downloads', '2/minute')),
    '/several/': view(scoped(store, 'several', '2/minute', '5/hour')),
    '/two/': view(scoped(store, 'low', '2/minute'), scoped(store, 'high', '5/hour')),
    '/twice/': view(scoped(store, 'twice', '2/minute'), scoped(store, 'twice', '2/minute')),
    '/forwarded/': view(anonThrottle({ rates: '2/day', store })),
    '/many/': view(scoped(store, 'many', '10/minute')),
    '/many-of-two/': view(scoped(store, 'many-of-two', '10/minute', '12/hour')),
    '/secret/': { ...view(scoped(store, 'secret', '1/minute')), permissions: [authenticated] },
    '/answers/': {
      ...view(scoped(store, 'answers', '9/minute')),
      handlers: {
        GET({ request }) {
          const { raise } = request.query as { raise?: string }
          if (raise === '404') throw new NotFound()
          if (raise === '500') throw new Error('nobody foresaw this')
          return { status: 200, body: 'hello' }
        },
        POST: ({ body }) => ({ status: 201, body: body as object }),
      },
    },
  },
})

const countedBy = (database: Database) => api(databaseStore(database, { clock }))

/** One after the other. */
async function statuses(client: Client, count: number, path: string, options?: RequestOptions) {
  const found: number[] = []
  for (let request = 0; request < count; request++) found.push((await client.get(path, options)).status)
  return found
}

/** How many pass of as many that come at once, at each of the clients. */
async function passed(count: number, path: string, clients: readonly Client[], options?: RequestOptions) {
  const asked = clients.flatMap(client => Array.from({ length: count }, () => client.get(path, options)))
  const found = (await Promise.all(asked)).map(({ status }) => status)
  assert.ok(found.every(status => status === 200 || status === 429))
  return found.filter(status => status === 200).length
}

suite('nobody is trusted', () => {
  onEachDatabase(
    countedBy,
    service => {
      const ask = (count: number, path: string, options?: RequestOptions) =>
        statuses(service().client, count, path, options)

      test('LIM-THR-p1: anon counts callers without an identity, by address', async () => {
        assert.deepEqual(await ask(3, '/anon/'), [200, 200, 429])
        assert.deepEqual(await ask(3, '/anon/', as('ann')), [200, 200, 200])
      })

      test('LIM-THR-p1: user counts each user, and other callers by address', async () => {
        assert.deepEqual(await ask(3, '/user/', as('ann')), [200, 200, 429])
        assert.deepEqual(await ask(3, '/user/', as('bob')), [200, 200, 429])
        assert.deepEqual(await ask(3, '/user/'), [200, 200, 429])
      })

      test('LIM-THR-p1: the views of a scope share its rate, and no other scope does', async () => {
        assert.deepEqual(await ask(1, '/uploads/', as('ann')), [200])
        assert.deepEqual(await ask(2, '/more-uploads/', as('ann')), [200, 429])
        assert.deepEqual(await ask(1, '/uploads/', as('ann')), [429])
        assert.deepEqual(await ask(1, '/uploads/', as('bob')), [200])
        assert.deepEqual(await ask(1, '/uploads/'), [200])
        assert.deepEqual(await ask(1, '/downloads/', as('ann')), [200])
      })

      test('LIM-THR-p1: a window ends a period after its first request', async () => {
        const { client } = service()
        assert.deepEqual(await ask(2, '/downloads/', as('bob')), [200, 200])
        now += 59_001
        const { status, headers } = await client.get('/downloads/', as('bob'))
        assert.deepEqual([status, headers['retry-after'], headers.ratelimit], [429, '1', '"downloads";r=0;t=1'])
        now += 999
        assert.deepEqual(await ask(3, '/downloads/', as('bob')), [200, 200, 429])
      })

      for (const [path, short, long] of [
        ['/several/', 'several-minute', 'several-hour'],
        ['/two/', 'low', 'high'],
      ] as const) {
        test(`LIM-THR-p1, ERR-GAP-b2: of several rates, what one refuses uses up none: ${path}`, async () => {
          const { client } = service()
          const policy = `"${short}";q=2;w=60, "${long}";q=5;w=3600`
          for (const [status, left, leftOfHour, reset, resetOfHour, wait] of [
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
            if (status === 200 && left === 1) now += leftOfHour === 4 ? 0 : 60_000
            const response = await client.get(path)
            assert.equal(response.status, status)
            assert.equal(response.headers['retry-after'], wait?.toString())
            assert.equal(response.headers['ratelimit-policy'], policy)
            const expected = `"${short}";r=${left};t=${reset}, "${long}";r=${leftOfHour};t=${resetOfHour}`
            assert.equal(response.headers.ratelimit, expected)
          }
        })
      }

      test('LIM-THR-p1: a rate that two throttles name counts a request once', async () => {
        const { headers } = await service().client.get('/twice/')
        assert.equal(headers.ratelimit, '"twice";r=1;t=60')
      })

      test('ERR-EXC-r10, ERR-GAP-b2: whatever the answer is, it says how the rates stand', async () => {
        const { client } = service()
        const json = { 'content-type': 'application/json' }
        const asked: readonly (readonly [number, string, string, RequestOptions?])[] = [
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
        for (const [index, [status, method, query, options]] of asked.entries()) {
          const response = await client.request(method, `/answers/${query}`, options)
          assert.equal(response.status, status)
          assert.equal(response.headers['ratelimit-policy'], '"answers";q=9;w=60')
          assert.equal(response.headers.ratelimit, `"answers";r=${Math.max(0, 8 - index)};t=60`)
        }
      })

      test('SVC-1, LIM-THR-p1: who is refused before the throttles uses up nothing, and is told nothing', async () => {
        const { client } = service()
        for (const [status, headers] of [
          [401, {}],
          [401, as('nobody').headers],
        ] as const) {
          const response = await client.get('/secret/', { headers })
          assert.equal(response.status, status)
          assert.equal(response.headers['ratelimit-policy'], undefined)
        }
        assert.deepEqual(await ask(2, '/secret/', as('ann')), [200, 429])
      })

      test('LIM-THR-p1: what a client says of its address changes nothing', async () => {
        const answers = []
        for (const ip of ['203.0.113.1', '203.0.113.2', '127.0.0.1'])
          answers.push(...(await ask(1, '/forwarded/', { headers: { 'x-forwarded-for': ip, forwarded: `for=${ip}` } })))
        assert.deepEqual(answers, [200, 200, 429])
      })

      for (const path of ['/many/', '/many-of-two/']) {
        test(`LIM-THR-p1: of 200 requests at once exactly 10 pass, over two services or one: ${path}`, async () => {
          const { client, url } = service()
          const database = openDatabase(url)
          const other = await startApi(countedBy(database))
          assert.equal(await passed(100, path, [client, other.client]), 10)
          assert.equal(await passed(200, path, [client], as('ann')), 10)
          await other.stop()
          await database.close()
        })
      }
    },
    { migrations: throttleMigrations },
  )
})

suite('this machine is trusted', () => {
  const from = (ip: string) => ({ headers: { 'x-forwarded-for': ip } })
  onEachDatabase(
    countedBy,
    service => {
      const ask = (ip: string) => statuses(service().client, 1, '/anon/', from(ip))

      test('LIM-THR-p1: the trusted proxy says whose request it is', async () => {
        for (const ip of ['192.0.2.1', '192.0.2.1', '192.0.2.2', '192.0.2.2']) assert.deepEqual(await ask(ip), [200])
        assert.deepEqual(await ask('192.0.2.1'), [429])
        assert.deepEqual(await ask('192.0.2.2'), [429])
        // What the client had written before the proxy added its address.
        assert.deepEqual(await ask('198.51.100.7, 192.0.2.1'), [429])
        assert.deepEqual(await ask('192.0.2.3'), [200])
      })

      test('LIM-THR-p1: an IPv4 address is the same mapped into IPv6, and a /64 of IPv6 is one client', async () => {
        const answers = []
        for (const ip of ['192.0.2.9', '::ffff:192.0.2.9', '::ffff:c000:209']) answers.push(...(await ask(ip)))
        for (const ip of ['2001:db8::1', '2001:db8:0:0:ffff::1', '2001:DB8::2', '2001:db8:0:1::1'])
          answers.push(...(await ask(ip)))
        assert.deepEqual(answers, [200, 200, 429, 200, 200, 429, 200])
      })
    },
    { migrations: throttleMigrations, trustProxy: '127.0.0.1' },
  )
})

test('LIM-THR-p1: counts in the memory need no database', async () => {
  const { client, stop } = await startApi(api(memoryStore({ clock })))
  assert.equal(await passed(200, '/many/', [client]), 10)
  await stop()
})

test('LIM-THR-p1: rates of different stores are all taken or none, too', async () => {
  const [one, other] = [memoryStore({ clock }), memoryStore({ clock })]
  const throttles = [scoped(one, 'one', '2/minute'), scoped(other, 'other', '1/hour')]
  const { client, stop } = await startApi({
    views: { '/': view(...throttles), '/one/': view(throttles[0]!) },
    root: null,
  })
  assert.deepEqual(await statuses(client, 3, '/'), [200, 429, 429])
  assert.deepEqual(await statuses(client, 2, '/one/'), [200, 429])
  await stop()
})

test('LIM-THR-p1: what a throttle of another kind refuses uses up no rate, and the limits are told', async () => {
  let isOpen = false
  const closed: Throttle = { check: () => (isOpen ? { allowed: true } : { allowed: false, wait: 7 }) }
  const quota = { name: 'own', limit: 3, period: 10, remaining: 2, reset: 1.5 }
  const own: Throttle = { check: () => ({ allowed: true, quotas: [quota, { name: 'vague', limit: 1, period: 1 }] }) }
  const store = memoryStore({ clock })
  const throttles = [scoped(store, 'uploads', '1/minute'), closed, own]
  const { client, stop } = await startApi({ views: { '/hello/': view(...throttles) } })
  const { status, headers } = await client.get('/hello/')
  assert.deepEqual([status, headers['retry-after']], [429, '7'])
  assert.equal(headers['ratelimit-policy'], '"own";q=3;w=10, "vague";q=1;w=1, "uploads";q=1;w=60')
  assert.equal(headers.ratelimit, '"own";r=2;t=2')
  isOpen = true
  assert.deepEqual(await statuses(client, 2, '/hello/'), [200, 429])
  await stop()
})

test('LIM-THR-p1: a wrong throttle is an error at start that says the fix', () => {
  const store = memoryStore()
  for (const [make, message] of [
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
    assert.throws(make, { message })
})
