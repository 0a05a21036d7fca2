// Relations of declared tables by their names: through a table that joins two others, by a reference, and back from it.

import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { allowAny, key, nested, related, resource, text } from 'resource-api'
import { count, deleted, exists, reference, table, tables, through, value, where } from 'resource-api/tables'
import { onEachDatabase } from '../support/own-api.ts'

const people = table('people', {
  columns: { id: key(), name: text() },
  many: { followers: through('follows', { own: 'followed', other: 'follower' }) },
})
const articles = table('articles', {
  columns: {
    id: key(),
    writer: reference('people', { column: 'written_by' }),
    title: text(),
  },
  many: { tags: through('article_tags') },
})
const tags = table('tags', { columns: { id: key(), name: text(), deleted_at: deleted() } })
const articleTags = table('article_tags', {
  key: ['article', 'tag'],
  columns: { article: reference('articles', { onDelete: 'cascade' }), tag: reference('tags') },
})
const follows = table('follows', {
  columns: {
    id: key(),
    follower: reference('people', { relatedName: 'following' }),
    followed: reference('people', { relatedName: 'followed_by' }),
    deleted_at: deleted(),
  },
})
const passports = table('passports', {
  columns: { id: key(), person: reference('people', { unique: true }), number: text() },
})
const letters = table('letters', {
  columns: {
    id: key(),
    from: reference('people', { relatedName: 'sent' }),
    to: reference('people', { relatedName: 'received' }),
    text: text(),
  },
})
const schema = tables({ owner: 'blog', tables: [people, articles, tags, articleTags, follows, passports, letters] })

const tagResource = resource('tags', { table: tags, pagination: null, fields: tags.pick('id', 'name') })
const passportResource = resource('passports', {
  table: passports,
  pagination: null,
  fields: { ...passports.pick('id', 'number'), person: related('people') },
})
const articleResource = resource('articles', {
  table: articles,
  pagination: null,
  ordering: ['id'],
  fields: {
    ...articles.pick('id', 'title'),
    writer: related('people'),
    tags: related(tagResource, { many: true, default: [] }),
    tag_count: count('tags'),
    green: exists('tags', { name: 'green' }),
  },
  filters: {
    tag: where({ 'tags.name': value(text()) }),
    tags: true,
    of: where({ 'writer.followers.name': value(text()) }),
  },
})
const peopleResource = resource('people', {
  table: people,
  pagination: null,
  ordering: ['id'],
  fields: {
    ...people.pick('id', 'name'),
    articles: nested({ of: 'articles', many: true, fields: ['id', 'title'], writable: true }),
    passports: nested({ of: 'passports', one: true, fields: ['id', 'number'], writable: true }),
    followers: count('followers'),
  },
})
const letterResource = resource('letters', {
  table: letters,
  pagination: null,
  fields: { ...letters.pick('id', 'text'), from: related('people'), to: related('people') },
  filters: { of: where({ or: [{ 'from.name': value(text()) }, { 'to.sent.text': value(text()) }] }) },
})
const writerResource = resource('writers', {
  table: people,
  pagination: null,
  ordering: ['id'],
  fields: {
    ...people.pick('id', 'name'),
    sent: nested({ of: 'letters', many: true, fields: ['id', 'text', 'to'], writable: true }),
    received: nested({ of: 'letters', many: true, fields: ['text'] }),
    sent_count: count('sent'),
    received_tea: exists('received', { text: 'tea' }),
  },
})
const shownResource = resource('shown', {
  table: articles,
  pagination: null,
  ordering: ['id'],
  actions: ['list'],
  fields: {
    ...articles.pick('id'),
    writer: nested({ of: 'people', fields: ['name'] }),
    tags: nested({ of: tagResource, many: true, fields: ['name'] }),
  },
})

