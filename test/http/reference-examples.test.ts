// The code that the reference shows has the effect that the page says: each kind of it runs against a service.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { suite, test } from 'node:test'
import { promisify } from 'node:util'
import { createClient } from 'resource-api/client'
import { type DatabaseKind, type TestClient, testService } from 'resource-api/testing'
import shop from '../../examples/shop/resource-api.config.ts'

const run = promisify(execFile)

/** Runs code, and returns the status of the response. */
type Runner = (code: string, target: Target) => Promise<number>

interface Target {
  readonly origin: string
  readonly token: string
  /** The ETag of the object. */
  readonly etag: string
}

const AsyncFunction = (async () => undefined).constructor as FunctionConstructor

const runners: Readonly<Record<string, Runner>> = {
  async curl(code, { token, etag }) {
    const script = `curl() { command curl -s -o /dev/null -w '%{http_code}' "$@"; }\n${code}`
    const { stdout } = await run('bash', ['-c', script], { env: { ...process.env, TOKEN: token, ETAG: etag } })
    return Number(stdout)
  },
  async TypeScript(code, { origin, token }) {
    const statuses: number[] = []
    const client = createClient({ baseUrl: `${origin}/`, token, fetch: recordStatus(statuses) })
    await new AsyncFunction('client', code)(client)
    return statuses.at(-1)!
  },
}

const recordStatus =
  (statuses: number[]): typeof fetch =>
  async (...request) => {
    const response = await fetch(...request)
    statuses.push(response.status)
    return response
  }

const decode = (html: string): string =>
  html.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))

/** The code of an operation, and the status of its response. */
function readExample(page: string, anchor: string, kind: string) {
  const [, section = ''] = page.split(`id="${anchor}"`)
  const [, code] = new RegExp(`aria-label="${kind} for ${anchor}"><code>(.*?)</code>`, 's').exec(section) ?? []
  const [, status] = /<p class="response-line"><b class="status">(\d+)/.exec(section) ?? []
  assert.ok(code !== undefined && status !== undefined, `${kind} for ${anchor}`)
  // The script finds the body in it.
  const text = code.replaceAll(/<\/?span[^>]*>/g, '')
  return { code: decode(text), status: Number(status) }
}

const databases: readonly DatabaseKind[] = ['sqlite', 'postgres']

for (const database of databases)
  suite(`the code of the reference on ${database}`, () => {
    const operations = {
      products: ['list', 'create', 'retrieve', 'replace', 'update', 'delete'].map(verb => `${verb}-product`),
      orders: [...['list', 'create', 'retrieve', 'update', 'ship'].map(verb => `${verb}-order`)],
    }
    for (const [kind, runCode] of Object.entries(runners))
      test(kind, async () => {
        await using service = await testService({ ...shop, throttles: {} }, { database, socket: true })
        const user = await service.user('sue', { staff: true, superuser: true })
        const fill = await createRows(service.as(user))
        for (const [tag, anchors] of Object.entries(operations))
          for (const name of anchors) {
            const anchor = name.startsWith('list') ? `${name}s` : name
            await fill(tag)
            const page = (await service.as(user).get(`/docs/${tag}/`).expect(200)).text
            const { code, status } = readExample(page, anchor, kind)
            const etag = await readTag(service.as(user), code)
            const found = await runCode(code, { origin: service.origin, token: user.token, etag }).catch(error => error)
            assert.equal(found, status, `${anchor}:\n${code}`)
          }
      })
  })

// The tag of the object whose URL the code contains.
async function readTag(client: TestClient, code: string): Promise<string> {
  const [, path] = /http:\/\/[^/]+(\/\w+\/[\w-]+\/)/.exec(code) ?? []
  return (path && (await client.get(path)).headers.get('etag')) || ''
}

// Returns a function that adds an object, because the operations change and remove those that exist.
async function createRows(client: TestClient) {
  const create = async (path: string, body: object) =>
    (await client.post(path, body).expect(201)).json() as { readonly id: never }
  await create('/countries/', { code: 'AT', name: 'Austria' })
  await create('/categories/', { slug: 'tea', name: 'Tea' })
  const customer = await create('/customers/', { name: 'Ann', email: 'ann@example.org', country: 'AT' })
  let number = 0
  return async (tag: string): Promise<void> => {
    number++
    const product = await create('/products/', { name: `Tea ${number}`, price: '4.50', category: 'tea' })
    if (tag === 'products') return
    const lines = [{ product: product.id, quantity: 2 }]
    await create('/orders/', { number: `A-${number}`, customer: customer.id, lines })
  }
}
