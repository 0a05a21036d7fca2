// Credentials in the Authorization header: valid, wrong and malformed Basic and Token (AUTH-SCH-r1, AUTH-SCH-r2).

import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { onEitherService, onEveryService, password } from '../support/service.ts'

const encode = (text: string, encoding: 'utf8' | 'latin1' = 'utf8') => Buffer.from(text, encoding).toString('base64')
const notBase64 = 'Invalid basic header. Credentials not correctly base64 encoded.'

/** Refused header values, each with the error detail. */
const refusals = (key: string): readonly (readonly [value: string, detail: string])[] => [
  ['Basic', 'Invalid basic header. No credentials provided.'],
  ['basic ', 'Invalid basic header. No credentials provided.'],
  ['Basic a b', 'Invalid basic header. Credentials string should not contain spaces.'],
  [`Basic ${encode('ann:x')} `.repeat(2), 'Invalid basic header. Credentials string should not contain spaces.'],
  ['Basic !!!!', notBase64],
  ['Basic YQ=', notBase64],
  ['Basic YW5u-_==', notBase64],
  [`Basic ${encode('alice')}`, 'Invalid username/password.'],
  [`Basic ${encode('ann:a\0b')}`, notBase64],
  [`Basic ${encode('ann:wrong')}`, 'Invalid username/password.'],
  [`Basic ${encode(`ANN:${password}`)}`, 'Invalid username/password.'],
  [`Basic ${encode(`nobody:${password}`)}`, 'Invalid username/password.'],
  [`Basic ${encode(':')}`, 'Invalid username/password.'],
  [`Basic ${encode(`ann:${password}`.padEnd(5500, 'x'))}`, 'Invalid username/password.'],
  ['Token', 'Invalid token header. No credentials provided.'],
  ['Token   ', 'Invalid token header. No credentials provided.'],
  ['Token a b', 'Invalid token header. Token string should not contain spaces.'],
  [`Token ${key} x`, 'Invalid token header. Token string should not contain spaces.'],
  [`Token ${key}\xe9`, 'Invalid token header. Token string should not contain invalid characters.'],
  ['Token x', 'Invalid token.'],
  [`Token ${key.toUpperCase()}`, 'Invalid token.'],
  [`Token ${key},`, 'Invalid token.'],
  [`Token ${'0'.repeat(40)}`, 'Invalid token.'],
  ['Token __proto__', 'Invalid token.'],
]

onEveryService({}, service => {
  let key: string

  before(async () => {
    key = (await service().createUser('ann')).key
    const inactive = await service().createUser('sleeping', { active: false })
    assert.notEqual(inactive.key, key)
  })

  test('AUTH-GEN-4, AUTH-SCH-r1, AUTH-SCH-r2, ERR-EXC-r3: malformed or wrong credentials are 401, on public URLs too', async () => {
    const { client } = service()
    for (const [value, detail] of refusals(key))
      for (const url of ['/directory/users/', '/snippet/snippets/']) {
        const response = await client.get(url, { headers: { authorization: value } })
        assert.deepEqual([response.status, response.json()], [401, { detail }], `${value.slice(0, 40)} ${url}`)
        assert.equal(response.headers['www-authenticate'], 'Token')
      }
  })

  test('AUTH-GEN-4, SVC-1: wrong credentials end a request before its body, method and format are checked', async () => {
    const { client } = service()
    const headers = { authorization: 'Token wrong', 'content-type': 'application/xml', accept: 'image/png' }
    for (const [method, url] of [
      ['POST', '/api-token-auth/'],
      ['POST', '/snippet/snippets/'],
      ['DELETE', '/snippet/users/1/'],
      ['PUT', '/directory/users/999/'],
    ] as const) {
      const response = await client.request(method, url, { headers, body: '<' })
      assert.deepEqual([response.status, response.json()], [401, { detail: 'Invalid token.' }], url)
    }
  })

  test('AUTH-SCH-r1, AUTH-SCH-r2, AUTH-GEN-1: both schemes identify the user, and scheme names are case-insensitive', async () => {
    const { client } = service()
    const basic = encode(`ann:${password}`)
    for (const value of [`Token ${key}`, `TOKEN ${key}`, `token ${key}`, `Basic ${basic}`, `bAsIc ${basic}`]) {
      const options = { headers: { authorization: value }, json: { code: 'x' } }
      const response = await client.post('/snippet/snippets/', options)
      assert.deepEqual([response.status, response.json().owner], [201, 'ann'], value)
    }
  })

  test('AUTH-GEN-4: with credentials that no scheme recognizes, the caller is anonymous', async () => {
    const { client } = service()
    for (const value of [
      `Bearer ${key}`,
      'Digest username="ann"',
      key,
      `Token${key}`,
      'Negotiate',
      '',
      ':',
      '__proto__ x',
    ]) {
      const headers = { authorization: value }
      assert.equal((await client.get('/snippet/snippets/', { headers })).status, 200, value)
      const refused = await client.get('/directory/users/', { headers })
      assert.equal(refused.status, 401, value)
      assert.deepEqual(refused.json(), { detail: 'Authentication credentials were not provided.' })
    }
  })

  test('AUTH-SCH-r1: an inactive user is refused like a wrong password', async () => {
    const response = await service().client.get('/', { basic: `sleeping:${password}` })
    assert.deepEqual([response.status, response.json()], [401, { detail: 'Invalid username/password.' }])
  })

  test('AUTH-GEN-6: responses have Vary: Authorization, with and without credentials', async () => {
    for (const options of [{}, { token: key }, { token: 'x' }])
      assert.equal(
        (await service().client.get('/snippet/snippets/', options)).headers.vary,
        'Accept, Authorization, Cookie',
      )
  })
})

