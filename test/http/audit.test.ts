// Audit events: event, outcome, user, address and target of a request, and never a secret.

import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { key, resource, text, type ViewOptions } from 'resource-api'
import type { AuditEvent } from 'resource-api/accounts'
import { createAudit } from '../../src/accounts/audit/audit.ts'
import { findCsrfToken, loginUrl, openBrowser } from '../support/browser.ts'
import { asUser, onEachDatabase, userScheme } from '../support/own-api.ts'
import { onEveryDatabase, password } from '../support/service.ts'

const events: AuditEvent[] = []
const onAudit = (event: AuditEvent) => void events.push(event)

onEveryDatabase({ onAudit, throttles: { anon: '3/hour' } }, service => {
  afterEach(() => {
    events.length = 0
  })

  const recorded = () => events.map(({ event, outcome, user, target }) => [event, outcome, user, target])

  test('a created token and a failed token request are audited', async () => {
    await service().createUser('ann')
    const post = (secret: string) =>
      service().client.post('/api-token-auth/', { json: { username: 'ann', password: secret } })
    await post(password)
    await post('wrong')
    assert.deepEqual(recorded(), [
      ['token made', 'success', 'ann', 'POST /api-token-auth/'],
      ['token made', 'failure', 'ann', 'POST /api-token-auth/'],
    ])
    assert.equal(events[0]!.address, '127.0.0.1')
  })

  test('account changes and refused requests are audited', async () => {
    const { client } = service()
    const { key } = await service().createUser('bob')
    const created = await client.post('/directory/groups/', { token: key, json: { name: 'audited' } })
    await client.patch(new URL(created.json().url).pathname, { token: key, json: { name: 'renamed' } })
    await client.post('/directory/groups/?x=secret', { json: { name: 'nobody' } })
    await client.get('/directory/groups/')
    await client.get('/directory/groups/', { token: '0'.repeat(40) })
    await client.get('/admin/users/', { token: key })
    await client.post('/snippet/snippets/', { token: key, json: { code: 'x' } })
    await client.get('/directory/groups/', { token: key })
    assert.deepEqual(recorded(), [
      ['account changed', 'success', 'bob', 'POST /directory/groups/'],
      ['account changed', 'success', 'bob', `PATCH ${new URL(created.json().url).pathname}`],
      ['permission denied', 'failure', null, 'POST /directory/groups/'],
      ['authentication', 'failure', null, 'GET /directory/groups/'],
      ['permission denied', 'failure', 'bob', 'GET /admin/users/'],
    ])
    assert.deepEqual(
      events.map(({ status }) => status),
      [201, 200, 401, 401, 403],
    )
  })

  test('a throttled request is audited', async () => {
    for (let time = 0; time < 4; time++) await service().client.get('/snippet/users/')
    assert.deepEqual(recorded().at(-1), ['throttled', 'failure', null, 'GET /snippet/users/'])
  })

  test('a login, a failed login and a logout are audited', async () => {
    await service().createUser('eve')
    const browser = openBrowser(service().client)
    const token = findCsrfToken(await browser.get(loginUrl))
    const form = { username: 'eve', password: 'wrong', csrfmiddlewaretoken: token }
    assert.equal((await browser.request('POST', loginUrl, { form })).status, 200)
    await browser.logIn('eve')
    await browser.logOut()
    assert.deepEqual(recorded(), [
      ['login', 'failure', 'eve', 'POST /api-auth/login/'],
      ['login', 'success', 'eve', 'POST /api-auth/login/'],
      ['logout', 'success', 'eve', 'POST /api-auth/logout/'],
    ])
  })

  test('no event contains a secret', async () => {
    const { key } = await service().createUser('zoe')
    await service().client.get(`/directory/users/?token=${key}`, {
      token: key,
      headers: { cookie: `sessionid=${key}` },
    })
    await service().client.get(`/directory/users/?token=${key}`, { basic: `zoe:${key}` })
    await service().client.post('/api-token-auth/', { json: { username: 'zoe', password: key } })
    assert.ok(events.length > 0)
    assert.ok(!JSON.stringify(events).includes(key))
  })
})

