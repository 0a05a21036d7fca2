// Remote user authentication: a web server identifies the callers (AUTH-SCH-r4, AUTH-SCH-5).

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { createService, openServices } from 'resource-api/service'
import { accountsKysely } from '../../src/accounts/tables.ts'
import { openBrowser } from '../support/browser.ts'
import { openConnection } from '../support/raw-http.ts'
import type { TestOptions } from '../support/service.ts'
import { onEitherService, onEveryService, type TestService } from '../support/service.ts'

const missingCredentials = { detail: 'Authentication credentials were not provided.' }
const invalidUser = { detail: 'Invalid remote user.' }
const takenUsername = { detail: 'A user with that username already exists.' }

const headerOptions: TestOptions = {
  profiles: ['directory'],
  authentication: ['remote-user', 'token'],
  remoteUser: { header: 'Remote-User', proxies: ['127.0.0.1', '10.1.0.0/16', '2001:db8::/32'] },
}

const asRemoteUser = (username: string) => ({ headers: { 'remote-user': Buffer.from(username).toString('latin1') } })

const listUsernames = async ({ services }: TestService): Promise<readonly string[]> => {
  const users = await accountsKysely(services.database).selectFrom('users').select('username').orderBy('id').execute()
  return users.map(({ username }) => username)
}

onEveryService(headerOptions, service => {
  test('AUTH-SCH-r4, AUTH-GEN-5, AUTH-GEN-6: as the first scheme, it refuses with 403 because it has no challenge', async () => {
    const { client } = service()
    for (const [options, body] of [
      [{}, missingCredentials],
      [asRemoteUser(''), missingCredentials],
      [asRemoteUser('a b'), invalidUser],
      [{ token: 'x' }, { detail: 'Invalid token.' }],
    ] as const) {
      const response = await client.get('/users/', options)
      assert.deepEqual([response.status, response.json()], [403, body])
      assert.equal(response.headers['www-authenticate'], undefined)
    }
    assert.equal((await client.get('/')).headers.vary, 'Accept, Remote-User, Authorization')
  })

  test('AUTH-SCH-r4: the caller is the user named by the proxy, with all permissions of that user', async () => {
    const { client, createUser } = service()
    const { id } = await createUser('ann', { remoteIdentity: 'ann' })
    assert.equal((await client.get('/users/', asRemoteUser('ann'))).status, 200)
    assert.equal((await client.delete(`/users/${id}/`, asRemoteUser('ann'))).status, 204)
  })

  test('AUTH-SCH-5: an unknown name creates a user once, who cannot log in with a password', async () => {
    const { client, services } = service()
    const countBefore = (await listUsernames(service())).length
    const responses = await Promise.all(Array.from({ length: 10 }, () => client.get('/users/', asRemoteUser('zoë'))))
    assert.deepEqual([...new Set(responses.map(({ status }) => status))], [200])
    assert.deepEqual((await listUsernames(service())).slice(countBefore), ['zoë'])
    assert.equal(await services.accounts.users.verify('zoë', ''), undefined)
    assert.equal((await client.get('/users/', { basic: 'zoë:' })).status, 403)
  })

  test('AUTH-SCH-r4: an account belongs to the exact bytes of one identity, even after its username changes', async () => {
    const { client, services, createUser } = service()
    const identity = 'EXAMPLE\\kim'
    const { id } = await createUser('kim', { remoteIdentity: identity })
    const statusFor = async (name: string) => (await client.get('/users/', asRemoteUser(name))).status
    assert.equal(await statusFor(identity), 200)
    for (const other of ['example\\kim', 'EXAMPLE\\KIM', 'ＥXAMPLE\\kim', 'EXAMPLE\\kim\u0308', 'kim'])
      assert.equal(await statusFor(other), 403, other)
    const renamed = await client.patch(`/users/${id}/`, { ...asRemoteUser(identity), json: { username: 'kimberly' } })
    assert.equal(renamed.status, 200)
    assert.equal((await services.accounts.users.findByRemoteIdentity(identity))?.username, 'kimberly')
    assert.equal(await statusFor('kim'), 200)
    assert.notEqual((await services.accounts.users.findByRemoteIdentity('kim'))?.id, id)
  })

  test('AUTH-SCH-r4: bytes that are not UTF-8 are refused instead of decoded as another identity', async () => {
    const { client } = service()
    assert.equal((await client.get('/users/', asRemoteUser('é'))).status, 200)
    const refused = await client.get('/users/', { headers: { 'remote-user': '\u00e9' } })
    assert.deepEqual([refused.status, refused.json()], [403, invalidUser])
  })

  test('AUTH-SCH-r4: composed and decomposed letters are different identities', async () => {
    const { client } = service()
    assert.equal((await client.get('/users/', asRemoteUser('zo\u00eb2'))).status, 200)
    const refused = await client.get('/users/', asRemoteUser('zoe\u03082'))
    assert.deepEqual([refused.status, refused.json()], [403, takenUsername])
  })

  test('AUTH-SCH-r4: an account with that username but without the identity is refused until it is linked', async () => {
    const { client, services, createUser } = service()
    const { id } = await createUser('lee')
    const refused = await client.get('/users/', asRemoteUser('lee'))
    assert.deepEqual([refused.status, refused.json()], [403, takenUsername])
    await services.accounts.users.linkRemoteIdentity(id, 'lee')
    assert.equal((await client.get('/users/', asRemoteUser('lee'))).status, 200)
    await services.accounts.users.linkRemoteIdentity(id, null)
    assert.equal((await client.get('/users/', asRemoteUser('lee'))).status, 403)
  })

  test('AUTH-SCH-5: only the first of several similar names gets an account, and the others are refused', async () => {
    const { client } = service()
    const countBefore = (await listUsernames(service())).length
    assert.equal((await client.get('/users/', asRemoteUser('Straße'))).status, 200)
    for (const name of ['STRASSE', 'straße', 'ｓtrasse', 'STRAẞE']) {
      const response = await client.get('/users/', asRemoteUser(name))
      assert.deepEqual([response.status, response.json()], [403, takenUsername], name)
    }
    const responses = await Promise.all(
      ['Bob', 'bob', 'BOB', 'ｂｏｂ'].map(name => client.get('/users/', asRemoteUser(name))),
    )
    assert.ok(responses.some(({ status }) => status === 200))
    assert.equal((await listUsernames(service())).length, countBefore + 2)
  })

  test('AUTH-SCH-r4: an invalid username is refused, and no user is created', async () => {
    const { client } = service()
    const namesBefore = await listUsernames(service())
    for (const name of ['a b', '(null)', 'a,b', '<b>', 'x'.repeat(151), '\u202eann', '../x', "' or 1=1 --"]) {
      const response = await client.get('/users/', asRemoteUser(name))
      assert.deepEqual([response.status, response.json()], [403, invalidUser], name)
      assert.equal((await client.get('/', asRemoteUser(name))).status, 403)
    }
    assert.deepEqual(await listUsernames(service()), namesBefore)
  })

  test('AUTH-SCH-r4: other headers are ignored, including the configured name with an underscore', async () => {
    const { client } = service()
    for (const name of ['remote_user', 'x-remote-user', 'remote-user-', 'x-forwarded-user', 'REMOTE_USER'])
      assert.equal((await client.get('/users/', { headers: { [name]: 'ann' } })).status, 403, name)
    assert.equal((await client.get('/users/', { headers: { 'REMOTE-USER': 'ann' } })).status, 200)
  })

  test('AUTH-SCH-r4: an inactive user is refused', async () => {
    const { client, createUser } = service()
    await createUser('sleeping', { active: false, remoteIdentity: 'sleeping' })
    const response = await client.get('/users/', asRemoteUser('sleeping'))
    assert.deepEqual([response.status, response.json()], [403, { detail: 'User inactive or deleted.' }])
  })
})

