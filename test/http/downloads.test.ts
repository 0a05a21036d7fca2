// The URLs of files: permissions, ranges, conditional requests and signatures.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ann, bob, createForm, declareDocuments, onEachDocuments, samples } from '../support/documents.ts'

const content = 'The quick brown fox'

onEachDocuments(
  path => ({ resources: [declareDocuments(path)], secret: 's'.repeat(32) }),
  documents => {
    const create = async (fields: Parameters<typeof createForm>[0]) => {
      const client = documents().api.as(ann)
      const { headers, json } = await client.post('/documents/', createForm({ title: 'a', ...fields })).expect(201)
      return { url: headers.get('location')!, body: json() as Record<string, { url: string }> }
    }
    const createReport = async () => `${(await create({ report: [content, 'a.txt'] })).url}report/`

    test('a file is sent with its type, and never runs as a page', async () => {
      const response = await documents()
        .api.get(await createReport())
        .expect(200)
      assert.equal(response.text, content)
      const { headers } = response
      assert.equal(headers.get('content-type'), 'text/plain; charset=utf-8')
      assert.equal(headers.get('content-length'), String(content.length))
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
      assert.match(headers.get('content-security-policy')!, /sandbox/)
      assert.equal(headers.get('cache-control'), 'private, no-cache')
      assert.equal(headers.get('accept-ranges'), 'bytes')
    })

    test('HEAD has the header fields of GET without the content', async () => {
      const url = await createReport()
      const head = await documents().api.head(url).expect(200)
      const get = await documents().api.get(url).expect(200)
      assert.equal(head.text, '')
      for (const name of ['content-length', 'content-type', 'etag', 'content-disposition'])
        assert.equal(head.headers.get(name), get.headers.get(name))
    })

    test('HEAD has no ranges', async () => {
      const url = await createReport()
      for (const range of ['bytes=4-8', 'bytes=100-']) {
        const { headers } = await documents().api.head(url, { headers: { range } }).expect(200)
        assert.deepEqual([headers.get('content-length'), headers.get('content-range')], [String(content.length), null])
      }
    })

    test('a range is sent alone; one beyond the end is 416; several ranges and malformed ones get the file', async () => {
      const url = await createReport()
      const get = (range: string, headers = {}) => documents().api.get(url, { headers: { range, ...headers } })
      for (const [range, text, field] of [
        ['bytes=4-8', 'quick', 'bytes 4-8/19'],
        ['bytes=16-', 'fox', 'bytes 16-18/19'],
        ['bytes=-3', 'fox', 'bytes 16-18/19'],
        ['bytes=0-100', content, 'bytes 0-18/19'],
        ['bytes=-100', content, 'bytes 0-18/19'],
      ] as const) {
        const response = await get(range).expect(206)
        assert.deepEqual([response.text, response.headers.get('content-range')], [text, field])
        assert.equal(response.headers.get('content-length'), String(text.length))
      }
      for (const range of ['bytes=19-', 'bytes=100-200', 'bytes=-0'])
        assert.equal((await get(range).expect(416)).headers.get('content-range'), 'bytes */19')
      for (const range of ['bytes=0-1,3-4', 'bytes=5-2', 'bytes=-', 'lines=1-2', 'bytes=a-b'])
        assert.equal((await get(range).expect(200)).text, content)
      const etag = (await get('bytes=0-').expect(206)).headers.get('etag')!
      assert.equal((await get('bytes=0-2', { 'if-range': etag }).expect(206)).text, 'The')
      assert.equal((await get('bytes=0-2', { 'if-range': '"other"' }).expect(200)).text, content)
    })

    test('a file that the client has is 304, and a replaced one has another tag', async () => {
      const { url } = await create({ report: [content, 'a.txt'] })
      const etag = (await documents().api.get(`${url}report/`)).headers.get('etag')!
      const headers = { 'if-none-match': etag }
      assert.equal((await documents().api.get(`${url}report/`, { headers }).expect(304)).text, '')
      await documents()
        .api.as(ann)
        .patch(url, createForm({ report: [content, 'a.txt'] }))
        .expect(200)
      await documents().api.get(`${url}report/`, { headers }).expect(200)
    })

    test('a file whose tag If-Match does not name is 412', async () => {
      const url = await createReport()
      const etag = (await documents().api.get(url)).headers.get('etag')!
      const get = (match: string, headers = {}) =>
        documents().api.get(url, { headers: { 'if-match': match, range: 'bytes=0-2', ...headers } })
      for (const field of [etag, `"other", ${etag}`, '*']) assert.equal((await get(field).expect(206)).text, 'The')
      for (const field of ['"other"', `W/${etag}`, 'malformed']) await get(field).expect(412)
      await get('"other"', { 'if-none-match': etag }).expect(412)
      await get(etag, { 'if-none-match': etag }).expect(304)
      await documents()
        .api.get(url, { headers: { 'if-unmodified-since': 'Sat, 31 Jan 2015 10:00:00 GMT' } })
        .expect(200)
    })

    test('only callers who may read the object may read its files', async () => {
      const { url } = await create({ title: 'secret', report: [samples.pdf, 'a.pdf'] })
      await documents().api.as(ann).get(`${url}report/`).expect(200)
      await documents().api.as(bob).get(`${url}report/`).expect(404)
      await documents().api.as(ann).get(`${url}photo/`).expect(404)
      await documents().api.as(ann).get('/documents/99999/report/').expect(404)
      await documents().api.as(ann).post(`${url}report/`, {}).expect(405)
    })

    test('whoever has a signed URL may read the file until it expires', async () => {
      const { url, body } = await create({ title: 'secret', export: [content, 'a.txt'] })
      const signed = body.export!.url
      assert.match(signed, /\/export\/\?expires=\d+&signature=[\w-]+$/)
      const response = await documents().api.get(signed).expect(200)
      assert.equal(response.text, content)
      assert.match(response.headers.get('cache-control')!, /^private, max-age=\d+$/)
      await documents().api.get(`${url}export/`).expect(404)
      await documents().api.as(ann).get(`${url}export/`).expect(200)
      for (const wrong of [signed.replace('expires=', 'expires=1'), `${signed}x`, `${url}export/?signature=`])
        assert.deepEqual((await documents().api.get(wrong).expect(403)).json(), {
          detail: 'The link to the file is not valid, or has expired.',
        })
      const other = await create({ title: 'secret', export: [content, 'a.txt'] })
      await documents().api.get(signed.replace(url, other.url)).expect(403)
      documents().api.clock.advance({ seconds: 120 })
      await documents().api.get(signed).expect(403)
      const current = (await documents().api.as(ann).get(url).expect(200)).json() as typeof body
      await documents().api.get(current.export!.url).expect(200)
    })
  },
)
