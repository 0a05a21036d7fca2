// Login sessions: the caller that they identify, and when they end (AUTH-SCH-r3).

import assert from 'node:assert/strict'
import { hash, pbkdf2Sync } from 'node:crypto'
import { suite, test } from 'node:test'
import { createService, openServices, type Services } from 'resource-api/service'
import { accountsKysely } from '../../src/accounts/tables.ts'
import { loginUrl, openBrowser } from '../support/browser.ts'
import { type Client, injectClient } from '../support/client.ts'
import { onEveryDatabase, onEveryService, password } from '../support/service.ts'
import { countRows, dumpTables } from '../support/tables.ts'

const missingCredentials = { detail: 'Authentication credentials were not provided.' }

const setActive = ({ database }: Services, id: number, active: boolean) =>
  database.transaction(async connection => {
    const value = database.dialect.name === 'sqlite' ? Number(active) : active
    await accountsKysely(connection).updateTable('users').set({ is_active: value }).where('id', '=', id).execute()
  })

/** Calls `work` with a second service on the same database. */
async function withSecondService<Result>(
  services: Services,
  work: (client: Client, other: Services) => Promise<Result>,
): Promise<Result> {
  const secondParts = openServices(services.settings)
  const app = await createService(secondParts)
  try {
    return await work(injectClient(app), secondParts)
  } finally {
    await app.close()
    await secondParts.close()
  }
}

onEveryService({}, service => {
  test('AUTH-SCH-r3: a logged-in caller is authenticated, may write, and owns created objects', async () => {
    const { client, createUser } = service()
    await createUser('ann')
    const browser = openBrowser(client)
    assert.equal((await browser.get('/directory/users/')).status, 401)
    await browser.logIn('ann')
    const users = await browser.get('/directory/users/')
    assert.deepEqual([users.status, users.json().results[0].username], [200, 'ann'])
    const snippet = await browser.send('POST', '/snippet/snippets/', { json: { code: 'x' } })
    assert.deepEqual([snippet.status, snippet.json().owner], [201, 'ann'])
    assert.equal(users.headers.vary, 'Accept, Authorization, Cookie')
  })

  test('AUTH-SCH-r3: logout ends the session in the database, and removes the cookie', async () => {
    const { client, createUser } = service()
    await createUser('bob')
    const browser = openBrowser(client)
    await browser.logIn('bob')
    const { header } = browser
    assert.equal((await client.get('/directory/users/', { headers: header })).status, 200)
    await browser.logOut()
    assert.equal((await client.get('/directory/users/', { headers: header })).status, 401)
    assert.equal(browser.cookies.has('sessionid'), false)
  })
})

