// Versions of an API at prefixes of their own, and several APIs at one prefix.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify, { type FastifyInstance } from 'fastify'
import {
  type ApiOptions,
  browsable,
  createApi,
  fastifyOptions,
  hyperlinkedIdentity,
  jsonRenderer,
  key,
  related,
  resource,
  text,
} from 'resource-api'
import { type Client, injectClient } from '../support/client.ts'
import { onEachDatabase } from '../support/own-api.ts'

const authors = resource('authors', {
  table: 'authors',
  fields: { url: hyperlinkedIdentity(), id: key(), name: text() },
})
const people = resource('authors', {
  table: 'authors',
  fields: { url: hyperlinkedIdentity(), person: text({ column: 'name' }) },
})
const tags = resource('tags', { table: 'tags', fields: { url: hyperlinkedIdentity(), name: text() } })
const books = resource('books', {
  table: 'books',
  actions: ['list', 'retrieve'],
  fields: { url: hyperlinkedIdentity(), title: text(), author: related(authors, { form: 'url', nullable: true }) },
})

interface Mounted {
  readonly prefix: string
  readonly options: ApiOptions
}

async function start(apis: readonly Mounted[]): Promise<{ readonly client: Client; readonly app: FastifyInstance }> {
  const app = Fastify({ ...fastifyOptions(), forceCloseConnections: true })
  for (const { prefix, options } of apis) await app.register(createApi(options), { prefix })
  await app.ready()
  return { app, client: injectClient(app) }
}

onEachDatabase(
  database => ({ database }),
  api => {
    const withApis = async (apis: readonly Mounted[], use: (client: Client) => Promise<void>) => {
      const { app, client } = await start(apis)
      await use(client)
      client.close()
      await app.close()
    }
    const renderers = [jsonRenderer, browsable()]

    test('resources of one name in two versions have their own URLs and fields', async () => {
      const { database } = api()
      const versions = [
        { prefix: '/v1', options: { name: 'v1', database, resources: [authors, books] } },
        { prefix: '/v2', options: { name: 'v2', database, resources: [people], trailingSlash: false } },
      ]
      await withApis(versions, async client => {
        const created = (await client.post('/v1/authors/', { json: { name: 'Ann' } })).json()
        const { id } = created
        assert.deepEqual(created, { url: `http://localhost/v1/authors/${id}/`, id, name: 'Ann' })
        assert.deepEqual((await client.get(`/v2/authors/${id}`)).json(), {
          url: `http://localhost/v2/authors/${id}`,
          person: 'Ann',
        })
        assert.deepEqual((await client.get('/v1/')).json(), {
          authors: 'http://localhost/v1/authors/',
          books: 'http://localhost/v1/books/',
        })
        assert.equal((await client.get('/v2/books')).status, 404)
      })
    })

    const pair = (): readonly [Mounted, Mounted] => [
      { prefix: '/api', options: { name: 'first', database: api().database, resources: [authors], renderers } },
      {
        prefix: '/api',
        options: {
          name: 'second',
          database: api().database,
          resources: [tags, books],
          views: { '/hello/': { name: 'Hello', handlers: { GET: () => ({ status: 200, body: 'hello' }) } } },
          renderers,
        },
      },
    ]

    test('two APIs at one prefix have one root, and the views of both respond', async () => {
      await withApis(pair(), async client => {
        assert.deepEqual((await client.get('/api/')).json(), {
          authors: 'http://localhost/api/authors/',
          tags: 'http://localhost/api/tags/',
          books: 'http://localhost/api/books/',
        })
        for (const path of ['/api/authors/', '/api/tags/', '/api/books/', '/api/hello/'])
          assert.equal((await client.get(path)).status, 200, path)
        for (const path of ['/api', '/api/authors', '/api/tags', '/api/hello'])
          assert.deepEqual((await client.get(path)).headers.location, `${path}/`)
        for (const path of ['/api/authors/', '/api/tags/', '/api/'])
          assert.equal((await client.request('PROPFIND', path)).status, 405, path)
      })
    })

    test('without a root view, the URL of an API is its own 404, unless the application has a route there', async () => {
      const { database } = api()
      const app = Fastify(fastifyOptions())
      await app.register(createApi({ name: 'none', database, resources: [tags], root: null }), { prefix: '/none' })
      await app.register(createApi({ name: 'first', database, resources: [authors], root: null }), {
        prefix: '/shared',
      })
      await app.register(createApi({ name: 'second', database, resources: [tags] }), { prefix: '/shared' })
      await app.register(createApi({ name: 'own', database, resources: [tags], root: null }), { prefix: '/own' })
      app.get('/own', () => 'mine')
      const get = async (url: string) => {
        const { statusCode, headers, body } = await app.inject({ url })
        return [statusCode, headers.location ?? body]
      }
      const notFound = [404, '{"detail":"Not found."}']
      assert.deepEqual(await get('/none'), notFound)
      assert.deepEqual(await get('/none/'), notFound)
      assert.deepEqual(await get('/shared'), [301, '/shared/'])
      assert.deepEqual(await get('/own'), [200, 'mine'])
      const posted = await app.inject({ method: 'POST', url: '/none', payload: { a: 1 } })
      assert.deepEqual([posted.statusCode, posted.body], notFound)
      await app.close()
    })

    test('unknown and malformed URLs, OPTIONS and pages are those of one API', async () => {
      await withApis(pair(), async client => {
        for (const path of ['/api/nothing/', '/api/tags/x/', '/api//'])
          assert.deepEqual(
            [(await client.get(path)).status, (await client.get(path)).json()],
            [404, { detail: 'Not found.' }],
          )
        assert.equal((await client.get('/api/%ff')).status, 400)
        assert.equal((await client.request('OPTIONS', '/api/tags/')).json().name, 'Tag List')
        const page = await client.get('/api/tags/', { headers: { accept: 'text/html' } })
        const [, style] = /href="(\/api\/-\/[^"]+\.css)"/.exec(page.text)!
        assert.equal((await client.get(style!)).status, 200)
        assert.match(page.text, /<h1 dir="auto">Tags<\/h1>/)
      })
    })

    test('two routes for one URL, two root views, and two ends of URLs are refused', async () => {
      const [first, second] = pair()
      const refuse = (options: ApiOptions, message: RegExp) =>
        assert.rejects(start([first, { prefix: '/api', options: { ...second.options, ...options } }]), message)
      await refuse(
        { resources: [people] },
        /the views "authors-list" \(\/api\/authors\/\) of API "first" and "authors-list" \(\/api\/authors\/\) of API "second" match the same URLs/,
      )
      const root = { name: 'Root', handlers: { GET: () => ({ status: 200, body: {} }) } }
      await refuse({ root }, /another API at the same prefix has a root view/)
      await refuse({ trailingSlash: false }, /another API at the prefix "\/api" has another "trailingSlash"/)
      const { name: _, ...unnamed } = second.options
      const { name: __, ...others } = first.options
      await assert.rejects(
        start([
          { prefix: '/api', options: others },
          { prefix: '/api', options: unnamed },
        ]),
        /there are two APIs named "\/api\/"/,
      )
    })
  },
)
