// URLs with several fields, and with fields that are unique only below a parent or among the rows of the caller.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import {
  browsable,
  choice,
  forTypes,
  hyperlinkedIdentity,
  type Identity,
  integer,
  jsonRenderer,
  key,
  objectView,
  openDatabase,
  pageNumber,
  readOnly,
  related,
  reverse,
  text,
  uuid,
} from 'resource-api'
import { createClient } from 'resource-api/client'
import { caller, owner, reference, table, tables } from 'resource-api/tables'
import { injectFetch } from '../support/client.ts'
import { asUser, onEachDatabase, startApi, userScheme } from '../support/own-api.ts'

const collectionTable = table('collections', {
  columns: { id: key(), namespace: text({ max: 40 }), name: text({ max: 40 }), stars: integer({ default: 0 }) },
  unique: [['namespace', 'name']],
})
const versionTable = table('versions', {
  columns: {
    id: key(),
    collection: reference('collections', { onDelete: 'cascade' }),
    number: integer({ min: 0 }),
    notes: text({ blank: true, default: '' }),
  },
  unique: [['collection', 'number']],
})
const entryTable = table('entries', {
  columns: { id: key(), owner: owner(integer()), name: text({ max: 40 }), value: text({ blank: true, default: '' }) },
  unique: [['owner', 'name']],
})
const markTable = table('marks', { columns: { id: key(), collection: reference('collections') } })
const partTable = table('parts', {
  columns: {
    id: key(),
    number: integer(),
    serial: uuid(),
    state: choice(['new', 'old']),
    name: text({ nullable: true }),
  },
  unique: [['number', 'serial', 'state']],
})
const schema = tables({
  owner: 'lookups',
  tables: [collectionTable, versionTable, entryTable, markTable, partTable],
})
const { resource, rowFilter } = forTypes<Identity & { readonly id: number }, typeof schema>()

const renderers = [jsonRenderer, browsable()]
const collections = resource('collections', {
  table: collectionTable,
  lookup: ['namespace', 'name'],
  renderers,
  fields: { url: hyperlinkedIdentity(), ...collectionTable.pick('namespace', 'name', 'stars') },
  searchFields: ['name'],
  listViews: {
    newest: { path: 'newest/:kind', handlers: { GET: ({ parameters }) => ({ status: 200, body: parameters }) } },
    count: { handlers: { GET: () => ({ status: 200, body: 'count' }) } },
  },
  objectViews: {
    star: objectView({
      handlers: {
        POST: async ({ update, object: { stars } }) => ({
          status: 200,
          body: await update({ stars: Number(stars) + 1 }),
        }),
      },
      columns: ['stars'],
    }),
    link: objectView({
      handlers: {
        GET: context => ({
          status: 200,
          body: reverse('collections-detail', { namespace: 'a b', name: 'c/d' }, context),
        }),
      },
    }),
  },
})
const versions = resource('versions', {
  table: versionTable,
  lookup: ['number'],
  renderers,
  bulk: 'atomic',
  fields: {
    url: hyperlinkedIdentity(),
    ...versionTable.pick('number', 'notes'),
    collection: readOnly(related(collections, { shows: ['name'] })),
  },
  nestedUnder: [{ parent: collections, field: 'collection', only: true }],
})
const entries = resource('entries', {
  table: entryTable,
  lookup: ['name'],
  bulk: 'atomic',
  permissions: [rowFilter({ owner: caller('id') })],
  fields: { url: hyperlinkedIdentity(), ...entryTable.pick('name', 'value') },
})
const marks = resource('marks', {
  table: markTable,
  renderers,
  fields: { id: key(), collection: related(collections, { form: 'url' }) },
})

const parts = resource('parts', {
  table: partTable,
  lookup: ['number', 'serial', 'state'],
  bulk: { mode: 'each', actions: ['create'] },
  fields: { url: hyperlinkedIdentity(), ...partTable.pick('number', 'serial', 'state', 'name') },
})

type Tested = readonly [typeof collections, typeof versions, typeof entries, typeof marks, typeof parts]

const createOptions = () => ({
  resources: [collections, versions, entries, marks, parts] as Tested,
  authentication: [userScheme],
  pagination: pageNumber({ pageSize: 20 }),
})

