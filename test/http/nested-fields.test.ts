// Nested objects and computed values: both are read-only fields.

import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { sql } from 'kysely'
import {
  boolean,
  computed,
  cursor,
  hyperlinkedIdentity,
  integer,
  integerKey,
  json,
  key,
  type Migrations,
  nested,
  number,
  readOnly,
  related,
  resource,
  text,
  via,
  writeOnly,
} from 'resource-api'
import type { Field } from 'resource-api/extend'
import { type LibraryApi, onEachDatabase } from '../support/own-api.ts'

const migrations: Migrations = {
  async '0001_posts'(kysely, { key, reference, text, json, number }) {
    await kysely.schema
      .createTable('countries')
      .addColumn('id', key)
      .addColumn('name', text)
      .addColumn('code', text)
      .execute()
    await kysely.schema
      .createTable('authors')
      .addColumn('id', key)
      .addColumn('name', text)
      .addColumn('password', text)
      .addColumn('o', text)
      .addColumn('country_id', reference, column => column.references('countries.id'))
      .execute()
    await kysely.schema
      .createTable('posts')
      .addColumn('id', key)
      .addColumn('title', text)
      .addColumn('views', sql`bigint`)
      .addColumn('score', number)
      .addColumn('meta', json)
      .addColumn('author_id', reference, column => column.references('authors.id'))
      .addColumn('parent_id', reference, column => column.references('posts.id'))
      .execute()
    await kysely.schema.createTable('labels').addColumn('id', key).addColumn('name', text).execute()
    await kysely.schema
      .createTable('posts_labels')
      .addColumn('post_id', reference, column => column.references('posts.id').onDelete('cascade'))
      .addColumn('label_id', reference, column => column.references('labels.id').onDelete('cascade'))
      .execute()
  },
}

const origin = 'http://localhost'

const countries = resource('countries', {
  table: 'countries',
  fields: { url: hyperlinkedIdentity(), name: text(), code: writeOnly(text({ nullable: true })) },
})

const labels = resource('labels', { table: 'labels', fields: { id: key(), name: text() } })

const authors = resource('people', {
  table: 'authors',
  fields: {
    url: hyperlinkedIdentity(),
    name: text(),
    // The generated SQL uses "o" as a table alias.
    o: text({ nullable: true }),
    password: writeOnly(text({ nullable: true })),
    country: nested({ of: countries, column: 'country_id' }),
    country_url: related(countries, { column: 'country_id', nullable: true, form: 'url' }),
    posts: related('posts', { many: { reverse: 'author_id' } }),
    loud: computed({ columns: ['name', 'id'], value: ({ name, id }) => `${String(name).toUpperCase()} ${id}` }),
  },
})

const through = { table: 'posts_labels', own: 'post_id', other: 'label_id' }

const postFields = {
  id: key(),
  title: text(),
  views: integer({ nullable: true, max: Number.MAX_SAFE_INTEGER }),
  score: number({ nullable: true }),
  meta: json({ nullable: true }),
  author_id: related(authors, { column: 'author_id', nullable: true }),
  parent_id: related('posts', { column: 'parent_id', nullable: true }),
  label_ids: related(labels, { many: through, default: [] }),
}

const plainPosts = { name: 'posts', table: 'posts', key: integerKey(), fields: postFields }

const posts = resource('posts', {
  table: 'posts',
  fields: {
    ...postFields,
    author: nested({ of: authors, column: 'author_id' }),
    labels: nested({ of: labels, many: through }),
    parent: nested({ of: plainPosts, column: 'parent_id', fields: ['id', 'title', 'label_ids'] }),
    replies: nested({
      of: {
        ...plainPosts,
        fields: {
          ...postFields,
          replies: nested({ of: plainPosts, many: { reverse: 'parent_id' }, fields: ['id'] }),
          author: nested({ of: authors, column: 'author_id', fields: ['loud', 'country'] }),
        },
      },
      many: { reverse: 'parent_id' },
      fields: ['title', 'views', 'replies', 'author'],
    }),
    // Other kinds of relation to the same table.
    reply_ids: related(plainPosts, { many: { reverse: 'parent_id' } }),
    reply_urls: related(plainPosts, { many: { reverse: 'parent_id' }, form: 'url' }),
    parent_title: text({ source: via('parent_id', 'posts', 'title') }),
  },
})

