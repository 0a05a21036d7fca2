// Several named tokens per user, each with an expiry time (setting `tokens: 'named'`): AUTH-SCH-2, AUTH-SCH-3.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { beforeEach, suite, test } from 'node:test'
import { ValidationError } from 'resource-api'
import { openServices, readSettings } from 'resource-api/service'
import { SettingsError } from '../../src/service/settings/settings-error.ts'
import { onEveryDatabase, password, type TestService } from '../support/service.ts'
import { countRows, dumpTables } from '../support/tables.ts'

const url = '/api-token-auth/'
const list = `${url}tokens/`
const invalid = [401, { detail: 'Invalid token.' }]
const start = new Date('2030-01-01T00:00:00.000Z')
let now = start
const advance = (milliseconds: number) => {
  now = new Date(now.getTime() + milliseconds)
}

const login = async ({ client }: TestService, username: string, tokenOptions: object = {}) =>
  (await client.post(url, { json: { username, password, ...tokenOptions } })).json()

const requestUsers = async ({ client }: TestService, token: string) => {
  const response = await client.get('/users/', { token })
  return [response.status, response.json()]
}

const isAccepted = async (service: TestService, token: string) => (await requestUsers(service, token))[0] === 200

/** The token with a wrong checksum. */
const withWrongChecksum = (key: string) => key.slice(0, -1) + (key.endsWith('x') ? 'y' : 'x')

