// The lifecycle of tokens: they are created, stored, replaced and deleted (AUTH-SCH-2, AUTH-SCH-3, RES-TOKEN).

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { before, suite, test } from 'node:test'
import { openServices, type Services } from 'resource-api/service'
import { onEveryDatabase, password, type TestService } from '../support/service.ts'
import { countRows, dumpTables } from '../support/tables.ts'

const url = '/api-token-auth/'

const requestToken = async ({ client }: TestService, username: string): Promise<string> =>
  (await client.post(url, { json: { username, password } })).json().token

const setActive = ({ database }: Services, id: number, active: boolean) =>
  database.transaction(({ kysely }) =>
    kysely
      .updateTable('users')
      .set({ is_active: database.dialect.name === 'sqlite' ? Number(active) : active })
      .where('id', '=', id)
      .execute(),
  )

onEveryDatabase({ profiles: ['directory'] }, service => {
  test('RES-TOKEN-r2, AUTH-SCH-3: fifty concurrent requests of one user create one token', async () => {
    const { services, createUser } = service()
    const { id } = await createUser('busy')
    await services.database.transaction(({ kysely }) => kysely.deleteFrom('tokens').where('user_id', '=', id).execute())
    const keys = await Promise.all(Array.from({ length: 50 }, () => requestToken(service(), 'busy')))
    assert.match(keys[0]!, /^[0-9a-f]{40}$/)
    assert.deepEqual([...new Set(keys)], [keys[0]])
    assert.equal(await countRows(services.database, 'tokens'), 1)
  })

  test('AUTH-SCH-2: a replaced token is invalid at once, for every process on the database', async () => {
    const { client, services, createUser } = service()
    const { id, key } = await createUser('ann')
    assert.equal((await client.get('/users/', { token: key })).status, 200)
    const otherParts = openServices(services.settings)
    try {
      const newToken = await otherParts.database.transaction(connection =>
        otherParts.accounts.tokens.regenerate(id, connection),
      )
      assert.notEqual(newToken, key)
      const response = await client.get('/users/', { token: key })
      assert.deepEqual([response.status, response.json()], [401, { detail: 'Invalid token.' }])
      assert.equal((await client.get('/users/', { token: newToken })).status, 200)
      assert.equal(await requestToken(service(), 'ann'), newToken)
    } finally {
      await otherParts.close()
    }
  })

  test('AUTH-SCH-r2, AUTH-GEN-4: the token of an inactive user is refused until the user is active again', async () => {
    const { client, services, createUser } = service()
    const { id, key: token } = await createUser('pat')
    await setActive(services, id, false)
    for (const path of ['/users/', '/']) {
      const refused = await client.get(path, { token })
      assert.deepEqual([refused.status, refused.json()], [401, { detail: 'User inactive or deleted.' }])
      assert.equal(refused.headers['www-authenticate'], 'Token')
    }
    await setActive(services, id, true)
    assert.equal((await client.get('/users/', { token })).status, 200)
  })

  test('AUTH-SCH-3: a token stays valid when the password changes', async () => {
    const { client, services, createUser } = service()
    const { id, key } = await createUser('eve')
    await services.accounts.users.setPassword(id, 'another one')
    const oldPassword = await client.post(url, { json: { username: 'eve', password } })
    assert.equal(oldPassword.status, 400)
    assert.equal((await client.get('/users/', { basic: `eve:${password}` })).status, 401)
    assert.equal((await client.get('/users/', { basic: 'eve:another one' })).status, 200)
    const response = await client.post(url, { json: { username: 'eve', password: 'another one' } })
    assert.deepEqual(response.json(), { token: key })
    assert.equal((await client.get('/users/', { token: key })).status, 200)
  })

  test('RES-TOKEN-r1: the database contains no token and no password in plain text', async () => {
    const { services, createUser } = service()
    const { key } = await createUser('ida')
    const dump = await dumpTables(services.database)
    assert.match(dump, /ida/)
    assert.doesNotMatch(
      dump,
      new RegExp([key, password, Buffer.from(key, 'hex').toString('base64')].map(RegExp.escape).join('|')),
    )
    const [, file] = /^sqlite:(.*)$/.exec(services.settings.databaseUrl) ?? []
    if (file === undefined) return
    const bytes = Buffer.concat([await readFile(file), await readFile(`${file}-wal`)])
    assert.ok(bytes.includes('ida'))
    assert.deepEqual([bytes.includes(key), bytes.includes(password)], [false, false])
  })
})

suite('hooks', () => {
  const createdIds: number[] = []
  let isFailing = false
  const afterUserCreated = async (id: number) => {
    createdIds.push(id)
    if (isFailing) throw new Error('the hook failed')
  }

  onEveryDatabase({ profiles: ['directory'], tokenForNewUsers: true, afterUserCreated }, service => {
    let token: string
    before(async () => {
      token = (await service().createUser('ann')).key
      createdIds.length = 0
    })

    test('AUTH-SCH-2: each new user gets a token, created by the API or in code', async () => {
      const { client, services } = service()
      const tokens = await countRows(services.database, 'tokens')
      const { url: bobUrl } = (await client.post('/users/', { token, json: { username: 'bob' } })).json()
      const cidId = await services.database.transaction(connection =>
        services.accounts.users.create({ username: 'cid' }, connection),
      )
      assert.equal(await countRows(services.database, 'tokens'), tokens + 2)
      assert.deepEqual(createdIds, [Number(bobUrl.split('/').at(-2)), cidId])
      await client.patch(new URL(bobUrl).pathname, { token, json: { email: 'b@example.org' } })
      assert.equal(createdIds.length, 2)
      const key = await services.database.transaction(connection =>
        services.accounts.tokens.getOrCreate(cidId, connection),
      )
      assert.equal((await client.get('/users/', { token: key })).status, 200)
    })

    test('AUTH-SCH-2: if a hook fails, no user is created', async () => {
      const { client, services } = service()
      const dumpBefore = await dumpTables(services.database)
      isFailing = true
      const response = await client.post('/users/', { token, json: { username: 'dan' } })
      isFailing = false
      assert.deepEqual([response.status, response.json()], [500, { detail: 'A server error occurred.' }])
      assert.equal(await dumpTables(services.database), dumpBefore)
    })
  })

  onEveryDatabase({ profiles: ['directory'] }, service => {
    test('AUTH-SCH-2: without tokenForNewUsers, a new user has no token', async () => {
      const { client, services, createUser } = service()
      const { key: token } = await createUser('ann')
      await client.post('/users/', { token, json: { username: 'bob' } })
      assert.equal(await countRows(services.database, 'tokens'), 1)
    })
  })
})