onEitherService({ ...headerOptions, trustedProxies: ['127.0.0.1'] }, service => {
  const requestStatus = async (app: FastifyInstance, remoteAddress: string, headers: Record<string, string> = {}) =>
    (
      await app.inject({
        url: '/users/',
        remoteAddress,
        headers: { host: 'localhost', 'remote-user': 'ann', ...headers },
      })
    ).statusCode

  test('AUTH-SCH-r4: only connections from the listed addresses may name the user', async () => {
    const { app } = service()
    for (const [address, status] of [
      ['127.0.0.1', 200],
      ['::ffff:127.0.0.1', 200],
      ['10.1.255.1', 200],
      ['::ffff:10.1.2.3', 200],
      ['2001:db8:1::1', 200],
      ['127.0.0.2', 403],
      ['10.2.0.1', 403],
      ['::1', 403],
      ['::ffff:10.2.0.1', 403],
      ['2001:db9::1', 403],
    ] as const)
      assert.equal(await requestStatus(app, address), status, address)
    const forwarded = { 'x-forwarded-for': '10.1.0.1', forwarded: 'for=10.1.0.1' }
    assert.equal(await requestStatus(app, '10.2.0.1', forwarded), 403)
    assert.equal(await requestStatus(app, '127.0.0.1', { 'x-forwarded-for': '203.0.113.1' }), 200)
  })
})

onEveryService(headerOptions, service => {
  test('AUTH-SCH-r4: two header values are refused, even if they are equal', async context => {
    const { client, app } = service()
    if (app.server.address() === null) return
    const connection = openConnection(client.origin)
    context.after(() => connection.close())
    for (const values of [
      ['ann', 'bob'],
      ['ann', 'ann'],
      ['', 'ann'],
    ]) {
      const lines = values.map(value => `Remote-User: ${value}\r\n`).join('')
      connection.send(`GET /users/ HTTP/1.1\r\nHost: localhost\r\n${lines}\r\n`)
      assert.match(await connection.receive(/\}$/), /^HTTP\/1\.1 403 .*"Invalid remote user\."/s)
    }
  })
})

