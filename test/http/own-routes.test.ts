// Profiles add Fastify plugins and routes of their own, beside their APIs.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { NotAuthenticated } from 'resource-api'
import { createService, type Profile, profile } from 'resource-api/service'
import { SettingsError } from '../../src/service/settings/settings-error.ts'
import { openBrowser } from '../support/browser.ts'
import { onEveryDatabase, startService } from '../support/service.ts'

const live = profile('live', {
  views: { '/things/:key/': { name: 'Thing', id: 'thing', handlers: { GET: () => ({ status: 204 }) } } },
  async configure(app, { identify, database, clock }) {
    await app.register(async plugin => {
      plugin.decorate('greeting', 'Hello')
      plugin.get('/late', () => ({ late: true }))
    })
    app.addHook('onSend', async (_request, reply) => void reply.header('x-own', 'yes'))
    app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => done(null, body))
    app.get('/me', async request => {
      const { user } = await identify(request)
      if (!user.isAuthenticated) throw new NotAuthenticated()
      return { username: user.username, dialect: database.dialect.name, time: clock() instanceof Date }
    })
    app.get('/who', async request => ({ who: (await identify(request)).user.username }))
    app.post('/raw', async request => ({ user: (await identify(request)).user.username, raw: request.body }))
    app.get('/items/:key', () => 'item')
    app.put('/items/:number', () => 'item')
    app.post('/things/late/', () => 'late')
    app.get('/assets/*', () => 'asset')
    app.get('/broken', () => {
      throw new Error('secret')
    })
  },
})
const other = profile('other', { open: () => ({ configure: app => app.get('/hello', () => ({ hello: true })) }) })

suite('a profile alone', () => {
  const cors = { origins: ['https://app.example.org'] }
  onEveryDatabase({ profiles: [live], authentication: ['token', 'session'], cors }, service => {
    test('its routes know the caller, and refuse as the API does', async () => {
      const { client, createUser } = service()
      const { key: token } = await createUser('ann')
      const own = (await client.get('/me', { token })).json()
      assert.deepEqual([own.username, own.time], ['ann', true])
      assert.deepEqual((await client.get('/who')).json(), { who: '' })
      assert.deepEqual((await client.get('/late')).json(), { late: true })
      for (const [path, options] of [
        ['/me', {}],
        ['/me', { token: 'wrong' }],
        ['/who', { token: 'wrong' }],
      ] as const) {
        const refused = await client.get(path, options)
        assert.deepEqual([refused.status, refused.headers['www-authenticate']], [401, 'Token'], path)
        const detail = 'token' in options ? 'Invalid token.' : 'Authentication credentials were not provided.'
        assert.deepEqual(refused.json(), { detail })
      }
      const wrong = await client.get('/things/1/', { token: 'wrong' })
      assert.deepEqual([wrong.status, wrong.json()], [401, { detail: 'Invalid token.' }])
    })

    test('an error is the 500 of the API, and does not say why', async () => {
      const { status, text } = await service().client.get('/broken')
      assert.deepEqual([status, JSON.parse(text)], [500, { detail: 'A server error occurred.' }])
    })

    test('its hooks and parsers leave the API alone', async () => {
      const { client, app } = service()
      const raw = await client.post('/raw', { json: { a: 1 } })
      assert.deepEqual([raw.headers['x-own'], raw.json()], ['yes', { user: '', raw: '{"a":1}' }])
      assert.equal((await client.get('/things/1/')).headers['x-own'], undefined)
      assert.equal((await client.get('/healthz')).headers['x-own'], undefined)
      assert.equal(app.hasDecorator('greeting'), false)
    })

    test('other methods of its URLs are 405, and Allow has the methods of its routes', async () => {
      const { client } = service()
      for (const [method, path, status, allow] of [
        ['POST', '/who', 405, 'GET, HEAD, OPTIONS'],
        ['PROPFIND', '/who', 405, 'GET, HEAD, OPTIONS'],
        ['GET', '/raw', 405, 'POST, OPTIONS'],
        ['OPTIONS', '/raw', 204, 'POST, OPTIONS'],
        ['DELETE', '/items/1', 405, 'GET, HEAD, PUT, OPTIONS'],
        ['PUT', '/assets/a/b.css', 405, 'GET, HEAD, OPTIONS'],
        ['GET', '/things/late/', 204, 'GET, HEAD, OPTIONS'],
        ['PUT', '/things/late/', 405, 'GET, HEAD, OPTIONS'],
        ['POST', '/nothing', 404, 'OPTIONS'],
      ] as const) {
        const response = await client.request(method, path)
        assert.deepEqual([response.status, response.headers.allow], [status, allow], `${method} ${path}`)
        if (status === 405) assert.deepEqual(response.json(), { detail: `Method '${method}' not allowed.` })
      }
    })

    test('a page of another origin may send what its routes take', async () => {
      const headers = { origin: 'https://app.example.org', 'access-control-request-method': 'POST' }
      const preflight = await service().client.request('OPTIONS', '/raw', { headers })
      assert.deepEqual([preflight.status, preflight.headers['access-control-allow-methods']], [204, 'POST, OPTIONS'])
    })

    test('a session needs a CSRF token in the header', async () => {
      const { client, createUser } = service()
      await createUser('bob')
      const browser = openBrowser(client)
      await browser.logIn('bob')
      const refused = await browser.request('POST', '/raw', { json: {} })
      assert.equal(refused.status, 403)
      const headers = { 'x-csrftoken': browser.cookies.get('csrftoken')! }
      assert.equal((await browser.request('POST', '/raw', { json: {}, headers })).json().user, 'bob')
    })
  })
})