onEveryDatabase({ profiles: ['directory'], authentication: ['session', 'token', 'basic'] }, service => {
  test('AUTH-SCH-r3, AUTH-GEN-5, AUTH-GEN-6: refusals are 403 because the session scheme has no challenge', async () => {
    const { client } = service()
    for (const [options, body] of [
      [{}, missingCredentials],
      [{ headers: { cookie: 'sessionid=x' } }, missingCredentials],
      [{ token: 'x' }, { detail: 'Invalid token.' }],
    ] as const) {
      const response = await client.get('/users/', options)
      assert.deepEqual([response.status, response.json()], [403, body])
      assert.equal(response.headers['www-authenticate'], undefined)
    }
  })

  test('AUTH-SCH-r3: an invalid session cookie is ignored', async () => {
    const { client, createUser } = service()
    const { key } = await createUser('cid')
    for (const cookie of [
      'sessionid',
      'sessionid=',
      `sessionid=${'A'.repeat(43)}`,
      `sessionid=${'A'.repeat(8000)}`,
      'sessionid=%',
      'sessionid=%ff%fe',
      'sessionid=%00',
      "sessionid=' or 1=1 --",
      '__proto__=x; constructor=y; sessionid=toString',
      '__proto__; =; ;;; ==; sessionid',
      ';'.repeat(8000),
      '='.repeat(8000),
      'a=b; '.repeat(1600),
      'sessionid=\xe9\xff',
      '"sessionid"="x"',
    ]) {
      const anonymous = await client.get('/users/', { headers: { cookie } })
      assert.deepEqual([anonymous.status, anonymous.json()], [403, missingCredentials], cookie.slice(0, 60))
      assert.equal((await client.get('/', { headers: { cookie } })).status, 200)
      assert.equal((await client.post('/users/', { headers: { cookie }, json: {} })).status, 403)
      assert.equal((await client.get('/users/', { token: key, headers: { cookie } })).status, 200)
    }
  })

  test('AUTH-SCH-r3: if several session cookies are sent, the first one counts', async () => {
    const { client, createUser } = service()
    await createUser('dan')
    const browser = openBrowser(client)
    await browser.logIn('dan')
    const session = `sessionid=${browser.cookies.get('sessionid')}`
    const requestStatus = async (cookie: string) => (await client.get('/users/', { headers: { cookie } })).status
    assert.equal(await requestStatus(`a=b; ${session}; sessionid=x`), 200)
    assert.equal(await requestStatus(`__proto__=x;${session}`), 200)
    assert.equal(await requestStatus(`sessionid=x; ${session}`), 403)
    assert.equal(await requestStatus(`sessionid=; ${session}`), 403)
    assert.equal(await requestStatus(session.replace('sessionid', 'SessionID')), 403)
  })

  test('AUTH-SCH-r3: a new password ends all sessions of the user, but an upgraded password hash does not', async () => {
    const { client, services, createUser } = service()
    const { id } = await createUser('eva')
    const [first, second] = [openBrowser(client), openBrowser(client)]
    await first.logIn('eva')
    const djangoHash = `pbkdf2_sha256$1000$salt$${pbkdf2Sync(password, 'salt', 1000, 32, 'sha256').toString('base64')}`
    await services.database.transaction(connection =>
      accountsKysely(connection).updateTable('users').set({ password: djangoHash }).where('id', '=', id).execute(),
    )
    await second.logIn('eva')
    assert.doesNotMatch(await dumpTables(services.database), /pbkdf2/)
    for (const browser of [first, second]) assert.equal((await browser.get('/users/')).status, 200)
    await services.accounts.users.setPassword(id, 'another one')
    for (const browser of [first, second]) assert.equal((await browser.get('/users/')).status, 403)
    assert.equal(await countSessions(services, id), 0)
  })

  test('AUTH-SCH-r3: a login creates no session if the password changes meanwhile', async () => {
    const { services, createUser } = service()
    const { id } = await createUser('fay')
    const login = await services.accounts.users.login('fay', password)
    await services.accounts.users.setPassword(id, 'another one')
    assert.equal(await services.accounts.sessions.start(id, login!.passwordHash), undefined)
    const logins = Array.from({ length: 10 }, async () => {
      const account = await services.accounts.users.login('fay', 'another one')
      return account && services.accounts.sessions.start(id, account.passwordHash)
    })
    const [ids] = await Promise.all([Promise.all(logins), services.accounts.users.setPassword(id, 'a third one')])
    const sessions = await Promise.all(ids.map(session => session && services.accounts.sessions.find(session)))
    assert.deepEqual(sessions.filter(Boolean), [])
  })

  test('AUTH-SCH-r3: sessions of an inactive user are ignored, and no session can be started', async () => {
    const { client, services, createUser } = service()
    const { id } = await createUser('gus')
    const browser = openBrowser(client)
    await browser.logIn('gus')
    await setActive(services, id, false)
    const refused = await browser.get('/users/')
    assert.deepEqual([refused.status, refused.json()], [403, missingCredentials])
    assert.equal(await services.accounts.sessions.start(id), undefined)
    assert.equal(await services.accounts.sessions.start(999_999), undefined)
  })

  test('AUTH-SCH-r3: deleting a user deletes the sessions of that user', async () => {
    const { client, services, createUser } = service()
    const { id } = await createUser('hal')
    const { key: token } = await createUser('ida')
    const browser = openBrowser(client)
    await browser.logIn('hal')
    assert.equal((await client.delete(`/users/${id}/`, { token })).status, 204)
    assert.equal((await browser.get('/users/')).status, 403)
    assert.equal(await countSessions(services, id), 0)
  })

  test('AUTH-SCH-r3: when one process ends a session, it is invalid for all processes at once', async () => {
    const { client, services, createUser } = service()
    const { id } = await createUser('jan')
    await withSecondService(services, async (otherClient, other) => {
      const status = async (requester: Client, cookie: string) =>
        (await requester.get('/users/', { headers: { cookie } })).status
      for (const end of [
        (browser: ReturnType<typeof openBrowser>) => browser.logOut(),
        () => other.accounts.users.setPassword(id, password),
        () => setActive(other, id, false),
      ]) {
        const browser = openBrowser(otherClient)
        await browser.logIn('jan')
        const { cookie } = browser.header
        assert.deepEqual([await status(client, cookie), await status(otherClient, cookie)], [200, 200])
        await end(browser)
        assert.deepEqual([await status(client, cookie), await status(otherClient, cookie)], [403, 403])
      }
    })
  })

  test('AUTH-SCH-r3: the database contains no session id and no CSRF token', async () => {
    const { client, services, createUser } = service()
    await createUser('kim')
    const browser = openBrowser(client)
    await browser.logIn('kim')
    const [session, token] = [browser.cookies.get('sessionid')!, browser.cookies.get('csrftoken')!]
    assert.match(session, /^[\w-]{43}$/)
    const dump = await dumpTables(services.database)
    assert.ok(dump.includes(hash('sha256', session)))
    assert.deepEqual(
      [dump.includes(session), dump.includes(token), dump.includes(token.slice(0, 22))],
      [false, false, false],
    )
  })

  test('AUTH-SCH-r3: authentication by session is one statement, which writes nothing', async () => {
    const { client, createUser, statements } = service()
    await createUser('lou')
    const browser = openBrowser(client)
    await browser.logIn('lou')
    statements.length = 0
    await browser.get('/')
    assert.equal(statements.length, 1)
    assert.match(statements[0]!, /^select .* from sessions /)
  })

  const countSessions = async ({ database }: Services, id: number) => {
    const rows = accountsKysely(database).selectFrom('sessions').select('digest').where('user_id', '=', id)
    return (await rows.execute()).length
  }
})

