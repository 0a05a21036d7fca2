// The token endpoint (END-TOKEN, RES-TOKEN).

import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { multipart } from '../support/multipart.ts'
import { onEveryDatabase, onEveryService, password } from '../support/service.ts'
import { countRows, dumpTables } from '../support/tables.ts'

const url = '/api-token-auth/'
const unable = { non_field_errors: ['Unable to log in with provided credentials.'] }

onEveryService({}, service => {
  let key: string

  before(async () => {
    key = (await service().createUser('ann')).key
  })

  test('END-TOKEN-r1, RES-TOKEN-r1: user name and password, as JSON or as a form, for the key', async () => {
    const { client } = service()
    const fields = { username: 'ann', password }
    for (const options of [{ json: fields }, { form: fields }, multipart(fields)]) {
      const response = await client.post(url, options)
      assert.equal(response.status, 200)
      assert.equal(response.headers['content-type'], 'application/json')
      assert.deepEqual(response.json(), { token: key })
    }
    assert.match(key, /^[0-9a-f]{40}$/)
    assert.equal((await client.get('/directory/users/', { token: key })).status, 200)
  })

  test('RES-TOKEN-r2, AUTH-SCH-3: each user has one token, and gets the same one again', async () => {
    const { client, parts } = service()
    const json = { username: 'dora', password }
    const { key: first } = await service().createUser('dora')
    const tokens = await countRows(parts.database, 'tokens')
    for (let again = 0; again < 2; again++)
      assert.deepEqual((await client.post(url, { json })).json(), { token: first })
    assert.equal(await countRows(parts.database, 'tokens'), tokens)
    assert.notEqual(first, key)
  })

  test('END-TOKEN-r1: a user who has no token yet gets one', async () => {
    const { client, parts } = service()
    const { id } = await service().createUser('new')
    await parts.database.transaction(({ kysely }) => kysely.deleteFrom('tokens').where('user_id', '=', id).execute())
    const { token } = (await client.post(url, { json: { username: 'new', password } })).json()
    assert.match(token, /^[0-9a-f]{40}$/)
    assert.equal((await client.get('/directory/users/', { token })).status, 200)
  })

  test('ERR-EXC-r2, ERR-MSG-r4, ERR-MSG-r5: what is missing is named', async () => {
    const { client } = service()
    const required = ['This field is required.']
    for (const [body, errors] of [
      [{}, { username: required, password: required }],
      [{ username: 'ann' }, { password: required }],
      [{ password }, { username: required }],
      [
        { username: '', password: '' },
        { username: ['This field may not be blank.'], password: ['This field may not be blank.'] },
      ],
      [
        { username: null, password: [] },
        { username: ['This field may not be null.'], password: ['Not a valid string.'] },
      ],
      [
        { username: 'a\0', password: '\ud800' },
        { username: ['Null characters are not allowed.'], password: ['Not a valid string.'] },
      ],
      [[], { non_field_errors: ['Invalid data. Expected a dictionary, but got list.'] }],
    ] as const) {
      const response = await client.post(url, { json: body })
      assert.deepEqual([response.status, response.json()], [400, errors])
    }
    assert.equal((await client.post(url)).status, 400)
  })

  test('END-TOKEN-r1: wrong, unknown, inactive and without a password are refused in the same words', async () => {
    const { client, parts, createUser } = service()
    await createUser('sleeping', { active: false })
    await parts.database.transaction(connection => parts.users.create({ username: 'bare' }, connection))
    const before = await dumpTables(parts.database)
    for (const json of [
      { username: 'ann', password: 'wrong' },
      { username: 'ann', password: ` ${password}` },
      { username: 'ANN', password },
      { username: 'nobody', password },
      { username: 'sleeping', password },
      { username: 'bare', password },
      { username: 'bare', password: 'null' },
      { username: 'x'.repeat(1000), password },
      { username: 'ann', password: 'x'.repeat(5000) },
    ]) {
      const response = await client.post(url, { json })
      assert.deepEqual([response.status, response.json()], [400, unable])
      assert.equal(response.headers['www-authenticate'], undefined)
    }
    assert.equal(await dumpTables(parts.database), before)
  })

  test('END-TOKEN-1: the answer is JSON, whatever is asked for', async () => {
    const { client } = service()
    for (const accept of ['text/html', 'application/xml', 'application/json;q=0', 'nonsense']) {
      const options = { json: { username: 'ann', password }, headers: { accept } }
      const response = await client.post(`${url}?format=xml`, options)
      assert.deepEqual([response.status, response.json()], [200, { token: key }], accept)
      assert.equal(response.headers['content-type'], 'application/json')
    }
  })

  test('ERR-EXC-r7, ERR-EXC-r9, ERR-EXC-r1: another method, another content type, a broken body', async () => {
    const { client } = service()
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
      const response = await client.request(method, url, { json: {} })
      assert.deepEqual([response.status, response.json()], [405, { detail: `Method '${method}' not allowed.` }])
      assert.equal(response.headers.allow, 'POST, OPTIONS')
    }
    const xml = { headers: { 'content-type': 'application/xml' }, body: '<a/>' }
    assert.deepEqual((await client.post(url, xml)).json(), {
      detail: 'Unsupported media type "application/xml" in request.',
    })
    const broken = { headers: { 'content-type': 'application/json' }, body: '{"username":' }
    const response = await client.post(url, broken)
    assert.equal(response.status, 400)
    assert.match(response.json().detail, /^JSON parse error - /)
    const large = { json: { username: 'ann', password: 'x'.repeat(70_000) } }
    assert.equal((await client.post(url, large)).status, 413)
  })
})

suite('settings', () => {
  const tokenResponse = (user: { id: number; email: string; username: string }) => ({
    user: user.username,
    email: user.email,
  })
  onEveryDatabase({ tokenPath: '/session/token', tokenResponse }, service => {
    test('END-TOKEN-3, END-TOKEN-r1: the deployer chooses the path, and adds to the answer', async () => {
      const { client, createUser } = service()
      const { key } = await createUser('ann')
      const response = await client.post('/session/token/', { json: { username: 'ann', password } })
      assert.deepEqual([response.status, response.json()], [200, { token: key, user: 'ann', email: '' }])
      assert.equal((await client.post(url, { json: {} })).status, 404)
    })
  })

  onEveryDatabase({ profiles: ['directory'], nonFieldErrorsKey: 'errors' }, service => {
    test('ERR-BODY-2: the key of errors of no field is a setting', async () => {
      const response = await service().client.post(url, { json: { username: 'ann', password: 'x' } })
      assert.deepEqual(response.json(), { errors: unable.non_field_errors })
    })

    test('END-TOKEN-2: the endpoint is open where everything else asks who is there', async () => {
      const { client, createUser } = service()
      const { key } = await createUser('ann')
      assert.equal((await client.get('/users/')).status, 401)
      assert.deepEqual((await client.post(url, { json: { username: 'ann', password } })).json(), { token: key })
    })
  })
})
