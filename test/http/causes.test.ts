// The cause of a 500: on standard error if the application has no logger, and in the response if `showCauses` is set.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import Fastify, { type FastifyServerOptions } from 'fastify'
import { type ApiOptions, browsable, createApi, genericServerError, jsonRenderer } from 'resource-api'
import { serverOptions } from 'resource-api/server'
import { injectClient } from '../support/client.ts'
import { startApi } from '../support/own-api.ts'

const views: NonNullable<ApiOptions['views']> = {
  '/thing/': {
    name: 'Thing',
    handlers: {
      GET: ({ request }) => {
        throw new Error(`could not read ${request.url}`, { cause: new TypeError('it is of the wrong type') })
      },
      POST: ({ requestBody }) => {
        throw new Error(`could not save ${JSON.stringify(requestBody)}`)
      },
    },
  },
}
const detail = 'A server error occurred.'

/** Starts an API, and collects what the application writes to standard error. */
async function start(context: TestContext, api: ApiOptions, server: FastifyServerOptions = {}) {
  const printed: string[] = []
  context.mock.method(console, 'error', (text: string) => void printed.push(text))
  const app = Fastify(server)
  await app.register(createApi({ views, ...api }))
  context.after(() => app.close())
  return { app, client: injectClient(app), printed }
}

test('without a logger, the cause of a 500 is written to standard error, without the values that the client sent', async context => {
  const { client, printed } = await start(context, {})
  const response = await client.get('/thing/?cursor=s3cret-cursor', { headers: { accept: 'application/json' } })
  assert.deepEqual([response.status, response.json()], [500, { detail }])
  await client.post('/thing/', { json: { pin: 's3cret-pin' } })
  assert.equal(printed.length, 2)
  const [first, second] = printed.map(text => text.split('\n'))
  assert.equal(first![0], 'GET /thing/: unhandled exception')
  assert.equal(first![1], '  Error: could not read /thing/?cursor=[…]')
  assert.match(first![2]!, /^ {6}at .*causes\.test\.ts:\d+:\d+\)$/)
  assert.ok(first!.includes('    caused by TypeError: it is of the wrong type'))
  assert.equal(second![0], 'POST /thing/: unhandled exception')
  assert.doesNotMatch(printed.join('\n'), /s3cret/)
})

test('a handler that returns no response is named', async context => {
  const silent = { name: 'Silent', handlers: { GET: () => undefined as never } }
  const { client, printed } = await start(context, { views: { '/silent/': silent } })
  assert.equal((await client.get('/silent/')).status, 500)
  assert.match(printed[0]!, /Error: view "Silent": the handler of GET returned no response\n/)
})

/** Requests a path, which must be a 500; returns the messages of the logged errors, with those of their causes. */
async function findLoggedErrors(api: ApiOptions, path: string): Promise<readonly unknown[]> {
  const lines: string[] = []
  const { client, stop } = await startApi(api, { log: line => lines.push(line) })
  const response = await client.get(path)
  await stop()
  assert.deepEqual([response.status, response.json()], [500, { detail }])
  const logged = lines.map(line => JSON.parse(line) as { level: number; msg: string; err?: { message: string } })
  return logged.filter(({ level }) => level >= 50).map(({ msg, err }) => [msg, err?.message])
}

const wrongResponses: readonly (readonly [response: unknown, problem: string])[] = [
  [null, 'returned null: return an object with a status, such as { status: 204 }'],
  ['done', 'returned a string: return an object with a status, such as { status: 204 }'],
  [{ body: {} }, 'returned the status undefined: return one between 200 and 599'],
  [{ status: 999 }, 'returned the status 999: return one between 200 and 599'],
  [{ status: 101 }, 'returned the status 101: return one between 200 and 599'],
  [
    { status: 200, headers: { 'x-a': 'a\nb' } },
    'returned header fields that cannot be sent: Invalid character in header content ["x-a"]',
  ],
  [
    { status: 200, headers: { 'x-a': ['b', '…'] } },
    'returned header fields that cannot be sent: Invalid character in header content ["x-a"]',
  ],
  [
    { status: 200, headers: { 'x a': 'b' } },
    'returned header fields that cannot be sent: Header name must be a valid HTTP token ["x a"]',
  ],
]

for (const [response, problem] of wrongResponses)
  test(`a response that cannot be sent is a 500 with its cause: ${JSON.stringify(response)}`, async () => {
    const wrong = { name: 'Wrong', handlers: { GET: () => response as never } }
    const logged = await findLoggedErrors({ views: { '/wrong/': wrong } }, '/wrong/')
    assert.deepEqual(logged, [['unhandled exception', `view "Wrong": the handler of GET ${problem}`]])
  })

