// Requests that are generated from the OpenAPI documents, valid ones and others: each response is one that the document
// allows, and none is a failure of the server. `FUZZ_REQUESTS=100000` sends more, and `FUZZ_SEED` repeats a run.

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import {
  type DatabaseKind,
  type TestClient,
  type TestService,
  testApp,
  testPassword,
  testService,
} from 'resource-api/testing'
import { createConduit } from '../../examples/conduit/conduit.ts'
import defaultService from '../../src/seed/default-service.ts'
import { type FuzzOptions, fuzz } from '../support/fuzz/fuzz.ts'
import { readDocument } from '../support/read-document.ts'
import { repetitions } from '../support/repetitions.ts'

const defaultRequests = repetitions({ usual: 100, thorough: 2000 })
const { FUZZ_REQUESTS = defaultRequests, FUZZ_SEED = '1', FUZZ_STATISTICS } = process.env
const databases: readonly DatabaseKind[] = ['sqlite', 'postgres']

// The path of the folder with the attachments is relative to the working directory.
const folder = await mkdtemp(join(tmpdir(), 'fuzz-'))
process.chdir(folder)
const { default: shop } = await import('../../examples/shop/resource-api.config.ts')
after(() => rm(folder, { recursive: true, force: true }))

/** The requests to one service: some of them delete the accounts of their callers. */
const maxRequests = 2000

type Start = (database: DatabaseKind) => Promise<AsyncDisposable & Omit<FuzzOptions, 'count' | 'seed'>>

async function checkResponses(start: Start, database: DatabaseKind): Promise<void> {
  const [count, seed] = [Number(FUZZ_REQUESTS), Number(FUZZ_SEED)]
  const differences = new Map<string, string>()
  const statuses = new Map<string, number>()
  for (let sent = 0; sent < count; sent += maxRequests) {
    await using started = await start(database)
    const found = await fuzz({ ...started, count: Math.min(maxRequests, count - sent), seed: seed + sent })
    for (const [kind, example] of found.differences) if (!differences.has(kind)) differences.set(kind, example)
    for (const [name, number] of found.statuses) statuses.set(name, (statuses.get(name) ?? 0) + number)
  }
  if (FUZZ_STATISTICS)
    console.log(
      [...statuses]
        .toSorted()
        .map(entry => entry.join(' '))
        .join('\n'),
    )
  const successes = [...statuses].filter(([name]) => / 2\d\d$/.test(name))
  assert.ok(successes.length > 10, 'few operations succeeded')
  assert.equal([...differences.values()].join('\n\n'), '')
}

// Each caller writes something, so that requests of the others can meet it.
function startFuzzing(
  service: TestService,
  write: (client: TestClient, name: string, root: TestClient) => Promise<unknown>,
) {
  let number = 0
  return {
    anonymous: service,
    known: { password: [testPassword] },
    async createCallers() {
      number += 1
      const clients: TestClient[] = []
      for (const [name, options] of Object.entries({
        root: { staff: true, superuser: true },
        sue: { staff: true },
        ada: {},
      })) {
        const username = `${name}${number}`
        const client = service.as(await service.user(username, options))
        clients.push(client)
        await write(client, username, clients[0]!)
      }
      return clients
    },
    [Symbol.asyncDispose]: service.close,
  }
}

const startShop: Start = async database => {
  const service = await testService({ ...shop, throttles: {} }, { database })
  const create = async (client: TestClient, path: string, body: object) =>
    (await client.post(path, body).expect(201)).json() as { readonly id: unknown }
  let number = 0
  const write = async (client: TestClient, name: string, root: TestClient) => {
    number += 1
    const [country, category] = [String.fromCharCode(65 + (number % 26), 65 + Math.floor(number / 26)), `tea-${number}`]
    // A generated request may have created it.
    await root.post('/countries/', { code: country, name: 'Austria' })
    await create(root, '/categories/', { slug: category, name: 'Tea' })
    const product = await create(root, '/products/', { name: `Green tea ${number}`, price: '4.50', category })
    const customer = await create(client, '/customers/', { name, email: `${name}@example.org`, country })
    await create(client, '/orders/', {
      number: name,
      customer: customer.id,
      lines: [{ product: product.id, quantity: 2 }],
    })
  }
  return { document: await readDocument(service), ...startFuzzing(service, write) }
}

const startService: Start = async database => {
  const service = await testService(defaultService, { database })
  const snippet = { title: 'one', code: 'print(1)', language: 'python' }
  const write = (client: TestClient) => client.post('/snippet/snippets/', snippet).expect(201)
  return { document: await readDocument(service), ...startFuzzing(service, write) }
}

const startConduit: Start = async database => {
  const app = await testApp(parts => createConduit(parts.database), { database })
  let number = 0
  const join = async () => {
    number += 1
    const user = { username: `user${number}`, email: `user${number}@example.org`, password: 'a long password' }
    const { user: made } = (await app.post('/api/users', { user }).expect(201)).json() as { user: { token: string } }
    const client = app.client({ headers: { authorization: `Token ${made.token}` } })
    const article = { title: `Article ${number}`, description: 'd', body: 'b', tagList: ['tea'] }
    const written = await client.post('/api/articles', { article }).expect(201)
    const { slug } = (written.json() as { article: { slug: string } }).article
    await client.post(`/api/articles/${slug}/comments`, { comment: { body: 'First' } }).expect(201)
    return client
  }
  return {
    document: await readDocument(app, '/api/openapi.json'),
    prefix: '/api',
    createCallers: async () => [await join(), await join()],
    anonymous: app,
    known: { profiles: ['user1', 'user2'], password: ['a long password'] },
    [Symbol.asyncDispose]: app.close,
  }
}

for (const database of databases)
  suite(`documents on ${database}`, () => {
    test('the responses of the service', () => checkResponses(startService, database))
    test('the responses of the shop', () => checkResponses(startShop, database))
    test('the responses of conduit', () => checkResponses(startConduit, database))
  })
