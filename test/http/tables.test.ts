// Declared tables: their columns, the resources of a table, and values of related rows and conditions without SQL.

import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import Fastify from 'fastify'
import { sql } from 'kysely'
import {
  allowAny,
  and,
  authenticated,
  choice,
  createApi,
  decimal,
  forTypes,
  type Identity,
  integer,
  key,
  migrate,
  nested,
  not,
  openDatabase,
  or,
  related,
  rowFilter,
  staff,
  text,
} from 'resource-api'
import {
  caller,
  count,
  created,
  exists,
  generated,
  latest,
  now,
  owner,
  product,
  reference,
  sum,
  table,
  tables,
  updated,
  value,
  where,
} from 'resource-api/tables'
import { asUser, onEachDatabase, userScheme } from '../support/own-api.ts'

const users = table('users', { columns: { id: key(), name: text({ unique: 'taken' }) } })
const follows = table('follows', {
  key: ['follower', 'followed'],
  columns: {
    follower: reference('users', { relatedName: 'following' }),
    followed: reference('users', { relatedName: 'followers' }),
  },
})
const articles = table('articles', {
  columns: {
    id: key(),
    title: text({ max: 100, unique: 'There is an article with this title.' }),
    state: choice(['draft', 'live'], { default: 'draft' }),
    author: owner('users'),
    sequel_of: reference('articles', { nullable: true, relatedName: 'sequels' }),
    words: generated(integer(), ({ row }) => sql`length(${row.title})`),
    created_at: created(),
    updated_at: updated(),
  },
  indexes: [['-created_at', 'id']],
  checks: { titled: ({ row }) => sql`${row.title} <> ''` },
})
const tags = table('tags', {
  key: ['article', 'tag'],
  columns: { article: reference('articles', { onDelete: 'cascade' }), tag: text() },
})
const lines = table('lines', {
  columns: {
    id: key(),
    article: reference('articles', { onDelete: 'cascade' }),
    quantity: integer(),
    price: decimal({ maxDigits: 8, decimalPlaces: 2, nullable: true }),
    note: text(),
    due: created(),
  },
})
const schema = tables({ owner: 'blog', tables: [articles, tags, lines, users, follows] })

const { resource } = forTypes<Identity, typeof schema>()

const people = resource('users', { table: users, fields: users.pick('id', 'name'), permissions: [allowAny] })
const money = decimal({ maxDigits: 12, decimalPlaces: 2 })
const all = resource('articles', {
  table: articles,
  fields: {
    ...articles.pick('id', 'title', 'state', 'words', 'created_at', 'updated_at'),
    author: nested({ of: people, column: 'author_id' }),
    lines: count('lines'),
    cheap: count('lines', { price__lt: '2.00' }),
    total: sum(money, 'lines', product('quantity', 'price')),
    quantity: sum(integer(), 'lines', 'quantity', { note__not: 'none' }),
    mine: exists('lines', { 'article.author': caller('id') }),
    last_note: latest(text(), 'lines', '-id', 'note'),
    sequels: count('sequels'),
  },
  ordering: ['id'],
  orderingFields: ['total', 'lines', 'last_note'],
  filters: {
    total: ['gte'],
    tag: where({ 'tags.tag': value(text()) }),
    author: where({ 'author.name__istartswith': value(text()) }),
    followed: where({ 'author.followers': { follower: caller('id') } }),
    priced: where({ lines: { price__isnull: false, or: [{ quantity__gte: 3 }, { note__in: ['a', 'b'] }] } }),
    latin: where({ title__iregex: '^(O|t.o)' }),
    ended: where({ not: { 'lines.due__gte': now() } }),
  },
  pagination: null,
  lists: { feed: { rows: { 'author.followers': { follower: caller('id') } } } },
})
const live = resource('live', {
  table: articles,
  pagination: null,
  rows: { state: 'live' },
  fields: { ...articles.pick('id', 'title'), sequel_of: related('live', { nullable: true }) },
  permissions: [allowAny],
})
const ofOwnArticle = rowFilter({ 'article.author': caller('id') })
const notes = resource('notes', {
  table: lines,
  actions: ['list', 'retrieve'],
  pagination: null,
  fields: lines.pick('id', 'note'),
  permissions: [or(staff, and(authenticated, ofOwnArticle))],
  perAction: { retrieve: { permissions: [not(ofOwnArticle)] } },
  lists: { cheap: { rows: { price__lt: '2.00' }, permissions: [ofOwnArticle] } },
})

