// Invalid and malicious URLs: the documented status, a JSON body, and nothing is written.

import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { sql } from 'kysely'
import { onEveryDatabase } from '../support/service.ts'
import { dumpTables } from '../support/tables.ts'

const invalidIds = [
  '0',
  '-1',
  '+1',
  '01',
  '1.0',
  '1e3',
  '0x1',
  '2147483647',
  '2147483648',
  '9007199254740991',
  '9007199254740992',
  '9007199254740993',
  '9223372036854775807',
  '9223372036854775808',
  '1'.repeat(30),
  '1'.repeat(10_000),
  'abc',
  'null',
  '__proto__',
  'constructor',
  '%00',
  '1%00',
  '%20',
  '1%20',
  '%2F',
  '1%2F',
  '1%0d%0aX:y',
  '%EF%BC%91',
  '%F0%9F%98%80',
  "1'--",
  '1;drop',
]

/** Segments that do not decode: surrogates in UTF-8, bytes that are invalid in UTF-8, malformed percent escapes. */
const undecodable = ['%ED%A0%80', '%ED%BF%BF', '%FF', '%C0%AF', '%zz', '%', '1%']

onEveryDatabase({}, service => {
  let token: string
  let tablesBefore: string

  before(async () => {
    token = (await service().createUser('ann')).key
    tablesBefore = await dumpTables(service().services.database)
  })

  const lists = ['/directory/users/', '/directory/groups/', '/snippet/snippets/']
  const urls = (id: string) => [
    ...lists.map(list => `${list}${id}/`),
    `/snippet/users/${id}/`,
    `/snippet/snippets/${id}/highlight/`,
  ]

  test('ERR-EXC-r6, END-DIR-r2, END-DIR-r4, END-SNIP-r2: an invalid or unknown id is 404', async () => {
    const { client } = service()
    for (const id of invalidIds)
      for (const url of urls(id)) {
        const response = await client.get(url, { token })
        assert.deepEqual([response.status, response.text], [404, '{"detail":"Not found."}'], url.slice(0, 80))
        assert.equal(response.headers['content-type'], 'application/json')
      }
  })

  test('ERR-EXC-r6, END-GAP-b3: PUT, PATCH and DELETE on such an id are 404', async () => {
    const { client, services } = service()
    const json = { username: 'x', name: 'x', code: 'x' }
    for (const id of invalidIds)
      for (const list of lists)
        for (const method of ['PUT', 'PATCH', 'DELETE']) {
          const response = await client.request(method, `${list}${id}/`, { token, json })
          assert.deepEqual([response.status, response.text], [404, '{"detail":"Not found."}'], `${method} ${id}`)
        }
    assert.equal(await dumpTables(services.database), tablesBefore)
  })

  test('SVC-5: a path that does not decode is 400', async () => {
    const { client } = service()
    for (const segment of undecodable)
      for (const url of [...urls(segment), `/${segment}/`, `/directory/${segment}`]) {
        const response = await client.get(url, { token })
        assert.deepEqual([response.status, response.text], [400, '{"detail":"Bad request."}'], url)
        assert.equal(response.headers['content-type'], 'application/json')
      }
  })

  test('LIM-PAG-r1: an invalid page number is 404', async () => {
    const { client } = service()
    const pages = [
      '0',
      '-1',
      '',
      'abc',
      '1e3',
      '1.5',
      '%00',
      '%ED%A0%80',
      '%zz',
      'Last',
      '2',
      '9007199254740991',
      '__proto__',
    ]
    for (const page of [...pages, '9007199254740993', '9223372036854775808', '1'.repeat(5000)])
      for (const list of ['/directory/users/', '/directory/groups/']) {
        const response = await client.get(`${list}?page=${page}`, { token })
        assert.deepEqual([response.status, response.text], [404, '{"detail":"Invalid page."}'], page.slice(0, 40))
      }
  })

  test('SVC-5: unknown query parameters are ignored', async () => {
    const { client } = service()
    const queries = [
      '?',
      '?&&&=&=',
      '?__proto__=1&__proto__[polluted]=1&constructor=2&toString',
      '?%00=%00',
      '?a=%ED%A0%80&%zz=%',
      '?page[]=7&page%00=7&pages=7',
      `?${'a=1&'.repeat(2000)}`,
      '?limit=-1&offset=-1&cursor=x&ordering=password&search=&search=%27',
      '?indent=9999999999',
    ]
    for (const list of ['/directory/users/', '/snippet/snippets/', '/snippet/users/', '/']) {
      const plain = await client.get(list, { token })
      for (const query of queries) {
        const response = await client.get(list + query, { token })
        assert.deepEqual([response.status, response.text], [200, plain.text], query.slice(0, 40))
      }
    }
    assert.equal('polluted' in {}, false)
  })

  test('SVC-6, SVC-5: an unknown format is 404', async () => {
    const { client } = service()
    for (const format of ['xml', '', '%00', '__proto__', 'constructor', 'json&format=json', 'JSON'])
      for (const url of ['/directory/users/', '/snippet/snippets/', '/']) {
        const response = await client.get(`${url}?format=${format}`, { token })
        assert.deepEqual([response.status, response.text], [404, '{"detail":"Not found."}'], format)
      }
  })

  test('ERR-EXC-r7, ERR-MSG-r1: every HTTP method gets a JSON response', async () => {
    const { client, services } = service()
    const methods = ['PROPFIND', 'LINK', 'TRACE', 'QUERY', 'SEARCH', 'M-SEARCH', 'PURGE', 'MKCOL', 'LOCK', 'REPORT']
    for (const method of methods)
      for (const url of ['/', '/directory/users/', '/snippet/snippets/', '/snippet/snippets/1/', '/api-token-auth/']) {
        const response = await client.request(method, url, { token })
        const detail = `Method '${method}' not allowed.`
        assert.deepEqual([response.status, response.json()], [405, { detail }], url)
        assert.match(response.headers.allow!, /OPTIONS/)
      }
    assert.equal(await dumpTables(services.database), tablesBefore)
  })
})

suite('the largest id', () => {
  onEveryDatabase({ profiles: ['directory'] }, service => {
    test('ERR-EXC-r6: an id beyond the safe integers does not match a neighbouring id', async () => {
      const { client, services, createUser } = service()
      const { key: token } = await createUser('ann')
      const id = Number.MAX_SAFE_INTEGER
      const rows = sql`insert into groups (id, name) values (${sql.raw(`${id}`)}, 'edge'), (9007199254740992, 'beyond')`
      await services.database.transaction(({ kysely }) => rows.execute(kysely))
      const url = `http://localhost/groups/${id}/`
      assert.deepEqual((await client.get(`/groups/${id}/`, { token })).json(), { url, name: 'edge' })
      for (const beyond of ['9007199254740992', '9007199254740993', '9007199254740990'])
        assert.equal((await client.get(`/groups/${beyond}/`, { token })).status, 404)
      const user = await client.post('/users/', { token, json: { username: 'bob', groups: [url] } })
      assert.deepEqual(user.json().groups, [url])
    })
  })
})
