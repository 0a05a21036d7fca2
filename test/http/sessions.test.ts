// Login sessions: what they identify, and when they end (AUTH-SCH-r3).

import assert from 'node:assert/strict'
import { hash, pbkdf2Sync } from 'node:crypto'
import { suite, test } from 'node:test'
import { accountTables } from '../../src/accounts/tables.ts'
import { createService } from '../../src/service/create-service.ts'
import { openParts, type Parts } from '../../src/service/services.ts'
import { loginUrl, openBrowser } from '../support/browser.ts'
import { type Client, injectClient } from '../support/client.ts'
import { onEveryDatabase, onEveryService, password } from '../support/service.ts'
import { countRows, dumpTables } from '../support/tables.ts'

const missing = { detail: 'Authentication credentials were not provided.' }

const setActive = ({ database }: Parts, id: number, active: boolean) =>
  database.transaction(async connection => {
    const value = database.dialect.name === 'sqlite' ? Number(active) : active
    await accountTables(connection).updateTable('users').set({ is_active: value }).where('id', '=', id).execute()
  })

/** A second process on the same database. */
async function withOther<Result>(
  parts: Parts,
  ask: (client: Client, other: Parts) => Promise<Result>,
): Promise<Result> {
  const other = openParts(parts.settings)
  const app = await createService(other)
  try {
    return await ask(injectClient(app), other)
  } finally {
    await app.close()
    await other.close()
  }
}

