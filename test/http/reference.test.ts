// The reference at `/docs/`: pages that are made from the OpenAPI document, and work without JavaScript.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  authenticated,
  browsable,
  choice,
  createApi,
  findDocument,
  german,
  integer,
  jsonRenderer,
  key,
  type Migrations,
  pageNumber,
  resource,
  text,
  view,
} from 'resource-api'
import { testApi } from 'resource-api/testing'
import { pageMessages } from '#pages'
import { toReadableText } from '../support/html.ts'

const ada = { isAuthenticated: true, id: 1, username: 'ada', isStaff: false }
const renderers = [jsonRenderer, browsable({ title: 'Kitchen' })]
const hostile = '<script>alert(1)</script> **bold** "quoted" `code`'
const units = Array.from({ length: 20 }, (_, index) => `unit${index}`)

const migrations: Migrations = {
  async '0001_recipes'({ schema }, { key, text }) {
    await schema
      .createTable('recipes')
      .addColumn('id', key)
      .addColumn('title', text)
      .addColumn('unit', text)
      .addColumn('portions', 'integer')
      .addColumn('secret', text)
      .execute()
    await schema.createTable('odd').addColumn('id', key).addColumn('title', text).execute()
  },
}

const recipes = resource('recipes', {
  description: hostile,
  table: 'recipes',
  fields: {
    id: key(),
    title: text({ max: 40, help: hostile }),
    unit: choice(units, { default: 'unit0' }),
    portions: integer({ min: 1, max: 12 }),
    secret: text({ default: '', blank: true, visible: ({ user }) => user.isStaff }),
  },
  filters: { unit: ['exact', 'in'] },
  orderingFields: ['title'],
  searchFields: ['title'],
  pagination: pageNumber({ pageSize: 20 }),
})

// The texts and the labels of a page.
const listTexts = (html: string): ReadonlySet<string> =>
  new Set(
    Array.from(
      toReadableText(html).matchAll(/(?<=>)[^<]+|(?<=(?:aria-label|placeholder|data-copied)=")[^"]*/g),
      ([text]) => text.trim(),
    ),
  )

const findIds = (html: string): readonly string[] => [...html.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id!)