suite('several credentials', () => {
  onEveryDatabase({ profiles: ['directory'] }, service => {
    test('AUTH-GEN-1, AUTH-GEN-4: with a session, only schemes listed before the session scheme are tried', async () => {
      const { client, createUser } = service()
      await createUser('ann')
      const browser = openBrowser(client)
      await browser.logIn('ann')
      for (const [authorization, status] of [
        ['Token x', 401],
        ['Basic x', 200],
        ['Bearer x', 200],
      ] as const) {
        const response = await browser.get('/users/', { headers: { authorization } })
        assert.equal(response.status, status, authorization)
      }
    })

    test('AUTH-GEN-1, AUTH-SCH-4: a valid token takes precedence over a session, and needs no CSRF token', async () => {
      const { client, createUser } = service()
      await createUser('bea')
      const { key: token } = await createUser('cal')
      const browser = openBrowser(client)
      await browser.logIn('bea')
      const response = await browser.request('POST', '/users/', { token, json: { username: 'dee' } })
      assert.equal(response.status, 201)
    })
  })
})

suite('lifetime', () => {
  let now = Date.parse('2031-05-01T12:00:00Z')
  const clock = () => new Date(now)
  const advance = (seconds: number) => {
    now += 1000 * seconds
  }

  onEveryDatabase(
    { profiles: ['directory'] },
    service => {
      test('AUTH-SCH-r3: a session ends after two weeks even if it is used, and a later login deletes it', async () => {
        const { client, services, createUser } = service()
        await createUser('ann')
        const browser = openBrowser(client)
        await browser.logIn('ann')
        advance(14 * 24 * 60 * 60 - 1)
        assert.equal((await browser.get('/users/')).status, 200)
        advance(1)
        assert.equal((await browser.get('/users/')).status, 401)
        assert.equal(await countRows(services.database, 'sessions'), 1)
        await openBrowser(client).logIn('ann')
        await openBrowser(client).logIn('ann')
        assert.equal(await countRows(services.database, 'sessions'), 2)
      })
    },
    clock,
  )

  onEveryDatabase(
    { profiles: ['directory'], sessionLifetime: 3600, sessionIdleTime: 600 },
    service => {
      test('AUTH-SCH-r3: with sessionIdleTime, use is recorded at most once a minute and extends a session up to its lifetime', async () => {
        const { client, createUser, statements } = service()
        await createUser('ann')
        const browser = openBrowser(client)
        const { headers } = await browser.logIn('ann')
        assert.match([headers['set-cookie']].flat().join(), /sessionid=[^;]+; Max-Age=3600;/)
        statements.length = 0
        for (const seconds of [10, 20, 29]) {
          advance(seconds)
          assert.equal((await browser.get('/users/')).status, 200)
        }
        assert.equal(statements.filter(sql => sql.startsWith('update')).length, 0)
        advance(2)
        await browser.get('/users/')
        await browser.get('/users/')
        assert.equal(statements.filter(sql => sql.startsWith('update')).length, 1)
        for (let used = 0; used < 5; used++) {
          advance(599)
          assert.equal((await browser.get('/users/')).status, 200)
        }
        advance(3600 - 5 * 599 - 61)
        assert.equal((await browser.get('/users/')).status, 401)
      })

      test('AUTH-SCH-r3: with sessionIdleTime, an unused session ends after that time', async () => {
        const { client, createUser } = service()
        await createUser('bob')
        const browser = openBrowser(client)
        await browser.logIn('bob')
        advance(600)
        assert.equal((await browser.get('/users/')).status, 401)
        assert.equal((await browser.get(loginUrl)).status, 200)
        await browser.logIn('bob')
        assert.equal((await browser.get('/users/')).status, 200)
      })
    },
    clock,
  )
})