onEachDatabase(
  () => ({
    resources: [
      tagResource,
      articleResource,
      peopleResource,
      passportResource,
      shownResource,
      letterResource,
      writerResource,
    ],
    permissions: [allowAny],
  }),
  api => {
    const send = (method: string, url: string, json?: object) => api().client.request(method, url, json ? { json } : {})
    const get = async (url: string) => {
      const response = await send('GET', url)
      assert.equal(response.status, 200, response.text)
      return response.json()
    }
    let persons: readonly number[]
    let colours: readonly number[]

    beforeEach(async () => {
      await api().database.transaction(async ({ kysely }) => {
        for (const name of ['letters', 'article_tags', 'articles', 'tags', 'follows', 'passports', 'people'])
          await kysely.deleteFrom(name).execute()
      })
      persons = await api().insert('people', [{ name: 'ann' }, { name: 'bob' }])
      colours = await api().insert('tags', [{ name: 'green' }, { name: 'blue' }])
    })

    test('two references to one table lead back by two names, in fields, values and conditions', async () => {
      const [ann, bob] = persons
      const sent = [{ text: 'tea', to: bob }]
      assert.equal((await send('PATCH', `/writers/${ann}/`, { sent })).status, 200)
      assert.partialDeepStrictEqual(await get('/writers/'), [
        { id: ann, name: 'ann', sent, received: [], sent_count: 1, received_tea: false },
        { id: bob, name: 'bob', sent: [], received: [{ text: 'tea' }], sent_count: 0, received_tea: true },
      ])
      assert.equal((await get('/letters/?of=ann')).length, 1)
      assert.deepEqual(await get('/letters/?of=tea'), [])
    })

    test('a field finds its joining table, and writes it', async () => {
      const made = await send('POST', '/articles/', { title: 'x', writer: persons[0], tags: [...colours] })
      assert.deepEqual([made.status, made.json().tags, made.json().tag_count], [201, [...colours], 2])
      const { id } = made.json()
      const changed = await send('PATCH', `/articles/${id}/`, { tags: [colours[1]] })
      assert.deepEqual(
        [changed.json().tags, changed.json().green, changed.json().writer],
        [[colours[1]], false, persons[0]],
      )
      assert.deepEqual(await get('/shown/'), [{ id, writer: { name: 'ann' }, tags: [{ name: 'blue' }] }])
      const refused = await send('POST', '/articles/', { title: 'y', writer: persons[0], tags: [999_999] })
      assert.deepEqual([refused.status, Object.keys(refused.json())], [400, ['tags']])
    })

    test('conditions and values follow it, and deleted rows on both ends and between them', async () => {
      for (const [title, names] of [
        ['x', [colours[0]]],
        ['y', [...colours]],
      ] as const)
        assert.equal((await send('POST', '/articles/', { title, writer: persons[0], tags: names })).status, 201)
      const titles = async (url: string) => (await get(url)).map(({ title }: { title: string }) => title)
      assert.deepEqual(await titles('/articles/?tag=green'), ['x', 'y'])
      assert.deepEqual(await titles('/articles/?tag=blue'), ['y'])
      assert.deepEqual(await titles(`/articles/?tags=${colours[1]}`), ['y'])
      assert.equal((await send('DELETE', `/tags/${colours[0]}/`)).status, 204)
      assert.deepEqual(await titles('/articles/?tag=green'), [])
      assert.deepEqual(
        (await get('/articles/')).map(({ tag_count, green }: Record<string, unknown>) => [tag_count, green]),
        [
          [0, false],
          [1, false],
        ],
      )
      const [ended] = await api().insert('follows', [
        { follower_id: persons[1], followed_id: persons[0], deleted_at: null },
      ])
      assert.deepEqual(await titles('/articles/?of=bob'), ['x', 'y'])
      assert.deepEqual(
        (await get('/people/')).map(({ followers }: { followers: number }) => followers),
        [1, 0],
      )
      await api().database.transaction(async ({ kysely }) => {
        await kysely
          .updateTable('follows')
          .set({ deleted_at: '2026-01-01T00:00:00Z' })
          .where('id', '=', ended!)
          .execute()
      })
      assert.deepEqual(await titles('/articles/?of=bob'), [])
      assert.deepEqual(
        (await get('/people/')).map(({ followers }: { followers: number }) => followers),
        [0, 0],
      )
    })

    test('nested objects find the columns that refer back, and are written', async () => {
      const made = await send('POST', '/people/', {
        name: 'cat',
        articles: [{ title: 'a' }],
        passports: { number: '7' },
      })
      assert.equal(made.status, 201, made.text)
      const { id, articles: own, passports: passport } = made.json()
      assert.deepEqual([own[0].title, passport.number], ['a', '7'])
      const changed = await send('PATCH', `/people/${id}/`, { articles: [{ ...own[0], title: 'b' }], passports: null })
      assert.deepEqual([changed.json().articles[0].title, changed.json().passports], ['b', null])
    })
  },
  { migrations: {}, owners: [schema] },
)

