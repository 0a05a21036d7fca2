// Files in a bucket, on a real S3-compatible server.

import assert from 'node:assert/strict'
import { buffer } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { file, resource, s3, text } from 'resource-api'
import { type TestApi, testApi } from 'resource-api/testing'
import { type FileStore, MissingFile } from '../../src/core/http/files/file-store.ts'
import { createForm, documentMigrations } from '../support/documents.ts'
import { isThorough } from '../support/repetitions.ts'
import { type S3Server, startS3 } from '../support/s3-server.ts'

let server: S3Server
let store: FileStore
let api: TestApi

before(async () => {
  server = await startS3()
  store = s3({ ...server, prefix: 'reports/' })
  const fields = { title: text(), report: file({ store, maxSize: 40_000_000, nullable: true }) }
  const redirected = { ...fields, report: file({ store: s3({ ...server, prefix: 'reports/', redirect: true }) }) }
  api = await testApi({
    resources: [
      resource('documents', { table: 'documents', fields }),
      resource('redirected', { table: 'documents', fields: redirected }),
    ],
    migrations: documentMigrations,
  })
})

after(async () => {
  await api?.close()
  await server?.[Symbol.asyncDispose]()
})

const listKeys = async () => (await Array.fromAsync(store.list())).map(({ key }) => key)

for (const size of [5, 8 * 1024 * 1024, ...(isThorough ? [20 * 1024 * 1024 + 1] : [])])
  test(`a file of ${size} bytes is stored, read in part, replaced and removed`, async () => {
    const content = Buffer.alloc(size, 'abc')
    const { headers } = await api
      .post('/documents/', createForm({ title: 'a', report: [content, 'a.txt'] }))
      .expect(201)
    const url = headers.get('location')!
    assert.deepEqual(Buffer.from((await api.get(`${url}report/`).expect(200)).bytes), content)
    const part = await api.get(`${url}report/`, { headers: { range: 'bytes=1-3' } }).expect(206)
    assert.equal(part.text, 'bca')
    assert.equal((await listKeys()).length, 1)
    await api.patch(url, createForm({ report: ['new', 'b.txt'] })).expect(200)
    assert.equal((await api.get(`${url}report/`).expect(200)).text, 'new')
    assert.equal((await listKeys()).length, 1)
    await api.delete(url).expect(204)
    assert.deepEqual(await listKeys(), [])
  })

test('a file that is too large leaves nothing in the bucket', async () => {
  const form = createForm({ title: 'a', report: [Buffer.alloc(40_000_001, 'a'), 'a.txt'] })
  await api.post('/documents/', form).expect(400)
  assert.deepEqual(await listKeys(), [])
})

test('a missing file is told apart, and its removal succeeds', async () => {
  await assert.rejects(store.read('a'.repeat(40)), MissingFile)
  await store.remove('a'.repeat(40))
})

test('a download can be redirected to a signed URL of the service', async () => {
  const { headers } = await api.post('/redirected/', createForm({ title: 'a', report: ['hello', 'a.txt'] })).expect(201)
  const url = `${headers.get('location')}report/`
  assert.equal((await api.head(url).expect(200)).headers.get('content-length'), '5')
  const { headers: redirect } = await api.get(url).expect(302)
  const response = await fetch(redirect.get('location')!)
  assert.deepEqual([response.status, await response.text()], [200, 'hello'])
  assert.equal(response.headers.get('content-disposition'), 'inline; filename="a.txt"')
  assert.equal(redirect.get('cache-control'), 'no-store')
})

test('wrong credentials, and a service that is away, are 503', async () => {
  const { endpoint } = server
  const credentials = { accessKeyId: 'unknown', secretAccessKey: 'wrong' }
  const wrong = s3({ endpoint, credentials })
  const content = async function* () {
    yield Buffer.from('x')
  }
  const isUnavailable = { name: 'ServiceUnavailable' }
  await assert.rejects(wrong.write('a'.repeat(40), content(), { type: 'text/plain' }), isUnavailable)
  await assert.rejects(wrong.read('a'.repeat(40)).then(buffer), isUnavailable)
  await server.stop()
  await api.post('/documents/', createForm({ title: 'a', report: ['x', 'a.txt'] })).expect(503)
})
