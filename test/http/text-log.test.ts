// The log as text: a readable line per request and event, which nothing that a client sends can forge.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import Fastify from 'fastify'
import { createApi, type Identity, tokenScheme } from 'resource-api'
import { accessLog, createTextLog, serverOptions } from 'resource-api/server'
import type { TextLogOptions } from '../../src/server/logging/text-log.ts'
import { injectClient } from '../support/client.ts'

const ada: Identity & { isActive: boolean } = {
  isAuthenticated: true,
  id: 'ada',
  username: 'ada',
  isStaff: false,
  isActive: true,
}

/** Starts an API whose handler is given, and collects what it logs. */
async function start(context: TestContext, get: () => object, options: TextLogOptions = { colors: false }) {
  const written: string[] = []
  const log = createTextLog({ dropped: 0, write: text => void written.push(text) }, options)
  const app = Fastify(serverOptions({ log, logLevel: 'warn' }))
  app.register(accessLog)
  const view = { name: 'Orders', handlers: { GET: async () => ({ status: 200, body: await get() }) } }
  const scheme = tokenScheme({ find: async token => (token === 'adas-token' ? { user: ada, token } : undefined) })
  await app.register(createApi({ authentication: [scheme], views: { '/orders/': view } }))
  context.after(() => app.close())
  return { app, client: injectClient(app), written }
}

const time = String.raw`\d\d:\d\d:\d\d`

test('each request is one line with its method, path, status, duration and caller, without the query', async context => {
  const { client, written } = await start(context, () => ({}))
  await client.get('/orders/?cursor=s3cret-cursor', { token: 'adas-token' })
  await client.get('/nowhere/')
  assert.equal(written.length, 2)
  assert.match(written[0]!, new RegExp(`^${time} {2}GET /orders/ {2}200 {2}\\d+\\.\\d ms {2}ada\\n$`))
  assert.match(written[1]!, new RegExp(`^${time} {2}GET /nowhere/ {2}404 {2}\\d+\\.\\d ms\\n$`))
})

test('an error is followed by its fields, stack and causes, indented, without the values that the client sent', async context => {
  const { client, written } = await start(context, () => {
    const cause = Object.assign(new TypeError('no such column'), { code: '42703' })
    throw new Error('could not read with adas-token', { cause })
  })
  const { headers } = await client.get('/orders/', { token: 'adas-token' })
  const [title, ...details] = written[0]!.trimEnd().split('\n')
  assert.match(title!, new RegExp(`^${time} {2}ERROR {2}unhandled exception$`))
  assert.deepEqual(details.slice(0, 2), [
    `    reqId: ${headers['request-id'] ?? 'req-1'}`,
    '    Error: could not read with […]',
  ])
  assert.match(details[2]!, /^ {8}at .*text-log\.test\.ts:\d+:\d+/)
  assert.ok(details.includes('      caused by TypeError: no such column'))
  assert.ok(details.includes('        code: 42703'))
  assert.match(written[1]!, / {2}500 {2}/)
})

test('events are one line, and warnings are marked', async context => {
  const { app, written } = await start(context, () => ({}))
  const log = app.log.child({ reqId: 'r1' }, { level: 'info' })
  log.info({ audit: { event: 'login', outcome: 'failure', user: 'x  status: 200', address: null } }, 'login')
  log.warn({ tries: 3, tags: ['a', 'b'] }, 'slow')
  log.warn({ err: 'no error' }, 'odd')
  log.info({ milliseconds: 3, method: 'GET' }, 'request')
  assert.deepEqual(
    written.map(text => text.replace(new RegExp(`^${time}`), '')),
    [
      '  login  outcome: failure  user: "x  status: 200"\n',
      '  WARNING  slow\n    reqId: r1\n    tries: 3\n    tags: ["a","b"]\n',
      '  WARNING  odd\n    reqId: r1\n    err: no error\n',
      '  request  milliseconds: 3  method: GET\n',
    ],
  )
})

test('control characters cannot start a line or change the terminal', async context => {
  const forged = '\n12:00:00  GET /forged/  200\u001b[2J\u009b2K\u2028\u202e'
  const { app, written } = await start(context, () => ({}))
  app.log.error({ err: new Error(forged), [forged]: forged, list: [forged] }, forged)
  await app.inject({ url: `/${encodeURIComponent(forged)}/` })
  const lines = written.join('').split('\n')
  for (const line of lines) {
    assert.doesNotMatch(line, /[\p{Cc}\p{Cf}\p{Zl}]/u)
    assert.doesNotMatch(line, /^12:00:00 {2}GET/)
  }
})

test('colours do not change the text, and lines that are not from pino are kept', async context => {
  const { app, client, written } = await start(context, () => ({}), { colors: true })
  await client.get('/orders/')
  app.log.error('broken')
  assert.ok(written[0]!.includes('\u001b[32m200\u001b[39m'))
  assert.match(stripVTControlCharacters(written[0]!), / {2}GET \/orders\/ {2}200 {2}/)
  assert.ok(written[1]!.includes('\u001b[31mERROR\u001b[39m'))
  const other: string[] = []
  createTextLog({ dropped: 7, write: text => void other.push(text) }, { colors: false }).write('not \u001b JSON\n')
  assert.deepEqual(other, ['not \\u001b JSON\n'])
})
