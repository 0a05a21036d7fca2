// Forms with files on a connection: what is held in memory, and that neither side waits for ever for the other.

import assert from 'node:assert/strict'
import type { Readable } from 'node:stream'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { type Handler, multipartStream, NotFound } from '../../src/framework/index.ts'
import { filePart, multipartBody, multipartHeaders } from '../support/multipart.ts'
import { startApi } from '../support/own-api.ts'
import { openConnection, rawRequest, sendRaw } from '../support/raw-http.ts'
import { partsOf, postChunks, uploadViews } from '../support/uploads.ts'

/** What handlers do that do not read everything. */
const careless: Readonly<Record<string, Handler>> = {
  ignores: () => ({ status: 200, body: [] }),
  breaks: async context => {
    for await (const _ of partsOf(context)) break
    return { status: 200, body: [] }
  },
  'breaks while it reads': async context => {
    for await (const part of partsOf(context)) {
      if (part.kind === 'file') {
        part.stream.on('data', () => undefined)
        break
      }
    }
    return { status: 200, body: [] }
  },
  'reads a file after its turn': async context => {
    const streams: Readable[] = []
    for await (const part of partsOf(context)) {
      if (part.kind === 'file') streams.push(part.stream)
      break
    }
    return { status: 200, body: await streams[0]!.toArray() }
  },
  throws: async context => {
    for await (const part of partsOf(context)) {
      if (part.kind === 'file') for await (const _ of part.stream) break
      throw new NotFound()
    }
    return { status: 200, body: [] }
  },
}

test('64 MiB from a fast client to a slow reader: no more than a few chunks are held', async () => {
  let received = 0
  let held = 0
  const slow: Handler = async context => {
    for await (const part of partsOf(context))
      if (part.kind === 'file')
        for await (const chunk of part.stream) {
          received += chunk.length
          held = Math.max(held, context.request.raw.socket.bytesRead - received)
          await setImmediate()
        }
    return { status: 200, body: received }
  }
  const size = 64 * 1024 * 1024
  const options = { maxFileSize: size, limit: size + 1000 }
  const api = await startApi({ views: uploadViews({ slow }, options) }, { socket: true })
  const chunk = Buffer.alloc(1024 * 1024, 'a\r\n--')
  const [start, end] = multipartBody(filePart('f', 'f', '#'))
    .toString()
    .split('#') as [string, string]
  const content = Array.from({ length: 64 }, () => chunk)
  assert.deepEqual(await postChunks(api, '/slow/', [Buffer.from(start), ...content, Buffer.from(end)]), [200, size])
  assert.ok(held < 1024 * 1024, `${held} bytes`)
  await api.stop()
})

for (const [way, handler] of Object.entries(careless))
  test(`a handler that ${way} answers before the rest of the body has come, and the connection stays usable`, async () => {
    const { client, stop } = await startApi({ views: uploadViews({ handler }) }, { socket: true })
    const connection = openConnection(client.origin)
    const body = multipartBody(filePart('a', 'a', Buffer.alloc(1024 * 1024, 'a')))
    const headers = ['Host: localhost', `Content-Type: ${multipartHeaders['content-type']}`]
    const head = ['POST /handler/ HTTP/1.1', ...headers, `Content-Length: ${body.length}`, '', ''].join('\r\n')
    connection.send(head)
    connection.send(body.subarray(0, 1000))
    assert.match(await connection.receive(/\r\n\r\n./), /^HTTP\/1\.1 (?:200|404|500) /)
    connection.send(body.subarray(1000))
    connection.send(rawRequest('GET /handler/', headers))
    assert.match(await connection.receiveLast(), /^HTTP\/1\.1 200 (?:.|\s)*"fine"$/)
    await stop()
  })

test('a client that goes away leaves the handler with an incomplete body', async () => {
  let started = Promise.withResolvers<void>()
  let failed = Promise.withResolvers<unknown>()
  const wait: Handler = async context => {
    try {
      for await (const part of partsOf(context)) {
        started.resolve()
        if (part.kind === 'file' && part.name !== 'unread') await part.stream.toArray()
      }
    } catch (error) {
      failed.resolve(error)
      throw error
    }
    return { status: 200 }
  }
  for (const name of ['read', 'unread']) {
    started = Promise.withResolvers()
    failed = Promise.withResolvers()
    const api = await startApi({ views: uploadViews({ wait }) }, { socket: true })
    const connection = openConnection(api.client.origin)
    const headers = ['Host: localhost', `Content-Type: ${multipartHeaders['content-type']}`, 'Content-Length: 10000']
    const body = multipartBody(filePart(name, 'f', 'content'))
      .toString()
      .slice(0, -10)
    connection.send(rawRequest('POST /wait/', headers, body))
    await started.promise
    connection.close()
    assert.equal(String(await failed.promise), 'BadRequest: The request body is incomplete.')
    await api.stop()
  }
})

test('SVC-1: an upload that is refused is answered before it comes', async () => {
  const parsers = [multipartStream()]
  const view = {
    name: 'Refused',
    permissions: [{ allows: () => false }],
    parsers,
    handlers: { POST: careless.ignores! },
  }
  const open = { ...view, permissions: [] }
  const api = await startApi({ views: { '/refused/': view, '/open/': open } }, { socket: true })
  const headers = ['Host: localhost', `Content-Type: ${multipartHeaders['content-type']}`]
  for (const [url, length, status] of [
    ['/refused/', 1000, 403],
    ['/open/', 65 * 1024 * 1024, 413],
  ] as const) {
    const response = await sendRaw(
      api.client.origin,
      rawRequest(`POST ${url}`, [...headers, `Content-Length: ${length}`]),
    )
    assert.equal(response.status, status)
  }
  await api.stop()
})
