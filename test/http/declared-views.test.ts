// Views that declare their query, body, response and path parameters by fields or by a Standard Schema.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import fastify from 'fastify'
import {
  boolean,
  browsable,
  choice,
  createApi,
  dateTime,
  hyperlinkedIdentity,
  integer,
  jsonRenderer,
  key,
  list,
  listView,
  objectView,
  readOnly,
  related,
  resource,
  text,
  type ViewOptions,
  view,
} from 'resource-api'
import * as v from 'valibot'
import { z } from 'zod'
import { authors, bookRow } from '../support/library.ts'
import { onEachDatabase } from '../support/own-api.ts'

const books = resource('books', {
  table: 'books',
  fields: {
    id: key(),
    title: text(),
    pages: integer({ max: 5000 }),
    genre: choice(['novel', 'poetry']),
    published: dateTime({ nullable: true }),
    author: related(authors, { nullable: true }),
  },
  actions: ['retrieve', 'update'],
  perAction: { update: { takes: ['title', 'pages'] } },
  listViews: {
    search: listView({
      query: {
        text: text({ max: 20 }),
        exact: boolean({ default: true }),
        genres: list({ of: choice(['novel', 'poetry']), required: false }),
        author: related(authors, { required: false }),
        staffOnly: integer({ default: 7, visible: ({ user }) => user.isStaff }),
      },
      response: {
        found: integer(),
        exact: boolean(),
        genres: list({ of: text() }),
        author: integer({ nullable: true }),
        staffOnly: integer(),
      },
      handlers: {
        GET: ({ query: { text, exact, genres, author, staffOnly = 0 } }) => ({
          staffOnly,
          found: text.length,
          exact,
          genres: genres ?? [],
          author: author ?? null,
        }),
      },
    }),
    conditional: listView({
      body: { title: text(), rank: integer({ default: 3, visible: ({ user }) => user.isStaff }) },
      handlers: { POST: ({ body }) => ({ status: 200, body }), PATCH: ({ body }) => ({ status: 200, body }) },
    }),
    nothing: listView({
      handlers: {
        GET: () => null as never,
        POST: { response: { a: text() }, handle: () => null as never },
      },
    }),
    methods: listView({
      query: { page: integer({ default: 1 }) },
      body: { title: text(), note: text({ default: 'none' }) },
      handlers: {
        GET: ({ query, body }) => ({ status: 200, body: { page: query.page, hasBody: body !== undefined } }),
        POST: {
          response: { title: text(), note: text(), page: integer() },
          status: 201,
          handle: ({ query, body }) => ({ ...body, page: query.page }),
        },
        PUT: ({ body: { title, note } }) => ({ status: 200, body: { title, hasNote: note !== undefined } }),
        PATCH: ({ body }) => ({ status: 200, body }),
        DELETE: { query: { confirm: boolean() }, handle: ({ query }) => ({ status: 200, body: query }) },
      },
    }),
  },
  objectViews: ({ objectView }) => ({
    extend: objectView({
      path: 'extend/:times',
      parameters: { times: integer({ min: 1 }) },
      columns: ['pages'],
      body: { by: integer({ min: 1 }) },
      response: 'representation',
      handlers: {
        POST: ({ object, body, parameters: { times }, update }) =>
          update({ pages: Number(object.pages) + body.by * times }),
        GET: ({ represent }) => represent(),
      },
    }),
    classify: objectView({
      body: { genre: text(), author: integer({ nullable: true }) },
      response: 'representation',
      handlers: {
        POST: ({ body: { genre, author }, update }) => update({ genre: genre as 'novel', author }),
        // @ts-expect-error: the key cannot be written
        PUT: ({ update }) => update({ id: 5 }),
      },
    }),
    wrong: objectView({
      response: 'representation',
      // @ts-expect-error: the representation is what represent() and update() return
      handlers: { GET: () => ({ status: 200 }) },
    }),
  }),
})

const zodOrder = z.object({
  lines: z.array(z.object({ sku: z.string().min(2), count: z.int() })),
  gift: z.boolean().default(false),
})
const valibotOrder = v.object({
  lines: v.array(v.object({ sku: v.pipe(v.string(), v.minLength(2)), count: v.number() })),
  gift: v.optional(v.boolean(), false),
})
const arkOrder = type({ lines: type({ sku: 'string >= 2', count: 'number' }).array(), gift: 'boolean = false' })

