// Several tokens per user, with names and ends (setting `tokens: 'named'`): AUTH-SCH-2, beside what AUTH-SCH-3 specifies.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { beforeEach, suite, test } from 'node:test'
import { ValidationError } from '../../src/framework/errors/exceptions.ts'
import { openParts } from '../../src/service/services.ts'
import { readSettings, SettingsError } from '../../src/service/settings/settings.ts'
import { onEveryDatabase, password, type TestService } from '../support/service.ts'
import { countRows, dumpTables } from '../support/tables.ts'

const url = '/api-token-auth/'
const list = `${url}tokens/`
const invalid = [401, { detail: 'Invalid token.' }]
const start = new Date('2030-01-01T00:00:00.000Z')
let now = start
const pass = (milliseconds: number) => {
  now = new Date(now.getTime() + milliseconds)
}

const obtain = async ({ client }: TestService, username: string, wanted: object = {}) =>
  (await client.post(url, { json: { username, password, ...wanted } })).json()

const answerTo = async ({ client }: TestService, token: string) => {
  const response = await client.get('/users/', { token })
  return [response.status, response.json()]
}

const works = async (service: TestService, token: string) => (await answerTo(service, token))[0] === 200

/** As on a breakdown of a key: the same form, another checksum. */
const mistyped = (key: string) => key.slice(0, -1) + (key.endsWith('x') ? 'y' : 'x')

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

    test('RES-TOKEN-r1, AUTH-SCH-2: each login makes a token with a name and an end, and shows its key', async () => {
      const { id, token, ...shown } = await obtain(service(), name, { name: 'Laptop', expires_in: 3600 })
      assert.match(token, /^rapi_[0-9A-Za-z]{36}$/)
      const created = '2030-01-01T00:00:00.000000Z'
      assert.deepEqual(shown, { name: 'Laptop', created, expires: '2030-01-01T01:00:00.000000Z' })
      const other = await obtain(service(), name)
      assert.deepEqual(other, { id: other.id, token: other.token, name: '', created, expires: null })
      assert.notEqual(other.token, token)
      assert.notEqual(other.id, id)
      assert.deepEqual([await works(service(), token), await works(service(), other.token)], [true, true])
    })

    test('AUTH-SCH-3, AUTH-SCH-r2: the specified token of a user works beside the named ones', async () => {
      const { key } = await service().createUser(`${name}b`)
      assert.match(key, /^[0-9a-f]{40}$/)
      assert.equal(await works(service(), key), true)
      assert.deepEqual(await answerTo(service(), 'f'.repeat(40)), invalid)
    })

    test('AUTH-SCH-r2: a token that has expired is an invalid one', async () => {
      const { token } = await obtain(service(), name, { expires_in: 60 })
      pass(59_999)
      assert.equal(await works(service(), token), true)
      pass(1)
      const refused = await service().client.get('/users/', { token })
      assert.deepEqual([refused.status, refused.json()], invalid)
      assert.equal(refused.headers['www-authenticate'], 'Token')
    })

    test('a token that has expired makes way for the next one', async () => {
      const { parts } = service()
      await obtain(service(), name, { expires_in: 60 })
      pass(60_000)
      const before = await countRows(parts.database, 'named_tokens')
      await obtain(service(), name)
      assert.equal(await countRows(parts.database, 'named_tokens'), before)
    })

    test('AUTH-SCH-r2: a key whose checksum is wrong is refused without a look at the database', async () => {
      const { client, parts, statements } = service()
      const { token } = await obtain(service(), name)
      await parts.tokens.settle()
      for (const key of [mistyped(token), 'rapi_', token.slice(0, -1), `${token}0`, `rapi_${'0'.repeat(36)}`]) {
        statements.length = 0
        const response = await client.get('/users/', { token: key })
        assert.deepEqual([response.status, response.json()], invalid)
        assert.deepEqual(statements, [])
      }
      const unknown = 'rapi_0000000000000000000000000000002C8GjS'
      assert.deepEqual(await answerTo(service(), unknown), invalid)
      assert.equal(statements.length, 1)
    })

    test('AUTH-SCH-r2: the token of an inactive user says so', async () => {
      const { parts } = service()
      const { token } = await obtain(service(), name)
      await parts.database.transaction(({ kysely }) =>
        kysely
          .updateTable('users')
          .set({ is_active: parts.database.dialect.name === 'sqlite' ? 0 : false })
          .where('username', '=', name)
          .execute(),
      )
      assert.deepEqual(await answerTo(service(), token), [401, { detail: 'User inactive or deleted.' }])
    })

    test('ERR-EXC-r2: what is wrong with a wish is said by field, and nothing is made', async () => {
      const { client, parts } = service()
      const before = await dumpTables(parts.database)
      const number = ['A valid integer is required.']
      const least = ['Ensure this value is greater than or equal to 1.']
      const most = ['Ensure this value is less than or equal to 3155760000.']
      for (const [wanted, errors] of [
        [{ name: 'x'.repeat(101) }, { name: ['Ensure this field has no more than 100 characters.'] }],
        [{ name: 'a\0' }, { name: ['Null characters are not allowed.'] }],
        [{ name: '\ud800' }, { name: ['Not a valid string.'] }],
        [{ name: {} }, { name: ['Not a valid string.'] }],
        [{ name: null }, { name: ['This field may not be null.'] }],
        [{ expires_in: 0 }, { expires_in: least }],
        [{ expires_in: -1 }, { expires_in: least }],
        [{ expires_in: 1.5 }, { expires_in: number }],
        [{ expires_in: 'soon' }, { expires_in: number }],
        [{ expires_in: true }, { expires_in: number }],
        [{ expires_in: [60] }, { expires_in: number }],
        [{ expires_in: 3_155_760_001 }, { expires_in: most }],
        [{ expires_in: 1e300 }, { expires_in: most }],
        [{ expires_in: '9'.repeat(30) }, { expires_in: most }],
        [{ password: 'wrong' }, { non_field_errors: ['Unable to log in with provided credentials.'] }],
      ] as const) {
        const response = await client.post(url, { json: { username: name, password, ...wanted } })
        assert.deepEqual([response.status, response.json()], [400, errors])
      }
      assert.equal(await dumpTables(parts.database), before)
      const form = { username: name, password, name: 'Form', expires_in: '60' }
      assert.equal((await client.post(url, { form })).json().expires, '2030-01-01T00:01:00.000000Z')
      assert.equal((await obtain(service(), name, { expires_in: null })).expires, null)
    })

    test('the owner sees the tokens, never a key, and nobody else does', async () => {
      const { client, parts, createUser } = service()
      const { token, ...first } = await obtain(service(), name, { name: 'Laptop', expires_in: 60 })
      const { token: _, ...second } = await obtain(service(), name, { name: 'Phone' })
      assert.equal(await works(service(), token), true)
      await parts.tokens.settle()
      const shown = [
        { ...first, last_used: '2030-01-01T00:00:00.000000Z' },
        { ...second, last_used: null },
      ]
      assert.deepEqual((await client.get(list, { token })).json(), shown)
      assert.deepEqual((await client.get(`${list}${first.id}/`, { token })).json(), shown[0])
      const { key } = await createUser(`${name}b`)
      assert.deepEqual((await client.get(list, { token: key })).json(), [])
      for (const method of ['GET', 'DELETE']) {
        for (const id of [first.id, 999_999, 0, '1e3', '9'.repeat(20)]) {
          const foreign = await client.request(method, `${list}${id}/`, { token: key })
          assert.deepEqual([foreign.status, foreign.json()], [404, { detail: 'Not found.' }])
        }
      }
      assert.equal((await client.get(`${list}${second.id}/`, { token })).status, 200)
      for (const path of [list, `${list}${first.id}/`])
        for (const method of ['GET', 'DELETE']) assert.equal((await client.request(method, path)).status, 401)
    })

    test('AUTH-SCH-2: the owner revokes one token, or all, at once', async () => {
      const { client, parts, createUser } = service()
      const { key: other } = await createUser(`${name}b`)
      const { id, token } = await obtain(service(), name)
      const { token: second } = await obtain(service(), name)
      const { token: third } = await obtain(service(), name)
      assert.equal((await client.delete(`${list}${id}/`, { token })).status, 204)
      assert.deepEqual(await answerTo(service(), token), invalid)
      assert.equal(await works(service(), second), true)
      const user = (await parts.users.find(name))!
      const single = await parts.database.transaction(connection => parts.tokens.getOrCreate(user.id, connection))
      const all = await client.delete(list, { token: second })
      assert.deepEqual([all.status, all.text], [204, ''])
      for (const key of [second, third, single]) assert.deepEqual(await answerTo(service(), key), invalid)
      assert.equal(await works(service(), other), true)
    })

    test('ERR-EXC-r7: tokens are made at the endpoint alone, and are not changed', async () => {
      const { client } = service()
      const { id, token } = await obtain(service(), name)
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

    test('the last use is noted once a minute at most', async () => {
      const { client, parts, statements } = service()
      const { token } = await obtain(service(), name)
      const lastUsed = async () => (await client.get(list, { token })).json()[0].last_used
      const notes = () => statements.filter(statement => statement.startsWith('update named_tokens')).length
      const use = async () => {
        await Promise.all(Array.from({ length: 5 }, () => client.get('/users/', { token })))
        await parts.tokens.settle()
      }
      const before = notes()
      await use()
      await use()
      assert.deepEqual([notes() - before, await lastUsed()], [1, '2030-01-01T00:00:00.000000Z'])
      pass(59_999)
      await use()
      assert.equal(notes() - before, 1)
      pass(1)
      await use()
      assert.deepEqual([notes() - before, await lastUsed()], [2, '2030-01-01T00:01:00.000000Z'])
    })

    test('a request does not wait until its use is noted', async () => {
      const { parts } = service()
      const { token } = await obtain(service(), name)
      const { promise, resolve } = Promise.withResolvers<void>()
      const locked = Promise.withResolvers<void>()
      const holding = parts.database.transaction(async ({ kysely }) => {
        await kysely.updateTable('named_tokens').set({ name: 'Held' }).execute()
        locked.resolve()
        await promise
      })
      await locked.promise
      assert.equal(await works(service(), token), true)
      resolve()
      await holding
      await parts.tokens.settle()
    })

    test('RES-TOKEN-r1: a stolen database holds no key', async () => {
      const { parts } = service()
      const { token } = await obtain(service(), name, { name: 'Where' })
      assert.doesNotMatch(await dumpTables(parts.database), new RegExp(token.slice(5, 35)))
      const [, file] = /^sqlite:(.*)$/.exec(parts.settings.databaseUrl) ?? []
      if (file === undefined) return
      const bytes = Buffer.concat([await readFile(file), await readFile(`${file}-wal`)])
      assert.deepEqual([bytes.includes('Where'), bytes.includes(token.slice(5, 35))], [true, false])
    })

    test('keys of a prefix before this one go on working', async () => {
      const { parts } = service()
      const other = openParts({ ...parts.settings, tokenPrefix: 'acme_' })
      try {
        const { id } = (await parts.users.find(name))!
        const { key } = await other.database.transaction(connection => other.tokens.issue(id, {}, connection))
        assert.match(key, /^acme_/)
        assert.equal(await works(service(), key), true)
      } finally {
        await other.close()
      }
    })

    test('AUTH-SCH-2: fifty logins at once make fifty tokens', async () => {
      const made = await Promise.all(Array.from({ length: 50 }, () => obtain(service(), name)))
      assert.equal(new Set(made.map(({ token }) => token)).size, 50)
    })
  },
  () => now,
)

