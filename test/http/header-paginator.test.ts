// A paginator of an application that reads a header field: its pages are cached by the field, and `Vary` names it.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { findDocument, JsonText, key, resource, text } from 'resource-api'
import type { Paginator } from 'resource-api/extend'
import type { Response } from '../../src/core/describe/openapi-types.ts'
import { onEachDatabase } from '../support/own-api.ts'

/** `Range: items=20-29`: the items from the 21st to the 30th, and `Content-Range: items 20-29/57`; default: the first two. */
const ranges: Paginator<never> = {
  varyOn: ['range'],
  describePages: () => ({ members: null, isOptional: false, statuses: [206, 416] }),
  plan({ headers }) {
    const [, first = '0', last = '1'] = /^items=(\d{1,9})-(\d{1,9})$/.exec(headers?.range ?? '') ?? []
    const offset = Number(first)
    return {
      kind: 'counted',
      offset,
      limit: Math.max(Number(last) - offset + 1, 1),
      createPage: (items, count) => ({
        ...(headers?.range !== undefined && { status: offset < count ? 206 : 416 }),
        body: new JsonText(`[${items.join(',')}]`),
        headers: { 'content-range': `items ${offset}-${offset + items.length - 1}/${count}` },
      }),
    }
  },
}

onEachDatabase(
  () => ({
    authentication: [],
    resources: [
      resource('authors', {
        table: 'authors',
        ordering: ['name'],
        fields: { id: key(), name: text() },
        pagination: ranges,
      }),
    ],
  }),
  api => {
    before(async () => {
      await api().insert(
        'authors',
        ['ann', 'bob', 'cid', 'dan', 'eve'].map(name => ({ name })),
      )
    })

    const get = (headers: Readonly<Record<string, string>> = {}) => api().client.get('/authors/', { headers })
    const listNames = async (headers?: Readonly<Record<string, string>>) => {
      const response = await get(headers)
      assert.equal(response.status, headers === undefined ? 200 : 206)
      const names = response.json().map(({ name }: { readonly name: string }) => name)
      return `${response.headers['content-range']}: ${names.join(' ')}`
    }

    test('each range is a page of its own, from the cache too', async () => {
      for (const _ of ['read', 'cached']) {
        assert.equal(await listNames({ range: 'items=1-3' }), 'items 1-3/5: bob cid dan')
        assert.equal(await listNames({ range: 'items=4-9' }), 'items 4-4/5: eve')
        assert.equal(await listNames(), 'items 0-1/5: ann bob')
      }
    })

    test('a page has its own status, and an error of the paginator has no tag', async () => {
      for (const _ of ['read', 'cached']) {
        const beyond = await get({ range: 'items=7-9' })
        assert.deepEqual([beyond.status, beyond.text, beyond.headers.etag], [416, '[]', undefined])
      }
      const whole = await get()
      assert.equal((await get({ 'if-none-match': whole.headers.etag! })).status, 304)
    })

    test('OPTIONS and the document describe the field and the statuses', async () => {
      assert.deepEqual((await api().client.request('OPTIONS', '/authors/')).json().pagination_headers, ['range'])
      const { parameters, responses } = findDocument(api().app).paths['/authors/']!.get!
      const described = { name: 'range', in: 'header', required: false, schema: { type: 'string' } }
      assert.deepEqual(
        parameters?.find(({ name }) => name === 'range'),
        described,
      )
      const schemas = [200, 206, 416].map(
        status => (responses[status] as Response).content?.['application/json']?.schema,
      )
      assert.deepEqual(schemas, Array(3).fill({ type: 'array', items: { $ref: '#/components/schemas/Author' } }))
    })

    test('Vary names the field, and the tag of one page is not that of another', async () => {
      const first = await get({ range: 'items=0-0' })
      assert.match(String(first.headers.vary), /\brange\b/i)
      const tag = String(first.headers.etag)
      const conditional = async (range: string) => (await get({ range, 'if-none-match': tag })).status
      assert.deepEqual([await conditional('items=0-0'), await conditional('items=1-1')], [304, 206])
    })
  },
)
