// The client as browsers load it: one small file that needs nothing else.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { build } from 'esbuild'
import type { Client, createClient, isInvalid } from 'resource-api/client'
import { inChromium } from '../support/chromium.ts'
import type { things } from './things.ts'

/** In bytes, compressed. */
const largestSize = 8000

const { outputFiles, metafile } = await build({
  entryPoints: [fileURLToPath(new URL('../../src/client.ts', import.meta.url))],
  bundle: true,
  minify: true,
  metafile: true,
  write: false,
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
})
const [{ text: bundle } = assert.fail('there is no bundle')] = outputFiles

test(`the client has at most ${largestSize} bytes, compressed`, async context => {
  const { length } = await promisify(gzip)(bundle)
  context.diagnostic(`${length} bytes, ${bundle.length} before compression`)
  assert.ok(length > 1000 && length <= largestSize)
})

test('the client consists of its own files and imports nothing', () => {
  const files = Object.keys(metafile.inputs)
  assert.ok(files.length > 5)
  assert.deepEqual(
    files.filter(file => !/^src\/client[./]/.test(file)),
    [],
  )
  assert.deepEqual(
    Object.values(metafile.outputs).flatMap(({ imports }) => imports),
    [],
  )
})

/** The client, where the page or the worker finds it. */
interface Global {
  readonly client: { readonly createClient: typeof createClient; readonly isInvalid: typeof isInvalid }
  readonly things: Client<(typeof things)[]>
}

inChromium(chromium => {
  const server = createServer(async (request, response) => {
    const { method, url, headers } = request
    const chunks: Buffer[] = await request.toArray()
    const send = (type: string, body: string, status = 200) =>
      response.writeHead(status, { 'content-type': type, 'set-cookie': 'csrftoken=secret; Path=/' }).end(body)
    if (url === '/') return send('text/html', '<!doctype html><link rel="icon" href="data:,"><title>Client</title>')
    if (url === '/client.js') return send('text/javascript', bundle)
    if (url === '/worker.js') return send('text/javascript', worker)
    if (url === '/api/things/2/') return send('application/json', '{"title": ["No."]}', 400)
    const size = Buffer.concat(chunks).length
    send(
      'application/json',
      JSON.stringify({ method, url, size, csrf: headers['x-csrftoken'], type: headers['content-type'] }),
    )
  })
  let origin: string
  before(async () => {
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  after(() => server.close())

  const worker = `
    import { createClient } from '/client.js'
    const client = createClient({ baseUrl: '/api/' })
    postMessage(await client.things.list({ kind: 'novel' }))
  `

  const openPage = async () => {
    const page = await chromium().open(`${origin}/`)
    await page.addScriptTag({
      type: 'module',
      content: `
        import * as client from '/client.js'
        Object.assign(globalThis, { client, things: client.createClient({ baseUrl: '/api/', session: true }) })
      `,
    })
    await page.waitForFunction(() => 'things' in globalThis)
    return page
  }

  test('a page sends requests with the session, and reads errors', async () => {
    const page = await openPage()
    const [made, refused] = await page.evaluate(async () => {
      const { client, things } = globalThis as unknown as Global
      const error: unknown = await things
        .things(2)
        .retrieve()
        .catch(reason => reason)
      return [await things.things.create({ title: 'Emma' }), client.isInvalid(error) && error.data] as const
    })
    assert.deepEqual(made, { method: 'POST', url: '/api/things/', size: 16, csrf: 'secret', type: 'application/json' })
    assert.deepEqual(refused, { title: ['No.'] })
  })

  test('a page hears how far a file has been sent, and may stop it', async () => {
    const page = await openPage()
    const { sent, heard, aborted } = await page.evaluate(async () => {
      const { things } = globalThis as unknown as Global
      const heard: { readonly phase: string; readonly loaded: number; readonly total: number | undefined }[] = []
      const body = { title: new File(['x'.repeat(2_000_000)], 'x.txt') as never }
      const sent = await things.things.create(body, { onProgress: progress => void heard.push(progress) })
      const signal = AbortSignal.abort()
      const aborted = await things.things.create(body, { onProgress: () => undefined, signal }).result()
      return { sent: sent as unknown as { readonly size: number; readonly type: string }, heard, aborted }
    })
    assert.ok(sent.size > 2_000_000)
    assert.match(sent.type, /^multipart\/form-data; boundary=/)
    const last = heard.findLast(({ phase }) => phase === 'upload')
    assert.deepEqual([last?.loaded, last?.total], [sent.size, sent.size])
    assert.equal(aborted.ok, false)
  })

  test('a page whose client has a function `fetch` hears how much is received', async () => {
    const page = await openPage()
    const { sent, phases } = await page.evaluate(async () => {
      const { client } = globalThis as unknown as Global
      const own = client.createClient<(typeof things)[]>({ baseUrl: '/api/', fetch: (url, init) => fetch(url, init) })
      const phases: string[] = []
      const sent = await own.things.create({ title: 'Emma' }, { onProgress: ({ phase }) => void phases.push(phase) })
      return { sent: sent as unknown as { readonly size: number }, phases }
    })
    assert.equal(sent.size, 16)
    assert.deepEqual([...new Set(phases)], ['download'])
  })

  test('a worker sends requests', async () => {
    const page = await openPage()
    const received = await page.evaluate(
      () =>
        new Promise(resolve => {
          // Node has no types for workers of browsers.
          const { Worker } = globalThis as unknown as {
            readonly Worker: new (url: string, options: object) => { onmessage: (event: { data: unknown }) => void }
          }
          new Worker('/worker.js', { type: 'module' }).onmessage = ({ data }) => resolve(data)
        }),
    )
    assert.deepEqual(received, { method: 'GET', url: '/api/things/?kind=novel', size: 0 })
  })
})