onEveryDatabase(
  { profiles: ['directory'], tokens: 'named' },
  service => {
    let name: string
    let users = 0
    beforeEach(async () => {
      now = start
      name = `user${++users}`
      await service().createUser(name)
    })

    test('RES-TOKEN-r1, AUTH-SCH-2: each login creates a token with a name and an expiry time, and returns it', async () => {
      const { id, token, ...details } = await login(service(), name, { name: 'Laptop', expires_in: 3600 })
      assert.match(token, /^rapi_[0-9A-Za-z]{36}$/)
      const created = '2030-01-01T00:00:00.000000Z'
      assert.deepEqual(details, { name: 'Laptop', created, expires: '2030-01-01T01:00:00.000000Z' })
      const second = await login(service(), name)
      assert.deepEqual(second, { id: second.id, token: second.token, name: '', created, expires: null })
      assert.notEqual(second.token, token)
      assert.notEqual(second.id, id)
      assert.deepEqual([await isAccepted(service(), token), await isAccepted(service(), second.token)], [true, true])
    })

    test('AUTH-SCH-3, AUTH-SCH-r2: the unnamed token of a user works in addition to the named ones', async () => {
      const { key } = await service().createUser(`${name}b`)
      assert.match(key, /^[0-9a-f]{40}$/)
      assert.equal(await isAccepted(service(), key), true)
      assert.deepEqual(await requestUsers(service(), 'f'.repeat(40)), invalid)
    })

    test('AUTH-SCH-r2: an expired token is invalid', async () => {
      const { token } = await login(service(), name, { expires_in: 60 })
      advance(59_999)
      assert.equal(await isAccepted(service(), token), true)
      advance(1)
      const response = await service().client.get('/users/', { token })
      assert.deepEqual([response.status, response.json()], invalid)
      assert.equal(response.headers['www-authenticate'], 'Token')
    })

    test('issuing a token deletes expired ones', async () => {
      const { services } = service()
      await login(service(), name, { expires_in: 60 })
      advance(60_000)
      const countBefore = await countRows(services.database, 'named_tokens')
      await login(service(), name)
      assert.equal(await countRows(services.database, 'named_tokens'), countBefore)
    })

    test('AUTH-SCH-r2: a token with a wrong checksum is refused without a database query', async () => {
      const { client, services, statements } = service()
      const { token } = await login(service(), name)
      await services.accounts.tokens.settle()
      for (const key of [
        withWrongChecksum(token),
        'rapi_',
        token.slice(0, -1),
        `${token}0`,
        `rapi_${'0'.repeat(36)}`,
      ]) {
        statements.length = 0
        const response = await client.get('/users/', { token: key })
        assert.deepEqual([response.status, response.json()], invalid)
        assert.deepEqual(statements, [])
      }
      const unknown = 'rapi_0000000000000000000000000000002C8GjS'
      assert.deepEqual(await requestUsers(service(), unknown), invalid)
      assert.equal(statements.length, 1)
    })

    test('AUTH-SCH-r2: the token of an inactive user is refused with a message that says so', async () => {
      const { services } = service()
      const { token } = await login(service(), name)
      await services.database.transaction(({ kysely }) =>
        kysely
          .updateTable('users')
          .set({ is_active: services.database.dialect.name === 'sqlite' ? 0 : false })
          .where('username', '=', name)
          .execute(),
      )
      assert.deepEqual(await requestUsers(service(), token), [401, { detail: 'User inactive or deleted.' }])
    })

    test('ERR-EXC-r2: invalid token options are errors by field, and no token is created', async () => {
      const { client, services } = service()
      const dumpBefore = await dumpTables(services.database)
      const number = ['A valid integer is required.']
      const tooLow = ['Ensure this value is greater than or equal to 1.']
      const tooHigh = ['Ensure this value is less than or equal to 3155760000.']
      for (const [tokenOptions, errors] of [
        [{ name: 'x'.repeat(101) }, { name: ['Ensure this field has no more than 100 characters.'] }],
        [{ name: 'a\0' }, { name: ['Null characters are not allowed.'] }],
        [{ name: '\ud800' }, { name: ['Not a valid string.'] }],
        [{ name: {} }, { name: ['Not a valid string.'] }],
        [{ name: null }, { name: ['This field may not be null.'] }],
        [{ expires_in: 0 }, { expires_in: tooLow }],
        [{ expires_in: -1 }, { expires_in: tooLow }],
        [{ expires_in: 1.5 }, { expires_in: number }],
        [{ expires_in: 'soon' }, { expires_in: number }],
        [{ expires_in: true }, { expires_in: number }],
        [{ expires_in: [60] }, { expires_in: number }],
        [{ expires_in: 3_155_760_001 }, { expires_in: tooHigh }],
        [{ expires_in: 1e300 }, { expires_in: tooHigh }],
        [{ expires_in: '9'.repeat(30) }, { expires_in: tooHigh }],
        [{ password: 'wrong' }, { non_field_errors: ['Unable to log in with provided credentials.'] }],
      ] as const) {
        const response = await client.post(url, { json: { username: name, password, ...tokenOptions } })
        assert.deepEqual([response.status, response.json()], [400, errors])
      }
      assert.equal(await dumpTables(services.database), dumpBefore)
      const form = { username: name, password, name: 'Form', expires_in: '60' }
      assert.equal((await client.post(url, { form })).json().expires, '2030-01-01T00:01:00.000000Z')
      assert.equal((await login(service(), name, { expires_in: null })).expires, null)
    })

    test('the owner can list tokens without their secrets, and other callers cannot', async () => {
      const { client, services, createUser } = service()
      const { token, ...first } = await login(service(), name, { name: 'Laptop', expires_in: 60 })
      const { token: _, ...second } = await login(service(), name, { name: 'Phone' })
      assert.equal(await isAccepted(service(), token), true)
      await services.accounts.tokens.settle()
      const listed = [
        { ...first, last_used: '2030-01-01T00:00:00.000000Z' },
        { ...second, last_used: null },
      ]
      assert.deepEqual((await client.get(list, { token })).json(), listed)
      assert.deepEqual((await client.get(`${list}${first.id}/`, { token })).json(), listed[0])
      const { key } = await createUser(`${name}b`)
      assert.deepEqual((await client.get(list, { token: key })).json(), [])
      for (const method of ['GET', 'DELETE']) {
        for (const id of [first.id, 999_999, 0, '1e3', '9'.repeat(20)]) {
          const response = await client.request(method, `${list}${id}/`, { token: key })
          assert.deepEqual([response.status, response.json()], [404, { detail: 'Not found.' }])
        }
      }
      assert.equal((await client.get(`${list}${second.id}/`, { token })).status, 200)
      for (const path of [list, `${list}${first.id}/`])
        for (const method of ['GET', 'DELETE']) assert.equal((await client.request(method, path)).status, 401)
    })

    test('AUTH-SCH-2: the owner revokes one token, or all of them, with immediate effect', async () => {
      const { client, services, createUser } = service()
      const { key: otherUsersToken } = await createUser(`${name}b`)
      const { id, token } = await login(service(), name)
      const { token: second } = await login(service(), name)
      const { token: third } = await login(service(), name)
      assert.equal((await client.delete(`${list}${id}/`, { token })).status, 204)
      assert.deepEqual(await requestUsers(service(), token), invalid)
      assert.equal(await isAccepted(service(), second), true)
      const user = (await services.accounts.users.find(name))!
      const single = await services.database.transaction(connection =>
        services.accounts.tokens.getOrCreate(user.id, connection),
      )
      const response = await client.delete(list, { token: second })
      assert.deepEqual([response.status, response.text], [204, ''])
      for (const key of [second, third, single]) assert.deepEqual(await requestUsers(service(), key), invalid)
      assert.equal(await isAccepted(service(), otherUsersToken), true)
    })

    test('ERR-EXC-r7: only the token endpoint creates tokens, and no endpoint changes them', async () => {
      const { client } = service()
      const { id, token } = await login(service(), name)
      for (const [method, path, allow] of [
        ['POST', list, 'GET, DELETE, HEAD, OPTIONS'],
        ['PUT', list, 'GET, DELETE, HEAD, OPTIONS'],
        ['PATCH', `${list}${id}/`, 'GET, DELETE, HEAD, OPTIONS'],
        ['GET', url, 'POST, OPTIONS'],
      ] as const) {
        const response = await client.request(method, path, { token, json: {} })
        assert.deepEqual([response.status, response.headers.allow], [405, allow])
      }
    })

    test('the last use is recorded at most once a minute', async () => {
      const { client, services, statements } = service()
      const { token } = await login(service(), name)
      const lastUsed = async () => (await client.get(list, { token })).json()[0].last_used
      const countUpdates = () => statements.filter(statement => statement.startsWith('update named_tokens')).length
      const sendRequests = async () => {
        await Promise.all(Array.from({ length: 5 }, () => client.get('/users/', { token })))
        await services.accounts.tokens.settle()
      }
      const updatesBefore = countUpdates()
      await sendRequests()
      await sendRequests()
      assert.deepEqual([countUpdates() - updatesBefore, await lastUsed()], [1, '2030-01-01T00:00:00.000000Z'])
      advance(59_999)
      await sendRequests()
      assert.equal(countUpdates() - updatesBefore, 1)
      advance(1)
      await sendRequests()
      assert.deepEqual([countUpdates() - updatesBefore, await lastUsed()], [2, '2030-01-01T00:01:00.000000Z'])
    })

    test('a request does not wait until its use is recorded', async () => {
      const { services } = service()
      const { token } = await login(service(), name)
      const { promise, resolve } = Promise.withResolvers<void>()
      const lockTaken = Promise.withResolvers<void>()
      const lockingTransaction = services.database.transaction(async ({ kysely }) => {
        await kysely.updateTable('named_tokens').set({ name: 'Held' }).execute()
        lockTaken.resolve()
        await promise
      })
      await lockTaken.promise
      assert.equal(await isAccepted(service(), token), true)
      resolve()
      await lockingTransaction
      await services.accounts.tokens.settle()
    })

    test('RES-TOKEN-r1: the database contains no usable token', async () => {
      const { services } = service()
      const { token } = await login(service(), name, { name: 'Where' })
      assert.doesNotMatch(await dumpTables(services.database), new RegExp(token.slice(5, 35)))
      const [, file] = /^sqlite:(.*)$/.exec(services.settings.databaseUrl) ?? []
      if (file === undefined) return
      const bytes = Buffer.concat([await readFile(file), await readFile(`${file}-wal`)])
      assert.deepEqual([bytes.includes('Where'), bytes.includes(token.slice(5, 35))], [true, false])
    })

    test('tokens with an earlier prefix stay valid', async () => {
      const { services } = service()
      const otherParts = openServices({ ...services.settings, tokenPrefix: 'acme_' })
      try {
        const { id } = (await services.accounts.users.find(name))!
        const { token: key } = await otherParts.database.transaction(connection =>
          otherParts.accounts.tokens.issue(id, {}, connection),
        )
        assert.match(key, /^acme_/)
        assert.equal(await isAccepted(service(), key), true)
      } finally {
        await otherParts.close()
      }
    })

    test('AUTH-SCH-2: fifty concurrent logins create fifty tokens', async () => {
      const logins = await Promise.all(Array.from({ length: 50 }, () => login(service(), name)))
      assert.equal(new Set(logins.map(({ token }) => token)).size, 50)
    })
  },
  () => now,
)

