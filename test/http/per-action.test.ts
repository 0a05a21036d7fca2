// What single actions of a resource, and single methods of a view, have of their own.

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
  type Renderer,
  resource,
  staff,
  type Throttle,
  text,
} from '../../src/framework/index.ts'
import type { RequestOptions } from '../support/client.ts'
import { bookRow } from '../support/library.ts'
import { as, onEachDatabase, people, userScheme } from '../support/own-api.ts'

const ownedByCaller: Permission = {
  columns: ['owner_id'],
  allowsObject: ({ user }, { owner_id }) => owner_id === user.id,
}

/** Allows two requests, of whatever kind it is asked about. */
let asked = 0
const twice: Throttle = { check: () => ({ allowed: ++asked <= 2 }) }

const plain: Renderer = {
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
  prepare: (_, { action, user }) => (action === 'create' ? { subtitle: '', contact: '', owner_id: user.id } : {}),
  perAction: {
    list: { fields: ['id', 'title'] },
    create: { fields: ['pages', 'title'], permissions: [authenticated], throttles: [twice], parsers: [formParser()] },
    retrieve: { renderers: [jsonRenderer, plain] },
    update: { fields: ['id', 'title', 'summary'], permissions: [staff] },
    destroy: { permissions: [authenticated, ownedByCaller] },
  },
})

const seen: string[] = []
const watch: Permission = {
  allows: ({ method }) => {
    seen.push(method)
    return true
  },
}

const board = {
  name: 'Board',
  permissions: [watch],
  handlers: {
    GET: () => ({ status: 200, body: 'read' }),
    POST: {
      permissions: [watch, staff],
      throttles: [twice],
      parsers: [formParser()],
      renderers: [plain],
      handle: () => ({ status: 200, body: 'written' }),
    },
  },
}

onEachDatabase(
  () => ({ authentication: [userScheme], resources: [notes], views: { '/board/': board } }),
  api => {
    let id: number
    const ask = (method: string, url: string, options?: RequestOptions) => api().client.request(method, url, options)
    const form = { title: 'New', pages: '7', genre: 'novel' }

    before(async () => {
      ;[id] = (await api().insert('books', [{ ...bookRow, owner_id: people.ann.id }])) as [number]
    })
    beforeEach(() => {
      asked = 0
      seen.length = 0
    })

    test('each action shows its fields, in its order', async () => {
      assert.deepEqual((await ask('GET', '/notes/')).json(), [{ id, title: 'Emma' }])
      const whole = { id, title: 'Emma', pages: 474, summary: null, genre: 'novel', in_print: true }
      assert.deepEqual((await ask('GET', `/notes/${id}/`)).json(), whole)
      const created = await ask('POST', '/notes/', { ...as('ann'), form })
      assert.equal(created.text, '{"pages":7,"title":"New"}')
      const changed = await ask('PUT', `/notes/${id}/`, { ...as('sue'), json: { title: 'Emma' } })
      assert.deepEqual([changed.status, changed.json()], [200, { id, title: 'Emma', summary: null }])
    })

    test('a create takes its fields only, and the others have their defaults', async () => {
      const created = await ask('POST', '/notes/', { ...as('ann'), form })
      const { id: _, ...shown } = (await ask('GET', created.headers.location!)).json()
      assert.deepEqual(shown, { title: 'New', pages: 7, summary: null, genre: 'poetry', in_print: true })
      const missing = await ask('POST', '/notes/', { ...as('ann'), form: { genre: 'novel' } })
      const required = ['This field is required.']
      assert.deepEqual([missing.status, missing.json()], [400, { pages: required, title: required }])
    })

    test('an update takes its fields only, and the others keep their values', async () => {
      const json = { title: 'Emma', pages: 1, genre: 'no genre' }
      for (const method of ['PUT', 'PATCH'])
        assert.equal((await ask(method, `/notes/${id}/`, { ...as('sue'), json })).status, 200)
      const { pages, genre } = (await ask('GET', `/notes/${id}/`)).json()
      assert.deepEqual([pages, genre], [474, 'novel'])
    })

    test('each action has its permissions: method by method, for nobody, Ann, Bob and the staff', async () => {
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
        const answers: number[] = []
        for (const caller of callers) answers.push((await ask(method, url, caller && as(caller))).status)
        assert.equal(answers.join(' '), statuses, `${method} ${url}`)
      }
      ;[id] = (await api().insert('books', [{ ...bookRow, owner_id: people.ann.id }])) as [number]
      assert.equal((await ask('DELETE', `/notes/${id}/`, as('bob'))).status, 403)
    })

    test('each action has its throttles, parsers and renderers', async () => {
      const post = (options: RequestOptions) => ask('POST', '/notes/', { ...options, ...as('ann') })
      const statuses = [await post({ form }), await post({ form }), await post({ form })].map(({ status }) => status)
      assert.deepEqual(statuses, [201, 201, 429])
      assert.equal((await ask('GET', '/notes/')).status, 200)

      asked = 0
      const json = await ask('POST', '/notes/', {
        headers: { 'x-user': 'ann', 'content-type': 'application/json' },
        body: '{}',
      })
      assert.equal(json.status, 415)
      assert.equal((await ask('PATCH', `/notes/${id}/`, { ...as('sue'), json: {} })).status, 200)

      const accept = { headers: { accept: 'text/plain' } }
      const shown = await ask('GET', `/notes/${id}/`, accept)
      assert.deepEqual([shown.status, shown.headers['content-type']], [200, 'text/plain; charset=utf-8'])
      assert.equal((await ask('GET', '/notes/', accept)).status, 406)
    })

    test('a method of a view has policies of its own; what it leaves out is the view’s', async () => {
      const read = await ask('GET', '/board/')
      assert.deepEqual([read.status, read.text], [200, '"read"'])
      assert.equal((await ask('POST', '/board/')).status, 401)
      assert.equal((await ask('POST', '/board/', as('ann'))).status, 403)
      const written = await ask('POST', '/board/', { ...as('sue'), form })
      assert.deepEqual([written.status, written.text], [200, 'plain "written"'])
      assert.equal((await ask('POST', '/board/', { ...as('sue'), json: {} })).status, 415)
      assert.equal((await ask('POST', '/board/', as('sue'))).status, 429)
      assert.deepEqual(seen, ['GET', 'POST', 'POST', 'POST', 'POST', 'POST'])
    })

    test('what HEAD asks and answers is what GET does; every answer says what is allowed', async () => {
      const head = await ask('HEAD', '/board/')
      assert.deepEqual([head.status, head.text], [200, ''])
      const refused = await ask('PUT', '/board/')
      assert.deepEqual([refused.status, refused.headers.allow], [405, 'GET, POST, HEAD, OPTIONS'])
      assert.deepEqual(seen, ['HEAD', 'PUT'])
      assert.equal((await ask('GET', '/notes/')).headers.allow, 'GET, POST, HEAD, OPTIONS')
      assert.equal((await ask('GET', `/notes/${id}/`)).headers.allow, 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS')
    })
  },
)
