// What the first load of a page costs: its HTML and the files that it needs before anybody opens something, raw and as they are sent
// to a browser. The budgets are a little above what was measured.

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { openBrowser } from '../support/browser.ts'
import { type RunningService, startService } from '../support/service.ts'

const groups = ['Editors', 'Maintainers', 'Compilers and Tools', 'Data Science', 'Web Standards', 'Guests']
const usernames = ['aarav.sharma', 'amara.okafor', 'diego.quispe', 'elias.virtanen', 'freja.nielsen', 'kwame.mensah']
const code =
  'from itertools import count\n\n\ndef primes():\n    found = []\n    for number in count(2):\n        yield number\n'

/** Kilobytes of 1000 bytes: raw, and compressed. */
type Budget = readonly [path: string, raw: number, wire: number]

/** Lists of 20 rows, or of the page size of their API. */
const lists = [
  ...['users', 'snippets', 'groups', 'tokens', 'audit-log'].map(name => `/admin/${name}/`),
  ...['/snippet/snippets/', '/snippet/users/', '/directory/users/'],
]

const budgets: readonly Budget[] = [
  ...lists.map((path): Budget => [path, 80, 20]),
  ['/', 65, 18],
  ['/admin/', 60, 15],
  ['/admin/users/1/', 97, 25],
  ['/admin/snippets/1/', 92, 25],
  ['/snippet/snippets/1/', 68, 18],
  ['/snippet/snippets/?new', 90, 25],
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

  const load = async (url: string): Promise<{ text: string; raw: number; wire: number }> => {
    const headers = { host: 'localhost', accept: 'text/html', cookie, 'sec-fetch-site': 'same-origin' }
    const plain = await service.app.inject({ url, headers })
    const sent = await service.app.inject({
      url,
      headers: { ...headers, 'accept-encoding': 'gzip, deflate, br, zstd' },
    })
    return { text: plain.payload, raw: plain.rawPayload.length, wire: sent.rawPayload.length }
  }

  /** The page, and the files that a browser on a wide screen loads with it. */
  const measure = async (url: string): Promise<readonly [raw: number, wire: number]> => {
    const page = await load(url)
    const isOpen = page.text.includes('class="panel"')
    const files = Array.from(
      page.text.matchAll(/<(?:link|script|div)[^>]* (?:href|src|data-script)="([^"]*\/-\/[^"]*)"/g),
      ([tag, path]) => (tag.startsWith('<div') && !isOpen ? undefined : path),
    )
    const loaded = await Promise.all(files.filter(path => path !== undefined).map(load))
    const sum = (kind: 'raw' | 'wire') => [page, ...loaded].reduce((total, each) => total + each[kind], 0) / 1000
    return [sum('raw'), sum('wire')]
  }

  for (const [path, raw, wire] of budgets)
    test(`${path}: at most ${raw} kB, of which ${wire} kB are sent`, async () => {
      const [foundRaw, foundWire] = await measure(path)
      assert.ok(foundRaw > 20 && foundRaw <= raw, `${foundRaw} kB`)
      assert.ok(foundWire > 5 && foundWire <= wire, `${foundWire} kB are sent`)
    })

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
