// Settings of single actions of a resource, and of single methods of a view.

import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import {
  authenticated,
  boolean,
  choice,
  formParser,
  integer,
  jsonRenderer,
  key,
  type Permission,
  resource,
  staff,
  text,
} from 'resource-api'
import type { Renderer, Throttle } from 'resource-api/extend'
import type { RequestOptions } from '../support/client.ts'
import { bookRow } from '../support/library.ts'
import { asUser, onEachDatabase, people, userScheme } from '../support/own-api.ts'

const ownedByCaller: Permission = {
  columns: ['owner_id'],
  allowsObject: ({ user }, { owner_id }) => owner_id === user.id,
}

/** Allows two requests in total. */
let checked = 0
const twoRequests: Throttle = { check: () => ({ allowed: ++checked <= 2 }) }

const plainRenderer: Renderer = {
  mediaType: 'text/plain',
  format: 'txt',
  contentType: 'text/plain; charset=utf-8',
  canRender: () => true,
  render: body => `plain ${JSON.stringify(body)}`,
}

const notes = resource('notes', {
  table: 'books',
  fields: {
    id: key(),
    title: text(),
    pages: integer(),
    summary: text({ nullable: true }),
    genre: choice(['novel', 'poetry'], { default: 'poetry' }),
    in_print: boolean({ default: true }),
  },
  hookColumns: ['subtitle', 'contact', 'owner_id'],
  prepare: ({ action, user }) => (action === 'create' ? { subtitle: '', contact: '', owner_id: user.id } : {}),
  perAction: {
    list: { shows: ['id', 'title'] },
    create: {
      takes: ['pages', 'title'],
      shows: ['pages', 'title'],
      permissions: [authenticated],
      throttles: [twoRequests],
      parsers: [formParser()],
    },
    retrieve: { renderers: [jsonRenderer, plainRenderer] },
    update: { takes: ['title', 'summary'], shows: ['id', 'title', 'summary'], permissions: [staff] },
    destroy: { permissions: [authenticated, ownedByCaller] },
  },
})

const seenMethods: string[] = []
const recordMethod: Permission = {
  allows: ({ method }) => {
    seenMethods.push(method)
    return true
  },
}

const boardView = {
  name: 'Board',
  permissions: [recordMethod],
  handlers: {
    GET: () => ({ status: 200, body: 'read' }),
    POST: {
      permissions: [recordMethod, staff],
      throttles: [twoRequests],
      parsers: [formParser()],
      renderers: [plainRenderer],
      handle: () => ({ status: 200, body: 'written' }),
    },
  },
}