onEachDatabase(
  () => ({
    resources: [people, all, live, notes],
    authentication: [userScheme],
  }),
  api => {
    const send = (method: string, url: string, user: 'ann' | 'bob' | undefined, json?: object) =>
      api().client.request(method, url, { ...(json && { json }), ...(user && asUser(user)) })
    const titles = async (url: string, user: 'ann' | 'bob' = 'ann') => {
      const { status, text: body } = await send('GET', url, user)
      assert.equal(status, 200, body)
      return JSON.parse(body).map(({ title }: { title: string }) => title)
    }

    beforeEach(async () => {
      await api().database.transaction(async ({ kysely }) => {
        for (const name of ['lines', 'tags', 'articles', 'follows', 'users']) await kysely.deleteFrom(name).execute()
        await kysely
          .insertInto('users')
          .values([
            { id: 1, name: 'ann' },
            { id: 2, name: 'bob' },
          ])
          .execute()
      })
    })

    const fill = async () => {
      for (const [user, title] of [
        ['ann', 'one'],
        ['bob', 'two'],
        ['bob', 'three'],
      ] as const)
        assert.equal((await send('POST', '/articles/', user, { title })).status, 201)
      const ids = (await api().rows('articles')).map(({ id }) => id as number).toSorted((a, b) => a - b)
      await api().insert('lines', [
        { article_id: ids[0], quantity: 2, price: '1.50', note: 'a', due: '2020-01-01T00:00:00Z' },
        { article_id: ids[0], quantity: 3, price: '2.00', note: 'none', due: '2020-01-01T00:00:00Z' },
        { article_id: ids[1], quantity: 1, price: null, note: 'b', due: '2999-01-01T00:00:00Z' },
      ])
      await api().database.transaction(async ({ kysely }) => {
        await kysely
          .insertInto('tags')
          .values([
            { article_id: ids[0], tag: 'x' },
            { article_id: ids[2], tag: 'x' },
          ])
          .execute()
        await kysely.insertInto('follows').values({ follower_id: 1, followed_id: 2 }).execute()
        await kysely.updateTable('articles').set({ sequel_of_id: ids[0] }).where('id', '=', ids[1]).execute()
      })
      return ids
    }

    suite('columns that fill themselves', () => {
      test('the create sets the owner and the times, an update the time of the last write', async () => {
        const made = (await send('POST', '/articles/', 'bob', { title: 'tea' })).json()
        assert.deepEqual([made.author, made.words, made.created_at], [{ id: 2, name: 'bob' }, 3, made.updated_at])
        const changed = (await send('PATCH', `/articles/${made.id}/`, 'ann', { title: 'green tea' })).json()
        assert.deepEqual([changed.author.id, changed.words, changed.created_at], [2, 9, made.created_at])
        assert.ok(changed.updated_at > made.updated_at)
      })

      test('a body cannot set them', async () => {
        const body = { title: 'tea', created_at: '2000-01-01T00:00:00Z', author: { id: 1 }, author_id: 1, words: 7 }
        const made = (await send('POST', '/articles/', 'bob', body)).json()
        assert.deepEqual([made.author.id, made.words, made.created_at > '2026'], [2, 3, true])
      })

      test('a caller without an account gets a sentence', async () => {
        const { status, text: body } = await send('POST', '/articles/', undefined, { title: 'tea' })
        assert.deepEqual([status, body], [401, '{"detail":"Authentication credentials were not provided."}'])
        assert.deepEqual(await api().rows('articles'), [])
      })
    })

    test('a unique set and a check are part of the table', async () => {
      await send('POST', '/articles/', 'ann', { title: 'tea' })
      const again = await send('POST', '/articles/', 'bob', { title: 'tea' })
      assert.deepEqual([again.status, again.json()], [400, { title: ['There is an article with this title.'] }])
      await assert.rejects(api().insert('articles', [{ title: '', state: 'live', author_id: 1 }]))
    })

    test('rows decide which objects exist', async () => {
      const ids = await fill()
      await send('PATCH', `/articles/${ids[1]}/`, 'bob', { state: 'live' })
      assert.deepEqual(await titles('/live/'), ['two'])
      assert.equal((await send('GET', `/live/${ids[0]}/`, 'ann')).status, 404)
      assert.equal((await send('DELETE', `/live/${ids[0]}/`, 'ann')).status, 404)
      const hidden = (await send('GET', `/live/${ids[1]}/`, 'ann')).json()
      assert.equal(hidden.sequel_of, null)
    })

    test('a row filter without SQL, alone and in other permissions', async () => {
      await fill()
      const listNotes = async (url: string, user: 'ann' | 'bob') =>
        (await send('GET', url, user)).json().map(({ note }: { note: string }) => note)
      assert.deepEqual(await listNotes('/notes/', 'ann'), ['a', 'none'])
      assert.deepEqual(await listNotes('/notes/', 'bob'), ['b'])
      assert.deepEqual(await listNotes('/notes/cheap/', 'ann'), ['a'])
      const [line] = await api().rows('lines')
      const owned = line?.note === 'b' ? 'bob' : 'ann'
      const read = (user: 'ann' | 'bob') => send('GET', `/notes/${line?.id}/`, user)
      assert.equal((await read(owned)).status, 404)
      assert.equal((await read(owned === 'ann' ? 'bob' : 'ann')).status, 200)
    })

    test('values of related rows', async () => {
      await fill()
      const read = (await send('GET', '/articles/', 'ann')).json()
      const shown = (name: string) => read.map((each: Record<string, unknown>) => each[name])
      assert.deepEqual(shown('lines'), [2, 1, 0])
      assert.deepEqual(shown('cheap'), [1, 0, 0])
      assert.deepEqual(shown('total'), ['9.00', '0.00', '0.00'])
      assert.deepEqual(shown('quantity'), [2, 1, 0])
      assert.deepEqual(shown('mine'), [true, false, false])
      assert.deepEqual(shown('last_note'), ['none', 'b', null])
      assert.deepEqual(shown('sequels'), [1, 0, 0])
      assert.deepEqual(await titles('/articles/?ordering=-total'), ['one', 'three', 'two'])
      assert.deepEqual(await titles('/articles/?ordering=lines'), ['three', 'two', 'one'])
      assert.deepEqual(await titles('/articles/?total__gte=9'), ['one'])
    })

    test('filters by conditions', async () => {
      await fill()
      assert.deepEqual(await titles('/articles/?tag=x'), ['one', 'three'])
      assert.deepEqual(await titles('/articles/?tag=y'), [])
      assert.deepEqual(await titles('/articles/?author=BO'), ['two', 'three'])
      assert.deepEqual(await titles('/articles/?followed=true'), ['two', 'three'])
      assert.deepEqual(await titles('/articles/?followed=false'), ['one'])
      assert.deepEqual(await titles('/articles/?followed=true', 'bob'), [])
      assert.deepEqual(await titles('/articles/?priced=true'), ['one'])
      assert.deepEqual(await titles('/articles/?latin=true'), ['one', 'two'])
      assert.deepEqual(await titles('/articles/?ended=true'), ['one', 'three'])
      assert.deepEqual(await titles('/articles/feed/'), ['two', 'three'])
    })
  },
  { migrations: {}, owners: [schema] },
)

