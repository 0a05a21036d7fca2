// The media type of a response (SVC-6): Accept, `?format=`, and `indent`.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Document, htmlDocumentRenderer, jsonRenderer } from 'resource-api'
import type { Renderer } from 'resource-api/extend'
import { startApi, type TestApi, userScheme } from '../support/own-api.ts'

const csv: Renderer = {
  mediaType: 'text/csv',
  format: 'csv',
  contentType: 'text/csv; charset=utf-8',
  canRender: body => Array.isArray(body),
  render: body => (body as string[]).join(','),
}

const list = ['ü', 'b']
const handlers = { GET: () => ({ status: 200, body: list }) }

let api: TestApi
before(async () => {
  api = await startApi({
    authentication: [userScheme],
    renderers: [jsonRenderer, csv],
    views: {
      '/list/': { name: 'List', handlers },
      '/csv/': { name: 'CSV', renderers: [csv], handlers },
      '/broken/': { name: 'Broken', handlers: { GET: () => Promise.reject(new Error()) } },
      '/page/': {
        name: 'Page',
        renderers: [htmlDocumentRenderer, jsonRenderer],
        handlers: { GET: () => ({ status: 200, body: new Document('<p>ü') }) },
      },
    },
  })
})
after(() => api.stop())

const get = (accept: string | undefined, url = '/list/') =>
  api.client.get(url, { headers: accept === undefined ? {} : { accept } })

/** The content type of the response to a request with this Accept header, or the status if it is refused. */
async function requestContentType(accept: string | undefined, url?: string): Promise<string | number> {
  const { status, headers } = await get(accept, url)
  return status === 200 ? headers['content-type']! : status
}

const jsonType = 'application/json'
const csvType = 'text/csv; charset=utf-8'

for (const [accept, expected] of [
  [undefined, jsonType],
  ['', jsonType],
  ['*/*', jsonType],
  ['application/json', jsonType],
  ['APPLICATION/JSON', jsonType],
  ['application/*', jsonType],
  ['application/json; charset=utf-8', jsonType],
  ['application/json;charset=UTF-8', jsonType],
  ['text/csv', csvType],
  ['text/*', csvType],
  ['text/*, */*', csvType],
  ['text/csv;q=0.9, application/json;q=0.8', csvType],
  ['text/csv;q=0.8, application/json;q=0.9', jsonType],
  ['text/csv;q=0.8, application/*;q=0.9', jsonType],
  ['text/csv, */*;q=0.1', csvType],
  ['*/*;q=0.1, text/csv', csvType],
  ['*/*, application/json;q=0', csvType],
  ['application/json;q=0, text/csv;q=0', 406],
  ['*/*;q=0', 406],
  ['application/json;q=0.000', 406],
  ['application/json;q=0.001', jsonType],
  ['application/xml', 406],
  ['application/xml, */*;q=0.01', jsonType],
  ['image/png, image/*', 406],
  ['application/json; version=1.0', jsonType],
  ['application/json;version=2, text/csv;q=0.1', jsonType],
  ['text/csv;version=2', csvType],
  ['text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2', jsonType],
] as const) {
  test(`SVC-6, ERR-EXC-r8: ${accept === undefined ? 'no Accept header' : `Accept: ${accept}`} results in ${expected}`, async () => {
    assert.equal(await requestContentType(accept), expected)
  })
}

test('SVC-6: no Accept header causes a server error', async () => {
  const shortValues = ', ; / * */ /* */json a a/ ;q=1 q=1 " \t a/b;" application/json/x application/json;q */*;*/* é/é'
  const weights = ['', 'x', '2', '-1', '1e1', '"1"', '0.0001', '.', '1.001'].map(
    weight => `application/json;q=${weight}`,
  )
  const longValues = [
    'application/json,'.repeat(3000),
    'a/b;'.repeat(2000),
    `a/b;c="${'\\"'.repeat(3000)}`,
    'a'.repeat(9000),
  ]
  const malformed = [
    'application/json;indent="',
    'application/json;;;',
    'application /json',
    'application/json;__proto__=1',
  ]
  for (const accept of [...shortValues.split(' '), ...weights, ...longValues, ...malformed]) {
    const { status } = await get(accept)
    assert.ok(status === 200 || status === 406, `${status} for ${accept.slice(0, 50)}`)
  }
})