interface Order {
  readonly lines: readonly { readonly sku: string; readonly count: number }[]
  readonly gift: boolean
}

/** Responds with the checked body. */
const createOrders = (schema: StandardSchemaV1<unknown, Order>): ViewOptions =>
  view({
    name: 'Orders',
    body: schema,
    handlers: {
      POST({ body }) {
        const skus: string[] = body.lines.map(({ sku }) => sku)
        return { status: 200, body: { skus, ...body } }
      },
    },
  })

const unique = v.pipeAsync(
  v.string(),
  v.checkAsync(async name => name !== 'taken', 'This name is taken.'),
)

const checks = view({
  name: 'Checks',
  parameters: { year: integer({ min: 2000 }) },
  query: z.object({ limit: z.coerce.number().max(10).optional(), tag: z.array(z.string()).optional() }),
  body: v.objectAsync({ name: unique }),
  response: z.object({ year: z.int(), limit: z.number().nullable(), tags: z.array(z.string()) }),
  handlers: {
    GET: ({ parameters, query }) => ({ year: parameters.year, limit: query.limit ?? null, tags: query.tag ?? [] }),
    POST: ({ parameters }) => ({ year: parameters.year + 0.5, limit: 1, tags: [] }),
    PUT: { response: { name: text({ max: 3 }) }, handle: ({ body }) => ({ name: body.name }) },
  },
})

const firstBook = view({
  name: 'First book',
  query: { id: integer({ required: false }) },
  handlers: {
    async GET({ query, database, represent }) {
      const first = await database.kysely.selectFrom('books').select('id').orderBy('id').executeTakeFirstOrThrow()
      return { status: 200, body: await represent(books, query.id ?? first.id) }
    },
  },
})

const anything = view({
  name: 'Anything',
  body: v.union([v.string(), v.array(v.number())]),
  handlers: { POST: ({ body }) => ({ status: 200, body: { length: body.length } }) },
})

const issues: Record<string, readonly StandardSchemaV1.Issue[]> = {
  both: [
    { message: 'whole', path: ['a'] },
    { message: 'all' },
    { message: 'part', path: ['a', 0, { key: 'b' }] },
    { message: 'named', path: ['errors'] },
  ],
  null: [{ message: 'wrong', path: [null as never] }],
}

const withIssues = view({
  name: 'Issues',
  query: {
    '~standard': { version: 1, vendor: 'x', validate: query => ({ issues: issues[(query as { of: string }).of]! }) },
  } as StandardSchemaV1<unknown, object>,
  handlers: { GET: () => ({ status: 200 }) },
})

const converted = (query: StandardSchemaV1<unknown, object>): ViewOptions =>
  view({
    name: 'Converted',
    query,
    body: query,
    handlers: {
      GET: context => ({ status: 200, body: Object.entries(context.query).map(formatEntry) }),
      POST: context => ({ status: 200, body: Object.entries(context.body).map(formatEntry) }),
    },
  })

const formatEntry = ([name, value]: [string, unknown]): string => `${name}: ${typeof value} ${value}`