onEitherService({ profiles: ['directory'] }, service => {
  test('AUTH-SCH-r1: passwords may contain colons and any script, in UTF-8 or Latin-1', async () => {
    const { client, services, createUser } = service()
    const { id } = await createUser('zoë')
    const get = async (value: string) => (await client.get('/users/', { headers: { authorization: value } })).status
    for (const [secret, encoding] of [
      ['a:b::', 'utf8'],
      ['pässwörd', 'utf8'],
      ['pässwörd', 'latin1'],
      ['密码😀', 'utf8'],
      [' spaces and\ttabs ', 'utf8'],
      ['x'.repeat(4096), 'utf8'],
    ] as const) {
      await services.accounts.users.setPassword(id, secret)
      assert.equal(await get(`Basic ${encode(`zoë:${secret}`, encoding)}`), 200, secret)
    }
    await services.accounts.users.setPassword(id, 'x')
    assert.equal(await get(`Basic ${encode('zoë:xy')}`), 401)
    assert.equal(await get(`Basic ${encode('zoë:x').replace(/=+$/, '')}`), 200)
    assert.equal(await get(`Basic ${encode('zoe\u0308:x')}`), 200)
  })
})

suite('Basic first', () => {
  onEitherService({ profiles: ['directory'], authentication: ['basic', 'token'] }, service => {
    test('AUTH-GEN-5, AUTH-GEN-6, AUTH-SCH-r1: every refusal has the challenge of the first scheme', async () => {
      const { client, createUser } = service()
      const { key } = await createUser('ann')
      for (const options of [{}, { token: 'wrong' }, { basic: 'ann:wrong' }]) {
        const response = await client.get('/users/', options)
        assert.deepEqual([response.status, response.headers['www-authenticate']], [401, 'Basic realm="api"'])
      }
      assert.equal((await client.get('/users/', { token: key })).status, 200)
    })
  })
})

suite('token keyword', () => {
  onEitherService({ profiles: ['directory'], tokenKeyword: 'Bearer', authentication: ['token'] }, service => {
    test('AUTH-SCH-2, AUTH-SCH-r2: the keyword is a setting', async () => {
      const { client, createUser } = service()
      const { key } = await createUser('ann')
      const get = (authorization: string) => client.get('/users/', { headers: { authorization } })
      for (const value of [`Bearer ${key}`, `bearer ${key}`]) assert.equal((await get(value)).status, 200)
      for (const [value, detail] of [
        [`Token ${key}`, 'Authentication credentials were not provided.'],
        [`Basic ${encode(`ann:${password}`)}`, 'Authentication credentials were not provided.'],
        ['Bearer x', 'Invalid token.'],
        ['Bearer', 'Invalid token header. No credentials provided.'],
      ] as const) {
        const response = await get(value)
        assert.deepEqual([response.status, response.json()], [401, { detail }], value)
        assert.equal(response.headers['www-authenticate'], 'Bearer')
      }
    })
  })
})