suite('settings', () => {
  onEveryDatabase(
    { profiles: ['directory'], tokens: 'named', tokenLifetime: 3600, tokenPath: '/session/key' },
    service => {
      test('the setting tokenLifetime is the default and the maximum lifetime of tokens', async () => {
        const { client, createUser } = service()
        await createUser('ann')
        const requestToken = (tokenOptions: object) =>
          client.post('/session/key/', { json: { username: 'ann', password, ...tokenOptions } })
        const maximumExpiry = '2030-01-01T01:00:00.000000Z'
        assert.equal((await requestToken({})).json().expires, maximumExpiry)
        assert.equal((await requestToken({ expires_in: null })).json().expires, maximumExpiry)
        assert.equal((await requestToken({ expires_in: 60 })).json().expires, '2030-01-01T00:01:00.000000Z')
        const response = await requestToken({ expires_in: 3601 })
        const message = 'Ensure this value is less than or equal to 3600.'
        assert.deepEqual([response.status, response.json()], [400, { expires_in: [message] }])
        const { token } = (await requestToken({})).json()
        assert.equal((await client.get('/session/key/tokens/', { token })).json().length, 4)
      })
    },
    () => start,
  )

  onEveryDatabase({ profiles: ['directory'] }, service => {
    test('END-TOKEN-r1, AUTH-SCH-3: by default a user has one token, and there is no token list', async () => {
      const { client, createUser } = service()
      const { key: token } = await createUser('ann')
      const json = { username: 'ann', password, name: 'Laptop', expires_in: 60 }
      assert.deepEqual((await client.post(url, { json })).json(), { token })
      assert.equal((await client.get(list, { token })).status, 404)
    })
  })

  test('invalid token settings are refused', () => {
    for (const [file, message] of [
      [{ tokens: 'many' }, 'tokens (config file): must be single or named, not "many"'],
      [
        { tokenPrefix: 'rapi' },
        'tokenPrefix (config file): must be letters and digits with "_" at the end, not "rapi"',
      ],
      [{ tokenLifetime: 0 }, 'tokenLifetime (config file): must be 1 or more, not 0'],
      [
        { tokens: 'named', tokenForNewUsers: true },
        'tokenForNewUsers: must be false if tokens is "named", because the new token could not be shown to anyone',
      ],
    ] as const)
      assert.throws(() => readSettings({ file: file as never }), new SettingsError(message))
  })
})

