// Invalid and malicious request bodies: each is refused with the matching error, and nothing is written.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { RequestOptions } from '../support/client.ts'
import { onEveryDatabase } from '../support/service.ts'
import { dumpTables } from '../support/tables.ts'

const notString = 'Not a valid string.'
const nullCharacter = 'Null characters are not allowed.'
const noUrlMatch = 'Invalid hyperlink - No URL match.'
const incorrectUrlMatch = 'Invalid hyperlink - Incorrect URL match.'

onEveryDatabase({}, service => {
  let token: string
  let rows: string
  /** Every write request, with a valid body. */
  let writes: readonly (readonly [method: string, url: string, json: Readonly<Record<string, unknown>>])[]

  before(async () => {
    const ann = await service().createUser('ann')
    token = ann.key
    const { client, services } = service()
    const createObject = async (url: string, json: object) =>
      new URL((await client.post(url, { token, json })).headers.location!).pathname
    const group = await createObject('/directory/groups/', { name: 'g' })
    const snippet = await createObject('/snippet/snippets/', { code: 'x' })
    const user = await createObject('/directory/users/', { username: 'bob' })
    const bodies = [
      ['/directory/users/', user, { username: 'new' }],
      ['/directory/groups/', group, { name: 'new' }],
      ['/snippet/snippets/', snippet, { code: 'new' }],
    ] as const
    writes = bodies.flatMap(([list, object, json]) => [
      ['POST', list, json] as const,
      ['PUT', object, json] as const,
      ['PATCH', object, json] as const,
    ])
    rows = await dumpTables(services.database)
  })

  async function sendRefused(method: string, url: string, options: RequestOptions) {
    const response = await service().client.request(method, url, { token, ...options })
    assert.equal(response.headers['content-type'], 'application/json')
    assert.equal(await dumpTables(service().services.database), rows, `${method} ${url} ${JSON.stringify(options)}`)
    return response
  }

  async function assertInvalid(field: string, value: unknown, message: string) {
    for (const [method, url, json] of writes.filter(([, , json]) => field in json)) {
      const response = await sendRefused(method, url, { json: { ...json, [field]: value } })
      assert.deepEqual(
        [response.status, response.json()],
        [400, { [field]: [message] }],
        `${method} ${JSON.stringify(value)}`,
      )
    }
  }

  test('ERR-EXC-r2, RES-GAP-b1: text that databases cannot store, and values that are not strings, are refused', async () => {
    for (const field of ['username', 'name', 'code']) {
      await assertInvalid(field, 'a\0b', nullCharacter)
      for (const value of ['\ud800', 'a\udc00b', '\udc00\ud800', true, ['a'], { a: 'b' }, 2 ** 53])
        await assertInvalid(field, value, notString)
      await assertInvalid(field, null, 'This field may not be null.')
      await assertInvalid(field, '', 'This field may not be blank.')
    }
  })

  test('ERR-EXC-r2, RES-GAP-b4: wrong types in optional fields are refused', async () => {
    for (const [list, field, value, message] of [
      ['/directory/users/', 'email', ['a@b.org'], notString],
      ['/directory/users/', 'email', 'a@b.org\0', nullCharacter],
      ['/directory/users/', 'email', '\ud800@b.org', notString],
      ['/directory/users/', 'groups', null, 'This field may not be null.'],
      ['/directory/users/', 'groups', {}, 'Expected a list of items but got type "dict".'],
      ['/directory/users/', 'groups', 'x', 'Expected a list of items but got type "str".'],
      ['/directory/users/', 'groups', 1.5, 'Expected a list of items but got type "float".'],
      ['/snippet/snippets/', 'title', false, notString],
      ['/snippet/snippets/', 'title', 'a\0', nullCharacter],
      ['/snippet/snippets/', 'title', '\udc00', notString],
      ['/snippet/snippets/', 'linenos', 'x', 'Must be a valid boolean.'],
      ['/snippet/snippets/', 'linenos', null, 'This field may not be null.'],
      ['/snippet/snippets/', 'language', 7, '"7" is not a valid choice.'],
      ['/snippet/snippets/', 'style', { a: 1 }, '"{"a":1}" is not a valid choice.'],
      ['/snippet/snippets/', 'style', '\ud800', '"\ud800" is not a valid choice.'],
    ] as const)
      for (const [method, url, json] of writes.filter(([, url]) => url.startsWith(list))) {
        const response = await sendRefused(method, url, { json: { ...json, [field]: value } })
        assert.deepEqual([response.status, response.json()], [400, { [field]: [message] }])
      }
  })

  test('RES-DUSER-r4, RES-GAP-b1: links to other resources or origins, to missing objects, and values that are not links are refused', async () => {
    const { origin } = service().client
    for (const [link, message] of [
      ['http://evil.example/directory/groups/1/', noUrlMatch],
      ['//evil.example/directory/groups/1/', noUrlMatch],
      ['/\\evil.example/directory/groups/1/', noUrlMatch],
      [`${origin}:1/directory/groups/1/`, noUrlMatch],
      [`${origin.replace('http', 'https')}/directory/groups/1/`, noUrlMatch],
      [`${origin}@evil.example/directory/groups/1/`, noUrlMatch],
      ['javascript:alert(1)', noUrlMatch],
      ['data:text/html,x', noUrlMatch],
      ['file:///directory/groups/1/', noUrlMatch],
      ['', noUrlMatch],
      ['1', noUrlMatch],
      ['groups/1/', noUrlMatch],
      ['/groups/1/', noUrlMatch],
      ['/directory/groups/1', noUrlMatch],
      ['/directory/groups/0/', noUrlMatch],
      ['/directory/groups/01/', noUrlMatch],
      ['/directory/groups/9007199254740993/', noUrlMatch],
      ['/directory/groups/1\0/', noUrlMatch],
      ['/directory/groups/\ud800/', noUrlMatch],
      ['/directory/__proto__/1/', noUrlMatch],
      ['/snippet/snippets/1/', noUrlMatch],
      [`${origin}/directory/users/1/`, incorrectUrlMatch],
      ['/directory/groups/', incorrectUrlMatch],
      ['/directory/groups/999999/', 'Invalid hyperlink - Object does not exist.'],
      ['/directory/groups/9007199254740991/', 'Invalid hyperlink - Object does not exist.'],
      [1, 'Incorrect type. Expected URL string, received int.'],
      [null, 'Incorrect type. Expected URL string, received NoneType.'],
      [{}, 'Incorrect type. Expected URL string, received dict.'],
      [[], 'Incorrect type. Expected URL string, received list.'],
      [true, 'Incorrect type. Expected URL string, received bool.'],
    ] as const)
      for (const [method, url, json] of writes.filter(([, url]) => url.startsWith('/directory/users/'))) {
        const response = await sendRefused(method, url, { json: { ...json, groups: [link] } })
        assert.deepEqual([response.status, response.json()], [400, { groups: [message] }], `${method} ${link}`)
      }
  })

  test('ERR-BODY-2: a body that is not an object is refused', async () => {
    for (const [json, type] of [
      [[], 'list'],
      ['x', 'str'],
      [1, 'int'],
      [null, 'NoneType'],
      [true, 'bool'],
    ] as const)
      for (const [method, url] of writes) {
        const response = await sendRefused(method, url, { json })
        const message = `Invalid data. Expected a dictionary, but got ${type}.`
        assert.deepEqual([response.status, response.json()], [400, { non_field_errors: [message] }])
      }
  })

  test('ERR-EXC-r1, ERR-EXC-r9: bodies that cannot be parsed are refused', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    for (const [type, body, status] of [
      ['application/json', '{"username": "x"', 400],
      ['application/json', deep, 400],
      ['application/json', '{"id": 1e400}', 400],
      ['application/json', Buffer.from('{"name":"\xff"}', 'latin1'), 400],
      ['multipart/form-data', 'x', 400],
      ['multipart/form-data; boundary=x', '--y\r\n\r\n--y--', 400],
      ['text/plain', '{"username":"x"}', 415],
      ['application/xml', '<a/>', 415],
      ['application/json; charset=latin1', '{}', 415],
      ['nonsense', '{}', 415],
      ['__proto__/constructor', '{}', 415],
    ] as const)
      for (const [method, url] of writes) {
        const options = { headers: { 'content-type': type, authorization: `Token ${token}` }, body }
        const response = await sendRefused(method, url, options)
        assert.equal(response.status, status, `${type} ${body.toString().slice(0, 30)}`)
        assert.equal(typeof response.json().detail, 'string')
      }
  })

  test('SVC-5: keys of Object.prototype are ignored and do not pollute prototypes', async () => {
    const required = ['This field is required.']
    const body = '{"__proto__":{"username":"x","polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":1}'
    const headers = { 'content-type': 'application/json', authorization: `Token ${token}` }
    const json = await sendRefused('POST', '/directory/users/', { headers, body })
    assert.deepEqual([json.status, json.json()], [400, { username: required }])
    const form = await sendRefused('POST', '/directory/groups/', {
      form: { __proto__x: 'y', constructor: 'z', 'name[]': 'x' },
    })
    assert.deepEqual([form.status, form.json()], [400, { name: required }])
    assert.equal('polluted' in {}, false)
  })

  test('SVC-5, ERR-EXC-r8: an Accept that no renderer satisfies is 406 in JSON, and nothing is written', async () => {
    for (const accept of ['image/png', 'application/json;q=0', 'text/plain', 'x', `${'a/b,'.repeat(500)}a/b`])
      for (const [method, url, json] of writes) {
        const response = await sendRefused(method, url, { json, headers: { accept } })
        assert.deepEqual(
          [response.status, response.json()],
          [
            406,
            { detail: 'Could not satisfy the request Accept header.', available: ['application/json', 'text/html'] },
          ],
        )
      }
  })
})
