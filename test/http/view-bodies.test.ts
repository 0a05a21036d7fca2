// Bodies of views: a handler can tell a member that was not sent from null, and a whole body may be a list.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import fastify from 'fastify'
import {
  boolean,
  createApi,
  date,
  integer,
  key,
  list,
  listView,
  type Migrations,
  object,
  objectView,
  related,
  resource,
  text,
  ValidationError,
  view,
} from 'resource-api'
import { createClient } from 'resource-api/client'
import { z } from 'zod'
import { onEachDatabase } from '../support/own-api.ts'
import { type Flat, type Same, same } from '../support/same-types.ts'

const readers = resource('readers', { table: 'readers', fields: { id: key(), name: text() } })

const loan = {
  title: text({ max: 20 }),
  due: date({ nullable: true }),
  reader: related(readers, { nullable: true }),
  is_short: boolean({ default: false }),
  note: text({ required: false, blank: true }),
}

/** What the handlers got. */
const seen: unknown[] = []
const record = (context: { readonly body: unknown; readonly given: unknown }) => {
  seen.push({ body: context.body, given: context.given })
  return { status: 204 }
}

const places = list({ of: object({ fields: { id: integer(), note: text({ nullable: true }) } }), min: 1, max: 3 })

const loans = resource('loans', {
  table: 'loans',
  fields: { id: key(), title: text() },
  envelope: { one: 'loan' },
  listViews: {
    open: listView({
      body: loan,
      handlers: {
        POST(context) {
          interface Given {
            readonly title?: string
            readonly due?: string | null
            readonly reader?: number | null
            readonly is_short?: boolean
            readonly note?: string
          }
          same<Same<Flat<typeof context.given>, Given>>()
          return record(context)
        },
        PATCH: record,
        PUT: record,
        DELETE(context) {
          same<Same<typeof context.given, undefined>>()
          return record(context)
        },
      },
    }),
    schema: listView({
      body: z.object({ note: z.string().nullish() }),
      handlers: {
        POST(context) {
          same<Same<typeof context.given, undefined>>()
          return record(context)
        },
      },
    }),
    order: listView({
      body: places,
      response: list({ of: integer() }),
      handlers: {
        POST(context) {
          same<Same<Flat<typeof context.body>[number]['id'], number>>()
          same<Same<typeof context.given, undefined>>()
          record(context)
          return context.body.map(({ id }) => id)
        },
        PATCH: { body: list({ of: text({ max: 3 }) }), response: list({ of: text() }), handle: ({ body }) => body },
      },
    }),
  },
  objectViews: {
    renew: objectView({ body: { due: date({ nullable: true }) }, handlers: { POST: record } }),
  },
})

const sums = view({
  name: 'Sums',
  body: list({ of: integer({ max: 100 }), messages: { not_a_list: 'Send numbers.' } }),
  response: { sum: integer() },
  handlers: { POST: ({ body }) => ({ sum: body.reduce((sum, value) => sum + value, 0) }) },
})

const checked = view({
  name: 'Checked',
  body: list({
    of: integer(),
    validators: [
      values => {
        if (new Set(values).size < values.length) throw new ValidationError('The numbers must differ.', 'repeated')
      },
    ],
    normalize: values => values.toSorted((one, other) => one - other),
  }),
  response: list({ of: integer() }),
  handlers: { PUT: ({ body }) => body },
})

const wrong = view({
  name: 'Wrong',
  response: list({ of: integer() }),
  handlers: { GET: () => ['a'] as unknown as number[] },
})

const migrations: Migrations = {
  async '0001_loans'({ schema }, { key, text }) {
    for (const [table, column] of [
      ['readers', 'name'],
      ['loans', 'title'],
    ] as const)
      await schema
        .createTable(table)
        .addColumn('id', key)
        .addColumn(column, text, each => each.notNull())
        .execute()
  },
}

const views = { '/sums/': sums, '/checked/': checked, '/wrong/': wrong }

