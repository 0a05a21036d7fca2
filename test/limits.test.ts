import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createApi, integer, list, memoryStore, related, resource } from 'resource-api'
import { readValue } from 'resource-api/extend'
import { readSettings } from 'resource-api/service'
import { createTaskQueue, toOwnPath } from '#core'
import { maxWaitingEvents } from '../src/accounts/audit/audit-log.ts'
import { maxStoredEvents } from '../src/accounts/audit/audit-rows.ts'
import { loginQueueLimits } from '../src/accounts/login-throttle.ts'
import { maxPasswordLength } from '../src/accounts/passwords/passwords.ts'
import { tokenEndpoint } from '../src/accounts/tokens/token-endpoint.ts'
import { maxPrepared } from '../src/core/database/postgres/prepared-statements.ts'
import { parseAccept } from '../src/core/http/negotiation/accept.ts'
import { maxPositionLength } from '../src/core/pagination/cursor.ts'
import { maxDepth } from '../src/core/resource/define/check-selection.ts'
import { readPhrases } from '../src/core/resource/query/filters/full-text-filter.ts'
import { defaultMaxFilters, defaultMaxValues } from '../src/core/resource/query/filters/list-filters.ts'
import { maxTextLength } from '../src/core/resource/query/filters/read-values.ts'
import { maxSearchTerms } from '../src/core/resource/query/list-search.ts'
import { maxExpanded, maxNames } from '../src/core/resource/query/selection/read-selection.ts'
import { directorySettings } from '../src/seed/directory/directory.ts'
import { snippetSettings } from '../src/seed/snippets/settings.ts'
import { maxWaitingBytes } from '../src/server/logging/log-output.ts'
import { createRequestIds } from '../src/server/request-ids.ts'
import { createServer } from '../src/service/server.ts'
import { limitsSchema } from '../src/service/settings/limits.ts'
import { SettingsError } from '../src/service/settings/settings-error.ts'

const table = readFileSync(new URL('../docs/limits.md', import.meta.url), 'utf8')
const rows = [...table.matchAll(/^\| ([^|]+) \| ([^|]+) \| ([^|]+) \|/gm)]
  .map(([, what, bound, setting]) => ({ what: what!, bound: bound!, setting: setting! }))
  .slice(1)
const settings = readSettings({})

test('docs/limits.md lists each limit setting with its default, and no others', () => {
  const found = rows.flatMap(({ bound, setting }) => {
    const name = /^`limits\.(\w+)`/.exec(setting)?.[1]
    return name === undefined ? [] : [[name, Number(/^\d+/.exec(bound)?.[0])]]
  })
  assert.deepEqual(Object.fromEntries(found), limitsSchema.parse({}))
})

test('docs/limits.md lists the limits of highlighting with their defaults', () => {
  const { highlightedCode, highlightedLine, highlightingTime, highlightingWait } = snippetSettings.parse({})
  const found = rows.flatMap(({ bound, setting }) => {
    const name = /^`(highlight\w+)` of `snippets`/.exec(setting)?.[1]
    return name === undefined ? [] : [[name, Number(/^\d+/.exec(bound)?.[0])]]
  })
  const defaults = { highlightedCode, highlightedLine, highlightingTime, highlightingWait }
  assert.deepEqual(Object.fromEntries(found), defaults)
})

type Fits = (size: number) => boolean | Promise<boolean>

const place = { baseUrl: 'http://localhost', route: () => ({ name: 'tags', key: 1 }) }
const tags = resource('tags', { table: 'tags', fields: { name: integer() } })
const many = { table: 'item_tags', own: 'item_id', other: 'tag_id' }
const isRead = (value: Promise<unknown>): Promise<boolean> =>
  value.then(
    () => true,
    () => false,
  )

