// Integers beyond 2^53, which a JavaScript number cannot represent: JSON fields and plain views keep every digit,
// and fields with bounds refuse them.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  browsable,
  computed,
  type HandlerContext,
  integer,
  json,
  jsonRenderer,
  key,
  list,
  type Migrations,
  number,
  resource,
  text,
} from 'resource-api'
import { onEachDatabase, startApi } from '../support/own-api.ts'

const digits = ['9007199254740993', '-9007199254740993', '12345678901234567890', `1${'0'.repeat(299)}7`]
const data = `{"numbers":[${digits}],"in":{"a":9007199254740991,"b":1.5,"c":"9007199254740993"}}`

const migrations: Migrations = {
  async '0001_documents'(kysely, columns) {
    await kysely.schema
      .createTable('documents')
      .addColumn('id', columns.key)
      .addColumn('title', columns.text)
      .addColumn('data', columns.json)
      .addColumn('codes', columns.json)
      .addColumn('size', columns.number)
      .execute()
  },
}

/** The values that the resource's validate hook received last. */
let validatedValues: { readonly data?: unknown } = {}

const documents = resource('documents', {
  table: 'documents',
  fields: {
    id: key(),
    title: text({ default: '', blank: true }),
    data: json({ nullable: true }),
    codes: list({ of: json(), default: [] }),
    size: number({ default: 0 }),
    first: computed({ columns: ['data'], value: ({ data }) => (data as { numbers?: unknown[] } | null)?.numbers?.[0] }),
  },
  validate({ values }) {
    validatedValues = values
  },
})

onEachDatabase(
  () => ({ resources: [documents], renderers: [jsonRenderer, browsable()] }),
  api => {
    const post = (body: string, type = 'application/json') =>
      api().client.post('/documents/', { body, headers: { 'content-type': type } })

    test('a JSON field stores and shows every digit, also after a PATCH of another field', async () => {
      const created = await post(`{"data":${data},"codes":[9007199254740993]}`)
      assert.equal(created.status, 201)
      const url = new URL(created.headers.location!).pathname
      const patched = await api().client.patch(url, { json: { title: 'changed' } })
      const form = await api().client.patch(url, { form: { title: 'again' } })
      for (const response of [
        created,
        patched,
        form,
        await api().client.get(url),
        await api().client.get('/documents/'),
      ])
        for (const digitsText of [...digits, `"codes":[9007199254740993]`, `"first":${digits[0]}`])
          assert.ok(response.text.replaceAll(' ', '').includes(digitsText), `${digitsText} in ${response.text}`)
      assert.deepEqual((validatedValues.data as { numbers: unknown }).numbers, digits.map(BigInt))
    })

    test('a PATCH of the field, by JSON and by a form, keeps every digit', async () => {
      const { headers } = await post('{"data":null}')
      const url = new URL(headers.location!).pathname
      const body = `{"data":[${digits[2]}]}`
      const byJson = await api().client.patch(url, { body, headers: { 'content-type': 'application/json' } })
      assert.match(byJson.text, new RegExp(`"data": ?\\[${digits[2]}\\]`))
      const byForm = await api().client.patch(url, { form: { data: `{"a":${digits[1]}}` } })
      assert.match(byForm.text, new RegExp(`"a": ?${digits[1]}`))
    })

    test('SVC-6, SVC-7: indented JSON and the form of a page show every digit', async () => {
      const { headers } = await post(`{"data":${data}}`)
      const url = new URL(headers.location!).pathname
      const indented = await api().client.get(url, { headers: { accept: 'application/json; indent=2' } })
      const page = await api().client.get(url, { headers: { accept: 'text/html' } })
      assert.equal(page.status, 200)
      const field = /<textarea[^>]*name="data"[^>]*>([^<]*)</.exec(page.text)![1]!
      for (const digit of digits) {
        assert.ok(indented.text.includes(digit), indented.text)
        assert.ok(field.includes(digit), field)
      }
    })

    test('SVC-7: the error page of a refused body shows the submitted digits', async () => {
      const response = await api().client.post('/documents/', {
        body: `{"data":[${digits[2]}],"size":"x"}`,
        headers: { 'content-type': 'application/json', accept: 'text/html' },
      })
      assert.equal(response.status, 400)
      assert.ok(response.text.includes(digits[2]!))
    })
  },
  { migrations },
)

suite('large integers without a database', () => {
  const echo = {
    name: 'Echo',
    handlers: {
      POST: ({ requestBody }: HandlerContext) => ({
        status: 200,
        body: requestBody.kind === 'data' ? { ...requestBody } : {},
      }),
    },
  }
  const createList = (field: Parameters<typeof list>[0]['of']) => list({ of: field })

  test('ERR-EXC-r1: a plain view receives and returns every digit', async () => {
    const { client, stop } = await startApi({ views: { '/echo/': echo } })
    for (const body of [...digits, data, `[[${digits}]]`])
      for (const accept of ['*/*', 'application/json; indent=1']) {
        const headers = { 'content-type': 'application/json', accept }
        const response = await client.post('/echo/', { body, headers })
        assert.equal(response.text.replace(/\s/g, ''), `{"kind":"data","data":${body}}`)
      }
    await stop()
  })

  test('ERR-MSG-r6: fields with bounds refuse large integers with the message of the bound', async () => {
    const context = { baseUrl: '', route: () => undefined }
    for (const large of digits.map(BigInt)) {
      const message = large > 0n ? /less than or equal to 2147483647/ : /greater than or equal to -2147483648/
      await assert.rejects(async () => integer().parse(large, context), message)
      await assert.rejects(async () => createList(integer()).parse([large], context), message)
      assert.equal(number().parse(large, context), Number(large))
      await assert.rejects(async () => text().parse(large, context), /Not a valid string/)
    }
  })

  test('ERR-EXC-r1: deep nesting in a body with a large integer is refused', async () => {
    const { client, stop } = await startApi({ views: { '/echo/': echo } })
    const body = `${'['.repeat(200_000)}${digits[2]}${']'.repeat(200_000)}`
    const response = await client.post('/echo/', { body, headers: { 'content-type': 'application/json' } })
    assert.deepEqual(response.json(), { detail: 'JSON parse error - nested too deeply' })
    await stop()
  })
})