onEachDatabase(
  createOptions as never,
  api => {
    const send = async (method: string, url: string, json?: unknown, user: 'ann' | 'bob' = 'ann') => {
      const response = await api().client.request(method, url, {
        ...asUser(user),
        ...(json === undefined ? {} : { json }),
      })
      const { status, text: body, headers } = response
      return {
        status,
        body: /json/.test(String(headers['content-type'])) ? JSON.parse(body) : body,
        location: headers.location,
      }
    }

    test('a URL with two fields names an object in each method, link and view', async () => {
      const made = await send('POST', '/collections/', { namespace: 'ans ible', name: 'été/1' })
      const url = 'http://localhost/collections/ans%20ible/%C3%A9t%C3%A9%2F1/'
      assert.deepEqual(made, {
        status: 201,
        body: { url, namespace: 'ans ible', name: 'été/1', stars: 0 },
        location: url,
      })
      const path = new URL(url).pathname
      assert.deepEqual((await send('GET', path)).body, made.body)
      assert.equal((await send('PATCH', path, { stars: 2 })).body.stars, 2)
      assert.equal((await send('POST', `${path}star/`)).body.stars, 3)
      assert.equal((await send('GET', `${path}link/`)).body, 'http://localhost/collections/a%20b/c%2Fd/')
      const moved = await send('PATCH', path, { namespace: 'x' })
      assert.equal(moved.body.url, 'http://localhost/collections/x/%C3%A9t%C3%A9%2F1/')
      assert.equal((await send('GET', path)).status, 404)
      assert.equal((await send('DELETE', '/collections/x/%C3%A9t%C3%A9%2F1/')).status, 204)
      assert.equal((await send('GET', '/collections/x/%C3%A9t%C3%A9%2F1/')).status, 404)
    })

    test('the parts of a URL are not mixed up, and other paths are 404', async () => {
      for (const [namespace, name] of [
        ['a', 'b'],
        ['b', 'a'],
        ['a","b', 'c'],
        ['a', '["a","b"]'],
      ])
        assert.equal((await send('POST', '/collections/', { namespace, name })).status, 201)
      const find = async (namespace: string, name: string) => {
        const { status, body } = await send(
          'GET',
          `/collections/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}/`,
        )
        return status === 200 ? [body.namespace, body.name] : status
      }
      assert.deepEqual(await find('a', 'b'), ['a', 'b'])
      assert.deepEqual(await find('b', 'a'), ['b', 'a'])
      assert.deepEqual(await find('a","b', 'c'), ['a","b', 'c'])
      assert.deepEqual(await find('a', '["a","b"]'), ['a', '["a","b"]'])
      for (const [namespace, name] of [
        ['a', 'a'],
        ['a', 'x'.repeat(41)],
        ['\0', 'a'],
        ["a'", 'b'],
      ])
        assert.equal(await find(namespace!, name!), 404)
      for (const path of ['/collections/a/', '/collections/a//', '/collections//b/', '/collections/a/b/c/'])
        assert.equal((await send('GET', path)).status, 404, path)
      const again = await send('POST', '/collections/', { namespace: 'a', name: 'b' })
      assert.deepEqual(
        [again.status, again.body],
        [400, { non_field_errors: ['The fields namespace, name must make a unique set.'] }],
      )
    })

    test('the fields may be numbers, UUIDs and choices', async () => {
      const serial = '0190a000-0000-7000-8000-000000000001'
      const made = await send('POST', '/parts/', { number: -7, serial, state: 'new', name: 'x' })
      assert.deepEqual([made.status, made.location], [201, `http://localhost/parts/-7/${serial}/new/`])
      assert.equal((await send('GET', `/parts/-7/${serial}/new/`)).body.name, 'x')
      assert.equal((await send('PATCH', `/parts/-7/${serial}/new/`, { state: 'old' })).status, 200)
      for (const path of [
        `-7/${serial}/new`,
        `7/${serial}/old`,
        `-7/${serial.replace('1', '2')}/old`,
        `-7/${serial.toUpperCase()}/old`,
        `-07/${serial}/old`,
        `-7/x/old`,
        `-7/${serial}/other`,
        `3000000000/${serial}/old`,
        `99999999999999999999/${serial}/old`,
        `1.5/${serial}/old`,
      ])
        assert.equal((await send('GET', `/parts/${path}/`)).status, 404, path)
    })

    test('many objects are created with their URLs', async () => {
      const serial = '0190a000-0000-7000-8000-000000000009'
      const { status, body } = await send('POST', '/parts/', [
        { number: 1, serial, state: 'new' },
        { number: 1, serial, state: 'new' },
        { number: 2, serial, state: 'old' },
      ])
      assert.equal(status, 207)
      assert.deepEqual(
        body.map(({ location }: { location?: string }) => location),
        [`http://localhost/parts/1/${serial}/new/`, undefined, `http://localhost/parts/2/${serial}/old/`],
      )
    })

    test('no object gets a URL that a view has', async () => {
      const taken = await send('POST', '/collections/', { namespace: 'newest', name: 'x' })
      const reason = ['The URL of "newest" is taken. Choose another value.']
      assert.deepEqual([taken.status, taken.body], [400, { namespace: reason }])
      assert.equal((await send('POST', '/collections/', { namespace: 'count', name: 'newest' })).status, 201)
      assert.deepEqual((await send('GET', '/collections/newest/big/')).body, { kind: 'big' })
      assert.deepEqual((await send('GET', '/collections/count/')).body, 'count')
      assert.equal((await send('GET', '/collections/count/newest/')).body.namespace, 'count')
      const dots = await send('POST', '/collections/', { namespace: 'a', name: '..' })
      assert.deepEqual([dots.status, dots.body], [400, { name: ['"." and ".." cannot stand in a URL.'] }])
    })

    test('a field that is unique below the parent names an object there', async () => {
      for (const name of ['one', 'two']) {
        assert.equal((await send('POST', '/collections/', { namespace: 'below', name })).status, 201)
        const list = `/collections/below/${name}/versions/`
        const made = await send('POST', list, { number: 7, notes: name })
        assert.deepEqual([made.status, made.location], [201, `http://localhost${list}7/`])
        assert.deepEqual(made.body, {
          url: `http://localhost${list}7/`,
          number: 7,
          notes: name,
          collection: { name },
        })
      }
      const path = '/collections/below/two/versions/7/'
      assert.equal((await send('GET', path)).body.notes, 'two')
      assert.equal((await send('PATCH', path, { notes: 'changed' })).body.notes, 'changed')
      assert.equal((await send('GET', '/collections/below/one/versions/7/')).body.notes, 'one')
      const again = await send('POST', '/collections/below/two/versions/', { number: 7 })
      assert.equal(again.status, 400)
      const many = await send('PATCH', '/collections/below/two/versions/', [{ number: 7, notes: 'many' }])
      assert.deepEqual([many.status, many.body[0].notes], [200, 'many'])
      assert.deepEqual((await send('GET', '/collections/below/two/versions/')).body.count, 1)
      assert.equal((await send('DELETE', path)).status, 204)
      assert.equal((await send('GET', path)).status, 404)
      assert.equal((await send('GET', '/collections/below/three/versions/7/')).status, 404)
      assert.equal((await send('GET', '/collections/below/one/versions/07/')).status, 404)
      assert.equal((await send('GET', '/collections/below/one/versions/7/')).body.notes, 'one')
    })

    test('a field that is unique among the rows of the caller names an object of the caller', async () => {
      for (const user of ['ann', 'bob'] as const) {
        const made = await send('POST', '/entries/', { name: 'theme', value: user }, user)
        assert.deepEqual([made.status, made.location], [201, 'http://localhost/entries/theme/'])
      }
      assert.equal((await send('POST', '/entries/', { name: 'only', value: 'x' }, 'bob')).status, 201)
      assert.equal((await send('GET', '/entries/theme/')).body.value, 'ann')
      assert.equal((await send('GET', '/entries/theme/', undefined, 'bob')).body.value, 'bob')
      assert.equal((await send('GET', '/entries/only/')).status, 404)
      assert.equal((await send('PATCH', '/entries/', [{ name: 'theme', value: 'new' }])).body[0].value, 'new')
      assert.equal((await send('DELETE', '/entries/theme/')).status, 204)
      assert.equal((await send('GET', '/entries/theme/', undefined, 'bob')).body.value, 'bob')
      const again = await send('POST', '/entries/', { name: 'theme' }, 'bob')
      assert.deepEqual(again.body, { non_field_errors: ['The fields name must make a unique set.'] })
    })

    test('relations show and take the URL of two fields', async () => {
      const { body } = await send('POST', '/collections/', { namespace: 'of', name: 'a mark' })
      const made = await send('POST', '/marks/', { collection: body.url })
      assert.deepEqual([made.status, made.body.collection], [201, body.url])
      const problem = async (collection: string) => (await send('POST', '/marks/', { collection })).body.collection[0]
      assert.equal(await problem('/collections/of/none/'), 'Invalid hyperlink - Object does not exist.')
      assert.equal(await problem('/collections/of/'), 'Invalid hyperlink - No URL match.')
      assert.equal(await problem('/marks/1/'), 'Invalid hyperlink - Incorrect URL match.')
    })

    test('the typed client calls an object by each of its fields', async () => {
      const client = createClient<Tested>({
        baseUrl: 'http://localhost/',
        fetch: injectFetch(api().client),
        headers: { 'x-user': 'ann' },
      })
      await client.collections.create({ namespace: 'typed', name: 'one' })
      const one = client.collections(['typed', 'one'])
      assert.equal((await one.retrieve()).stars, 0)
      await one.versions.create({ number: 1 })
      const version: string = (await one.versions(1).update({ notes: 'new' })).notes
      assert.equal(version, 'new')
      assert.equal((await client.entries.create({ name: 'typed' })).name, 'typed')
      assert.equal((await client.entries('typed').retrieve()).name, 'typed')
      // @ts-expect-error: the second field is missing.
      void (() => client.collections(['typed']).retrieve())
      // @ts-expect-error: it has two fields.
      void (() => client.collections('typed').retrieve())
    })

    test('pages link to the objects, and describe them', async () => {
      await send('POST', '/collections/', { namespace: 'page', name: 'one two' })
      const html = { headers: { accept: 'text/html', 'x-user': 'ann' } }
      const list = await api().client.get('/collections/?search=one%20two', html)
      assert.match(list.text, /href="\/collections\/page\/one%20two\/"/)
      const page = await api().client.get('/collections/page/one%20two/', html)
      assert.equal(page.status, 200)
      assert.match(page.text, /versions/)
      const mark = await api().client.get('/marks/', html)
      assert.equal(mark.status, 200)
    })

    test('the document has a parameter for each field', async () => {
      const { body } = await send('GET', '/openapi.json')
      const parameters = (path: string) =>
        (body.paths[path].get.parameters as readonly { in: string; name: string; schema: { type: string } }[])
          .filter(parameter => parameter.in === 'path')
          .map(({ name, schema: { type } }) => [name, type])
      assert.deepEqual(parameters('/collections/{namespace}/{name}/'), [
        ['namespace', 'string'],
        ['name', 'string'],
      ])
      assert.deepEqual(parameters('/collections/{collections_namespace}/{collections_name}/versions/{key}/'), [
        ['collections_namespace', 'string'],
        ['collections_name', 'string'],
        ['key', 'integer'],
      ])
    })
  },
  { migrations: {}, owners: [schema] as never, checkDocument: true },
)