onEachDatabase(
  () => ({ authentication: [userScheme], resources: [notes], views: { '/board/': boardView } }),
  api => {
    let id: number
    const send = (method: string, url: string, options?: RequestOptions) => api().client.request(method, url, options)
    const form = { title: 'New', pages: '7', genre: 'novel' }

    before(async () => {
      ;[id] = (await api().insert('books', [{ ...bookRow, owner_id: people.ann.id }])) as [number]
    })
    beforeEach(() => {
      checked = 0
      seenMethods.length = 0
    })

    test('each action shows its own fields, in its own order', async () => {
      assert.deepEqual((await send('GET', '/notes/')).json(), [{ id, title: 'Emma' }])
      const allFields = { id, title: 'Emma', pages: 474, summary: null, genre: 'novel', in_print: true }
      assert.deepEqual((await send('GET', `/notes/${id}/`)).json(), allFields)
      const created = await send('POST', '/notes/', { ...asUser('ann'), form })
      assert.equal(created.text, '{"pages":7,"title":"New"}')
      const changed = await send('PUT', `/notes/${id}/`, { ...asUser('sue'), json: { title: 'Emma' } })
      assert.deepEqual([changed.status, changed.json()], [200, { id, title: 'Emma', summary: null }])
    })

    test('a create accepts only its own fields, and the other fields get their defaults', async () => {
      const created = await send('POST', '/notes/', { ...asUser('ann'), form })
      const { id: _, ...shown } = (await send('GET', created.headers.location!)).json()
      assert.deepEqual(shown, { title: 'New', pages: 7, summary: null, genre: 'poetry', in_print: true })
      const missing = await send('POST', '/notes/', { ...asUser('ann'), form: { genre: 'novel' } })
      const required = ['This field is required.']
      assert.deepEqual([missing.status, missing.json()], [400, { pages: required, title: required }])
    })

    test('an update accepts only its own fields, and the other fields keep their values', async () => {
      const json = { title: 'Emma', pages: 1, genre: 'no genre' }
      for (const method of ['PUT', 'PATCH'])
        assert.equal((await send(method, `/notes/${id}/`, { ...asUser('sue'), json })).status, 200)
      const { pages, genre } = (await send('GET', `/notes/${id}/`)).json()
      assert.deepEqual([pages, genre], [474, 'novel'])
    })

    test('each action has its own permissions: per method, for an anonymous caller, Ann, Bob and staff', async () => {
      const callers = [undefined, 'ann', 'bob', 'sue'] as const
      for (const [method, url, statuses] of [
        ['GET', '/notes/', '200 200 200 200'],
        ['HEAD', '/notes/', '200 200 200 200'],
        ['POST', '/notes/', '401 400 400 429'],
        ['GET', `/notes/${id}/`, '200 200 200 200'],
        ['PUT', `/notes/${id}/`, '401 403 403 400'],
        ['PATCH', `/notes/${id}/`, '401 403 403 200'],
        ['PATCH', '/notes/999999/', '401 403 403 404'],
        ['DELETE', '/notes/999999/', '401 404 404 404'],
        ['DELETE', `/notes/${id}/`, '401 204 404 404'],
        ['PROPFIND', `/notes/${id}/`, '405 405 405 405'],
      ] as const) {
        const received: number[] = []
        for (const caller of callers) received.push((await send(method, url, caller && asUser(caller))).status)
        assert.equal(received.join(' '), statuses, `${method} ${url}`)
      }
      ;[id] = (await api().insert('books', [{ ...bookRow, owner_id: people.ann.id }])) as [number]
      assert.equal((await send('DELETE', `/notes/${id}/`, asUser('bob'))).status, 403)
    })

    test('each action has its own throttles, parsers and renderers', async () => {
      const post = (options: RequestOptions) => send('POST', '/notes/', { ...options, ...asUser('ann') })
      const statuses = [await post({ form }), await post({ form }), await post({ form })].map(({ status }) => status)
      assert.deepEqual(statuses, [201, 201, 429])
      assert.equal((await send('GET', '/notes/')).status, 200)

      checked = 0
      const json = await send('POST', '/notes/', {
        headers: { 'x-user': 'ann', 'content-type': 'application/json' },
        body: '{}',
      })
      assert.equal(json.status, 415)
      assert.equal((await send('PATCH', `/notes/${id}/`, { ...asUser('sue'), json: {} })).status, 200)

      const accept = { headers: { accept: 'text/plain' } }
      const shown = await send('GET', `/notes/${id}/`, accept)
      assert.deepEqual([shown.status, shown.headers['content-type']], [200, 'text/plain; charset=utf-8'])
      assert.equal((await send('GET', '/notes/', accept)).status, 406)
    })

    test('a method of a view may have its own policies; the view’s policies are the defaults', async () => {
      const read = await send('GET', '/board/')
      assert.deepEqual([read.status, read.text], [200, '"read"'])
      assert.equal((await send('POST', '/board/')).status, 401)
      assert.equal((await send('POST', '/board/', asUser('ann'))).status, 403)
      const written = await send('POST', '/board/', { ...asUser('sue'), form })
      assert.deepEqual([written.status, written.text], [200, 'plain "written"'])
      assert.equal((await send('POST', '/board/', { ...asUser('sue'), json: {} })).status, 415)
      assert.equal((await send('POST', '/board/', asUser('sue'))).status, 429)
      assert.deepEqual(seenMethods, ['GET', 'POST', 'POST', 'POST', 'POST', 'POST'])
    })

    test('HEAD is handled like GET; every response has an Allow header', async () => {
      const head = await send('HEAD', '/board/')
      assert.deepEqual([head.status, head.text], [200, ''])
      const refused = await send('PUT', '/board/')
      assert.deepEqual([refused.status, refused.headers.allow], [405, 'GET, POST, HEAD, OPTIONS'])
      assert.deepEqual(seenMethods, ['HEAD', 'PUT'])
      assert.equal((await send('GET', '/notes/')).headers.allow, 'GET, POST, HEAD, OPTIONS')
      assert.equal((await send('GET', `/notes/${id}/`)).headers.allow, 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS')
    })
  },
)