suite('several profiles', () => {
  onEveryDatabase({ profiles: [live, other], authentication: ['token', 'session'] }, service => {
    test('each has its routes below its mount', async () => {
      const { client } = service()
      assert.deepEqual((await client.get('/live/who')).json(), { who: '' })
      assert.deepEqual((await client.get('/other/hello')).json(), { hello: true })
      assert.equal((await client.get('/hello')).status, 404)
      assert.equal((await client.get('/live/me', { token: 'wrong' })).status, 401)
      const refused = await client.post('/live/who')
      assert.deepEqual([refused.status, refused.headers.allow], [405, 'GET, HEAD, OPTIONS'])
    })
  })
})

const start = async (...profiles: readonly Profile[]): Promise<void> => {
  const running = await startService({ database: 'SQLite', transport: 'in the process' }, { profiles })
  await createService(running.services).finally(() => running.stop())
}

const withRoute = (configure: unknown): Profile =>
  profile('live', {
    views: { '/things/:key/': { name: 'Thing', id: 'thing', handlers: { GET: () => ({ status: 204 }) } } },
    configure: configure as NonNullable<Parameters<typeof profile>[1]['configure']>,
  })

test('a mistake is an error at start that says what to do', async () => {
  const taken = (route: string) =>
    `profiles: configure of live adds ${route}, but the view "thing" is at /things/:key/: choose another path`
  type App = Parameters<NonNullable<Parameters<typeof profile>[1]['configure']>>[0]
  for (const [configure, message] of [
    [(app: App) => app.get('/things/:id/', () => ''), taken('GET /things/:id/')],
    [(app: App) => app.put('/things/:id', () => ''), taken('PUT /things/:id')],
    [
      (app: App) => app.get('/healthz', () => ''),
      "profiles: configure of live fails: Method 'GET' already declared for route '/healthz'",
    ],
    [
      async () => {
        throw new Error('no broker')
      },
      'profiles: configure of live fails: no broker',
    ],
  ] as const)
    await assert.rejects(start(withRoute(configure)), (error: unknown) => {
      assert.ok(error instanceof SettingsError)
      assert.equal(error.message, message)
      return true
    })
  assert.throws(() => withRoute('x'), {
    message: 'profile("live"): configure must be a function, such as configure: app => app.register(plugin)',
  })
})
