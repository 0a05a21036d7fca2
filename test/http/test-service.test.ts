// The test kit for services: resource-api/testing.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { key, resource, text } from 'resource-api'
import { directory } from 'resource-api/directory'
import { profile, type ServiceOptions } from 'resource-api/service'
import { snippets } from 'resource-api/snippets'
import { testPassword, testService } from 'resource-api/testing'
import * as z from 'zod'

const config = { profiles: [directory(), snippets()] }

const notes = profile('notes', {
  open: ({ accounts }) => ({
    resources: [
      resource('notes', {
        table: 'notes',
        fields: { id: key(), text: text() },
        permissions: [accounts.modelPermissions('notes')],
      }),
    ],
  }),
  migrations: {
    async '0001_notes'(kysely, columns) {
      await kysely.schema.createTable('notes').addColumn('id', columns.key).addColumn('text', columns.text).execute()
    },
  },
})

const userList = z.object({ results: z.array(z.object({ username: z.string(), groups: z.array(z.string()) })) })

for (const database of ['sqlite', 'memory', 'postgres'] as const) {
  suite(`test service: ${database}`, () => {
    test('a user has a token, groups and rights', async () => {
      await using api = await testService(config, { database })
      const ada = await api.user('ada', {
        staff: true,
        permissions: ['snippets.delete'],
        groups: ['editors', 'readers'],
      })
      const bob = await api.user('bob', { groups: ['readers'], email: 'bob@example.org' })
      const eve = await api.user('eve', { active: false })
      const list = await api.as(ada).get('/directory/users/').expect(200).json(userList)
      assert.deepEqual(list.results.map(({ username, groups }) => [username, groups.length]).toSorted(), [
        ['ada', 2],
        ['bob', 1],
        ['eve', 0],
      ])
      await api.as(eve).get('/directory/users/').expect(401)
      await api.get('/directory/users/').expect(401)
      const root = await api.user('root', { superuser: true, staff: true })
      await api.as(root).get('/admin/users/').expect(200)
      const made = await api
        .as(bob)
        .post('/snippet/snippets/', { code: '1' })
        .expect(201)
        .json(z.object({ owner: z.string() }))
      assert.equal(made.owner, 'bob')
    })

    test('a profile is a whole service, whose users have permissions', async () => {
      await using api = await testService(notes, { database })
      const ada = await api.user('ada', { permissions: ['notes.add', 'notes.view'] })
      await api.as(ada).post('/notes/', { text: 'one' }).expect(201)
      await api.as(ada).get('/notes/1/').expect(200)
      await api.as(ada).delete('/notes/1/').expect(403)
      await api
        .as(await api.user('bob'))
        .get('/notes/')
        .expect(403)
      await api.get('/notes/').expect(401)
    })

    test('login starts a session, whose cookies and CSRF token the client sends', async () => {
      await using api = await testService(config, { database })
      const [ada, bob] = [await api.user('ada'), await api.user('bob', { password: 'another good password' })]
      const [adasBrowser, bobsBrowser] = [await api.login(ada), await api.login(bob)]
      for (const [browser, owner] of [
        [adasBrowser, 'ada'],
        [bobsBrowser, 'bob'],
      ] as const) {
        const made = await browser
          .post('/snippet/snippets/', { code: '1' })
          .expect(201)
          .json(z.object({ owner: z.string() }))
        assert.equal(made.owner, owner)
      }
      await adasBrowser.post('/snippet/snippets/', { code: '1' }, { headers: { 'X-CSRFToken': undefined } }).expect(403)
      await adasBrowser.post('/api-auth/logout/').expect(302)
      assert.deepEqual([adasBrowser.cookies.has('sessionid'), bobsBrowser.cookies.has('sessionid')], [false, true])
      await adasBrowser.get('/directory/users/').expect(401)
      const wrong = new URLSearchParams({ username: 'bob', password: testPassword })
      await bobsBrowser.post('/api-auth/login/', wrong).expect(200)
    })

    test('the clock is that of sessions, tokens and throttles', async () => {
      const limited = {
        ...config,
        tokens: 'named' as const,
        tokenLifetime: 3600,
        sessionLifetime: 7200,
        throttles: { anon: '1/day' },
      } satisfies ServiceOptions
      await using api = await testService(limited, { database, clock: '2026-01-01T00:00:00Z' })
      const ada = await api.user('ada')
      const credentials = { username: 'ada', password: testPassword, name: 'laptop' }
      const { token } = await api
        .post('/api-token-auth/', credentials)
        .expect(200)
        .json(z.object({ token: z.string() }))
      const named = api.client({ headers: { authorization: `Token ${token}` } })
      const browser = await api.login(ada)
      await named.get('/directory/users/').expect(200)
      await api.get('/snippet/snippets/').expect(200)
      await api.get('/snippet/snippets/').expect(429)
      api.clock.advance({ minutes: 59 })
      await named.get('/directory/users/').expect(200)
      api.clock.advance({ minutes: 1 })
      await named.get('/directory/users/').expect(401)
      await browser.get('/directory/users/').expect(200)
      api.clock.advance({ hours: 1 })
      assert.deepEqual(browser.cookies.has('sessionid'), false)
      await browser.get('/directory/users/').expect(401)
      await api.get('/snippet/snippets/').expect(429)
      api.clock.set('2026-01-02T00:00:00Z')
      await api.get('/snippet/snippets/').expect(200)
    })

    test('statements are those of the requests, without the audit log', async () => {
      await using api = await testService(config, { database })
      const ada = await api.user('ada')
      await api.as(ada).get('/directory/users/').expect(200)
      const statements = await api.statements(() => api.as(ada).get('/directory/users/1/').expect(200))
      assert.equal(statements.length, 2, statements.join('\n'))
    })

    test('over a socket, a service that allows other hosts gets one of them', async () => {
      const options = { ...config, allowedHosts: ['.example.org'], publicUrl: 'https://api.example.org' }
      await using api = await testService(options, { database, socket: true })
      const ada = await api.user('ada')
      const page = await api
        .as(ada)
        .get('/directory/')
        .expect(200)
        .json(z.object({ users: z.string() }))
      assert.equal(page.users, 'https://api.example.org/directory/users/')
      await api.as(ada).get(page.users).expect(200)
      const browser = await api.login(ada)
      await browser.post('/snippet/snippets/', { code: '1' }).expect(201)
    })
  })
}

test('test service: wrong use is an error that names the fix', async () => {
  await using api = await testService(
    { ...config, loginPath: null },
    { database: 'memory', environment: { AUTHENTICATION: 'basic' } },
  )
  const ada = await api.user('ada')
  for (const [work, message] of [
    [() => api.user('Ada'), 'there is already a user "Ada"'],
    [() => api.user('bob', { permissions: ['view snippets'] }), 'is not written as model and action: orders.view'],
    [async () => api.as({ ...ada }), "api.as() needs a user of this service: const ada = await api.user('ada')"],
    [async () => api.as(ada), "add 'token' to the setting `authentication`"],
    [() => api.login(ada), "add 'session' to the setting `authentication`, and set `loginPath`"],
  ] as const)
    await assert.rejects(work, (error: Error) => {
      assert.ok(error.message.includes(message), error.message)
      return true
    })
  await assert.rejects(testService({ ...config, port: -1 }), /port/)
})
