// The order of checks (SVC-1, SVC-3): a request with every error, which the test corrects one by one.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authenticated, integer, key, type Permission, resource, text } from 'resource-api'
import type { RequestOptions } from '../support/client.ts'
import { onEachDatabase, people, userScheme } from '../support/own-api.ts'

const state = { throttled: true }

const ownedByCaller: Permission = {
  columns: ['owner_id'],
  allowsObject: ({ user }, { owner_id }) => owner_id === user.id,
}

const notes = resource('notes', {
  table: 'books',
  permissions: [authenticated, { allows: ({ user }) => user.id !== people.bob.id }, ownedByCaller],
  throttles: [{ check: () => (state.throttled ? { allowed: false, wait: 9 } : { allowed: true }) }],
  fields: { id: key(), title: text(), pages: integer() },
  hookColumns: ['subtitle', 'in_print', 'genre', 'contact', 'owner_id'],
})

const row = { title: 'A', pages: 1, subtitle: '', in_print: 1, genre: '', contact: '' }

onEachDatabase(
  database => ({
    authentication: [userScheme],
    resources: [{ ...notes, actions: ['list', 'retrieve', 'update'] }],
    database,
  }),
  api => {
    test('SVC-1, SVC-2, SVC-3, SVC-5, AUTH-GEN-4: the first check that fails determines the response', async () => {
      state.throttled = true
      const in_print = api().database.dialect.name === 'sqlite' ? 1 : true
      const [ownNote, othersNote] = await api().insert('books', [
        { ...row, in_print, owner_id: people.ann.id },
        { ...row, in_print, owner_id: people.sue.id },
      ])
      let method = 'DELETE'
      let url = '/notes/999999/?format=xml'
      let body = '{"title": '
      let headers: NonNullable<RequestOptions['headers']> = {
        host: 'evil.example',
        'x-user': 'nobody',
        accept: 'application/xml',
        'content-type': 'application/x-unknown',
      }
      const checkResponse = async (status: number, expectedBody: unknown) => {
        const response = await api().client.request(method, url, { headers, body })
        assert.deepEqual([response.status, response.json()], [status, expectedBody])
        assert.equal(response.headers['content-type'], 'application/json')
      }

      await checkResponse(400, { detail: 'Invalid host.' })
      headers = { ...headers, host: 'localhost' }
      await checkResponse(401, { detail: 'Nobody has this name.' })
      const { 'x-user': _, ...withoutUser } = headers
      headers = withoutUser
      await checkResponse(401, { detail: 'Authentication credentials were not provided.' })
      headers = { ...headers, 'x-user': 'bob' }
      await checkResponse(403, { detail: 'You do not have permission to perform this action.' })
      headers = { ...headers, 'x-user': 'ann' }
      await checkResponse(429, { detail: 'Request was throttled. Expected available in 9 seconds.' })
      state.throttled = false
      await checkResponse(404, { detail: 'Not found.' })
      url = '/notes/999999/'
      await checkResponse(406, {
        detail: 'Could not satisfy the request Accept header.',
        available: ['application/json'],
      })
      headers = { ...headers, accept: 'application/json' }
      await checkResponse(405, { detail: "Method 'DELETE' not allowed." })
      method = 'PATCH'
      await checkResponse(415, { detail: 'Unsupported media type "application/x-unknown" in request.' })
      headers = { ...headers, 'content-type': 'application/json' }
      const malformed = await api().client.request(method, url, { headers, body })
      assert.equal(malformed.status, 400)
      assert.match(malformed.json().detail, /^JSON parse error - /)
      body = '{"title": ""}'
      await checkResponse(404, { detail: 'Not found.' })
      url = `/notes/${othersNote}/`
      await checkResponse(403, { detail: 'You do not have permission to perform this action.' })
      url = `/notes/${ownNote}/`
      await checkResponse(400, { title: ['This field may not be blank.'] })
      body = '{"title": "B"}'
      await checkResponse(200, { id: ownNote, title: 'B', pages: 1 })
    })
  },
)