const tooManyMessage = 'A user has at most 3 tokens: revoke one first.'
const tooManyTokens = [400, { non_field_errors: [tooManyMessage] }]

onEveryDatabase(
  { profiles: ['directory'], tokens: 'named', limits: { tokensPerUser: 3 } },
  service => {
    const login = async (username: string, tokenOptions: object = {}) => {
      const response = await service().client.post(url, { json: { username, password, ...tokenOptions } })
      return [response.status, response.json()] as const
    }
    const countTokens = async (id: number) => {
      const tokens = service().services.database.kysely.selectFrom('named_tokens').where('user_id', '=', id)
      return (await tokens.selectAll().execute()).length
    }

    test('RES-TOKEN-r1: the number of tokens per user is limited; revoked and expired tokens do not count', async () => {
      now = start
      const { id } = await service().createUser('ann')
      const { id: otherId } = await service().createUser('other')
      const [, { token }] = await login('ann')
      await login('ann', { expires_in: 60 })
      assert.equal((await login('ann'))[0], 200)
      assert.deepEqual(await login('ann'), tooManyTokens)
      assert.equal(await isAccepted(service(), token), true)
      assert.equal((await login('other'))[0], 200)
      advance(60_000)
      assert.equal((await login('ann'))[0], 200)
      assert.deepEqual(await login('ann'), tooManyTokens)
      const tokens: readonly { id: number }[] = (await service().client.get(list, { token })).json()
      assert.equal((await service().client.delete(`${list}${tokens.at(-1)!.id}/`, { token })).status, 204)
      assert.equal((await login('ann'))[0], 200)
      assert.deepEqual([await countTokens(id), await countTokens(otherId)], [3, 1])
    })

    test('RES-TOKEN-r1: thirty concurrent issues do not exceed the limit of tokens per user', async () => {
      now = start
      const { id } = await service().createUser('bob')
      const issued = await Promise.allSettled(
        Array.from({ length: 30 }, () =>
          service().services.database.transaction(connection =>
            service().services.accounts.tokens.issue(id, {}, connection),
          ),
        ),
      )
      assert.equal(issued.filter(({ status }) => status === 'fulfilled').length, 3)
      for (const result of issued) if (result.status === 'rejected') assert.ok(result.reason instanceof ValidationError)
      assert.equal(await countTokens(id), 3)
    })

    test('RES-TOKEN-r1: staff cannot exceed the limit of tokens per user either', async () => {
      now = start
      const { id } = await service().createUser('cid')
      const { key: token } = await service().createUser('root', { staff: true, superuser: true })
      const createToken = () => service().client.post('/admin/tokens/', { token, json: { user: id } })
      for (let count = 0; count < 3; count++) assert.equal((await createToken()).status, 201)
      const response = await createToken()
      assert.deepEqual([response.status, response.json()], tooManyTokens)
    })
  },
  () => now,
)
