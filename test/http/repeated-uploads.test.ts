// Uploads that are repeated with an Idempotency-Key, cut off by the client, or sent without a valid CSRF token.

import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { test } from 'node:test'
import { createCsrf, idempotencyMigrations, type RequestContext, sessionScheme } from 'resource-api'
import { ann, createForm, declareDocuments, onEachDocuments } from '../support/documents.ts'
import { fieldPart, filePart, multipartBody, multipartHeaders } from '../support/multipart.ts'
import { eventually } from '../support/patience.ts'

const csrf = createCsrf({ secret: 's'.repeat(32), sessionCookie: 'session' })
const session = sessionScheme({ csrf, find: async id => (id === 'ann' ? ann : undefined) })
const views = {
  '/token/': {
    name: 'Token',
    handlers: {
      GET: ({ request, baseUrl }: RequestContext) => ({ status: 200, body: csrf.issue(request, baseUrl).token }),
    },
  },
}

onEachDocuments(
  path => ({
    resources: [declareDocuments(path)],
    authentication: [session],
    views,
    secret: 's'.repeat(32),
    idempotencyKeys: true,
  }),
  documents => {
    test('a repeated upload has one row and one file, and the same response', async () => {
      const before = (await documents().listFiles()).length
      const post = (content: string) =>
        documents()
          .api.as(ann)
          .post('/documents/', createForm({ title: 'a', report: [content, 'a.txt'] }), {
            headers: { 'idempotency-key': 'once' },
          })
      const [first, second] = [await post('same').expect(201), await post('same').expect(201)]
      assert.equal(second.text, first.text)
      await post('another length').expect(422)
      assert.equal((await documents().listFiles()).length, before + 1)
    })

    const readToken = async () =>
      (
        await documents()
          .api.get('/token/', { headers: { cookie: 'session=ann' } })
          .expect(200)
      ).json() as string

    test('a form without JavaScript has its token before the file; otherwise nothing is stored', async () => {
      const before = await documents().listFiles()
      const token = await readToken()
      const headers = { ...multipartHeaders, cookie: `session=ann; csrftoken=${token}` }
      const parts = { title: fieldPart('title', 'a'), file: filePart('report', 'a.txt', 'a'.repeat(100_000)) }
      const post = (...sent: readonly Buffer[]) =>
        documents().api.post('/documents/', multipartBody(parts.title, ...sent), { headers })
      for (const sent of [[parts.file], [parts.file, fieldPart('csrfmiddlewaretoken', token)]])
        assert.match((await post(...sent).expect(403)).text, /CSRF token missing/)
      await post(fieldPart('csrfmiddlewaretoken', `${token}x`), parts.file).expect(403)
      assert.deepEqual(await documents().listFiles(), before)
      await post(fieldPart('csrfmiddlewaretoken', token), parts.file).expect(201)
    })

    test('a client that disconnects leaves no file behind', async () => {
      const before = await documents().listFiles()
      const token = await readToken()
      const origin = await documents().api.app.listen({ port: 0, host: '127.0.0.1' })
      const body = multipartBody(fieldPart('title', 'a'), filePart('report', 'a.txt', 'a'.repeat(500_000)))
      const headers = {
        ...multipartHeaders,
        'content-length': body.length,
        cookie: `session=ann; csrftoken=${token}`,
        'x-csrftoken': token,
      }
      const sent = httpRequest(`${origin}/documents/`, { method: 'POST', headers })
      sent.on('error', () => undefined)
      sent.write(body.subarray(0, 300_000))
      await eventually(async () => (await documents().listFiles()).length > before.length, 'the file')
      sent.destroy()
      await eventually(async () => (await documents().listFiles()).length === before.length, 'its removal')
      assert.deepEqual(await documents().listFiles(), before)
    })
  },
  [idempotencyMigrations],
)
