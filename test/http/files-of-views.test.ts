// Files in the bodies of views: of plain views, and of views below a list and an object.

import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  browsable,
  Conflict,
  file,
  folder,
  image,
  integer,
  jsonRenderer,
  key,
  list,
  listView,
  objectView,
  resource,
  text,
  view,
} from 'resource-api'
import { createClient } from 'resource-api/client'
import { samples } from '../support/documents.ts'
import { fieldPart, filePart, multipartBody, multipartHeaders } from '../support/multipart.ts'
import { onEachDatabase } from '../support/own-api.ts'

const path = mkdtempSync(join(tmpdir(), 'files-of-views-'))
const store = folder(path)
const countFiles = () =>
  readdirSync(path, { recursive: true, withFileTypes: true }).filter(each => each.isFile()).length

const textFile = file({ store, types: ['text/plain'], maxSize: 20 })
const shown = { name: text(), size: integer(), content: text({ blank: true }) }

async function read({ key: name }: { readonly key: string }): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of await store.read(name)) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

const imports = view({
  name: 'Import',
  body: { title: text({ max: 5 }), data: textFile },
  response: shown,
  handlers: {
    async POST({ body: { title, data } }) {
      if (title === 'lost') throw new Conflict('It is lost.')
      return { name: data.name, size: data.size, content: await read(data) }
    },
    PUT: { response: { size: integer() }, handle: ({ body }) => ({ size: body.data?.size ?? 0 }) },
    DELETE: {
      body: { data: textFile },
      response: { size: integer() },
      handle: ({ body }) => ({ size: body.data.size }),
    },
  },
})

const tags = resource('tags', {
  table: 'tags',
  fields: { id: key(), name: text({ max: 20 }) },
  listViews: {
    batch: listView({
      body: { files: list({ of: textFile, max: 2, empty: false }) },
      response: { sizes: list({ of: integer() }) },
      handlers: { POST: ({ body }) => ({ sizes: body.files.map(({ size }) => size) }) },
    }),
  },
  objectViews: {
    scan: objectView({
      body: { photo: image({ store, nullable: true }) },
      response: { type: text() },
      handlers: { POST: ({ body }) => ({ type: body.photo?.type ?? 'none' }) },
    }),
  },
})

test('a declaration that no request can fulfil is an error', () => {
  assert.throws(() => list({ of: textFile }), {
    message: 'list(): a list of files is limited by the number of files: give "max"',
  })
  assert.throws(() => view({ name: 'Wrong', query: { data: textFile }, handlers: { GET: () => ({ status: 204 }) } }), {
    message: 'view "Wrong": field "data" is a file, which only a body contains',
  })
  assert.throws(
    () => resource('tags', { table: 'tags', fields: { id: key(), files: list({ of: textFile, max: 2 }) } }),
    /field "files" is a list of files, which only the body of a view takes/,
  )
})

