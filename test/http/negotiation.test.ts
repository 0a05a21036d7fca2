// The format of an answer (SVC-6): Accept, `?format=`, and `indent`.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Document, htmlDocumentRenderer, jsonRenderer, type Renderer } from '../../src/framework/index.ts'
import { type OwnApi, startApi, userScheme } from '../support/own-api.ts'

const csv: Renderer = {
  mediaType: 'text/csv',
  format: 'csv',
  contentType: 'text/csv; charset=utf-8',
  canRender: body => Array.isArray(body),
  render: body => (body as string[]).join(','),
}

const list = ['ü', 'b']
const handlers = { GET: () => ({ status: 200, body: list }) }

let api: OwnApi
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

/** What a request that accepts this is answered in, or the status of the refusal. */
async function typeFor(accept: string | undefined, url?: string): Promise<string | number> {
  const { status, headers } = await get(accept, url)
  return status === 200 ? headers['content-type']! : status
}

const json = 'application/json'
const text = 'text/csv; charset=utf-8'

for (const [accept, expected] of [
  [undefined, json],
  ['', json],
  ['*/*', json],
  ['application/json', json],
  ['APPLICATION/JSON', json],
  ['application/*', json],
  ['application/json; charset=utf-8', json],
  ['application/json;charset=UTF-8', json],
  ['text/csv', text],
  ['text/*', text],
  ['text/*, */*', text],
  ['text/csv;q=0.9, application/json;q=0.8', text],
  ['text/csv;q=0.8, application/json;q=0.9', json],
  ['text/csv;q=0.8, application/*;q=0.9', json],
  ['text/csv, */*;q=0.1', text],
  ['*/*;q=0.1, text/csv', text],
  ['*/*, application/json;q=0', text],
  ['application/json;q=0, text/csv;q=0', 406],
  ['*/*;q=0', 406],
  ['application/json;q=0.000', 406],
  ['application/json;q=0.001', json],
  ['application/xml', 406],
  ['application/xml, */*;q=0.01', json],
  ['image/png, image/*', 406],
  ['application/json; version=1.0', json],
  ['application/json;version=2, text/csv;q=0.1', json],
  ['text/csv;version=2', text],
  ['text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2', json],
] as const) {
  test(`SVC-6, ERR-EXC-r8: Accept: ${accept ?? 'nothing'} is answered in ${expected}`, async () => {
    assert.equal(await typeFor(accept), expected)
  })
}

test('SVC-6: Accept in whatever shape is never a server error', async () => {
  const short = ', ; / * */ /* */json a a/ ;q=1 q=1 " \t a/b;" application/json/x application/json;q */*;*/* é/é'
  const weights = ['', 'x', '2', '-1', '1e1', '"1"', '0.0001', '.', '1.001'].map(
    weight => `application/json;q=${weight}`,
  )
  const long = ['application/json,'.repeat(3000), 'a/b;'.repeat(2000), `a/b;c="${'\\"'.repeat(3000)}`, 'a'.repeat(9000)]
  const odd = ['application/json;indent="', 'application/json;;;', 'application /json', 'application/json;__proto__=1']
  for (const accept of [...short.split(' '), ...weights, ...long, ...odd]) {
    const { status } = await get(accept)
    assert.ok(status === 200 || status === 406, `${status} for ${accept.slice(0, 50)}`)
  }
})

test('ERR-EXC-r8: a refusal to negotiate is JSON itself', async () => {
  const response = await get('application/xml')
  assert.deepEqual(
    [response.status, response.json()],
    [406, { detail: 'Could not satisfy the request Accept header.', available: ['application/json', 'text/csv'] }],
  )
  assert.equal(response.headers['content-type'], json)
})

test('SVC-6: ?format= overrides Accept, and an unknown format is 404', async () => {
  assert.equal(await typeFor('application/json', '/list/?format=csv'), text)
  assert.equal(await typeFor('application/xml', '/list/?format=json'), json)
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

test('SVC-6: the parameter of the format goes by another name, or by none', async () => {
  const views = { '/list/': { name: 'List', handlers } }
  for (const [formatParam, url, type] of [
    ['as', '/list/?as=csv', text],
    ['as', '/list/?format=csv', json],
    ['__proto__', '/list/?format=csv', json],
    [null, '/list/?format=csv', json],
    [null, '/list/?null=csv', json],
  ] as const) {
    const own = await startApi({ renderers: [jsonRenderer, csv], views, formatParam })
    const { status, headers } = await own.client.get(url)
    await own.stop()
    assert.deepEqual([status, headers['content-type']], [200, type], `${formatParam} ${url}`)
  }
})

test('SVC-6: a format takes the parameters that Accept has for it', async () => {
  assert.equal((await get('application/json; indent=2', '/list/?format=json')).text, JSON.stringify(list, null, 2))
  assert.equal((await get('text/csv', '/list/?format=json')).text, JSON.stringify(list))
})

test('SVC-6: each view has its own renderers, and content that none of them takes is JSON', async () => {
  assert.equal(await typeFor('*/*', '/csv/'), text)
  assert.equal(await typeFor('application/json', '/csv/'), 406)
  assert.equal(await typeFor('text/html', '/page/'), 'text/html; charset=utf-8')
  assert.equal((await get('text/html', '/page/')).text, '<p>ü')
  const error = await get('text/csv', '/broken/')
  assert.deepEqual([error.status, error.headers['content-type']], [500, json])
})

test('SVC-6: indent takes 0 to 8 spaces, is clamped, and is compact for what is no number', async () => {
  for (const indent of ['0', '1', '4', '8', '9', '999999999', '"2"', '-1', '1.5', 'x', '""', '1e1']) {
    const spaces = { '1': 1, '4': 4, '8': 8, '9': 8, '999999999': 8, '"2"': 2 }[indent] ?? 0
    const response = await get(`application/json; indent=${indent}`)
    assert.equal(response.text, JSON.stringify(list, null, spaces), indent)
  }
  assert.equal((await get('application/json; indent=')).text, JSON.stringify(list))
  assert.equal((await get('application/json; indent=; version=1.0')).text, JSON.stringify(list))
  assert.equal((await get('application/json;q=0.5;indent=2')).text, JSON.stringify(list, null, 2))
  assert.equal((await get('application/json;indent=2;q=0.5, */*;q=0.1')).text, JSON.stringify(list, null, 2))
  assert.equal((await get('application/json')).headers['content-type'], json)
})

test('SVC-6: errors are indented as well', async () => {
  const response = await api.client.get('/nowhere/', { headers: { accept: 'application/json; indent=3' } })
  assert.equal(response.text, '{\n   "detail": "Not found."\n}')
})
