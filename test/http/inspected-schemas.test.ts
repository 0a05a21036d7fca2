// `resource-api inspect --resources` on the tables of other programs: the declarations ask for exactly these tables, the drafted
// resources respond, and Django still reads what they write.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import Fastify from 'fastify'
import { sql } from 'kysely'
import { createApi, dateTime, fastifyOptions, key, resource, uuid } from 'resource-api'
import type { Database } from '../../src/core/database/database.ts'
import { checkState, dumps, inspect, openDump, request } from '../support/inspected-database.ts'

const readRow = async ({ kysely }: Database, table: string, id: unknown): Promise<Readonly<Record<string, unknown>>> =>
  (await sql<Record<string, unknown>>`select * from ${sql.table(table)} where id = ${id}`.execute(kysely)).rows[0]!

suite('inspect', () => {
  for (const [program, kind] of dumps)
    test(`${program}, ${kind}: make has nothing to do, and each drafted resource responds`, async context => {
      const database = await openDump(program, kind, context)
      const inspected = await inspect(database, context)
      await checkState(inspected, database)
      const { lists } = await request(inspected, database, context)
      assert.ok(Object.keys(lists).length >= 10)
      assert.doesNotMatch(JSON.stringify(lists), /pbkdf2|secret-1|0123456789abcdef/)
    })
})