test('ERR-EXC-r8: a 406 response is JSON', async () => {
  const response = await get('application/xml')
  assert.deepEqual(
    [response.status, response.json()],
    [406, { detail: 'Could not satisfy the request Accept header.', available: ['application/json', 'text/csv'] }],
  )
  assert.equal(response.headers['content-type'], jsonType)
})

test('SVC-6: ?format= overrides Accept, and an unknown format is 404', async () => {
  assert.equal(await requestContentType('application/json', '/list/?format=csv'), csvType)
  assert.equal(await requestContentType('application/xml', '/list/?format=json'), jsonType)
  for (const url of [
    '/list/?format=xml',
    '/list/?format=',
    '/list/?format=json&format=csv',
    '/list/?format=__proto__',
  ]) {
    const response = await get('*/*', url)
    assert.deepEqual([response.status, response.json()], [404, { detail: 'Not found.' }], url)
  }
})

test('SVC-6: formatParam renames the format parameter, or disables it', async () => {
  const views = { '/list/': { name: 'List', handlers } }
  for (const [formatParam, url, type] of [
    ['as', '/list/?as=csv', csvType],
    ['as', '/list/?format=csv', jsonType],
    ['__proto__', '/list/?format=csv', jsonType],
    [null, '/list/?format=csv', jsonType],
    [null, '/list/?null=csv', jsonType],
  ] as const) {
    const api = await startApi({ renderers: [jsonRenderer, csv], views, formatParam })
    const { status, headers } = await api.client.get(url)
    await api.stop()
    assert.deepEqual([status, headers['content-type']], [200, type], `${formatParam} ${url}`)
  }
})

test('SVC-6: ?format= uses the media type parameters in Accept', async () => {
  assert.equal((await get('application/json; indent=2', '/list/?format=json')).text, JSON.stringify(list, null, 2))
  assert.equal((await get('text/csv', '/list/?format=json')).text, JSON.stringify(list))
})

test('SVC-6: a view may have its own renderers; an error that none of them can render is JSON', async () => {
  assert.equal(await requestContentType('*/*', '/csv/'), csvType)
  assert.equal(await requestContentType('application/json', '/csv/'), 406)
  assert.equal(await requestContentType('text/html', '/page/'), 'text/html; charset=utf-8')
  assert.equal((await get('text/html', '/page/')).text, '<p>ü')
  const error = await get('text/csv', '/broken/')
  assert.deepEqual([error.status, error.headers['content-type']], [500, jsonType])
})

test('SVC-6: indent is clamped to 8 spaces; other values than numbers give compact JSON', async () => {
  for (const indent of ['0', '1', '4', '8', '9', '999999999', '"2"', '-1', '1.5', 'x', '""', '1e1']) {
    const spaces = { '1': 1, '4': 4, '8': 8, '9': 8, '999999999': 8, '"2"': 2 }[indent] ?? 0
    const response = await get(`application/json; indent=${indent}`)
    assert.equal(response.text, JSON.stringify(list, null, spaces), indent)
  }
  assert.equal((await get('application/json; indent=')).text, JSON.stringify(list))
  assert.equal((await get('application/json; indent=; version=1.0')).text, JSON.stringify(list))
  assert.equal((await get('application/json;q=0.5;indent=2')).text, JSON.stringify(list, null, 2))
  assert.equal((await get('application/json;indent=2;q=0.5, */*;q=0.1')).text, JSON.stringify(list, null, 2))
  assert.equal((await get('application/json')).headers['content-type'], jsonType)
})

test('SVC-6: errors are indented as well', async () => {
  const response = await api.client.get('/nowhere/', { headers: { accept: 'application/json; indent=3' } })
  assert.equal(response.text, '{\n   "detail": "Not found."\n}')
})
