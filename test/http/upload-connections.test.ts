// Uploads on a connection: the memory that they use, and that client and service never wait for each other.

import assert from 'node:assert/strict'
import type { Readable } from 'node:stream'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { NotFound } from 'resource-api'
import { multipartStream } from 'resource-api/extend'
import type { Handler } from '#core'
import { filePart, multipartBody, multipartHeaders } from '../support/multipart.ts'
import { startApi } from '../support/own-api.ts'
import { openConnection, rawRequest, sendRaw } from '../support/raw-http.ts'
import { repetitions } from '../support/repetitions.ts'
import { postChunks, readParts, uploadViews } from '../support/uploads.ts'

/** Handlers that do not read the whole body. */
const incompleteReaders: Readonly<Record<string, Handler>> = {
  'ignores the body': () => ({ status: 200, body: [] }),
  'stops at the first part': async context => {
    for await (const _ of readParts(context)) break
    return { status: 200, body: [] }
  },
  'stops while it reads a file': async context => {
    for await (const part of readParts(context)) {
      if (part.kind === 'file') {
        part.stream.on('data', () => undefined)
        break
      }
    }
    return { status: 200, body: [] }
  },
  'reads a file after the loop over the parts': async context => {
    const streams: Readable[] = []
    for await (const part of readParts(context)) {
      if (part.kind === 'file') streams.push(part.stream)
      break
    }
    return { status: 200, body: await streams[0]!.toArray() }
  },
  'throws an exception': async context => {
    for await (const part of readParts(context)) {
      if (part.kind === 'file') for await (const _ of part.stream) break
      throw new NotFound()
    }
    return { status: 200, body: [] }
  },
}

test('only a few chunks are buffered when a fast client sends many MiB to a slow handler', async () => {
  let received = 0
  let buffered = 0
  const readSlowly: Handler = async context => {
    for await (const part of readParts(context))
      if (part.kind === 'file')
        for await (const chunk of part.stream) {
          received += chunk.length
          buffered = Math.max(buffered, context.request.raw.socket.bytesRead - received)
          await setImmediate()
        }
    return { status: 200, body: received }
  }
  const mebibytes = repetitions({ usual: 16, thorough: 64 })
  const size = mebibytes * 1024 * 1024
  const options = { maxFileSize: size, limit: size + 1000 }
  const api = await startApi({ views: uploadViews({ slow: readSlowly }, options) }, { socket: true })
  const chunk = Buffer.alloc(1024 * 1024, 'a\r\n--')
  const [start, end] = multipartBody(filePart('f', 'f', '#'))
    .toString()
    .split('#') as [string, string]
  const content = Array.from({ length: mebibytes }, () => chunk)
  assert.deepEqual(await postChunks(api, '/slow/', [Buffer.from(start), ...content, Buffer.from(end)]), [200, size])
  assert.ok(buffered < 1024 * 1024, `${buffered} bytes`)
  await api.stop()
})

for (const [behavior, handler] of Object.entries(incompleteReaders))
  test(`a handler that ${behavior} responds before the rest of the body arrives, and the connection stays usable`, async () => {
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

test('if the client disconnects, the handler gets an error about an incomplete body', async () => {
  let started = Promise.withResolvers<void>()
  let failure = Promise.withResolvers<unknown>()
  const readAndWait: Handler = async context => {
    try {
      for await (const part of readParts(context)) {
        started.resolve()
        if (part.kind === 'file' && part.name !== 'unread') await part.stream.toArray()
      }
    } catch (error) {
      failure.resolve(error)
      throw error
    }
    return { status: 200 }
  }
  for (const name of ['read', 'unread']) {
    started = Promise.withResolvers()
    failure = Promise.withResolvers()
    const api = await startApi({ views: uploadViews({ wait: readAndWait }) }, { socket: true })
    const connection = openConnection(api.client.origin)
    const headers = ['Host: localhost', `Content-Type: ${multipartHeaders['content-type']}`, 'Content-Length: 10000']
    const body = multipartBody(filePart(name, 'f', 'content'))
      .toString()
      .slice(0, -10)
    connection.send(rawRequest('POST /wait/', headers, body))
    await started.promise
    connection.close()
    assert.equal(String(await failure.promise), 'BadRequest: The request body is incomplete.')
    await api.stop()
  }
})

test('SVC-1: an upload is refused before its body arrives', async () => {
  const parsers = [multipartStream()]
  const view = {
    name: 'Refused',
    permissions: [{ allows: () => false }],
    parsers,
    handlers: { POST: incompleteReaders['ignores the body']! },
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