test('an exception handler that returns what cannot be sent is a 500 with its cause', async () => {
  const problem = 'the exception handler returned the status 999: return one between 200 and 599'
  const logged = await findLoggedErrors({ views, exceptionHandler: () => ({ status: 999 }) }, '/thing/')
  assert.deepEqual(logged, [['the exception handler failed', problem]])
})

test('header fields of a view that cannot be sent are refused at start', () => {
  const wrong = { name: 'Wrong', headers: { 'x-a': 'a\nb' }, handlers: { GET: () => ({ status: 204 }) } }
  assert.throws(
    () => createApi({ views: { '/wrong/': wrong } }),
    /"headers" cannot be sent: Invalid character in header content \["x-a"\]/,
  )
})

test('without a logger, an error in a hook or exception handler of the application is written too', async context => {
  const { app, client, printed } = await start(context, {
    exceptionHandler: () => {
      throw new RangeError('the handler is wrong')
    },
  })
  app.addHook('onRequest', async request => {
    if (request.headers['x-broken']) throw new Error('the hook is wrong')
  })
  assert.equal((await client.get('/thing/')).status, 500)
  assert.match(printed.join(), /^GET \/thing\/: the exception handler failed\n {2}RangeError: the handler is wrong\n/)
})

test('a refused request is not an error', async context => {
  const { client, printed } = await start(context, {})
  assert.equal((await client.get('/nowhere/')).status, 404)
  assert.equal((await client.delete('/thing/')).status, 405)
  assert.deepEqual(printed, [])
})

test('with a logger, even a silent one, nothing is written to standard error', async context => {
  const lines: string[] = []
  const stream = { write: (line: string) => void lines.push(line) }
  for (const server of [{ logger: { level: 'silent' } }, { logger: { stream } }, serverOptions({ log: stream })]) {
    const { client, printed } = await start(context, {}, server)
    assert.equal((await client.get('/thing/')).status, 500)
    assert.deepEqual(printed, [])
  }
  assert.equal(lines.filter(line => line.includes('"unhandled exception"')).length, 2)
})

test('the path of a request cannot forge lines or move the cursor', async context => {
  const { app, printed } = await start(context, {})
  await app.inject({ method: 'GET', url: '/thing/\u001b[2J\u0085x', headers: { host: 'a b' } })
  for (const text of printed) assert.doesNotMatch(text.replaceAll('\n', ''), /\p{Cc}/u)
})

test('showCauses is refused in production', context => {
  const { NODE_ENV } = process.env
  context.after(() => {
    if (NODE_ENV === undefined) delete process.env.NODE_ENV
    else process.env.NODE_ENV = NODE_ENV
  })
  process.env.NODE_ENV = 'production'
  assert.throws(() => createApi({ showCauses: true }), {
    message: /^createApi\(\): showCauses is for development only, and NODE_ENV is production: /,
  })
  assert.ok(createApi({ showCauses: false }))
})

test('the response contains the cause only if showCauses is set, without the values that the client sent', async context => {
  for (const showCauses of [undefined, false]) {
    const { client } = await start(context, { ...(showCauses === undefined ? {} : { showCauses }) })
    assert.deepEqual((await client.get('/thing/')).json(), { detail })
  }
  const { client } = await start(context, { showCauses: true })
  const { cause, ...body } = (await client.get('/thing/?token=s3cret-token')).json()
  assert.deepEqual(body, { detail })
  const { stack, cause: inner, ...error } = cause
  assert.deepEqual(error, { type: 'Error', message: 'could not read /thing/?token=[…]' })
  assert.match(stack[0], /^at .*causes\.test\.ts:\d+:\d+\)$/)
  assert.deepEqual([inner.type, inner.message], ['TypeError', 'it is of the wrong type'])
  const posted = await client.post('/thing/', { json: { pin: 's3cret-pin' } })
  assert.ok(!posted.text.includes('s3cret'), posted.text)
  assert.equal((await client.get('/nowhere/')).json().cause, undefined)
})

test('problem details, other bodies of serverError, and pages contain the cause too', async context => {
  const renderers = [jsonRenderer, browsable()]
  const { client } = await start(context, { showCauses: true, renderers })
  const problem = await client.get('/thing/', {
    headers: { accept: 'application/problem+json, application/json;q=0.5' },
  })
  assert.deepEqual([problem.json().status, problem.json().cause.type], [500, 'Error'])
  const page = await client.get('/thing/', { headers: { accept: 'text/html' } })
  assert.match(page.text, /it is of the wrong type/)
  assert.match(page.text, /causes\.test\.ts:\d+/)
  const own = await start(context, { showCauses: true, serverError: genericServerError })
  const { error, cause } = (await own.client.get('/thing/')).json()
  assert.deepEqual([error, cause.type], ['Server Error (500)', 'Error'])
  const production = await start(context, { renderers })
  const plain = await production.client.get('/thing/', { headers: { accept: 'text/html' } })
  assert.doesNotMatch(plain.text, /wrong type|causes\.test/)
})