/** Functions that tell whether input of a given size is accepted, by the first column of the table. */
const measured: Readonly<Record<string, Fits>> = {
  '`X-Request-Id` from a trusted proxy'(size) {
    const id = 'a'.repeat(size)
    const request = { headers: { 'x-request-id': id }, socket: { remoteAddress: '127.0.0.1' } }
    return createRequestIds(['127.0.0.1'])(request as never) === id
  },
  'code of a snippet': size => size <= snippetSettings.parse({}).codeLimit,
  'page size': size => size <= directorySettings.parse({}).pageSize,
  'items of a list field': size => isRead(readValue(list({ of: integer() }), Array(size).fill(1), place)),
  async 'related objects of one object'(size) {
    const keys = Array.from({ length: size }, (_, index) => index + 1)
    const byKey = await isRead(readValue(related(tags, { many }), keys, place))
    const links = keys.map(key => `http://localhost/tags/${key}/`)
    const byLink = await isRead(readValue(related(tags, { many, form: 'url' }), links, place))
    assert.equal(byKey, byLink)
    return byKey
  },
  'log lines that wait to be written': size => size <= maxWaitingBytes,
  'value of `Accept`': size => parseAccept(`${','.repeat(size - 3)}a/b`).length === 1,
  'words and phrases of a search': size => size <= maxSearchTerms,
  'filters in one query': size => size <= defaultMaxFilters,
  'relations that one query expands': size => size <= maxExpanded,
  'names in `fields`, and in `omit`': size => size <= maxNames,
  'relations of a path in `expandableFields`': size => size <= maxDepth,
  'prepared statements of a PostgreSQL connection': size => size <= maxPrepared,
  'values of a position in a cursor': size => size <= maxPositionLength,
  'values of one `in`': size => size <= defaultMaxValues,
  'text of a filter such as `contains`': size => size <= maxTextLength,
  'text of a `fullText` filter': size => isRead(readPhrases('a'.repeat(size), place)),
  async 'path parameter of a route that the server has besides its APIs'(size) {
    const app = createServer({ ...settings, logLevel: 'silent' })
    app.get('/:part/', () => 'found')
    return (await app.inject(`/${'a'.repeat(size)}/`)).statusCode === 200
  },
  password: size => size <= maxPasswordLength,
  async 'body of the token endpoint and of the login views'(size) {
    const app = createServer({ ...settings, logLevel: 'silent' })
    await app.register(createApi({ views: { '/t/': tokenEndpoint({ tokens: { fields: {} } } as never) } }))
    const payload = JSON.stringify({ username: 'a'.repeat(size - '{"username":""}'.length) })
    const headers = { host: 'localhost', 'content-type': 'application/json' }
    const { statusCode } = await app.inject({ method: 'POST', url: '/t/', payload, headers })
    assert.ok([400, 413].includes(statusCode), String(statusCode))
    return statusCode === 400
  },
  'URL after a login or logout (`next`)': size =>
    toOwnPath(`/${'a'.repeat(size - 1)}`, 'http://localhost') !== undefined,
  async 'throttle windows in memory'(size) {
    const store = memoryStore()
    const take = (key: number) => store.take([{ key: String(key), limit: 1, period: 60_000 }])
    for (let key = 0; key < size; key++) await take(key)
    return !(await take(0)).allowed
  },
}

test('input at the limit in docs/limits.md is accepted, and input that exceeds it by one is rejected', async () => {
  const names = new Set(rows.map(({ what }) => what))
  for (const [what, fits] of Object.entries(measured)) {
    assert.ok(names.has(what), what)
    const bound = Number(/^\d+/.exec(rows.find(row => row.what === what)!.bound)?.[0])
    assert.equal(await fits(bound), true, `${what}: ${bound}`)
    assert.equal(await fits(bound + 1), false, `${what}: ${bound + 1}`)
  }
})

test('the limits that docs/limits.md gives in words are right', async () => {
  const boundOf = (what: string) => rows.find(row => row.what === what)?.bound
  const { perAccount, perAddress } = settings.loginThrottle
  assert.equal(boundOf('failed logins per address and account'), perAccount.replace('/', ' in '))
  assert.equal(boundOf('failed logins per address'), perAddress.replace('/', ' in an '))
  assert.equal(
    boundOf('audit events that wait to be stored, and stored audit events'),
    `${maxWaitingEvents}, at most one second; ${maxStoredEvents}`,
  )
  assert.deepEqual(settings.throttles, { scopes: {} })
  assert.equal(boundOf('requests'), 'none')
  const [running, waiting] = boundOf('logins per address at once, and that wait')!.split(' and ').map(Number)
  const queue = createTaskQueue(loginQueueLimits)
  const { promise, resolve } = Promise.withResolvers<void>()
  let started = 0
  const tasks = Array.from({ length: running! + waiting! }, () =>
    queue.run(() => {
      started++
      return promise
    }),
  )
  await setImmediate()
  assert.equal(started, running)
  await assert.rejects(async () => queue.run(() => promise))
  resolve()
  await Promise.all(tasks)
})

test('an invalid limit is an error at start that names the limit', () => {
  assert.equal(readSettings({ file: { limits: { bodySize: 1 } } }).limits.bodySize, 1)
  for (const value of [0, -1, 1.5, Number.POSITIVE_INFINITY, '1' as never]) {
    assert.throws(() => readSettings({ file: { limits: { jsonDepth: value } } }), {
      name: SettingsError.name,
      message: /^limits \(config file\)\.jsonDepth: must be/,
    })
  }
  assert.throws(() => readSettings({ file: { limits: { bodysize: 1 } as never } }), /bodysize/)
})