suite('mistakes', () => {
  const declare = (options: object) => () =>
    resource('articles', { table: articles, fields: articles.pick('id'), ...(options as object) })
  for (const [message, options] of [
    [
      'resource "articles": field "n": table "articles" has no relation "line": write "lines"',
      { fields: { n: count('line') } },
    ],
    [
      'resource "articles": field "n": table "articles" has no relation "nothing": its relations are author, sequel_of, sequels, tags, lines',
      { fields: { n: count('nothing') } },
    ],
    [
      'resource "articles": field "n": table "lines": there is no column "prize": write "price"',
      { fields: { n: count('lines', { prize: 1 }) } },
    ],
    [
      'resource "articles": filters: "n": table "articles": condition "title__startwith": there is no lookup "startwith": write "startswith"',
      { filters: { n: where({ title__startwith: 'x' }) } },
    ],
    [
      'resource "articles": rows: table "articles": condition "state__gt": null has no order and no text: use "isnull"',
      { rows: { state__gt: null } },
    ],
    [
      'resource "articles": filters: "latin": table "articles": condition "title__regex": write the regular expression itself',
      { filters: { latin: where({ title__regex: value(text()) }) } },
    ],
    [
      'resource "articles": filters: "latin": ["The regular expression has a mistake at character 1: \\"[\\"."]',
      { filters: { latin: where({ title__regex: '[a' }) } },
    ],
    [
      'resource "articles": filters: "n": table "articles": condition "sequel_of__isnull": write true or false',
      { filters: { n: where({ sequel_of__isnull: value(text()) }) } },
    ],
    [
      'resource "articles": rows: table "articles": condition "state": a list needs the lookup "in" or "range"',
      { rows: { state: ['live'] } },
    ],
    [
      'resource "articles": permissions: table "articles" has no relation "autor": write "author"',
      { permissions: [or(staff, rowFilter({ 'autor.name': 'ann' }))] },
    ],
    [
      'resource "articles": the action "list": permissions: it needs the declared table of the resource: write table: books, with a table of table()',
      { table: 'articles', perAction: { list: { permissions: [rowFilter({ state: 'live' })] } } },
    ],
  ] as const)
    test(message, () => {
      assert.throws(declare(options), { message })
    })

  test('a resource of a table that is only named', () => {
    assert.throws(() => resource('articles', { table: 'articles', fields: { n: count('lines') } }), {
      message:
        'resource "articles": field "n": it needs the declared table of the resource: write table: books, with a table of table()',
    })
  })

  test('a row filter without SQL as a permission of the API', async () => {
    const named = resource('users', { table: 'users', fields: { id: key() }, actions: ['list'] })
    const database = openDatabase('sqlite::memory:')
    await migrate(database, [schema])
    const options = { database, resources: [named], permissions: [ofOwnArticle] }
    await assert.rejects(async () => await Fastify().register(createApi(options)), {
      message:
        'rowFilter(): a condition is for a resource with a declared table, its actions and its lists: write SQL for others',
    })
  })

  test('a table of no schema', () => {
    const alone = table('alone', { columns: { id: key() } })
    assert.throws(() => resource('alone', { table: alone as never, fields: { n: count('lines') } }), {
      message:
        'resource "alone": field "n": table "alone" belongs to no schema: name it in tables({ owner, tables: [alone] })',
    })
  })
})