const countriesInFull = resource('countries-in-full', {
  table: 'countries',
  fields: { name: text(), authors: nested({ of: authors, many: { reverse: 'country_id' } }) },
})

const computedFields = {
  ...postFields,
  shout: computed({ columns: ['title', 'views'], value: ({ title, views }) => `${title}! (${views})` }),
  length: computed(integer(), ({ row }) => sql`length(${row.title})`),
  is_read: computed(boolean({ nullable: true }), ({ row }) => sql`${row.views} > 0`),
  whole: computed({
    columns: ['meta'],
    value: ({ meta }, { method, baseUrl, user }) => ({ meta, method, baseUrl, known: user.isAuthenticated }),
  }),
  nothing: computed({ columns: [], value: () => undefined }),
}
const computedPosts = resource('computed-posts', { table: 'posts', fields: computedFields })
const pagedPosts = resource('paged-posts', {
  table: 'posts',
  fields: computedFields,
  pagination: cursor({ secret: 's'.repeat(32), pageSize: 2, ordering: 'id' }),
})

// PostgreSQL truncates identifiers after 63 bytes, so nested names must not be joined into one identifier.
const longName = 'x'.repeat(60)
const nestParents = (levels: number): ReturnType<typeof nested> =>
  nested({
    of: { ...plainPosts, fields: { id: key(), ...(levels > 1 && { [longName]: nestParents(levels - 1) }) } },
    column: 'parent_id',
  })
const deepPosts = resource('deep-posts', { table: 'posts', fields: { id: key(), [longName]: nestParents(6) } })

const statements: string[] = []