suite('declarations', () => {
  const declare = (options: object, name = 'entries') =>
    resource(name, {
      table: entryTable,
      fields: { ...entryTable.pick('id', 'name'), value: text() },
      ...options,
    } as never)
  const start = async (...resources: object[]) => {
    const { stop } = await startApi({ database: openDatabase('sqlite::memory:'), resources } as never)
    await stop()
  }
  const twice = (pattern: string, fields: string) =>
    new RegExp(`lookup: two objects of "${pattern}" may have the same ${fields}: declare a unique set`)

  test('a lookup that may name two objects is an error at start', async () => {
    await assert.rejects(start(declare({ lookup: ['name'] })), twice('/entries/:key/', 'name'))
    await assert.rejects(start(declare({ lookup: ['name', 'value'] })), twice('/entries/:name/:value/', 'name, value'))
    const bySql = rowFilter(({ row }) => sql`${row.owner_id} = 1`)
    await assert.rejects(start(declare({ lookup: ['name'], permissions: [bySql] })), twice('/entries/:key/', 'name'))
    await assert.rejects(
      start(declare({ lookup: ['name'], permissions: [rowFilter({ owner__gt: 1 })] })),
      twice('/entries/:key/', 'name'),
    )
  })

  test('a lookup is a list of fields', () => {
    assert.throws(() => declare({ lookup: [] }), /lookup: name one field or several, each once/)
    assert.throws(() => declare({ lookup: ['name', 'name'] }), /lookup: name one field or several, each once/)
    assert.throws(() => declare({ lookup: ['nam'] }), /lookup: there is no field "nam": did you mean "name"\?|"nam"/)
    assert.throws(
      () => declare({ lookup: ['name', 'value'], bulk: 'atomic' }),
      /bulk: the items name their objects by one field, and "lookup" has several: set actions: \['create'\]/,
    )
    assert.throws(
      () => declare({ lookup: ['name', 'value'], feed: true }),
      /lookup: the events of a feed name an object by one field: remove "feed"/,
    )
  })
})
