// The process of the shop is killed during each kind of write. Afterwards, all of the write is there or nothing, and the command
// `unused-files` finds and removes the files that no attachment refers to.

import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, stat, utimes } from 'node:fs/promises'
import { type ClientRequest, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { CreateBody, PatchBody } from 'resource-api'
import { createTestDatabase, type DatabaseKind } from 'resource-api/testing'
import { z } from 'zod'
import { program, withBuiltPackage } from '../../test/support/built-program.ts'
import type { prices, products } from './catalogue.ts'
import type { orders } from './orders.ts'

const findPath = (name: string) => fileURLToPath(new URL(name, import.meta.url))

const withId = z.object({ id: z.string() })
const withLines = z.object({
  lines: z.array(z.object({ id: z.number(), product: z.object({ id: z.number() }), quantity: z.number() })),
})
const counted = z.object({ count: z.number() })
const priceList = z.object({ results: z.array(z.object({ price: z.string() })) })
const attachmentList = z.object({ results: z.array(z.object({ file: z.object({ url: z.string() }) })) })

const kinds: readonly DatabaseKind[] = ['sqlite', 'postgres']

for (const kind of kinds)
  suite(`writes of a killed process on ${kind}`, () => {
    let shop: Shop
    let customer: string
    before(async () => {
      shop = await openShop(kind)
      customer = await createCustomer(shop.send)
    })
    after(() => shop.close())

    test('an order and its lines', async () => {
      const { send, crash, read } = shop
      const order: CreateBody<typeof orders> = {
        number: 'A1',
        customer,
        lines: [{ product: 1, quantity: 2 }, { product: 2 }],
      }
      for (const moment of ['2 insert into "order_lines"', 'insert into "events"']) {
        await crash(moment, 'POST', '/orders/', order)
        assert.equal((await send('GET', '/orders/A1/')).status, 404)
        assert.equal((await read('/lines/', counted)).count, 0)
      }
      await crash('response', 'POST', '/orders/', order)
      const [tea] = (await read('/orders/A1/', withLines)).lines
      assert.ok(tea)
      const change: PatchBody<typeof orders> = { lines: [{ id: tea.id, quantity: 5 }, { product: 3 }] }
      const listLines = async () =>
        (await read('/orders/A1/', withLines)).lines.map(({ product, quantity }) => [product.id, quantity])
      await crash('insert into "events"', 'PATCH', '/orders/A1/', change)
      assert.deepEqual(await listLines(), [
        [1, 2],
        [2, 1],
      ])
      await crash('response', 'PATCH', '/orders/A1/', change)
      assert.deepEqual(await listLines(), [
        [1, 5],
        [3, 1],
      ])
    })

    test('the prices of many products', async () => {
      const { crash, read } = shop
      const listPrices = async () => (await read('/prices/', priceList)).results.map(({ price }) => price)
      const changes: (PatchBody<typeof prices> & { id: number })[] = [
        { id: 1, price: '5' },
        { id: 2, price: '6' },
        { id: 3, price: '7' },
      ]
      // The only statement between the update and the commit reads the names for the response.
      await crash('"products"."name"', 'PATCH', '/prices/', changes)
      assert.deepEqual(await listPrices(), ['1.00', '2.00', '3.00'])
      await crash('response', 'PATCH', '/prices/', changes)
      assert.deepEqual(await listPrices(), ['5.00', '6.00', '7.00'])
    })

    test('attachments and their files', async () => {
      const { send, crash, read, readText, run, folder, kill, startUpload } = shop
      await send('POST', '/orders/', { number: 'A2', customer })
      const listFiles = async () =>
        (await readdir(join(folder, 'data/attachments'), { recursive: true, withFileTypes: true }))
          .filter(entry => entry.isFile())
          .map(({ parentPath, name }) => join(parentPath, name))
      const readAttachments = async () => {
        const { results } = await read('/attachments/', attachmentList)
        return Promise.all(results.map(({ file }) => readText(file.url)))
      }

      const upload = startUpload('/attachments/')
      while (!(await hasBytes(listFiles))) await setImmediate()
      await kill()
      upload.destroy()
      assert.deepEqual(await readAttachments(), [])
      await crash('insert into "attachments"', 'POST', '/attachments/', createAttachment('lost'))
      assert.deepEqual(await readAttachments(), [])
      await crash('response', 'POST', '/attachments/', createAttachment('first'))
      assert.deepEqual(await readAttachments(), ['first'])
      await crash('update "attachments"', 'PATCH', '/attachments/1/', createAttachment('second'))
      assert.deepEqual(await readAttachments(), ['first'])
      assert.equal((await listFiles()).length, 4)

      assert.match(run('unused-files', '--remove'), /^$/)
      assert.equal((await listFiles()).length, 4)
      for (const path of await listFiles()) await utimes(path, 1_700_000_000, 1_700_000_000)
      assert.equal(run('unused-files', '--remove').trim().split('\n').length, 3)
      assert.deepEqual([await readAttachments(), (await listFiles()).length], [['first'], 1])
      await send('DELETE', '/attachments/1/')
      assert.deepEqual(await listFiles(), [])
    })
  })

type Shop = Awaited<ReturnType<typeof openShop>>

type Send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Response>

/** Runs the shop with three products in a process; the caller's user is staff. */
async function openShop(kind: DatabaseKind) {
  const folder = await mkdtemp(join(tmpdir(), 'shop-'))
  const database = await createTestDatabase({ database: kind })
  const env = { ...process.env, DATABASE_URL: database.url, SECRET_KEY: 'x'.repeat(40) }
  const run = (...args: readonly string[]) =>
    execFileSync(process.execPath, [program, ...args, '--config', findPath('resource-api.config.ts')], {
      cwd: folder,
      env,
      input: 'a long password',
      encoding: 'utf8',
      stdio: ['pipe', 'pipe', 'ignore'],
    })
  let child: ChildProcess | undefined
  let origin = ''
  const start = async () => {
    child = fork(findPath('crashing-shop.ts'), { cwd: folder, env, ...withBuiltPackage })
    const [message] = await once(child, 'message')
    origin = String(message)
  }
  const end = async () => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }
  await start()
  run('createuser', 'sue', '--staff')
  const authorization = `Token ${run('token', 'sue').trim()}`

  const send: Send = (method, path, body, headers = {}) =>
    fetch(new URL(path, origin), {
      method,
      headers: {
        authorization,
        ...headers,
        ...(body !== undefined && !(body instanceof FormData) && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
    })
  const tea: CreateBody<typeof products> = { name: 'Green tea', price: '1', category: 'tea' }
  await send('POST', '/categories/', { slug: 'tea', name: 'Tea' })
  for (const [index, name] of ['Green tea', 'Oolong', 'White tea'].entries())
    assert.equal((await send('POST', '/products/', { ...tea, name, price: index + 1 })).status, 201)
  return {
    folder,
    run,
    send,
    /** Sends a request that kills the process at this moment, and starts the process again. */
    async crash(moment: string, ...sent: Parameters<Send>): Promise<void> {
      const [method, path, body] = sent
      const exited = once(child ?? process, 'exit')
      await assert.rejects(send(method, path, body, { 'x-crash': moment }))
      await exited
      await start()
    },
    async kill(): Promise<void> {
      await end()
      await start()
    },
    async read<Value>(path: string, schema: z.ZodType<Value>): Promise<Value> {
      return schema.parse(await (await send('GET', path)).json())
    },
    readText: async (url: string) => (await send('GET', new URL(url).pathname)).text(),
    /** Sends the first half of an upload. */
    startUpload(path: string): ClientRequest {
      const headers = { authorization, 'content-type': 'multipart/form-data; boundary=x', 'content-length': 2_000_000 }
      const upload = request(new URL(path, origin), { method: 'POST', headers }).on('error', () => undefined)
      upload.write('--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n')
      upload.write('a'.repeat(1_000_000))
      return upload
    },
    async close(): Promise<void> {
      await end()
      await database.remove()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function createCustomer(send: Send): Promise<string> {
  await send('POST', '/countries/', { code: 'AT', name: 'Austria' })
  const response = await send('POST', '/customers/', { name: 'Sue', email: 'sue@example.org', country: 'AT' })
  return withId.parse(await response.json()).id
}

function createAttachment(text: string): FormData {
  const form = new FormData()
  form.set('order', 'A2')
  form.set('file', new File([text], 'note.txt'))
  return form
}

/** Whether a file exists and is not empty. */
async function hasBytes(listFiles: () => Promise<readonly string[]>): Promise<boolean> {
  const [path] = await listFiles().catch(() => [])
  return path !== undefined && (await stat(path)).size > 0
}