// Paths that are named after other resources: the event must not depend on the path.
const mounts = { directory: '/tokens/', snippets: '/sessions/' }
onEveryDatabase({ onAudit, mounts, adminPath: '/snippets/', tokens: 'named' }, service => {
  test('each view declares its own audit event, wherever it is mounted', async () => {
    const { client, createUser } = service()
    const { key: token, id } = await createUser('root', { staff: true, superuser: true })
    const session = await service().services.accounts.sessions.start(id)
    events.length = 0
    const expected: (readonly [event: string | null, method: string, path: string, json?: object])[] = [
      ['account changed', 'POST', '/tokens/users/', { username: 'new' }],
      ['account changed', 'POST', '/tokens/groups/', { name: 'new' }],
      ['account changed', 'PATCH', `/snippets/users/${id}/`, { email: 'root@example.org' }],
      ['account changed', 'POST', '/snippets/groups/', { name: 'other' }],
      ['token made', 'POST', '/snippets/tokens/', { user: id }],
      ['session ended', 'DELETE', '/snippets/sessions/1/'],
      [null, 'POST', '/sessions/snippets/', { code: 'x' }],
      ['snippet changed', 'PATCH', '/snippets/snippets/1/', { title: 'x' }],
      ['snippet changed', 'DELETE', '/snippets/snippets/1/'],
      ['token revoked', 'DELETE', '/snippets/tokens/1/'],
      ['token revoked', 'DELETE', '/api-token-auth/tokens/'],
    ]
    assert.ok(session)
    let key = token
    for (const [event, method, path, json] of expected) {
      const { status, text } = await client.request(method, path, { token: key, ...(json && { json }) })
      assert.ok(status < 300, `${method} ${path}: ${status} ${text}`)
      const recorded = events.splice(0).map(({ event, target }) => [event, target])
      assert.deepEqual(recorded, event === null ? [] : [[event, `${method} ${path}`]])
    }
    key = (await client.post('/api-token-auth/', { json: { username: 'root', password } })).json().token
    await client.delete(`/snippets/users/${id}/tokens/`, { token: key })
    assert.deepEqual(
      events.splice(0).map(({ event, target }) => [event, target]),
      [
        ['token made', 'POST /api-token-auth/'],
        ['token revoked', `DELETE /snippets/users/${id}/tokens/`],
      ],
    )
  })
})

const createResource = (auditEvent?: ViewOptions['auditEvent']) =>
  resource('tokens', {
    table: 'authors',
    ...(auditEvent !== undefined && { auditEvent }),
    fields: { id: key(), name: text({ max: 100 }) },
    objectViews: {
      sessions: { auditEvent: null, handlers: { POST: () => ({ status: 204 }) } },
      users: { handlers: { POST: () => ({ status: 204 }) } },
    },
  })

for (const [auditEvent, names] of [
  [undefined, ['object created', 'object changed', 'object created', 'object deleted']],
  ['login', ['login', 'login', 'login', 'login']],
  ['tag changed', ['tag changed', 'tag changed', 'tag changed', 'tag changed']],
  [{ POST: 'token made', DELETE: null }, ['token made', 'object changed', 'token made']],
] as const) {
  const recorded: AuditEvent[] = []
  onEachDatabase(
    database => ({
      database,
      authentication: [userScheme],
      permissions: [],
      observe: createAudit(event => void recorded.push(event)).observe,
      resources: [createResource(auditEvent)],
    }),
    api => {
      test(`a resource's views are audited with its auditEvent, whatever their paths: ${JSON.stringify(auditEvent)}`, async () => {
        recorded.length = 0
        const { client } = api()
        const { id } = (await client.post('/tokens/', { ...asUser('ann'), json: { name: 'Ann' } })).json()
        await client.patch(`/tokens/${id}/`, { ...asUser('ann'), json: { name: 'Bob' } })
        for (const view of ['sessions', 'users']) await client.post(`/tokens/${id}/${view}/`, asUser('ann'))
        assert.equal((await client.delete(`/tokens/${id}/`, asUser('ann'))).status, 204)
        assert.deepEqual(
          recorded.map(({ event }) => event),
          names,
        )
      })
    },
  )
}
