// The life of tokens: how they are made, kept, replaced and lost (AUTH-SCH-2, AUTH-SCH-3, RES-TOKEN).

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { before, suite, test } from 'node:test'
import { openParts, type Parts } from '../../src/service/services.ts'
import { onEveryDatabase, password, type TestService } from '../support/service.ts'
import { countRows, dumpTables } from '../support/tables.ts'

const url = '/api-token-auth/'

const tokenOf = async ({ client }: TestService, username: string): Promise<string> =>
  (await client.post(url, { json: { username, password } })).json().token

const setActive = ({ database }: Parts, id: number, active: boolean) =>
  database.transaction(({ kysely }) =>
    kysely
      .updateTable('users')
      .set({ is_active: database.dialect.name === 'sqlite' ? Number(active) : active })
      .where('id', '=', id)
      .execute(),
  )

onEveryDatabase({ profiles: ['directory'] }, service => {
  test('RES-TOKEN-r2, AUTH-SCH-3: fifty requests at once for one user make one token', async () => {
    const { parts, createUser } = service()
    const { id } = await createUser('busy')
    await parts.database.transaction(({ kysely }) => kysely.deleteFrom('tokens').where('user_id', '=', id).execute())
    const keys = await Promise.all(Array.from({ length: 50 }, () => tokenOf(service(), 'busy')))
    assert.match(keys[0]!, /^[0-9a-f]{40}$/)
    assert.deepEqual([...new Set(keys)], [keys[0]])
    assert.equal(await countRows(parts.database, 'tokens'), 1)
  })

  test('AUTH-SCH-2: a token that is replaced is worth nothing at once, for every process on the database', async () => {
    const { client, parts, createUser } = service()
    const { id, key } = await createUser('ann')
    assert.equal((await client.get('/users/', { token: key })).status, 200)
    const other = openParts(parts.settings)
    try {
      const fresh = await other.database.transaction(connection => other.tokens.regenerate(id, connection))
      assert.notEqual(fresh, key)
      const old = await client.get('/users/', { token: key })
      assert.deepEqual([old.status, old.json()], [401, { detail: 'Invalid token.' }])
      assert.equal((await client.get('/users/', { token: fresh })).status, 200)
      assert.equal(await tokenOf(service(), 'ann'), fresh)
    } finally {
      await other.close()
    }
  })

  test('AUTH-SCH-r2, AUTH-GEN-4: the token of a user who is inactive is refused until the user is active again', async () => {
    const { client, parts, createUser } = service()
    const { id, key: token } = await createUser('pat')
    await setActive(parts, id, false)
    for (const path of ['/users/', '/']) {
      const refused = await client.get(path, { token })
      assert.deepEqual([refused.status, refused.json()], [401, { detail: 'User inactive or deleted.' }])
      assert.equal(refused.headers['www-authenticate'], 'Token')
    }
    await setActive(parts, id, true)
    assert.equal((await client.get('/users/', { token })).status, 200)
  })

  test('AUTH-SCH-3: a token does not end with the password it was got with', async () => {
    const { client, parts, createUser } = service()
    const { id, key } = await createUser('eve')
    await parts.users.setPassword(id, 'another one')
    const old = await client.post(url, { json: { username: 'eve', password } })
    assert.equal(old.status, 400)
    assert.equal((await client.get('/users/', { basic: `eve:${password}` })).status, 401)
    assert.equal((await client.get('/users/', { basic: 'eve:another one' })).status, 200)
    const again = await client.post(url, { json: { username: 'eve', password: 'another one' } })
    assert.deepEqual(again.json(), { token: key })
    assert.equal((await client.get('/users/', { token: key })).status, 200)
  })

  test('RES-TOKEN-r1: a stolen database holds no key and no password', async () => {
    const { parts, createUser } = service()
    const { key } = await createUser('ida')
    const dump = await dumpTables(parts.database)
    assert.match(dump, /ida/)
    assert.doesNotMatch(
      dump,
      new RegExp([key, password, Buffer.from(key, 'hex').toString('base64')].map(RegExp.escape).join('|')),
    )
    const [, file] = /^sqlite:(.*)$/.exec(parts.settings.databaseUrl) ?? []
    if (file === undefined) return
    const bytes = Buffer.concat([await readFile(file), await readFile(`${file}-wal`)])
    assert.ok(bytes.includes('ida'))
    assert.deepEqual([bytes.includes(key), bytes.includes(password)], [false, false])
  })
})

suite('hooks', () => {
  const seen: number[] = []
  let isFailing = false
  const afterUserCreated = async (id: number) => {
    seen.push(id)
    if (isFailing) throw new Error('the hook failed')
  }

  onEveryDatabase({ profiles: ['directory'], tokenForNewUsers: true, afterUserCreated }, service => {
    let token: string
    before(async () => {
      token = (await service().createUser('ann')).key
      seen.length = 0
    })

    test('AUTH-SCH-2: each new user gets a token, whichever way the user is made', async () => {
      const { client, parts } = service()
      const tokens = await countRows(parts.database, 'tokens')
      const { url: bob } = (await client.post('/users/', { token, json: { username: 'bob' } })).json()
      const cid = await parts.database.transaction(connection => parts.users.create({ username: 'cid' }, connection))
      assert.equal(await countRows(parts.database, 'tokens'), tokens + 2)
      assert.deepEqual(seen, [Number(bob.split('/').at(-2)), cid])
      await client.patch(new URL(bob).pathname, { token, json: { email: 'b@example.org' } })
      assert.equal(seen.length, 2)
      const key = await parts.database.transaction(connection => parts.tokens.getOrCreate(cid, connection))
      assert.equal((await client.get('/users/', { token: key })).status, 200)
    })

    test('AUTH-SCH-2: when a hook fails, there is no user', async () => {
      const { client, parts } = service()
      const before = await dumpTables(parts.database)
      isFailing = true
      const response = await client.post('/users/', { token, json: { username: 'dan' } })
      isFailing = false
      assert.deepEqual([response.status, response.json()], [500, { detail: 'A server error occurred.' }])
      assert.equal(await dumpTables(parts.database), before)
    })
  })

  onEveryDatabase({ profiles: ['directory'] }, service => {
    test('AUTH-SCH-2: without the setting, a new user has no token', async () => {
      const { client, parts, createUser } = service()
      const { key: token } = await createUser('ann')
      await client.post('/users/', { token, json: { username: 'bob' } })
      assert.equal(await countRows(parts.database, 'tokens'), 1)
    })
  })
})