for (const database of ['sqlite', 'postgres'] as const)
  suite(`the reference on ${database}`, () => {
    test('has a page per resource with its fields, operations, errors and real responses', async () => {
      await using api = await testApi(
        { resources: [recipes], migrations, renderers, openapi: { title: 'Kitchen' } },
        { database },
      )
      await api.post('/recipes/', { title: 'Soup', unit: 'unit3', portions: 4 }).expect(201)
      const index = toReadableText((await api.get('/docs/').expect(200)).text)
      assert.match(index, /<h1[^>]*>Kitchen reference<\/h1>/)
      for (const id of ['resources', 'errors', 'pagination', 'conditional-requests'])
        assert.ok(findIds(index).includes(id), id)
      assert.match(index, /href="\/docs\/recipes\/#list-recipes"/)
      assert.match(index, /<a href="\/docs\/" aria-current="true">API reference<\/a>/)
      const page = toReadableText((await api.get('/docs/recipes/').expect(200)).text)
      const document = findDocument(api.app)
      for (const item of Object.values(document.paths))
        for (const { operationId, tags } of Object.values(item))
          if (tags[0] === 'recipes') {
            const anchor = operationId.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
            assert.ok(findIds(page).includes(anchor), anchor)
          }
      for (const name of ['id', 'title', 'unit', 'portions', 'secret'])
        assert.ok(findIds(page).includes(`field-${name}`), name)
      assert.equal(new Set(findIds(page)).size, findIds(page).length)
      assert.match(page, /<summary>20 choices<\/summary>/)
      assert.match(page, /at least 1, at most 12/)
      assert.match(page, /as the service responds to you now/)
      assert.match(page, /Soup/)
      assert.match(page, /await client\.recipes\.list\(\)/)
      assert.match(page, /await client\.recipes\(1\)\.update\(/)
      assert.match(page, /await client\.recipes\(1\)\.destroy\(\)/)
      for (const status of ['400', '404', '412', '429', '503'].filter(
        each => document.paths['/recipes/']!.get!.responses[each],
      ))
        assert.ok(page.includes(`<b class="status">${status}</b>`), status)
    })

    test('an empty list has made-up examples', async () => {
      await using api = await testApi({ resources: [recipes], migrations, renderers }, { database })
      const page = (await api.get('/docs/recipes/').expect(200)).text
      assert.match(page, /&quot;results&quot;|"results"|results/)
      assert.match(page, /portions/)
    })
  })

suite('the reference', () => {
  test('shows what anybody wrote as text', async () => {
    const odd = resource('odd', {
      table: 'odd',
      fields: { id: key(), title: text({ label: '"><img src=x onerror=alert(1)>' }) },
    })
    const member = { type: 'string', description: hostile }
    const names = ['a b"<i>', 'constructor', 'then', '$ref', '__proto__']
    const properties = Object.fromEntries(names.map(name => [name, member]))
    const content = { 'application/json': { schema: { type: 'object', properties } } }
    const views = {
      '/x/:name/': view({
        name: hostile,
        handlers: { GET: () => ({ status: 200, body: {} }) },
        openapi: { operationId: 'retrieveX', responses: { 200: { description: hostile, content } } },
      }),
    }
    await using api = await testApi({
      resources: [recipes, odd],
      views,
      migrations,
      renderers,
      openapi: { title: hostile, description: hostile },
    })
    for (const path of [
      '/docs/',
      '/docs/recipes/',
      '/docs/odd/',
      '/docs/x/',
      `/docs/?q=${encodeURIComponent('<b>')}`,
    ]) {
      const { text: html, headers } = await api.get(path).expect(200)
      assert.doesNotMatch(html, /<script>|<img|<strong>bold|<i>(?!")|"<b>"/)
      assert.match(String(headers.get('content-security-policy')), /default-src 'none'/)
      for (const id of findIds(html)) assert.doesNotMatch(id, /[\s"<]/)
    }
    assert.match((await api.get('/docs/x/')).text, /id="field-constructor"/)
  })

  test('finds operations, fields and choices', async () => {
    await using api = await testApi({ resources: [recipes], migrations, renderers })
    const find = async (words: string) => (await api.get(`/docs/?q=${encodeURIComponent(words)}`).expect(200)).text
    assert.match(await find('delete recipe'), /href="\/docs\/recipes\/#delete-recipe"/)
    assert.match(await find('portions'), /href="\/docs\/recipes\/#field-portions"/)
    assert.match(await find('unit17'), /href="\/docs\/recipes\/#field-unit"/)
    assert.match(await find('nothing like it'), /Nothing matches/)
  })

  test('is in the language of the caller', async () => {
    const languages = { de: german }
    await using api = await testApi({ resources: [recipes], migrations, renderers, languages })
    const open = async (path: string, language: string) => {
      const response = await api.get(path, { headers: { 'accept-language': language } }).expect(200)
      assert.equal(response.headers.get('content-language'), language)
      assert.match(String(response.headers.get('vary')), /Accept-Language/)
      return listTexts(response.text)
    }
    const shown = new Set<string>()
    for (const path of ['/docs/', '/docs/recipes/', '/docs/?q=title', '/docs/?q=zzz']) {
      const [english, translated] = [await open(path, 'en'), await open(path, 'de')]
      // The second time, both come from the cache.
      assert.deepEqual(await open(path, 'en'), english)
      for (const [key, text] of Object.entries(pageMessages.texts))
        if (!text.includes('{') && english.has(text)) {
          shown.add(key)
          assert.ok(!translated.has(text), `${path}: ${text}`)
        }
    }
    const found = await open('/docs/recipes/', 'de')
    for (const text of [
      'Name und Typ',
      'Felder',
      'erforderlich',
      '20 Werte',
      'Recipes auflisten',
      'Recipe anlegen',
      'Recipe löschen',
    ])
      assert.ok(found.has(text), text)
    assert.ok((await open('/docs/?q=recipe%20anlegen', 'de')).has('Recipe anlegen'))
    assert.ok([...shown].filter(key => key.startsWith('reference.')).length > 20, [...shown].join(' '))
  })

  test('has the readers of the document, and may have fewer', async () => {
    const isStaff = { allows: ({ user }: { user: { isStaff: boolean } }) => user.isStaff }
    await using api = await testApi({
      resources: [recipes],
      migrations,
      renderers,
      openapi: { permissions: [authenticated], docs: { permissions: [isStaff] } },
    })
    await api.get('/docs/').expect(403)
    await api.get('/docs/recipes/').expect(403)
    await api.as(ada).get('/openapi.json').expect(200)
    await api.as(ada).get('/docs/').expect(403)
    await api
      .as({ ...ada, isStaff: true })
      .get('/docs/')
      .expect(200)
    const rail = (
      await api
        .as(ada)
        .get('/recipes/', { headers: { accept: 'text/html' } })
        .expect(200)
    ).text
    assert.doesNotMatch(rail, /href="\/docs\/"/)
  })

  test('shows a caller what the document for this caller contains', async () => {
    const onlyStaff = { allows: ({ user }: { user: { isStaff: boolean } }) => user.isStaff }
    const limited = resource('recipes', { ...recipes, perAction: { destroy: { permissions: [onlyStaff] } } } as never)
    await using api = await testApi({ resources: [limited], migrations, renderers, openapi: { schemaFor: 'caller' } })
    const shown = (await api.get('/docs/recipes/').expect(200)).text
    assert.doesNotMatch(shown, /delete-recipe|field-secret/)
    const staff = (
      await api
        .as({ ...ada, isStaff: true })
        .get('/docs/recipes/')
        .expect(200)
    ).text
    assert.match(staff, /delete-recipe/)
    assert.match(staff, /field-secret/)
  })

  test('does not show the objects that the caller may not read', async () => {
    const closed = resource('recipes', { ...recipes, permissions: [authenticated] } as never)
    await using api = await testApi({ resources: [closed], migrations, renderers })
    await api.as(ada).post('/recipes/', { title: 'Grandma', portions: 2 }).expect(201)
    assert.match((await api.as(ada).get('/docs/recipes/').expect(200)).text, /Grandma/)
    assert.doesNotMatch((await api.get('/docs/recipes/').expect(200)).text, /Grandma/)
  })

  test('is absent without pages, without a document, if it is turned off, and where the application has the path', async () => {
    const statusOf = async (options: object, path = '/docs/') => {
      await using api = await testApi({ resources: [recipes], migrations, ...options })
      return (await api.get(path)).status
    }
    assert.equal(await statusOf({ renderers }), 200)
    assert.equal(await statusOf({}), 404)
    assert.equal(await statusOf({ renderers, openapi: false }), 404)
    assert.equal(await statusOf({ renderers, openapi: { docs: false } }), 404)
    assert.equal(await statusOf({ renderers }, '/docs/unknown/'), 404)
    const docs = view({ name: 'Own', handlers: { GET: () => ({ status: 200, body: { own: true } }) } })
    await using api = await testApi({ resources: [recipes], migrations, renderers, views: { '/docs/': docs } })
    assert.deepEqual((await api.get('/docs/').expect(200)).json(), { own: true })
    assert.throws(() => createApi({ resources: [], openapi: { docs: { permission: [] } as never } }), /permission/)
  })

  test('is linked from the pages of the API, also from its root, and from the document', async () => {
    const link = async (options: object) => {
      await using api = await testApi({ resources: [recipes], migrations, ...options })
      return findDocument(api.app).externalDocs?.url
    }
    await using api = await testApi({ resources: [recipes], migrations, renderers })
    const root = await api.get('/', { headers: { accept: 'text/html' } }).expect(200)
    assert.match(root.text, /<a href="\/docs\/"/)
    assert.deepEqual(findDocument(api.app).externalDocs, { description: 'The reference', url: '/docs/' })
    assert.equal(await link({ renderers, trailingSlash: false }), '/docs')
    assert.equal(
      await link({ renderers, openapi: { externalDocs: { url: 'https://docs.example/' } } }),
      'https://docs.example/',
    )
    assert.equal(await link({ renderers, openapi: { docs: false } }), undefined)
    assert.equal(await link({}), undefined)
  })

  test('redirects to the URL with a slash, and takes no other method', async () => {
    await using api = await testApi({ resources: [recipes], migrations, renderers })
    assert.equal((await api.get('/docs').expect(301)).headers.get('location'), '/docs/')
    await api.post('/docs/', {}).expect(405)
  })

  test('with four hundred resources, the introduction lists names only', async () => {
    const views = Object.fromEntries(
      Array.from({ length: 400 }, (_, index) => [
        `/part${index}/`,
        view({ name: `Part ${index}`, handlers: { GET: () => ({ status: 200, body: {} }) } }),
      ]),
    )
    await using api = await testApi({ views, renderers })
    const index = (await api.get('/docs/').expect(200)).text
    assert.match(index, /href="\/docs\/part399\/"/)
    assert.ok(index.length < 100_000, `${index.length} characters`)
    assert.ok((await api.get('/docs/part7/').expect(200)).text.length < 100_000)
  })
})