suite('settings', () => {
  onEveryDatabase(
    { profiles: ['directory'], tokens: 'named', tokenLifetime: 3600, tokenPath: '/session/key' },
    service => {
      test('a lifetime is what a token has, and the most that it can have', async () => {
        const { client, createUser } = service()
        await createUser('ann')
        const ask = (wanted: object) => client.post('/session/key/', { json: { username: 'ann', password, ...wanted } })
        const ends = '2030-01-01T01:00:00.000000Z'
        assert.equal((await ask({})).json().expires, ends)
        assert.equal((await ask({ expires_in: null })).json().expires, ends)
        assert.equal((await ask({ expires_in: 60 })).json().expires, '2030-01-01T00:01:00.000000Z')
        const longer = await ask({ expires_in: 3601 })
        const message = 'Ensure this value is less than or equal to 3600.'
        assert.deepEqual([longer.status, longer.json()], [400, { expires_in: [message] }])
        const { token } = (await ask({})).json()
        assert.equal((await client.get('/session/key/tokens/', { token })).json().length, 4)
      })
    },
    () => start,
  )

  onEveryDatabase({ profiles: ['directory'] }, service => {
    test('END-TOKEN-r1, AUTH-SCH-3: by default nobody has several, and there is no list', async () => {
      const { client, createUser } = service()
      const { key: token } = await createUser('ann')
      const json = { username: 'ann', password, name: 'Laptop', expires_in: 60 }
      assert.deepEqual((await client.post(url, { json })).json(), { token })
      assert.equal((await client.get(list, { token })).status, 404)
    })
  })

  test('a wrong one is refused', () => {
    for (const [file, message] of [
      [{ tokens: 'many' }, 'tokens (config file): must be single or named, not "many"'],
      [
        { tokenPrefix: 'rapi' },
        'tokenPrefix (config file): must be letters and digits with "_" at the end, not "rapi"',
      ],
      [{ tokenLifetime: 0 }, 'tokenLifetime (config file): must be 1 or more, not 0'],
      [
        { tokens: 'named', tokenForNewUsers: true },
        'tokenForNewUsers: must be false where tokens are named: nobody would see the token',
      ],
    ] as const)
      assert.throws(() => readSettings({ file: file as never }), new SettingsError(message))
  })
})

