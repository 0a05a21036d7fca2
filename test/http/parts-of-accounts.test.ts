// Existing Fastify applications that use a single part of the accounts, without createAccounts.

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { type Database, memoryStore, migrate, openDatabase } from 'resource-api'
import { createLoginThrottle, hashPassword, needsRehash, verifyPassword } from 'resource-api/accounts'
import { readCookie } from '#core'
import { accountTables } from '../../src/accounts/migrations.ts'
import { createSessions } from '../../src/accounts/sessions.ts'
import { createTokens } from '../../src/accounts/tokens/create-tokens.ts'
import { createUsers } from '../../src/accounts/users.ts'

import { injectClient } from '../support/client.ts'
import { createDatabase, createFile } from '../support/service.ts'

const password = 'correct horse battery staple'

suite('password hashing alone', () => {
  test('an application with its own users stores and verifies hashes', async () => {
    const hashes = new Map<string, string>()
    const app = Fastify()
    app.post<{ Body: Credentials }>('/users', async ({ body }) => {
      hashes.set(body.username, await hashPassword(body.password))
      return {}
    })
    app.post<{ Body: Credentials }>('/login', async ({ body }) => ({
      isValid: await verifyPassword(body.password, hashes.get(body.username) ?? null),
    }))
    const client = injectClient(app)
    await client.post('/users', { json: { username: 'ann', password } })
    assert.equal(needsRehash(hashes.get('ann')!), false)
    const isValid = async (username: string, secret: string) =>
      (await client.post('/login', { json: { username, password: secret } })).json().isValid
    assert.deepEqual(
      [await isValid('ann', password), await isValid('ann', 'wrong'), await isValid('bob', password)],
      [true, false, false],
    )
    await app.close()
  })
})

interface Credentials {
  readonly username: string
  readonly password: string
}

suite('the login throttle alone', () => {
  test('an application limits the failures of its own login', async () => {
    const throttle = createLoginThrottle({ store: memoryStore(), perAccount: '2/hour' })
    const app = Fastify()
    app.post<{ Body: Credentials }>('/login', async request => {
      const { username, password: secret } = request.body
      const user = await throttle.guard(request, username, async () => (secret === password ? username : undefined))
      return { user: user ?? null }
    })
    const client = injectClient(app)
    const attempt = async (username: string, secret: string) =>
      (await client.post('/login', { json: { username, password: secret } })).status
    assert.deepEqual([await attempt('ann', 'a'), await attempt('ann', 'b')], [200, 200])
    assert.notEqual(await attempt('ann', password), 200)
    assert.equal(await attempt('bob', password), 200)
    await app.close()
  })
})

for (const [name, createStorage] of [
  ['SQLite', createFile],
  ['PostgreSQL', createDatabase],
] as const) {
  suite(name, () => {
    let database: Database
    let removeStorage: () => Promise<void>
    let ann: number
    before(async () => {
      const storage = await createStorage()
      removeStorage = storage.remove
      database = openDatabase(storage.url)
      await migrate(database, [accountTables])
      const passwordHash = await hashPassword(password)
      const users = createUsers({ database })
      ann = await database.transaction(connection => users.create({ username: 'ann', passwordHash }, connection))
    })
    after(async () => {
      await database?.close()
      await removeStorage?.()
    })

    const startApplication = (findUsername: (request: FastifyRequest) => Promise<string | undefined>) => {
      const app: FastifyInstance = Fastify()
      app.get('/me', async (request, reply) => {
        const username = await findUsername(request)
        return username === undefined ? reply.code(401).send({}) : { username }
      })
      return app
    }

    test('sessions alone: routes of the application start, find and end them', async () => {
      const sessions = createSessions({ database })
      const app = startApplication(async request => {
        const id = readCookie(request, 'session')
        return id === undefined ? undefined : (await sessions.find(id))?.username
      })
      app.post('/login', async (_request, reply) =>
        reply.header('set-cookie', `session=${await sessions.start(ann)}; HttpOnly`).send({}),
      )
      app.post('/logout', async request => {
        await sessions.end(readCookie(request, 'session')!)
        return {}
      })
      const client = injectClient(app)
      const { headers } = await client.post('/login')
      const cookie = headers['set-cookie']!.split(';')[0]!
      assert.equal((await client.get('/me')).status, 401)
      assert.deepEqual((await client.get('/me', { headers: { cookie } })).json(), { username: 'ann' })
      await client.post('/logout', { headers: { cookie } })
      assert.equal((await client.get('/me', { headers: { cookie } })).status, 401)
      await app.close()
    })

    for (const kind of ['single', 'named'] as const)
      test(`tokens alone: a route of the application identifies its caller by a ${kind} token`, async () => {
        const tokens = createTokens({ database, secrets: ['x'.repeat(40)], kind, prefix: 'shop_' })
        const app = startApplication(async ({ headers }) => {
          const token = headers.authorization?.replace('Bearer ', '')
          return token === undefined ? undefined : (await tokens.find(token))?.user.username
        })
        const client = injectClient(app)
        const { token } = await database.transaction(connection => tokens.issue(ann, {}, connection))
        assert.match(token, kind === 'single' ? /^[0-9a-f]{40}$/ : /^shop_\w{36}$/)
        const headers = { authorization: `Bearer ${token}` }
        assert.deepEqual((await client.get('/me', { headers })).json(), { username: 'ann' })
        await database.transaction(connection => tokens.revokeAll(ann, connection))
        assert.equal((await client.get('/me', { headers })).status, 401)
        await tokens.settle()
        await app.close()
      })

    test('a wrong prefix of tokens is an error that says the fix', () => {
      const create = () => createTokens({ database, secrets: ['x'.repeat(40)], kind: 'named', prefix: 'shop' })
      assert.throws(create, {
        message: 'the token prefix "shop" must be letters and digits with "_" at the end, such as "shop_"',
      })
    })
  })
}