suite('inspect --django', () => {
  for (const kind of ['sqlite', 'postgres'] as const)
    test(`Django 5, ${kind}: a generated column, defaults of the database and a key of two columns`, async context => {
      const database = await openDump('django5', kind, context)
      const inspected = await inspect(database, context, { django: true })
      await checkState(inspected, database)
      const { app, lists } = await request(inspected, database, context)
      assert.deepEqual(
        lists.articles!.map(({ slug, gross }) => [slug, gross]),
        [
          ['tea', '25.00'],
          ['mate', '6.00'],
        ],
      )
      assert.match(inspected.text, /^\/\/ The table "shop_orderline" has no resource: its key has several columns\.$/m)
      const { id: _, gross: __, tags, ...body } = lists.articles![0]!
      const payload = {
        ...body,
        slug: 'oolong',
        uid: '0198a5b2-7c1e-7d3a-9f60-3b1c2d4e5f6f',
        price: '4',
        image: 'a.png',
      }
      const created = await app.inject({ method: 'POST', url: '/articles/', payload: { ...payload, tags } })
      assert.equal(created.statusCode, 201, created.body)
      assert.deepEqual([created.json().gross, created.json().tags], ['8.00', [1]])
    })

  test('SQLite: values have the forms of the API outside, and those of Django inside', async context => {
    const database = await openDump('django', 'sqlite', context)
    const inspected = await inspect(database, context, { django: true })
    const { app, lists } = await request(inspected, database, context)
    const article = {
      id: 1,
      title: 'Tea',
      slug: 'tea',
      body: 'Green tea',
      state: 'draft',
      price: '12.50',
      rating: 4.5,
      published: '2026-01-31T12:00:00.123456Z',
      created: '2026-01-31T12:00:00.123456Z',
      day: '2026-01-31',
      opens: '09:30:00',
      length: 3_600_000_000,
      uid: '0198a5b2-7c1e-7d3a-9f60-3b1c2d4e5f60',
      meta: { a: [1, null, 'ü'] },
      is_featured: true,
      is_checked: null,
      words: 2,
      rank: 0,
      views: 0,
      image: '',
      ip: '127.0.0.1',
      author: 1,
      section: 2,
      tags: [1],
    }
    assert.deepEqual(lists.articles![0], article)
    assert.equal(lists.articles![1]!.published, '2026-02-01T08:00:00.000000Z')
    assert.equal(lists.orders![0]!.id, '0198a5b27c1e7d3a9f603b1c2d4e5f62')
    assert.deepEqual(lists.people![0]!.friends, [2])
    assert.deepEqual(lists.comments![0], { id: 1, object_id: 1, text: 'Thanks!', content_type: 17 })

    const { id: _, image: __, ...body } = article
    const uid = '0198A5B2-7C1E-7D3A-9F60-3B1C2D4E5F6F'
    const posted = {
      ...body,
      image: 'a.png',
      slug: 'oolong',
      uid,
      published: '2026-03-01T09:00:00+01:00',
      is_checked: false,
      tags: [2],
    }
    const created = await app.inject({ method: 'POST', url: '/articles/', payload: posted })
    assert.equal(created.statusCode, 201, created.body)
    assert.equal(created.json().uid, uid.toLowerCase())
    const {
      published,
      created: at,
      uid: stored,
      price,
      meta,
      is_featured,
      is_checked,
    } = await readRow(database, 'shop_article', 3)
    assert.deepEqual(
      { published, at, stored, price, meta, is_featured, is_checked },
      {
        published: '2026-03-01 08:00:00',
        at: '2026-01-31 12:00:00.123456',
        stored: '0198a5b27c1e7d3a9f603b1c2d4e5f6f',
        price: '12.5',
        meta: '{"a":[1,null,"ü"]}',
        is_featured: 1,
        is_checked: 0,
      },
    )

    const order = await app.inject({
      method: 'POST',
      url: '/orders/',
      payload: { customer: 1, placed: '2026-03-01T08:00:00Z' },
    })
    assert.equal(order.statusCode, 201, order.body)
    assert.match(order.json().id, /^[\da-f]{32}$/)
    const line = { order: '0198a5b2-7c1e-7d3a-9f60-3b1c2d4e5f62', article: 2, quantity: 1, price: '3' }
    const written = await app.inject({ method: 'POST', url: '/orderlines/', payload: line })
    assert.equal(written.json().order, '0198a5b27c1e7d3a9f603b1c2d4e5f62', written.body)
  })

  test('SQLite: filters and orders compare the forms of Django', async context => {
    const database = await openDump('django', 'sqlite', context)
    const inspected = await inspect(database, context, { django: true })
    const { app } = await request(inspected, database, context)
    const list = async (query: string) => {
      const response = await app.inject(`/articles/?${query}`)
      assert.equal(response.statusCode, 200, response.body)
      return (response.json() as readonly { id: number }[]).map(({ id }) => id)
    }
    assert.deepEqual(await list('published__gte=2026-02-01T08:00:00Z'), [2])
    assert.deepEqual(await list('published__lt=2026-02-01T08:00:00Z'), [1])
    assert.deepEqual(await list('published__gte=2026-01-31T12:00:00.123456Z&ordering=-published'), [2, 1])
    assert.deepEqual(await list('uid=0198A5B27C1E7D3A9F603B1C2D4E5F61'), [2])
    assert.deepEqual(await list('is_featured=true'), [1])
    const wrong = await app.inject('/articles/?uid=x')
    assert.equal(wrong.statusCode, 400)
    assert.equal((await app.inject('/orders/0198a5b2-7c1e-7d3a-9f60-3b1c2d4e5f62/')).statusCode, 200)
    assert.equal((await app.inject('/orders/0198A5B27C1E7D3A9F603B1C2D4E5F62/')).statusCode, 404)
  })

  test('PostgreSQL: models, their relations and join tables have names', async context => {
    const database = await openDump('django', 'postgres', context)
    const inspected = await inspect(database, context, { django: true })
    const { lists } = await request(inspected, database, context)
    const { uid, meta, price, tags, author } = lists.articles![0]!
    assert.deepEqual(
      { uid, meta, price, tags, author },
      {
        uid: '0198a5b2-7c1e-7d3a-9f60-3b1c2d4e5f60',
        meta: { a: [1, null, 'ü'] },
        price: '12.50',
        tags: [1],
        author: 1,
      },
    )
    assert.equal(lists.orders![0]!.id, '0198a5b2-7c1e-7d3a-9f60-3b1c2d4e5f62')
    assert.deepEqual(lists.users![0]!.groups, [1])
    assert.match(inspected.text, /^export const articles = table\('shop_article'/m)
    assert.match(inspected.text, /^\/\/ Left out: password, because it looks secret\.$/m)
    assert.match(inspected.text, /^\/\/ The table "authtoken_token" has no resource: it looks secret\.$/m)
    assert.doesNotMatch(inspected.text, /django_migrations/)
  })

  test('PostgreSQL: the forms of SQLite are refused at start', async context => {
    const database = await openDump('django', 'postgres', context)
    const options = { table: 'shop_article', actions: ['list'] } as const
    const fields = { id: key(), published: dateTime({ stored: 'sql' }), uid: uuid({ stored: 'hex' }) }
    const app = Fastify(fastifyOptions())
    context.after(() => app.close())
    const articles = resource('articles', { ...options, fields })
    app.register(createApi({ database, resources: [articles] }))
    await assert.rejects(async () => {
      await app.ready()
    }, /field "published": column "published" is of type timestamp with time zone: remove the option "stored", which is for texts\n.*field "uid": column "uid" is of type uuid: remove the option "stored"/)
  })

  test('names the passwords that cannot be verified', async context => {
    const database = await openDump('django', 'sqlite', context)
    await database.transaction(async ({ kysely }) => {
      await sql`update auth_user set password = 'bcrypt_sha256$$2b$12$n79VH'`.execute(kysely)
    })
    const { text } = await inspect(database, context, { django: true })
    assert.match(text, /the passwords of 1 user, which Django hashed with bcrypt_sha256: verifyPassword refuses them/)
  })
})