suite('settings', () => {
  const remoteUser = { header: 'X-Account', proxies: ['127.0.0.1'], createUsers: false }
  onEitherService({ profiles: ['directory'], authentication: ['token', 'remote-user'], remoteUser }, service => {
    test('AUTH-SCH-5: with createUsers: false, unknown names are refused; after the token scheme, with 401', async () => {
      const { client, createUser } = service()
      await createUser('ann', { remoteIdentity: 'ann' })
      const request = (name: string) => client.get('/users/', { headers: { 'x-account': name } })
      assert.equal((await request('ann')).status, 200)
      for (const name of ['bob', 'ANN']) {
        const response = await request(name)
        assert.deepEqual([response.status, response.json()], [401, invalidUser])
        assert.equal(response.headers['www-authenticate'], 'Token')
      }
      assert.deepEqual(await listUsernames(service()), ['ann'])
    })
  })

  const identify = async ({ query }: { query: unknown }) => (query as { as?: string }).as
  onEitherService({ profiles: ['directory'], authentication: ['remote-user'], remoteUser: { identify } }, service => {
    test('AUTH-SCH-r4, AUTH-SCH-5: a function may read the name from the request', async () => {
      const { client } = service()
      assert.equal((await client.get('/users/')).status, 403)
      assert.equal((await client.get('/users/', asRemoteUser('ann'))).status, 403)
      const users = await client.get('/users/?as=cid')
      assert.deepEqual([users.status, users.json().results[0].username], [200, 'cid'])
      assert.equal((await client.get('/users/?as=a%20b')).status, 403)
    })
  })

  const createdIds: number[] = []
  const afterUserCreated = async (id: number) => void createdIds.push(id)
  onEitherService({ ...headerOptions, afterUserCreated, tokenForNewUsers: true }, service => {
    test('AUTH-SCH-5, AUTH-SCH-2: hooks run once for a user created this way', async () => {
      const { client, services } = service()
      createdIds.length = 0
      await Promise.all(Array.from({ length: 5 }, () => client.get('/users/', asRemoteUser('ann'))))
      assert.deepEqual(createdIds, [(await services.accounts.users.find('ann'))!.id])
    })
  })
})

suite('together with sessions', () => {
  for (const authentication of [
    ['remote-user', 'session'],
    ['session', 'remote-user'],
  ] as const) {
    onEitherService({ ...headerOptions, authentication: [...authentication] }, service => {
      test(`AUTH-SCH-r4: a remote user other than the session's user ends the session (${authentication.join(', ')})`, async () => {
        const { client, services, createUser } = service()
        await createUser('ann', { remoteIdentity: 'ann' })
        const { id } = await createUser('bob', { remoteIdentity: 'bob' })
        const browser = openBrowser(client)
        await browser.logIn('ann')
        const session = browser.cookies.get('sessionid')!
        assert.equal((await browser.get('/users/')).status, 200)
        assert.equal((await browser.get('/users/', asRemoteUser('ann'))).status, 200)
        assert.ok(await services.accounts.sessions.find(session))
        assert.equal((await browser.request('DELETE', `/users/${id}/`, asRemoteUser('bob'))).status, 204)
        assert.equal(await services.accounts.sessions.find(session), undefined)
        assert.equal((await browser.get('/users/')).status, 403)
      })

      test(`AUTH-SCH-r4: an invalid remote user is refused in spite of a session (${authentication.join(', ')})`, async () => {
        const { client, services, createUser } = service()
        await createUser('cid', { remoteIdentity: 'cid' })
        const browser = openBrowser(client)
        await browser.logIn('cid')
        const refused = await browser.get('/users/', asRemoteUser('a b'))
        assert.deepEqual([refused.status, refused.json()], [403, invalidUser])
        assert.ok(await services.accounts.sessions.find(browser.cookies.get('sessionid')!))
      })
    })
  }

  onEitherService(headerOptions, service => {
    test('AUTH-SCH-r4, AUTH-SCH-5: two processes that get a new name at the same time create one user', async () => {
      const { client, services } = service()
      const otherParts = openServices(services.settings)
      const app = await createService(otherParts)
      try {
        const headers = { host: 'localhost', 'remote-user': 'dee' }
        const requests = Array.from({ length: 10 }, (_, index) =>
          index % 2 === 0
            ? client.get('/users/', { headers }).then(({ status }) => status)
            : app.inject({ url: '/users/', headers }).then(({ statusCode }) => statusCode),
        )
        assert.deepEqual([...new Set(await Promise.all(requests))], [200])
        assert.deepEqual(await listUsernames(service()), ['dee'])
      } finally {
        await app.close()
        await otherParts.close()
      }
    })
  })
})