const most = 'A user has at most 3 tokens: revoke one first.'
const tooMany = [400, { non_field_errors: [most] }]

onEveryDatabase(
  { profiles: ['directory'], tokens: 'named', limits: { tokensPerUser: 3 } },
  service => {
    const login = async (username: string, wanted: object = {}) => {
      const response = await service().client.post(url, { json: { username, password, ...wanted } })
      return [response.status, response.json()] as const
    }
    const countOf = async (id: number) => {
      const tokens = service().parts.database.kysely.selectFrom('named_tokens').where('user_id', '=', id)
      return (await tokens.selectAll().execute()).length
    }

    test('RES-TOKEN-r1: a user has a bounded number of tokens; a revoked or expired one makes room', async () => {
      now = start
      const { id } = await service().createUser('ann')
      const { id: other } = await service().createUser('other')
      const [, { token }] = await login('ann')
      await login('ann', { expires_in: 60 })
      assert.equal((await login('ann'))[0], 200)
      assert.deepEqual(await login('ann'), tooMany)
      assert.equal(await works(service(), token), true)
      assert.equal((await login('other'))[0], 200)
      pass(60_000)
      assert.equal((await login('ann'))[0], 200)
      assert.deepEqual(await login('ann'), tooMany)
      const own: readonly { id: number }[] = (await service().client.get(list, { token })).json()
      assert.equal((await service().client.delete(`${list}${own.at(-1)!.id}/`, { token })).status, 204)
      assert.equal((await login('ann'))[0], 200)
      assert.deepEqual([await countOf(id), await countOf(other)], [3, 1])
    })

    test('RES-TOKEN-r1: thirty logins at once make no more tokens than a user may have', async () => {
      now = start
      const { id } = await service().createUser('bob')
      const issued = await Promise.allSettled(
        Array.from({ length: 30 }, () =>
          service().parts.database.transaction(connection => service().parts.tokens.issue(id, {}, connection)),
        ),
      )
      assert.equal(issued.filter(({ status }) => status === 'fulfilled').length, 3)
      for (const end of issued) if (end.status === 'rejected') assert.ok(end.reason instanceof ValidationError)
      assert.equal(await countOf(id), 3)
    })

    test('RES-TOKEN-r1: the staff makes no more tokens for a user either', async () => {
      now = start
      const { id } = await service().createUser('cid')
      const { key: token } = await service().createUser('root', { staff: true, superuser: true })
      const make = () => service().client.post('/admin/tokens/', { token, json: { user: id } })
      for (let count = 0; count < 3; count++) assert.equal((await make()).status, 201)
      const refused = await make()
      assert.deepEqual([refused.status, refused.json()], tooMany)
    })
  },
  () => now,
)
