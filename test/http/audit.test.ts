// The audit log: who did what, from where, with what outcome; and never a secret.

import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import type { AuditEvent } from '../../src/service/audit/audit.ts'
import { loginUrl, openBrowser, tokenIn } from '../support/browser.ts'
import { onEveryDatabase, password } from '../support/service.ts'

const events: AuditEvent[] = []
const onAudit = (event: AuditEvent) => void events.push(event)

onEveryDatabase({ onAudit, throttles: { anon: '3/hour' } }, service => {
  afterEach(() => {
    events.length = 0
  })

  const told = () => events.map(({ event, outcome, user, target }) => [event, outcome, user, target])

  test('a token, made and asked for in vain', async () => {
    await service().createUser('ann')
    const post = (secret: string) =>
      service().client.post('/api-token-auth/', { json: { username: 'ann', password: secret } })
    await post(password)
    await post('wrong')
    assert.deepEqual(told(), [
      ['token made', 'success', 'ann', 'POST /api-token-auth/'],
      ['token made', 'failure', 'ann', 'POST /api-token-auth/'],
    ])
    assert.equal(events[0]!.address, '127.0.0.1')
  })

  test('changes of accounts, and what was refused', async () => {
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
    assert.deepEqual(told(), [
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

  test('a rate that is used up', async () => {
    for (let time = 0; time < 4; time++) await service().client.get('/snippet/users/')
    assert.deepEqual(told().at(-1), ['throttled', 'failure', null, 'GET /snippet/users/'])
  })

  test('a login, one in vain, and a logout', async () => {
    await service().createUser('eve')
    const browser = openBrowser(service().client)
    const token = tokenIn(await browser.get(loginUrl))
    const form = { username: 'eve', password: 'wrong', csrfmiddlewaretoken: token }
    assert.equal((await browser.request('POST', loginUrl, { form })).status, 200)
    await browser.logIn('eve')
    await browser.logOut()
    assert.deepEqual(told(), [
      ['login', 'failure', 'eve', 'POST /api-auth/login/'],
      ['login', 'success', 'eve', 'POST /api-auth/login/'],
      ['logout', 'success', 'eve', 'POST /api-auth/logout/'],
    ])
  })

  test('no event has a secret', async () => {
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
