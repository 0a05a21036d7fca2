import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { createWrittenByHand } from './opponents/written.ts'
import { createTables, createWrittenSide } from './written.ts'

const bodies: readonly (readonly [path: string, status: number, body: unknown])[] = [
  [
    '/items/',
    201,
    [
      { name: ' tea ', amount: '3' },
      { name: 7, note: ' <é>\n', amount: 0, more: 1 },
    ],
  ],
  ['/items/', 201, []],
  ['/items/', 400, [{}, { name: ' ', amount: 'x' }, { name: 'a', amount: 1 }, 5, [], null, 'text', true, 1.5]],
  [
    '/items/',
    400,
    [
      { name: null, amount: 1e9, note: ['a'] },
      { name: 'a'.repeat(101), amount: true },
    ],
  ],
  [
    '/items/',
    400,
    [
      { name: 'a\0', amount: -1, note: '\ud800' },
      { name: {}, amount: 1.5, note: 'n'.repeat(201) },
    ],
  ],
  ['/items/', 400, Array.from({ length: 1001 }, () => ({}))],
  [
    '/orders/',
    201,
    {
      number: 'B',
      lines: [
        { product: '2', quantity: '5' },
        { product: 1, quantity: 1, id: null },
      ],
    },
  ],
  ['/orders/', 201, { number: 'A', note: 'soon' }],
  ['/orders/', 201, { number: 'A', lines: [] }],
  ['/orders/', 400, { number: '', lines: [{ product: 5000, quantity: 2 }] }],
  ['/orders/', 400, { lines: [{ product: 1, quantity: 2 }, { product: 'x', quantity: 0 }, 4, { id: 3 }, {}] }],
  [
    '/orders/',
    400,
    {
      number: 'a',
      lines: [
        { product: null, quantity: null },
        { product: 1.5, quantity: 1001 },
      ],
    },
  ],
  ['/orders/', 400, { number: null, note: null, lines: null }],
  ['/orders/', 400, { number: 'a', lines: 5 }],
  ['/orders/', 400, { number: 'a', lines: {} }],
  ['/orders/', 400, { number: 'a', lines: Array.from({ length: 1001 }, () => ({})) }],
  ['/orders/', 400, []],
]

test('the handlers of many objects respond as those by hand', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'resource-api-written-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const urls = ['many', 'by-hand'].map(name => `sqlite:${join(folder, `${name}.db`)}`)
  for (const url of urls) await createTables(url)
  const apps: readonly FastifyInstance[] = [await createWrittenSide(urls[0]!), createWrittenByHand(urls[1]!)]
  t.after(() => Promise.all(apps.map(app => app.close())))
  for (const [url, status, body] of bodies) {
    const [many, byHand] = await Promise.all(apps.map(app => send(app, url, body)))
    assert.equal(many!.status, status, `${url} ${JSON.stringify(body)}`)
    assert.deepEqual(byHand, many)
  }
})

async function send(app: FastifyInstance, url: string, body: unknown) {
  const headers = { host: 'localhost', 'content-type': 'application/json' }
  const response = await app.inject({ method: 'POST', url, headers, payload: JSON.stringify(body) })
  const { date: _, ...fields } = response.headers
  return { status: response.statusCode, fields, body: response.body }
}
