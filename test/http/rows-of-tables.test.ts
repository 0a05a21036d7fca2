// The option `rows` of a declared table: the rows that exist, for resources, relations, values and conditions, also if the condition
// reads the caller or the time.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import {
  allowAny,
  createContext,
  dateTime,
  ignorePermissions,
  key,
  nested,
  related,
  resource,
  text,
  via,
} from 'resource-api'
import { caller, count, exists, now, reference, table, tables, value, where } from 'resource-api/tables'
import { asUser, onEachDatabase, userScheme } from '../support/own-api.ts'

const authors = table('authors', {
  columns: { id: key(), name: text(), hidden_by: text({ nullable: true }) },
  rows: { not: { hidden_by: caller('username') } },
})
const posts = table('posts', {
  columns: {
    id: key(),
    author: reference('authors'),
    answer_to: reference('posts', { nullable: true, relatedName: 'answers' }),
    title: text({ unique: 'taken' }),
    appears: dateTime(),
  },
  rows: { or: [{ appears__lte: now() }, caller('isStaff')] },
})
// The rows of a table may depend on rows of the same table, whose own `rows` do not apply again.
const replies = table('replies', {
  columns: { id: key(), parent: reference('replies', { nullable: true, relatedName: 'children' }), text: text() },
  rows: { not: { 'parent.text': 'closed' } },
})
const schema = tables({ owner: 'posts', tables: [authors, posts, replies] })

const postResource = resource('posts', {
  table: posts,
  pagination: null,
  ordering: ['id'],
  fields: {
    ...posts.pick('id', 'title', 'appears'),
    author: related('authors'),
    // No resource has the table of a `via`.
    name: text({ source: via('author_id', 'authors', 'name') }),
    answer_to: related('posts', { nullable: true }),
    answers: count('answers'),
  },
  filters: { of: where({ 'author.name': value(text()) }), answered: where({ answers: { title__contains: 'a' } }) },
})
const authorResource = resource('authors', {
  table: authors,
  pagination: null,
  ordering: ['id'],
  fields: {
    ...authors.pick('id', 'name'),
    posts: nested({ of: 'posts', many: { reverse: 'author_id' }, fields: ['title'] }),
    count: count('posts'),
    wrote: exists('posts', { title: 'later' }),
  },
})
const replyResource = resource('replies', {
  table: replies,
  pagination: null,
  ordering: ['id'],
  fields: { ...replies.pick('id', 'text'), children: count('children') },
})

let time = Date.parse('2026-01-01T00:00:00Z')

onEachDatabase(
  () => ({
    resources: [postResource, authorResource, replyResource],
    authentication: [userScheme],
    permissions: [allowAny],
    clock: () => new Date(time),
  }),
  api => {
    const get = async (url: string, user: 'ann' | 'bob' | 'sue' = 'ann') => {
      const response = await api().client.request('GET', url, asUser(user))
      assert.equal(response.status, 200, response.text)
      return response.json()
    }
    let ids: readonly number[]
    let [early, later] = [0, 0]

    beforeEach(async () => {
      time = Date.parse('2026-01-01T00:00:00Z')
      await api().database.transaction(async ({ kysely }) => {
        for (const name of ['posts', 'authors', 'replies']) await kysely.deleteFrom(name).execute()
      })
      ids = await api().insert('authors', [{ name: 'cat' }, { name: 'dan', hidden_by: 'bob' }])
      ;[early, later] = (await api().insert('posts', [
        { author_id: ids[0], title: 'early', appears: '2025-01-01T00:00:00Z' },
        { author_id: ids[1], title: 'later', appears: '2026-06-01T00:00:00Z' },
      ])) as [number, number]
    })

    test('a row that does not exist yet is in no list, value or relation, and appears in time', async () => {
      const titles = async (user: 'ann' | 'sue') =>
        (await get('/posts/', user)).map(({ title }: { title: string }) => title)
      const counts = async (user: 'ann' | 'sue') =>
        (await get('/authors/', user)).map(({ count, wrote, posts }: Record<string, unknown>) => [
          count,
          wrote,
          (posts as []).length,
        ])
      for (let round = 0; round < 2; round++) {
        assert.deepEqual([await titles('ann'), await titles('sue')], [['early'], ['early', 'later']])
        assert.deepEqual(await counts('ann'), [
          [1, false, 1],
          [0, false, 0],
        ])
        assert.deepEqual(await counts('sue'), [
          [1, false, 1],
          [1, true, 1],
        ])
      }
      assert.equal((await api().client.request('GET', `/posts/${later}/`, asUser('ann'))).status, 404)
      time = Date.parse('2027-01-01T00:00:00Z')
      assert.deepEqual(await titles('ann'), ['early', 'later'])
      assert.deepEqual(await counts('ann'), [
        [1, false, 1],
        [1, true, 1],
      ])
    })

    test('pages differ by the caller that the condition reads, also those of other tables', async () => {
      time = Date.parse('2027-01-01T00:00:00Z')
      for (let round = 0; round < 2; round++) {
        assert.deepEqual(
          (await get('/posts/', 'ann')).map(({ name }: { name: string }) => name),
          ['cat', 'dan'],
        )
        assert.deepEqual(
          (await get('/posts/', 'bob')).map(({ name }: { name: string }) => name),
          ['cat', null],
        )
        assert.deepEqual((await get('/authors/', 'bob')).length, 1)
        assert.equal((await get('/posts/?of=dan', 'ann')).length, 1)
        assert.equal((await get('/posts/?of=dan', 'bob')).length, 0)
      }
    })

    test('a row that does not exist cannot be referred to, also by code without permissions', async () => {
      const body = { author: ids[0]!, title: 'x', appears: '2025-01-01T00:00:00Z', answer_to: later }
      const refused = await api().client.request('POST', '/posts/', { json: body, ...asUser('ann') })
      assert.deepEqual([refused.status, Object.keys(refused.json())], [400, ['answer_to']])
      const context = createContext(api().app, {
        user: { isAuthenticated: true, id: 1, username: 'ann', isStaff: false },
      })
      await assert.rejects(postResource.create(body, ignorePermissions(context)), { status: 400 })
      assert.equal(
        (await postResource.create({ ...body, answer_to: early }, ignorePermissions(context))).values.title,
        'x',
      )
      assert.deepEqual(
        (await get('/posts/?answered=true')).map(({ id }: { id: number }) => id),
        [],
      )
    })

    test('a unique value of a row that does not exist for the caller stays taken', async () => {
      const body = { author: ids[0], title: 'later', appears: '2025-01-01T00:00:00Z' }
      const refused = await api().client.request('POST', '/posts/', { json: body, ...asUser('ann') })
      assert.deepEqual([refused.status, refused.json()], [400, { title: ['taken'] }])
    })

    test('rows that depend on rows of their own table end the circle', async () => {
      const [closed] = await api().insert('replies', [{ text: 'closed' }, { text: 'open' }])
      await api().insert('replies', [{ parent_id: closed, text: 'a' }])
      assert.deepEqual(
        (await get('/replies/')).map(({ text, children }: Record<string, unknown>) => [text, children]),
        [
          ['closed', 0],
          ['open', 0],
        ],
      )
    })
  },
  { migrations: {}, owners: [schema] },
)
