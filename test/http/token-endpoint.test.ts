// The token endpoint (END-TOKEN, RES-TOKEN).

import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { multipart } from '../support/multipart.ts'
import { onEveryDatabase, onEveryService, password } from '../support/service.ts'
import { countRows, dumpTables } from '../support/tables.ts'

const url = '/api-token-auth/'
const loginFailed = { non_field_errors: ['Unable to log in with provided credentials.'] }

onEveryService({}, service => {
  let key: string

  before(async () => {
    key = (await service().createUser('ann')).key
  })

  test('END-TOKEN-r1, RES-TOKEN-r1: a JSON or form body with username and password returns the token', async () => {
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

  test('RES-TOKEN-r2, AUTH-SCH-3: each user has one token, and each request returns it', async () => {
    const { client, services } = service()
    const json = { username: 'dora', password }
    const { key: first } = await service().createUser('dora')
    const tokens = await countRows(services.database, 'tokens')
    for (let attempt = 0; attempt < 2; attempt++)
      assert.deepEqual((await client.post(url, { json })).json(), { token: first })
    assert.equal(await countRows(services.database, 'tokens'), tokens)
    assert.notEqual(first, key)
  })

  test('END-TOKEN-r1: the endpoint creates a token for a user without one', async () => {
    const { client, services } = service()
    const { id } = await service().createUser('new')
    await services.database.transaction(({ kysely }) => kysely.deleteFrom('tokens').where('user_id', '=', id).execute())
    const { token } = (await client.post(url, { json: { username: 'new', password } })).json()
    assert.match(token, /^[0-9a-f]{40}$/)
    assert.equal((await client.get('/directory/users/', { token })).status, 200)
  })

  test('ERR-EXC-r2, ERR-MSG-r4, ERR-MSG-r5: errors name the missing and invalid fields', async () => {
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

  test('END-TOKEN-r1: wrong passwords, and unknown, inactive and passwordless users get the same error', async () => {
    const { client, services, createUser } = service()
    await createUser('sleeping', { active: false })
    await services.database.transaction(connection => services.accounts.users.create({ username: 'bare' }, connection))
    const dumpBefore = await dumpTables(services.database)
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
      assert.deepEqual([response.status, response.json()], [400, loginFailed])
      assert.equal(response.headers['www-authenticate'], undefined)
    }
    assert.equal(await dumpTables(services.database), dumpBefore)
  })

  test('END-TOKEN-1: the response is always JSON', async () => {
    const { client } = service()
    for (const accept of ['text/html', 'application/xml', 'application/json;q=0', 'nonsense']) {
      const options = { json: { username: 'ann', password }, headers: { accept } }
      const response = await client.post(`${url}?format=xml`, options)
      assert.deepEqual([response.status, response.json()], [200, { token: key }], accept)
      assert.equal(response.headers['content-type'], 'application/json')
    }
  })

  test('ERR-EXC-r7, ERR-EXC-r9, ERR-EXC-r1: other methods, other content types and invalid bodies are refused', async () => {
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
    const malformed = { headers: { 'content-type': 'application/json' }, body: '{"username":' }
    const response = await client.post(url, malformed)
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
    test('END-TOKEN-3, END-TOKEN-r1: settings change the path, and add fields to the response', async () => {
      const { client, createUser } = service()
      const { key } = await createUser('ann')
      const response = await client.post('/session/token/', { json: { username: 'ann', password } })
      assert.deepEqual([response.status, response.json()], [200, { token: key, user: 'ann', email: '' }])
      assert.equal((await client.post(url, { json: {} })).status, 404)
    })
  })

  onEveryDatabase({ profiles: ['directory'], nonFieldErrorsKey: 'errors' }, service => {
    test('ERR-BODY-2: a setting names the key of errors that belong to no field', async () => {
      const response = await service().client.post(url, { json: { username: 'ann', password: 'x' } })
      assert.deepEqual(response.json(), { errors: loginFailed.non_field_errors })
    })

    test('END-TOKEN-2: the endpoint is public even if all other views require authentication', async () => {
      const { client, createUser } = service()
      const { key } = await createUser('ann')
      assert.equal((await client.get('/users/')).status, 401)
      assert.deepEqual((await client.post(url, { json: { username: 'ann', password } })).json(), { token: key })
    })
  })
})
