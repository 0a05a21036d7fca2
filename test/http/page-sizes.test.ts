// What the first load of a page costs: its HTML and the files that it needs before anybody opens something, raw and as they are sent
// to a browser. The budgets are a little above what was measured.

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { loadData } from 'resource-api/service'
import shop from '../../examples/shop/resource-api.config.ts'
import { openBrowser } from '../support/browser.ts'
import { type RunningService, startService } from '../support/service.ts'

const groups = ['Editors', 'Maintainers', 'Compilers and Tools', 'Data Science', 'Web Standards', 'Guests']
const usernames = ['aarav.sharma', 'amara.okafor', 'diego.quispe', 'elias.virtanen', 'freja.nielsen', 'kwame.mensah']
const code =
  'from itertools import count\n\n\ndef primes():\n    found = []\n    for number in count(2):\n        yield number\n'

/** Kilobytes of 1000 bytes: raw, and compressed. */
type Budget = readonly [path: string, raw: number, wire: number]

/** The service, and the session of the reader. */
type Reader = readonly [app: FastifyInstance, cookie: string]

async function loadPage([app, cookie]: Reader, url: string): Promise<{ text: string; raw: number; wire: number }> {
  const headers = { host: 'localhost', accept: 'text/html', cookie, 'sec-fetch-site': 'same-origin' }
  const plain = await app.inject({ url, headers })
  const sent = await app.inject({ url, headers: { ...headers, 'accept-encoding': 'gzip, deflate, br, zstd' } })
  assert.ok(plain.statusCode < 400 || url === '/nothing/', `${url}: ${plain.statusCode}`)
  return { text: plain.payload, raw: plain.rawPayload.length, wire: sent.rawPayload.length }
}

/** The page, and the files that a browser loads with it. */
async function measurePage(reader: Reader, url: string): Promise<readonly [raw: number, wire: number]> {
  const page = await loadPage(reader, url)
  const files = Array.from(
    page.text.matchAll(/<(?:link|script)[^>]* (?:href|src)="([^"]*\/-\/[^"]*)"/g),
    ([, path]) => path!,
  )
  const loaded = await Promise.all(files.map(path => loadPage(reader, path)))
  const sum = (kind: 'raw' | 'wire') => [page, ...loaded].reduce((total, each) => total + each[kind], 0) / 1000
  return [sum('raw'), sum('wire')]
}

function measurePages(findReader: () => Reader, pages: readonly Budget[]): void {
  for (const [path, raw, wire] of pages)
    test(`${path}: at most ${raw} kB, of which ${wire} kB are sent`, async () => {
      const [measuredRaw, measuredWire] = await measurePage(findReader(), path)
      assert.ok(measuredRaw > 20 && measuredRaw <= raw, `${measuredRaw} kB`)
      assert.ok(measuredWire > 5 && measuredWire <= wire, `${measuredWire} kB are sent`)
    })
}

/** Lists of 20 rows, or of the page size of their API. */
const lists = [
  ...['users', 'snippets', 'groups', 'tokens', 'audit-log'].map(name => `/admin/${name}/`),
  ...['/snippet/snippets/', '/snippet/users/', '/directory/users/'],
]

const budgets: readonly Budget[] = [
  ...lists.map((path): Budget => [path, 80, 20]),
  ['/', 60, 18],
  ['/admin/', 60, 15],
  ['/admin/users/1/', 80, 22],
  ['/admin/groups/1/', 80, 22],
  ['/admin/snippets/1/', 80, 22],
  ['/directory/users/1/', 80, 22],
  ['/snippet/snippets/1/', 60, 18],
  ['/snippet/snippets/?new', 80, 23],
  ['/nothing/', 60, 16],
  ['/docs/', 60, 15],
]

suite('the first load of a page', () => {
  let service: RunningService
  let cookie: string
  before(async () => {
    service = await startService({ database: 'SQLite', transport: 'in the process' }, {})
    await service.createUser('root', { staff: true, superuser: true })
    await insertObjects()
    const browser = openBrowser(service.client)
    await browser.logIn('root')
    cookie = browser.header.cookie
  })
  after(() => service.stop())

  const insertObjects = () =>
    service.services.database.transaction(async ({ kysely }) => {
      const inserted = await kysely
        .insertInto('groups')
        .values(groups.map(name => ({ name })))
        .returning('id')
        .execute()
      const people = Array.from({ length: 24 }, (_, index) => {
        const username = `${usernames[index % 6]}.${index}`
        const date_joined = new Date(Date.UTC(2026, index % 12, 1 + index)).toISOString()
        return { username, username_key: username, email: `${username}@example.org`, date_joined }
      })
      const users = await kysely.insertInto('users').values(people).returning('id').execute()
      const members = users.flatMap(({ id }, index) =>
        [index % 6, (index + 1) % 6].map(at => ({ user_id: id as number, group_id: inserted[at]!.id as number })),
      )
      await kysely.insertInto('user_groups').values(members).execute()
      const snippets = users.map(({ id }, index) => ({
        ...{
          owner_id: id as number,
          title: `Prime numbers, part ${index}`,
          code,
          language: 'python',
          style: 'friendly',
        },
        created: new Date(Date.UTC(2026, 1, 1 + index)).toISOString(),
        linenos: index % 2 === 0,
        highlighted: '',
      }))
      await kysely
        .insertInto('snippets')
        .values(snippets as never)
        .execute()
    })

  measurePages(() => [service.app, cookie], budgets)

  const load = (url: string) => loadPage([service.app, cookie], url)

  test('a page of the reference has at most 60 kB of HTML, whatever its resource has', async () => {
    const { text } = await load('/docs/')
    const paths = new Set(Array.from(text.matchAll(/href="(\/docs\/[\w-]+\/)[#"]/g), ([, path]) => path!))
    assert.ok(paths.size > 10)
    for (const path of paths) {
      const { raw } = await load(path)
      assert.ok(raw <= 60_000, `${path}: ${raw} bytes`)
    }
  })

  test('no page contains the languages of snippets', async () => {
    for (const path of ['/snippet/snippets/?new', '/admin/snippets/', '/admin/snippets/1/'])
      assert.doesNotMatch((await load(path)).text, /typescript/)
  })
})

suite('the first load of a page of the shop', () => {
  let service: RunningService
  let cookie: string
  before(async () => {
    service = await startService({ database: 'SQLite', transport: 'in the process' }, shop)
    for (const { demo } of service.services.profiles) await loadData(service.services, demo.data)
    await service.createUser('root', { staff: true, superuser: true })
    const browser = openBrowser(service.client)
    await browser.logIn('root')
    cookie = browser.header.cookie
  })
  after(() => service.stop())

  measurePages(
    () => [service.app, cookie],
    [
      ['/orders/2026-0001/', 80, 24],
      ['/admin/products/1/', 80, 24],
    ],
  )
})