suite('mistakes', () => {
  const declare = (options: object) => () => resource('articles', { table: articles, fields: {}, ...options })
  const lost = table('lost', {
    columns: { id: key() },
    many: { none: through('nowhere'), loose: through('tags'), both: through('follows') },
  })
  tables({ owner: 'lost', tables: [lost], uses: [schema] })
  const twice = table('people', { columns: { id: key() } })
  const pairs = table('pairs', { columns: { id: key(), one: reference('people'), other: reference('people') } })
  tables({ owner: 'twice', tables: [twice, pairs] })
  for (const [message, run] of [
    [
      'resource "articles": field "tgas": table "articles" has no relation "tgas": write "tags"',
      declare({ fields: { tgas: related('tags', { many: true }) } }),
    ],
    [
      'resource "articles": field "tags": related(): many: true needs the declared table of the resource: write the join table with "table", "own" and "other"',
      declare({ table: 'articles', fields: { tags: related('tags', { many: true }) } }),
    ],
    [
      'resource "articles": field "writer": related(): many: it is a relation to one object: remove "many"',
      declare({ fields: { writer: related('people', { many: true }) } }),
    ],
    [
      'resource "people": field "articles": related(): many: true is for a table that joins two others: write many: { reverse: "written_by" }',
      () => resource('people', { table: people, fields: { articles: related('articles', { many: true }) } }),
    ],
    [
      'resource "articles": field "writer": nested(): it is a relation to one object, in the column "written_by": remove "many"',
      declare({ fields: { writer: nested({ of: 'people', many: true }) } }),
    ],
    [
      'resource "people": field "articles": nested(): it is a relation to rows that refer to this one: write many: true, or one: true',
      () => resource('people', { table: people, fields: { articles: nested({ of: 'articles' }) } }),
    ],
    [
      'resource "people": field "followers": some rows of the table "follows" do not exist for every caller: show them by nested(), with a resource of that table',
      () => resource('people', { table: people, fields: { followers: related('people', { many: true }) } }),
    ],
    [
      'resource "people": field "n": table "pairs" refers to "people" several times: give these references names, as in reference("people", { relatedName: "…" })',
      () => resource('people', { table: twice, fields: { n: count('pairs') } }),
    ],
    [
      'table "articles": many: "title" is the name of a column: rename one of them',
      () => table('articles', { columns: { id: key(), title: text() }, many: { title: through('tags') } }),
    ],
    [
      'resource "lost": field "n": table "lost": many: "none": there is no table "nowhere": add it to "tables" or to "uses"',
      () => resource('lost', { table: lost, fields: { n: count('none') } }),
    ],
    [
      'resource "lost": field "n": table "lost": many: "loose": the table "tags" has no such reference to "lost"',
      () => resource('lost', { table: lost, fields: { n: count('loose') } }),
    ],
  ] as const)
    test(message, () => {
      assert.throws(run, { message })
    })
})