onEachDatabase(
  () => ({
    resources: [books, authors],
    nonFieldErrorsKey: 'errors',
    showCauses: true,
    strict: true,
    checkResponses: true,
    renderers: [jsonRenderer, browsable()],
    views: {
      '/zod/': createOrders(zodOrder),
      '/valibot/': createOrders(valibotOrder),
      '/json-valibot/': createOrders(toStandardJsonSchema(valibotOrder)),
      '/arktype/': createOrders(arkOrder),
      '/checks/:year/': checks,
      '/anything/': anything,
      '/first-book/': firstBook,
      '/issues/': withIssues,
      '/converted-zod/': converted(
        z.object({
          id: z.coerce.bigint().optional(),
          limit: z.number().nullable().optional(),
          ratio: z.union([z.literal(1), z.number().max(9)]).optional(),
          either: z.union([z.number(), z.string()]).optional(),
          min: z.int().optional(),
          day: z.iso.date().nullable().optional(),
          name: z.string().optional(),
        }),
      ),
      '/converted-arktype/': converted(
        type({
          'limit?': 'number | null',
          'ratio?': '1 | 2.5',
          'min?': 'number.integer',
          'id?': type('string').pipe(text => BigInt(text)),
        }),
      ),
      '/converted-valibot/': converted(
        toStandardJsonSchema(
          v.object({
            limit: v.optional(v.nullable(v.number())),
            min: v.optional(v.pipe(v.number(), v.integer())),
            ratio: v.optional(v.union([v.literal(1), v.number()])),
            id: v.optional(
              v.pipe(
                v.string(),
                v.transform(text => BigInt(text)),
              ),
            ),
          }),
        ),
      ),
    },
  }),
  api => {
    let book: number
    let author: number
    const send = async (method: string, url: string, json?: unknown) => {
      const response = await api().client.request(method, url, json === undefined ? {} : { json })
      return [response.status, response.text === '' ? undefined : response.json()]
    }

    before(async () => {
      ;[author] = (await api().insert('authors', [{ name: 'Jane' }])) as [number]
      ;[book] = (await api().insert('books', [{ ...bookRow, pages: 10 }])) as [number]
    })

    test('a query by fields is parsed, has its defaults, and its relations exist', async () => {
      const found = { found: 4, exact: true, genres: [], author: null, staffOnly: 7 }
      assert.deepEqual(await send('GET', '/books/search/?text=Emma'), [200, found])
      const all = `/books/search/?text=Emma&exact=false&genres=novel&genres=poetry&author=${author}&format=json`
      assert.deepEqual(await send('GET', all), [
        200,
        { found: 4, exact: false, genres: ['novel', 'poetry'], author, staffOnly: 7 },
      ])
      assert.deepEqual(await send('GET', '/books/search/?exact=perhaps&genres=prose&author=999999'), [
        400,
        {
          text: ['This field is required.'],
          exact: ['Must be a valid boolean.'],
          genres: { 0: ['"prose" is not a valid choice.'] },
          author: ['Invalid pk "999999" - object does not exist.'],
        },
      ])
      assert.deepEqual(await send('GET', '/books/search/?text=a%00'), [
        400,
        { text: ['Null characters are not allowed.'] },
      ])
    })

    test('a strict API refuses parameters that a declared query does not have', async () => {
      const message = 'There is no such parameter. Did you mean "exact"?'
      assert.deepEqual(await send('GET', '/books/search/?text=a&exat=1'), [400, { exat: [message] }])
      assert.deepEqual(await send('GET', '/checks/2020/?limt=1'), [
        400,
        { limt: ['There is no such parameter. Did you mean "limit"?'] },
      ])
    })

    test('each method reads its body as it does for a resource, and may declare its own schemas', async () => {
      const url = '/books/methods/'
      assert.deepEqual(await send('GET', `${url}?page=3`), [200, { page: 3, hasBody: false }])
      assert.deepEqual(await send('POST', url, { title: 'a' }), [201, { title: 'a', note: 'none', page: 1 }])
      assert.deepEqual(await send('PUT', url, { title: 'a' }), [200, { title: 'a', hasNote: false }])
      assert.deepEqual(await send('PATCH', url, {}), [200, {}])
      assert.deepEqual(await send('DELETE', `${url}?confirm=1`), [200, { confirm: true }])
      assert.deepEqual(await send('DELETE', url), [400, { confirm: ['This field is required.'] }])
      assert.deepEqual(await send('GET', `${url}?page=x`), [400, { page: ['A valid integer is required.'] }])
    })

    test('a field that the caller does not see has its default', async () => {
      const url = '/books/conditional/'
      assert.deepEqual(await send('POST', url, { title: 'a', rank: 9 }), [200, { title: 'a', rank: 3 }])
      assert.deepEqual(await send('PATCH', url, { rank: 9 }), [200, {}])
    })

    test('a plain view has the database, and shows objects of resources as their URLs do', async () => {
      assert.deepEqual(await send('GET', '/first-book/'), await send('GET', `/books/${book}/`))
      assert.equal((await send('GET', '/first-book/?id=999999'))[0], 404)
    })

    test('a handler that returns nothing is a 500 whose cause says what to return', async () => {
      assert.match((await send('GET', '/books/nothing/'))[1].cause.message, /GET: the handler returned null: return/)
      assert.match((await send('POST', '/books/nothing/'))[1].cause.message, /POST: the handler returned null: return/)
    })

    test('update() changes the object with all checks, and the response is its representation', async () => {
      const [status, extended] = await send('POST', `/books/${book}/extend/3/`, { by: 5 })
      assert.deepEqual([status, extended.pages], [200, 25])
      assert.deepEqual(await send('GET', `/books/${book}/`), [200, extended])
      assert.deepEqual(await send('GET', `/books/${book}/extend/3/`), [200, extended])
      assert.deepEqual(await send('POST', `/books/${book}/extend/3/`, { by: 5000 }), [
        400,
        { pages: ['Ensure this value is less than or equal to 5000.'] },
      ])
      assert.deepEqual(await send('POST', `/books/${book}/extend/3/`, {}), [400, { by: ['This field is required.'] }])
      for (const times of ['0', 'x', '%00', '3.5'])
        assert.equal((await send('POST', `/books/${book}/extend/${times}/`, { by: 5 }))[0], 404, times)
    })

    test('update() also changes fields that no body of the resource may contain, with their checks', async () => {
      const [, before] = await send('PATCH', `/books/${book}/`, { genre: 'novel', author: null })
      assert.equal(before.author, null)
      const url = `/books/${book}/classify/`
      const classified = { ...before, genre: 'poetry', author }
      assert.deepEqual(await send('POST', url, { genre: 'poetry', author }), [200, classified])
      assert.deepEqual(await send('PATCH', `/books/${book}/`, { genre: 'novel', author: null }), [200, classified])
      assert.deepEqual(await send('POST', url, { genre: 'prose', author: 999999 }), [
        400,
        { genre: ['"prose" is not a valid choice.'], author: ['Invalid pk "999999" - object does not exist.'] },
      ])
      assert.equal((await send('PUT', url, { genre: 'novel', author: null }))[0], 500)
      assert.deepEqual(await send('GET', `/books/${book}/`), [200, classified])
    })

    for (const library of ['zod', 'valibot', 'json-valibot', 'arktype']) {
      test(`a body is checked by a schema of ${library}, and its errors are keyed by path`, async () => {
        const url = `/${library}/`
        const lines = [{ sku: 'ab', count: 2 }]
        assert.deepEqual(await send('POST', url, { lines }), [200, { skus: ['ab'], lines, gift: false }])
        const [status, errors] = await send('POST', url, { lines: [...lines, { sku: 'a', count: 1 }] })
        assert.equal(status, 400)
        assert.deepEqual(
          [Object.keys(errors), Object.keys(errors.lines), Object.keys(errors.lines[1])],
          [['lines'], ['1'], ['sku']],
        )
        assert.equal(errors.lines[1].sku.length, 1)
        assert.deepEqual(Object.keys((await send('POST', url))[1]), ['lines'])
        assert.deepEqual(Object.keys((await send('POST', url, 5))[1]), ['errors'])
        assert.deepEqual(await send('POST', url, { lines: [{ sku: 'a\0b', count: 1 }] }), [
          400,
          { errors: ['Null characters are not allowed.'] },
        ])
      })
    }

    test('a schema may be asynchronous, and gets texts of forms and queries, converted if it says what it takes', async () => {
      assert.deepEqual(await send('PUT', '/checks/2020/', { name: 'ann' }), [200, { name: 'ann' }])
      assert.deepEqual(await send('PUT', '/checks/2020/', { name: 'taken' }), [400, { name: ['This name is taken.'] }])
      const shown = { year: 2020, limit: 3, tags: ['a'] }
      assert.deepEqual(await send('GET', '/checks/2020/?limit=3&tag=a'), [200, shown])
      assert.equal((await send('GET', '/checks/1999/'))[0], 404)
      const form = new URLSearchParams({ gift: 'true', lines: 'x' }).toString()
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const response = await api().client.request('POST', '/zod/', { headers, body: form })
      assert.deepEqual([response.status, Object.keys(response.json())], [400, ['lines']])
    })

    test('issues of a value and of its parts are all in the response', async () => {
      assert.deepEqual(await send('GET', '/issues/?of=both'), [
        400,
        { errors: ['all', 'named'], a: { errors: ['whole'], 0: { b: ['part'] } } },
      ])
      assert.deepEqual(await send('GET', '/issues/?of=null'), [400, { null: ['wrong'] }])
    })

    for (const library of ['zod', 'arktype', 'valibot']) {
      test(`texts become the numbers of a schema of ${library}, whatever its other values are`, async () => {
        const parameters = 'limit=5&ratio=2.5&min=3&id=7'
        const values = ['id: bigint 7', 'limit: number 5', 'min: number 3', 'ratio: number 2.5']
        const url = `/converted-${library}/`
        const [status, query] = await send('GET', `${url}?${parameters}`)
        assert.deepEqual([status, query.sort?.()], [200, values])
        const headers = { 'content-type': 'application/x-www-form-urlencoded' }
        const form = await api().client.request('POST', url, { headers, body: parameters })
        assert.deepEqual(form.json().sort(), values)
        assert.deepEqual(await send('GET', `${url}?limit=&min=`), [200, ['limit: object null']])
      })
    }

    test('a text stays a text where the schema takes one', async () => {
      assert.deepEqual(await send('GET', '/converted-zod/?either=5&name=&day='), [
        200,
        ['either: string 5', 'day: object null', 'name: string '],
      ])
    })

    test('in tests, a response that is not what the view declares is a 500', async () => {
      assert.equal((await send('POST', '/checks/2020/', { name: 'ann' }))[0], 500)
      assert.equal((await send('PUT', '/checks/2020/', { name: 'anna' }))[0], 500)
      assert.equal((await send('GET', `/books/${book}/wrong/`))[0], 500)
    })

    test('OPTIONS describes the query, the body and the response of each method', async () => {
      const [, { actions, queries, responses }] = await send('OPTIONS', '/books/methods/')
      assert.deepEqual(Object.keys(actions), ['POST', 'PUT', 'PATCH'])
      assert.deepEqual(Object.keys(queries), ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
      assert.deepEqual(
        [Object.keys(queries.GET), queries.GET.page.type, queries.GET.page.required],
        [['page'], 'integer', false],
      )
      assert.deepEqual([Object.keys(responses), responses.POST.type], [['POST'], 'nested object'])
      assert.deepEqual(responses.POST.children.title, { type: 'string' })
      for (const library of ['zod', 'json-valibot', 'arktype']) {
        const { lines } = (await send('OPTIONS', `/${library}/`))[1].actions.POST
        assert.deepEqual([lines.type, Object.keys(lines.child.children).sort()], ['list', ['count', 'sku']], library)
      }
      assert.deepEqual((await send('OPTIONS', '/valibot/'))[1].actions, { POST: {} })
      const shown = (await send('OPTIONS', `/books/${book}/extend/3/`))[1].responses.POST.children
      assert.deepEqual(Object.keys(shown), ['id', 'title', 'pages', 'genre', 'published', 'author'])
    })

    test('a page has a form for the query with its values and errors, and raw data for any body', async () => {
      const show = async (url: string) => (await api().client.get(url, { headers: { accept: 'text/html' } })).text
      const page = await show('/books/search/?text=Emma&exact=false')
      assert.match(page, /<form class="query" method="get" action="\/books\/search\/"/)
      assert.match(page, /<input type="text" value="Emma" id="query-text" name="text"/)
      assert.match(page, /<option value="false" selected>No/)
      const rejected = await show(`/books/search/?text=${'x'.repeat(21)}`)
      assert.match(
        rejected,
        /<ul class="errors" id="query-text-errors" +><li>Ensure this field has no more than 20 characters/,
      )
      assert.match(await show('/valibot/'), /<textarea id="editor-post"/)
      assert.match(await show('/zod/'), /<textarea id="post-lines"|name="lines"/)
    })

    test('a schema without fields takes any value', async () => {
      assert.deepEqual(await send('POST', '/anything/', [1, 2, 3]), [200, { length: 3 }])
      assert.equal((await send('POST', '/anything/', { a: 1 }))[0], 400)
    })
  },
)

const mustBeFields = 'must be fields, such as { until: date() }, or a Standard Schema, such as that of Zod'
const isReadOnly = 'field "a" is read-only, so no request contains it: remove it, or declare one that can be written'

test('wrong declarations are errors that name the fix', () => {
  const handlers = { POST: () => ({ status: 204 }) }
  for (const [declare, message] of [
    [
      () => view({ name: 'X', body: { until: 3 } as never, handlers }),
      'view "X": body must be fields, such as { until: date() }, or a Standard Schema, such as that of Zod',
    ],
    [
      () => view({ name: 'X', body: text() as never, handlers }),
      'view "X": body must be fields, such as { until: date() }, or a Standard Schema, such as that of Zod',
    ],
    [
      () => view({ name: 'X', handlers: { POST: { status: 201, handle: handlers.POST } } }),
      'view "X": POST: "status" is that of a declared "response": declare it, or return { status, body }',
    ],
    [
      () => view({ name: 'X', handlers: { GET: { body: { a: text() }, handle: handlers.POST } } }),
      'view "X": GET: a request with this method has no body: declare a "query"',
    ],
    [
      () => view({ name: 'X', response: 'representation', handlers: handlers as never }),
      'view "X": response: only views of a resource respond with a representation: declare fields',
    ],
    [
      () => createApi({ views: { '/x/': view({ name: 'X', parameters: { year: integer() }, handlers }) } }),
      'createApi(): the path "/x/" of view "X" has no parameter ":year": add it, or remove it from "parameters"',
    ],
    [
      () =>
        resource('x', {
          table: 'x',
          fields: { id: key() },
          objectViews: { y: objectView({ path: 'z/:a', parameters: { b: integer() }, handlers }) },
        }),
      'resource "x": the view "y": parameters: the path has no ":b": add it, or remove it here',
    ],
    [
      () => view({ name: 'X', handlers: { GET: { querry: {}, handle: handlers.POST } as never } }),
      'view "X": GET: there is no option "querry": write "query"',
    ],
    ...[
      [{ query: { a: integer } }, 'query: field "a" is a function: call it, as in integer()'],
      [{ query: 'x' }, `query ${mustBeFields}`],
      [{ body: null }, `body ${mustBeFields}`],
      [{ response: 5 }, `response ${mustBeFields}`],
      [
        { query: { a: key() } },
        'query: field "a" is the key of a resource: declare a field of the type of the key, such as integer()',
      ],
      [{ body: { a: hyperlinkedIdentity() } }, `body: ${isReadOnly}`],
      [{ body: { a: readOnly(text()) } }, `body: ${isReadOnly}`],
      [{ body: { a: text({ source: 'author.name' }) } }, `body: ${isReadOnly}`],
      [
        { body: { a: text({ unique: 'Taken.' }) } },
        'body: field "a": "unique" is for the fields of a resource: remove it, and check the value in the handler',
      ],
      [{ query: { a: text({ fixed: true }) } }, 'query: field "a": "fixed" is for the fields of a resource: remove it'],
      [
        { parameters: { a: integer({ required: false }) }, path: 'x/:a' },
        'parameters: field "a": the path always contains it: remove "required", "nullable" and "default"',
      ],
      [
        { body: { a: text() }, handlers: { GET: handlers.POST } },
        'body: no method of the view has a body: add POST, PUT or PATCH, or declare a "query"',
      ],
    ].flatMap(([options, message]) => {
      const { path, ...plain } = { handlers, ...(options as object) } as { path?: string; handlers: typeof handlers }
      return [
        [() => view({ name: 'X', ...plain }), `view "X": ${message}`] as const,
        [
          () =>
            resource('x', { table: 'x', fields: { id: key() }, listViews: { y: { ...plain, ...(path && { path }) } } }),
          `resource "x": the view "y": ${message}`,
        ] as const,
      ]
    }),
    [() => view({ name: 'X', handlers: {} }), 'view "X" has no handler: write handlers: { GET: … }'],
    [
      () =>
        view({ name: 'X', handlers: { POST: { response: { a: text() }, status: 204, handle: () => ({ a: '' }) } } }),
      'view "X": POST: a response with the status 204 has no body: remove "response", or the status',
    ],
    ...[related(authors), related('authors')].map(
      a =>
        [
          () => view({ name: 'X', query: { a }, handlers }),
          'view "X": query: field "a" is a relation, and only views of a resource check that its objects exist: declare a listView() or objectView(), or take the key, such as integer()',
        ] as const,
    ),
  ] as const)
    assert.throws(declare, { message })
})

test('a query cannot have the parameter that selects the renderer', async () => {
  const views = { '/x/': view({ name: 'X', query: { as: text() }, handlers: { GET: () => ({ status: 200 }) } }) }
  const server = fastify().register(createApi({ views, formatParam: 'as' }))
  await assert.rejects(async () => server.ready(), {
    message:
      'createApi(): view "X": GET: query: the parameter "as" selects the renderer: rename it, or set the option "formatParam"',
  })
  await fastify().register(createApi({ views })).ready()
})