onEachDatabase(
  () => ({ resources: [countries, labels, authors, posts, countriesInFull, computedPosts, pagedPosts, deepPosts] }),
  api => {
    let library: LibraryApi
    let [peru, chile, ann, bob, root, reply, deepReply] = [0, 0, 0, 0, 0, 0, 0]

    before(async () => {
      library = api()
      const { insert } = library
      const insertRows = async (table: string, ...rows: object[]) => (await insert(table, rows)) as number[]
      ;[peru, chile] = (await insertRows('countries', { name: 'Peru', code: 's' }, { name: 'Chile' })) as [
        number,
        number,
      ]
      ;[ann, bob] = (await insertRows(
        'authors',
        { name: 'Ann', o: 'x', password: 'secret', country_id: peru },
        { name: 'Bob', country_id: null },
      )) as [number, number]
      ;[root, reply] = (await insertRows('posts', { title: 'Root', author_id: ann }, { title: 'Reply', views: 5 })) as [
        number,
        number,
      ]
      ;[deepReply] = (await insertRows('posts', { title: 'Deep', parent_id: reply })) as [number]
      await library.client.patch(`/posts/${reply}/`, { json: { parent_id: root, author_id: bob } })
      await insertRows('labels', { name: 'b' }, { name: 'a' }, { name: 'c' })
      await library.client.patch(`/posts/${root}/`, { json: { label_ids: [3, 1] } })
    })

    const read = async (path: string) => {
      const response = await library.client.get(path)
      assert.equal(response.status, 200, response.text)
      return response.json()
    }

    const representAnn = () => ({
      url: `${origin}/people/${ann}/`,
      name: 'Ann',
      o: 'x',
      country: { url: `${origin}/countries/${peru}/`, name: 'Peru' },
      country_url: `${origin}/countries/${peru}/`,
      posts: [root],
      loud: `ANN ${ann}`,
    })

    test('a nested object has its own links, relations and nested objects; it is null if there is no related object', async () => {
      assert.deepEqual((await read(`/posts/${root}/`)).author, representAnn())
      const { author } = await read(`/posts/${reply}/`)
      assert.deepEqual([author.country, author.country_url, author.o], [null, null, null])
      const { author: noAuthor, labels: noLabels, parent } = await read(`/posts/${deepReply}/`)
      assert.deepEqual([noAuthor, noLabels, parent], [null, [], { id: reply, title: 'Reply', label_ids: [] }])
    })

    test('nested objects through a join table are in the order of their primary keys', async () => {
      assert.deepEqual((await read(`/posts/${root}/`)).labels, [
        { id: 1, name: 'b' },
        { id: 3, name: 'c' },
      ])
    })

    test('nested objects in the reverse direction, from the same table, two levels deep', async () => {
      const post = await read(`/posts/${root}/`)
      assert.deepEqual(post.replies, [
        { title: 'Reply', views: 5, replies: [{ id: deepReply }], author: { loud: `BOB ${bob}`, country: null } },
      ])
      assert.equal(post.parent, null)
      assert.deepEqual((await read(`/countries-in-full/${peru}/`)).authors, [representAnn()])
      assert.deepEqual((await read(`/countries-in-full/${chile}/`)).authors, [])
    })

    test('relations to the same table as primary keys and URLs, and a text of the related row', async () => {
      const { reply_ids, reply_urls, parent_title } = await read(`/posts/${root}/`)
      assert.deepEqual([reply_ids, reply_urls, parent_title], [[reply], [`${origin}/posts/${reply}/`], null])
      assert.equal((await read(`/posts/${reply}/`)).parent_title, 'Root')
      assert.deepEqual((await read(`/posts/${deepReply}/`)).reply_ids, [])
    })

    test('field names of any length are distinct at any depth', async () => {
      assert.deepEqual(await read(`/deep-posts/${deepReply}/`), {
        id: deepReply,
        [longName]: { id: reply, [longName]: { id: root, [longName]: null } },
      })
    })

    test('create, update and list show the same nested objects as retrieve, and ignore those in a request body', async () => {
      const { client } = library
      const body = {
        title: 'New',
        author_id: ann,
        parent_id: reply,
        label_ids: [2],
        author: { name: 'x' },
        labels: [],
        replies: 1,
      }
      const created = (await client.post('/posts/', { json: body })).json()
      const path = `/posts/${created.id}/`
      assert.deepEqual([created.author.name, created.labels], ['Ann', [{ id: 2, name: 'a' }]])
      assert.deepEqual(await read(path), created)
      const patched = (await client.patch(path, { json: { author_id: bob, label_ids: [], parent: null } })).json()
      assert.deepEqual([patched.author.name, patched.labels, patched.parent.id], ['Bob', [], reply])
      const put = (await client.put(path, { json: { ...patched, author_id: null } })).json()
      assert.equal(put.author, null)
      assert.deepEqual([await read(path), (await read('/posts/')).at(-1)], [put, put])
      assert.equal((await client.delete(path)).status, 204)
      assert.equal((await library.rows('authors')).length, 2)
    })

    test('an object or a list is one statement at any nesting depth', async () => {
      for (const path of [`/posts/${root}/`, '/posts/', '/countries-in-full/']) {
        statements.length = 0
        await read(path)
        assert.equal(statements.length, 1, path)
      }
    })

    test('write-only fields are never shown', async () => {
      for (const path of ['/posts/', '/people/', '/countries-in-full/', '/countries/'])
        assert.doesNotMatch(JSON.stringify(await read(path)), /password|secret|"code"/)
    })

    test('every response has the computed values: from SQL, from columns, and from the request', async () => {
      const { client } = library
      const meta = { a: [1.5, null, 'x'] }
      const values = { title: 'Été', views: 3, score: 0.1, meta, author_id: null, parent_id: null, label_ids: [] }
      const represent = (method: string, title: string) => ({
        ...values,
        title,
        shout: `${title}! (3)`,
        length: title.length,
        is_read: true,
        whole: { meta, method, baseUrl: origin, known: false },
        nothing: null,
      })
      const { id, ...created } = (
        await client.post('/computed-posts/', { json: { ...values, shout: 'x', length: 9 } })
      ).json()
      const path = `/computed-posts/${id}/`
      assert.deepEqual(created, represent('POST', 'Été'))
      assert.deepEqual(await read(path), { id, ...represent('GET', 'Été') })
      for (const method of ['PATCH', 'PUT'])
        assert.deepEqual((await client.request(method, path, { json: { title: 'Now' } })).json(), {
          id,
          ...represent(method, 'Now'),
        })
      assert.deepEqual((await read('/computed-posts/')).at(-1), { id, ...represent('GET', 'Now') })
      await client.delete(path)
    })

    test('next to a computed value, numbers keep all digits at every depth', async () => {
      const { client, insert, database } = library
      const [big, parent] = (await insert('posts', [{ title: 'Big' }, { title: 'Over' }])) as [number, number]
      const digits = '9223372036854775807'
      const update = sql`update posts set views = ${sql.raw(digits)}, score = 1e300, meta = ${`{"n":[${digits}.50]}`}, parent_id = ${parent} where id = ${big}`
      await database.transaction(({ kysely }) => update.execute(kysely))
      for (const path of [`/computed-posts/${big}/`, '/computed-posts/', `/posts/${parent}/`, '/posts/']) {
        assert.match((await client.get(path)).text, new RegExp(`"views":${digits},`), path)
        assert.match(
          (await client.get(`${path}`, { headers: { accept: 'application/json; indent=2' } })).text,
          new RegExp(`"views": ${digits},`),
          path,
        )
      }
      assert.match(
        (await client.get(`/computed-posts/${big}/`)).text,
        new RegExp(`"meta":\\{"n":\\[${digits}.50\\]\\}`),
      )
      await client.delete(`/posts/${big}/`)
      await client.delete(`/posts/${parent}/`)
    })

    test('streams of any length and pages have the computed values', async () => {
      const { insert, client } = library
      const rows = Array.from({ length: 120 }, (_, index) => ({ title: `T${index}`, views: index }))
      const keys = await insert('posts', rows)
      const listed: { id: number; shout: string }[] = await read('/computed-posts/')
      const created = listed.filter(({ id }) => keys.includes(id))
      assert.deepEqual(
        created.map(({ shout }) => shout),
        rows.map(({ title, views }) => `${title}! (${views})`),
      )
      const pagedItems: object[] = []
      for (let next: string | null = '/paged-posts/'; next !== null; ) {
        const page: { results: object[]; next: string | null } = (await client.get(next)).json()
        pagedItems.push(...page.results)
        next = page.next
      }
      assert.deepEqual(pagedItems, listed)
    })
  },
  { migrations, observe: text => statements.push(text) },
)

suite('declarations', () => {
  test('nested() needs one of column, one and many, and existing fields', () => {
    assert.throws(
      () => resource('bottles', { table: 'bottles', fields: { label: nested({ of: labels }) } }),
      /^Error: resource "bottles": field "label": nested\(\): give one of "column", "one" and "many"$/,
    )
    assert.throws(() => nested({ of: labels, column: 'label_id', many: through }), /give one of/)
    assert.throws(
      // @ts-expect-error there is no such field
      () => nested({ of: labels, column: 'label_id', fields: ['id', 'colour'] }),
      /^Error: nested\(\): "labels" has no field "colour"$/,
    )
  })

  test('nested() and computed() fields are read-only by default', () => {
    const fields: readonly Field[] = [nested({ of: labels, column: 'label_id' }), computed(integer(), () => sql`1`)]
    for (const field of fields)
      assert.deepEqual([field.readOnly, field.required, readOnly(field).readOnly], [true, false, true])
  })
})