onEachDatabase(
  () => ({ resources: [tags], views: { '/import/': imports }, renderers: [jsonRenderer, browsable()] }),
  api => {
    const send = async (method: string, url: string, ...parts: readonly Buffer[]) => {
      const response = await api().client.request(method, url, {
        headers: multipartHeaders,
        body: multipartBody(...parts),
      })
      return [response.status, response.text === '' ? undefined : response.json()]
    }

    const sendForm = async (url: string, init: RequestInit) => {
      const request = new Request(url, init)
      const { status, text } = await api().client.request(request.method, new URL(url).pathname, {
        headers: Object.fromEntries(request.headers),
        body: Buffer.from(await request.arrayBuffer()),
      })
      return new Response(text, { status, headers: { 'content-type': 'application/json' } })
    }

    test('a handler gets the file, which is in the store', async () => {
      const before = countFiles()
      assert.deepEqual(await send('POST', '/import/', filePart('data', '../a.txt', 'one'), fieldPart('title', 'a')), [
        200,
        { name: 'a.txt', size: 3, content: 'one' },
      ])
      assert.equal(countFiles(), before + 1)
    })

    test('an error leaves no file behind', async () => {
      const before = countFiles()
      for (const [parts, status, body] of [
        [[filePart('data', 'a.txt', 'one'), fieldPart('title', 'lost')], 409, { detail: 'It is lost.' }],
        [[filePart('data', 'a.txt', 'one')], 400, { title: ['This field is required.'] }],
        [[fieldPart('title', 'a')], 400, { data: ['This field is required.'] }],
        [[fieldPart('title', 'a'), fieldPart('data', 'x')], 400, undefined],
        [[filePart('data', 'a.txt', 'x'.repeat(21)), fieldPart('title', 'a')], 400, undefined],
        [[filePart('data', 'a.txt', samples.png), fieldPart('title', 'a')], 400, undefined],
        [[filePart('data', 'a.txt', 'a'), filePart('data', 'b.txt', 'b'), fieldPart('title', 'a')], 400, undefined],
      ] as const) {
        const [found, json] = await send('POST', '/import/', ...parts)
        assert.equal(found, status, JSON.stringify(json))
        if (body !== undefined) assert.deepEqual(json, body)
      }
      assert.equal((await send('PUT', '/import/', fieldPart('title', 'a')))[0], 400)
      assert.equal((await send('POST', '/tags/999999/scan/', filePart('photo', 'a.png', samples.png)))[0], 404)
      const large = Array.from({ length: 20 }, (_, index) => filePart(`x${index}`, 'a.txt', 'x'))
      assert.equal((await send('POST', '/import/', ...large))[0], 400)
      assert.equal(countFiles(), before)
      const json = await api().client.post('/import/', { json: { title: 'a', data: 'x' } })
      assert.deepEqual([json.status, Object.keys(json.json())], [400, ['data']])
    })

    test('several files have one name', async () => {
      const before = countFiles()
      const part = (content: string) => filePart('files', 'a.txt', content)
      assert.deepEqual(await send('POST', '/tags/batch/', part('a'), part('bc')), [200, { sizes: [1, 2] }])
      assert.equal(countFiles(), before + 2)
      const [status, body] = await send('POST', '/tags/batch/', part('a'), part('x'.repeat(21)))
      assert.deepEqual([status, Object.keys(body.files)], [400, ['1']])
      assert.equal((await send('POST', '/tags/batch/', part('a'), part('b'), part('c')))[0], 400)
      assert.equal((await send('POST', '/tags/batch/', filePart('files', '', '')))[0], 400)
      assert.equal(countFiles(), before + 2)
    })

    test('the typed client, the OpenAPI document and the pages know the files', async () => {
      const [tag] = await api().insert('tags', [{ name: `t${Math.random()}`.slice(0, 18) }])
      assert.deepEqual(await send('POST', `/tags/${tag}/scan/`, filePart('photo', 'a.png', samples.png)), [
        200,
        { type: 'image/png' },
      ])
      const client = createClient<readonly [typeof tags]>({
        baseUrl: 'http://localhost/',
        fetch: sendForm,
      })
      const files = [new File(['a'], 'a.txt'), new File(['bcd'], 'b.txt')]
      assert.deepEqual(await client.tags.batch.post({ files }), { sizes: [1, 3] })
      const { paths } = (await api().client.get('/openapi.json')).json()
      const { content, required } = paths['/import/'].post.requestBody
      assert.equal(required, true)
      assert.deepEqual(content['multipart/form-data'].schema.properties.data, { type: 'string', format: 'binary' })
      assert.deepEqual(Object.keys(content['application/json'].schema.properties), ['title'])
      assert.equal(content['application/x-www-form-urlencoded'], undefined)
      assert.equal(
        paths['/tags/batch/'].post.requestBody.content['multipart/form-data'].schema.properties.files.items.format,
        'binary',
      )
      const page = await api().client.get('/tags/batch/', { headers: { accept: 'text/html' } })
      assert.match(page.text, /<input type="file"[^>]* multiple>/)
    })
  },
)