onEachDatabase(
  () => ({ resources: [readers, loans], views, checkResponses: true }),
  api => {
    beforeEach(() => {
      seen.length = 0
    })

    const send = (method: string, url: string, json: object) => api().client.request(method, url, { json })

    test('`given` has the members that the body contains, and null only if the body says so', async () => {
      const [reader] = await api().insert('readers', [{ name: 'Ann' }])
      const complete = { title: 'A', due: null, reader: null, is_short: false }
      for (const [loan, body, given] of [
        [{ title: 'A' }, complete, { title: 'A' }],
        [{ title: ' A ', due: null }, complete, { title: 'A', due: null }],
        [
          { title: 'A', due: '2026-01-31', reader, is_short: true, note: '', more: 1 },
          { title: 'A', due: '2026-01-31', reader, is_short: true, note: '' },
          { title: 'A', due: '2026-01-31', reader, is_short: true, note: '' },
        ],
      ] as const) {
        assert.equal((await send('POST', '/loans/open/', { loan })).status, 204)
        assert.deepEqual(seen.pop(), { body, given })
      }
    })

    test('so it is for PUT, PATCH, forms and views below objects', async () => {
      await send('PATCH', '/loans/open/', { loan: { due: null } })
      await send('PUT', '/loans/open/', { loan: { title: 'B', reader: null } })
      await api().client.post('/loans/open/', {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'title=C&due=',
      })
      const [id] = await api().insert('loans', [{ title: 'A' }])
      await send('POST', `/loans/${id}/renew/`, { loan: {} })
      await send('POST', `/loans/${id}/renew/`, { loan: { due: null } })
      await api().client.delete('/loans/open/')
      assert.deepEqual(seen, [
        { body: { due: null }, given: { due: null } },
        { body: { title: 'B', reader: null }, given: { title: 'B', reader: null } },
        // A form that lacks a boolean says that it is false.
        {
          body: { title: 'C', due: null, reader: null, is_short: false },
          given: { title: 'C', due: null, is_short: false },
        },
        { body: { due: null }, given: {} },
        { body: { due: null }, given: { due: null } },
        { body: undefined, given: undefined },
      ])
    })

    test('a Standard Schema itself says what was not sent', async () => {
      await send('POST', '/loans/schema/', {})
      await send('POST', '/loans/schema/', { note: null })
      assert.deepEqual(seen, [
        { body: {}, given: undefined },
        { body: { note: null }, given: undefined },
      ])
    })

    test('a body may be a list, and so may a response', async () => {
      const body = [{ id: 3, note: 'a' }, { id: '1' }]
      const response = await send('POST', '/loans/order/', body)
      assert.deepEqual([response.status, response.json()], [200, [3, 1]])
      const items = [
        { id: 3, note: 'a' },
        { id: 1, note: null },
      ]
      assert.deepEqual(seen, [{ body: items, given: undefined }])
      assert.deepEqual((await send('PATCH', '/loans/order/', ['a', 'b'])).json(), ['a', 'b'])
      assert.deepEqual((await send('POST', '/sums/', [1, 2, '3'])).json(), { sum: 6 })
      assert.deepEqual((await send('POST', '/sums/', [])).json(), { sum: 0 })
      assert.deepEqual((await send('PUT', '/checked/', [3, 1, 2])).json(), [1, 2, 3])
    })

    test('errors of a list are keyed by the index of the item', async () => {
      const tooLong = 'Ensure this field has no more than 3 elements.'
      for (const [method, url, body, errors] of [
        [
          'POST',
          '/loans/order/',
          [{ id: 1 }, { id: 'a' }, {}],
          { 1: { id: ['A valid integer is required.'] }, 2: { id: ['This field is required.'] } },
        ],
        ['POST', '/loans/order/', [], { non_field_errors: ['Ensure this field has at least 1 elements.'] }],
        ['POST', '/loans/order/', Array.from({ length: 4 }, (_, id) => ({ id })), { non_field_errors: [tooLong] }],
        ['POST', '/loans/order/', { id: 1 }, { non_field_errors: ['Expected a list of items but got type "dict".'] }],
        ['PATCH', '/loans/order/', ['abc', 'abcd'], { 1: ['Ensure this field has no more than 3 characters.'] }],
        ['POST', '/sums/', [1, null], { 1: ['This field may not be null.'] }],
        ['POST', '/sums/', { a: 1 }, { non_field_errors: ['Send numbers.'] }],
        ['PUT', '/checked/', [1, 1], { non_field_errors: ['The numbers must differ.'] }],
      ] as const) {
        const response = await send(method, url, body)
        assert.deepEqual([response.status, response.json()], [400, errors])
      }
      const { client } = api()
      const headers = { 'content-type': 'application/json' }
      assert.deepEqual((await client.post('/sums/', { headers, body: 'null' })).json(), {
        non_field_errors: ['This field may not be null.'],
      })
      assert.equal((await client.post('/sums/', {})).status, 400)
      assert.equal(
        (await client.post('/sums/', { body: 'a=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } }))
          .status,
        400,
      )
    })

    test('a response that is not the declared list is a 500 where responses are checked', async () => {
      assert.equal((await api().client.get('/wrong/')).status, 500)
    })

    test('the OpenAPI document describes the lists', async () => {
      const { paths } = (await api().client.get('/openapi.json')).json()
      const { requestBody, responses } = paths['/sums/'].post
      assert.deepEqual(requestBody.content['application/json'].schema, {
        type: 'array',
        items: { type: 'integer', format: 'int32', minimum: -(2 ** 31), maximum: 100 },
        maxItems: 1000,
      })
      assert.equal(requestBody.required, true)
      assert.ok(responses[400])
      const order = paths['/loans/order/'].post
      assert.partialDeepStrictEqual(order.requestBody.content['application/json'].schema, {
        type: 'array',
        minItems: 1,
        maxItems: 3,
        items: { type: 'object', required: ['id'] },
      })
      assert.deepEqual(order.responses[200].content['application/json'].schema, {
        type: 'array',
        items: { type: 'integer' },
      })
    })

    test('the typed client sends a list', async () => {
      const server = createApi({ resources: [readers, loans], views, database: api().database })
      const app = fastify()
      await app.register(server)
      const origin = await app.listen({ port: 0 })
      const client = createClient<typeof server>({ baseUrl: origin })
      assert.deepEqual(await client.loans.order([{ id: 5 }, { id: 6, note: null }]), [5, 6])
      assert.deepEqual(await client.loans.order.patch(['a']), ['a'])
      // @ts-expect-error the members have types
      const refused = () => client.loans.order([{ id: true }])
      await assert.rejects(refused)
      await app.close()
    })
  },
  { migrations },
)

test('wrong declarations are errors that name the fix', () => {
  const handlers = { POST: () => ({ status: 204 }) }
  const only = 'give list() only "of", "min", "max", "empty", "validators", "normalize" and "messages"'
  for (const [options, message] of [
    [{ body: list({ of: text(), default: [] }) }, `view "X": body: the list is the whole body: ${only}`],
    [{ body: list({ of: text(), nullable: true }) }, `view "X": body: the list is the whole body: ${only}`],
    [
      { response: list({ of: text(), required: false }) },
      `view "X": response: the list is the whole response: ${only}`,
    ],
    [
      { body: list({ of: text(), rows: { table: 'a', own: 'b', other: 'c' } }) },
      `view "X": body: the list is the whole body: ${only}`,
    ],
    [
      { query: list({ of: text() }) },
      'view "X": query must be fields, such as { until: date() }, or a Standard Schema, such as that of Zod',
    ],
  ] as const)
    assert.throws(() => view({ name: 'X', ...(options as object), handlers }), { message })
})
