// Custom paginators: `plan` selects a part of the list, and `createPage` builds the response body (LIM-PAG-p2).

import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import { JsonText, key, limitOffset, NotFound, pageNumber, resource, text } from 'resource-api'
import { createPageLink, envelope, type Paginator, parseCount } from 'resource-api/extend'
import { onEachDatabase, userScheme } from '../support/own-api.ts'

/** Items from `?start=` with the total count, read in one statement. */
const counted: Paginator = {
  plan(request) {
    const offset = parseCount(request.query.get('start')) ?? 0
    return {
      kind: 'counted',
      offset,
      limit: 2,
      createPage(items, count) {
        if (offset > count) throw new NotFound('No such page.')
        const next = offset + 2 < count ? createPageLink(request, { start: String(offset + 2) }) : null
        return envelope(count, next, null, items)
      },
    }
  },
}

/** Reads one item more than it returns, to see whether more follow; runs no count. */
const uncounted: Paginator = {
  plan: ({ query }) => ({
    kind: 'uncounted',
    offset: parseCount(query.get('start')) ?? 0,
    limit: 3,
    createPage: items => ({
      body: { items: items.slice(0, 2).map(item => JSON.parse(item)), more: items.length > 2 },
      headers: { 'x-more': String(items.length > 2) },
    }),
  }),
}

/** Items after a position in the paginator's own ordering. */
const afterPosition: Paginator = {
  ordering: ['-name'],
  plan({ query }) {
    const [name, id] = (query.get('after') ?? '').split(',')
    return {
      kind: 'keyset',
      direction: 'forward',
      position: id === undefined ? null : [name!, Number(id)],
      limit: 2,
      createPage: rows => ({
        body: new JsonText(`{"items":[${rows.map(({ item }) => item)}],"after":"${rows.at(-1)?.position}"}`),
      }),
    }
  },
}

const onRequest: Paginator = {
  plan: request => (request.query.has('start') ? counted.plan(request) : undefined),
}

const fields = { id: key(), name: text() }
const list = (name: string, pagination: Paginator | null, table = 'authors') =>
  resource(name, { table, ordering: ['name'], fields, pagination })

const statements: string[] = []

onEachDatabase(
  () => ({
    authentication: [userScheme],
    resources: [
      list('counted', counted),
      list('uncounted', uncounted),
      list('behind', afterPosition),
      list('on-request', onRequest),
      list('ones', pageNumber({ pageSize: 1 })),
      list('no-ones', pageNumber({ pageSize: 1 }), 'tags'),
      list('twos', limitOffset({ defaultLimit: 2 })),
      list('whole', null),
      list('whole-tags', null, 'tags'),
    ],
  }),
  api => {
    before(async () => {
      await api().insert(
        'authors',
        ['ann', 'bob', 'cid', 'dan', 'eve'].map(name => ({ name })),
      )
    })
    beforeEach(async () => {
      // A commit changes the database version, which invalidates the cached pages.
      await api().database.transaction(({ kysely }) => kysely.updateTable('tags').set({ name: 'x' }).execute())
    })

    /** Requests a path; returns the response and the number of select statements. */
    const get = async (path: string) => {
      statements.length = 0
      const response = await api().client.get(path)
      return { status: response.status, headers: response.headers, body: response.json(), reads: statements.length }
    }
    const names = (items: readonly { name: string }[]) => items.map(({ name }) => name)

    test('LIM-PAG-p2: a counted plan runs one statement and gets the exact count', async () => {
      const { body, reads } = await get('/counted/?start=1&x=y')
      assert.deepEqual(
        [body.count, body.next, names(body.results), reads],
        [5, 'http://localhost/counted/?start=3&x=y', ['bob', 'cid'], 1],
      )
      const last = await get('/counted/?start=3')
      assert.deepEqual([last.body.next, names(last.body.results)], [null, ['dan', 'eve']])
    })

    test('LIM-PAG-p2: NotFound from createPage is 404, also when the request is repeated', async () => {
      for (let time = 0; time < 2; time++) {
        const { status, body } = await get('/counted/?start=6')
        assert.deepEqual([status, body], [404, { detail: 'No such page.' }])
      }
    })

    test('LIM-PAG-p2: an uncounted plan runs no count, and its page may have a data body and headers', async () => {
      const { body, headers, reads } = await get('/uncounted/')
      assert.deepEqual([names(body.items), body.more, headers['x-more'], reads], [['ann', 'bob'], true, 'true', 1])
      assert.ok(!statements.some(statement => /count\(/.test(statement)))
      const lastPage = await get('/uncounted/?start=4')
      assert.deepEqual([names(lastPage.body.items), lastPage.body.more], [['eve'], false])
    })

    test('LIM-PAG-p2: a keyset plan continues after a position in its own ordering', async () => {
      const first = await get('/behind/')
      assert.deepEqual([names(first.body.items), first.reads], [['eve', 'dan'], 1])
      const second = await get(`/behind/?after=${first.body.after}`)
      assert.deepEqual([names(second.body.items), second.reads], [['cid', 'bob'], 1])
    })

    test('LIM-PAG-p1: if plan returns undefined, the list is not paginated', async () => {
      assert.deepEqual(names((await get('/on-request/')).body), ['ann', 'bob', 'cid', 'dan', 'eve'])
      assert.deepEqual(names((await get('/on-request/?start=0')).body.results), ['ann', 'bob'])
    })

    test('LIM-PAG-r1: page=last runs one statement, and works for an empty list', async () => {
      const { body, reads } = await get('/ones/?page=last')
      assert.deepEqual([body.count, body.previous, names(body.results)], [5, 'http://localhost/ones/?page=4', ['eve']])
      assert.equal(reads, 1)
      const empty = await get('/no-ones/?page=last')
      assert.deepEqual([empty.status, empty.body], [200, { count: 0, next: null, previous: null, results: [] }])
    })

    test('SQLite serves a cached page until the next commit', async () => {
      const isSqlite = api().database.dialect.name === 'sqlite'
      for (const path of ['/twos/?offset=2', '/whole/', '/whole-tags/', '/behind/']) {
        const first = await get(path)
        const repeated = await get(path)
        assert.deepEqual([repeated.body, repeated.reads === 0], [first.body, isSqlite], path)
      }
      const [id] = await api().insert('authors', [{ name: 'fay' }])
      assert.deepEqual(names((await get('/whole/')).body), ['ann', 'bob', 'cid', 'dan', 'eve', 'fay'])
      assert.equal((await get('/twos/?offset=2')).body.count, 6)
      await api().database.transaction(({ kysely }) => kysely.deleteFrom('authors').where('id', '=', id).execute())
      assert.equal((await get('/twos/?offset=2')).body.count, 5)
    })

    test('END-LIST-r2: pages are cached per URL, with every query parameter', async () => {
      for (const query of ['?a=1', '?a=2', '?a=1&b']) {
        const { next } = (await get(`/twos/${query}`)).body
        assert.equal(new URL(next).searchParams.get('a'), query.slice(3, 4))
      }
    })
  },
  { observe: sql => void (/^\s*select .*(?:authors|tags)/i.test(sql) && statements.push(sql)) },
)