onEveryService({}, service => {
  test('AUTH-SCH-r3: whoever has logged in is known, may write, and owns what is made', async () => {
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

  test('AUTH-SCH-r3: logout ends the session itself, not only the cookie', async () => {
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
  test('AUTH-SCH-r3, AUTH-GEN-5, AUTH-GEN-6: without a challenge, refusals are 403', async () => {
    const { client } = service()
    for (const [options, body] of [
      [{}, missing],
      [{ headers: { cookie: 'sessionid=x' } }, missing],
      [{ token: 'x' }, { detail: 'Invalid token.' }],
    ] as const) {
      const response = await client.get('/users/', options)
      assert.deepEqual([response.status, response.json()], [403, body])
      assert.equal(response.headers['www-authenticate'], undefined)
    }
  })

  test('AUTH-SCH-r3: a cookie that is no session is no attempt, whatever it holds', async () => {
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
      assert.deepEqual([anonymous.status, anonymous.json()], [403, missing], cookie.slice(0, 60))
      assert.equal((await client.get('/', { headers: { cookie } })).status, 200)
      assert.equal((await client.post('/users/', { headers: { cookie }, json: {} })).status, 403)
      assert.equal((await client.get('/users/', { token: key, headers: { cookie } })).status, 200)
    }
  })

  test('AUTH-SCH-r3: of several cookies of the name, the first counts', async () => {
    const { client, createUser } = service()
    await createUser('dan')
    const browser = openBrowser(client)
    await browser.logIn('dan')
    const session = `sessionid=${browser.cookies.get('sessionid')}`
    const ask = async (cookie: string) => (await client.get('/users/', { headers: { cookie } })).status
    assert.equal(await ask(`a=b; ${session}; sessionid=x`), 200)
    assert.equal(await ask(`__proto__=x;${session}`), 200)
    assert.equal(await ask(`sessionid=x; ${session}`), 403)
    assert.equal(await ask(`sessionid=; ${session}`), 403)
    assert.equal(await ask(session.replace('sessionid', 'SessionID')), 403)
  })

  test('AUTH-SCH-r3: a new password ends every session, a hash that is brought up to date none', async () => {
    const { client, parts, createUser } = service()
    const { id } = await createUser('eva')
    const [one, two] = [openBrowser(client), openBrowser(client)]
    await one.logIn('eva')
    const django = `pbkdf2_sha256$1000$salt$${pbkdf2Sync(password, 'salt', 1000, 32, 'sha256').toString('base64')}`
    await parts.database.transaction(connection =>
      accountTables(connection).updateTable('users').set({ password: django }).where('id', '=', id).execute(),
    )
    await two.logIn('eva')
    assert.doesNotMatch(await dumpTables(parts.database), /pbkdf2/)
    for (const browser of [one, two]) assert.equal((await browser.get('/users/')).status, 200)
    await parts.users.setPassword(id, 'another one')
    for (const browser of [one, two]) assert.equal((await browser.get('/users/')).status, 403)
    assert.equal(await countSessions(parts, id), 0)
  })

  test('AUTH-SCH-r3: a login that a change of the password overtakes has no session', async () => {
    const { parts, createUser } = service()
    const { id } = await createUser('fay')
    const login = await parts.users.login('fay', password)
    await parts.users.setPassword(id, 'another one')
    assert.equal(await parts.sessions.start(id, login!.passwordHash), undefined)
    const logins = Array.from({ length: 10 }, async () => {
      const found = await parts.users.login('fay', 'another one')
      return found && parts.sessions.start(id, found.passwordHash)
    })
    const [ids] = await Promise.all([Promise.all(logins), parts.users.setPassword(id, 'a third one')])
    const found = await Promise.all(ids.map(session => session && parts.sessions.find(session)))
    assert.deepEqual(found.filter(Boolean), [])
  })

  test('AUTH-SCH-r3: the session of a user who is inactive is none, and the user may not log in', async () => {
    const { client, parts, createUser } = service()
    const { id } = await createUser('gus')
    const browser = openBrowser(client)
    await browser.logIn('gus')
    await setActive(parts, id, false)
    const refused = await browser.get('/users/')
    assert.deepEqual([refused.status, refused.json()], [403, missing])
    assert.equal(await parts.sessions.start(id), undefined)
    assert.equal(await parts.sessions.start(999_999), undefined)
  })

  test('AUTH-SCH-r3: sessions go with their user', async () => {
    const { client, parts, createUser } = service()
    const { id } = await createUser('hal')
    const { key: token } = await createUser('ida')
    const browser = openBrowser(client)
    await browser.logIn('hal')
    assert.equal((await client.delete(`/users/${id}/`, { token })).status, 204)
    assert.equal((await browser.get('/users/')).status, 403)
    assert.equal(await countSessions(parts, id), 0)
  })

  test('AUTH-SCH-r3: what one process does to a session holds for the others at once', async () => {
    const { client, parts, createUser } = service()
    const { id } = await createUser('jan')
    await withOther(parts, async (otherClient, other) => {
      const status = async (asked: Client, cookie: string) =>
        (await asked.get('/users/', { headers: { cookie } })).status
      for (const end of [
        (browser: ReturnType<typeof openBrowser>) => browser.logOut(),
        () => other.users.setPassword(id, password),
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

  test('AUTH-SCH-r3: a stolen database holds no id of a session and no CSRF token', async () => {
    const { client, parts, createUser } = service()
    await createUser('kim')
    const browser = openBrowser(client)
    await browser.logIn('kim')
    const [session, token] = [browser.cookies.get('sessionid')!, browser.cookies.get('csrftoken')!]
    assert.match(session, /^[\w-]{43}$/)
    const dump = await dumpTables(parts.database)
    assert.ok(dump.includes(hash('sha256', session)))
    assert.deepEqual(
      [dump.includes(session), dump.includes(token), dump.includes(token.slice(0, 22))],
      [false, false, false],
    )
  })

  test('AUTH-SCH-r3: a session that is read is one statement, and writes nothing', async () => {
    const { client, createUser, statements } = service()
    await createUser('lou')
    const browser = openBrowser(client)
    await browser.logIn('lou')
    statements.length = 0
    await browser.get('/')
    assert.equal(statements.length, 1)
    assert.match(statements[0]!, /^select .* from sessions /)
  })

  const countSessions = async ({ database }: Parts, id: number) => {
    const rows = accountTables(database).selectFrom('sessions').select('digest').where('user_id', '=', id)
    return (await rows.execute()).length
  }
})

suite('several credentials', () => {
  onEveryDatabase({ profiles: ['directory'] }, service => {
    test('AUTH-GEN-1, AUTH-GEN-4: beside a session, the schemes before it are asked first, those behind it never', async () => {
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

    test('AUTH-GEN-1, AUTH-SCH-4: a right token beside a session is the caller, and needs no CSRF token', async () => {
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

suite('time', () => {
  let now = Date.parse('2031-05-01T12:00:00Z')
  const clock = () => new Date(now)
  const pass = (seconds: number) => {
    now += 1000 * seconds
  }

  onEveryDatabase(
    { profiles: ['directory'] },
    service => {
      test('AUTH-SCH-r3: a session ends after two weeks, used or not, and is removed some time later', async () => {
        const { client, parts, createUser } = service()
        await createUser('ann')
        const browser = openBrowser(client)
        await browser.logIn('ann')
        pass(14 * 24 * 60 * 60 - 1)
        assert.equal((await browser.get('/users/')).status, 200)
        pass(1)
        assert.equal((await browser.get('/users/')).status, 401)
        assert.equal(await countRows(parts.database, 'sessions'), 1)
        await openBrowser(client).logIn('ann')
        await openBrowser(client).logIn('ann')
        assert.equal(await countRows(parts.database, 'sessions'), 2)
      })
    },
    clock,
  )

  onEveryDatabase(
    { profiles: ['directory'], sessionLifetime: 3600, sessionIdleTime: 600 },
    service => {
      test('AUTH-SCH-r3: with an idle time, use prolongs a session up to its end, written once a minute', async () => {
        const { client, createUser, statements } = service()
        await createUser('ann')
        const browser = openBrowser(client)
        const { headers } = await browser.logIn('ann')
        assert.match([headers['set-cookie']].flat().join(), /sessionid=[^;]+; Max-Age=3600;/)
        statements.length = 0
        for (const seconds of [10, 20, 29]) {
          pass(seconds)
          assert.equal((await browser.get('/users/')).status, 200)
        }
        assert.equal(statements.filter(sql => sql.startsWith('update')).length, 0)
        pass(2)
        await browser.get('/users/')
        await browser.get('/users/')
        assert.equal(statements.filter(sql => sql.startsWith('update')).length, 1)
        for (let used = 0; used < 5; used++) {
          pass(599)
          assert.equal((await browser.get('/users/')).status, 200)
        }
        pass(3600 - 5 * 599 - 61)
        assert.equal((await browser.get('/users/')).status, 401)
      })

      test('AUTH-SCH-r3: without use, it ends after the idle time', async () => {
        const { client, createUser } = service()
        await createUser('bob')
        const browser = openBrowser(client)
        await browser.logIn('bob')
        pass(600)
        assert.equal((await browser.get('/users/')).status, 401)
        assert.equal((await browser.get(loginUrl)).status, 200)
        await browser.logIn('bob')
        assert.equal((await browser.get('/users/')).status, 200)
      })
    },
    clock,
  )
})
