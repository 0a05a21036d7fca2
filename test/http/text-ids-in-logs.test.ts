// The access log and the audit identify a caller of a custom scheme whose id is a text.

import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import Fastify from 'fastify'
import { createApi } from 'resource-api'
import type { AuditEvent } from 'resource-api/accounts'
import { type Scheme, success } from 'resource-api/extend'
import { accessLog, serverOptions } from 'resource-api/server'
import { injectClient } from '../support/client.ts'
import { onEveryDatabase } from '../support/service.ts'

/** An id with characters that a log line must escape. */
const id = 'auth0|"ann"\n{"user":1}'

const scheme: Scheme = {
  name: 'text',
  varyOn: [],
  authenticate: ({ headers }) =>
    success({ isAuthenticated: true, id: headers['x-id'] === 'none' ? null : id, username: 'ann', isStaff: false }),
}

test('the access log has the text id of the caller, and null for a caller without a primary key', async context => {
  const lines: string[] = []
  const app = Fastify(serverOptions({ log: { write: line => lines.push(line) } }))
  app.register(accessLog)
  context.after(() => app.close())
  await app.register(createApi({ authentication: [scheme] }))
  const client = injectClient(app)
  await client.get('/')
  await client.get('/', { headers: { 'x-id': 'none' } })
  const users = lines
    .map(line => JSON.parse(line))
    .filter(({ msg }) => msg === 'request')
    .map(({ user }) => user)
  assert.deepEqual(users, [id, null])
})

const events: AuditEvent[] = []

onEveryDatabase({ authentication: [], schemes: [scheme], onAudit: event => events.push(event) }, service => {
  afterEach(() => {
    events.length = 0
  })

  test('an audit event names the caller of a custom scheme by username', async () => {
    const { client, services } = service()
    assert.equal((await client.get('/admin/users/')).status, 403)
    assert.equal((await client.post('/directory/groups/', { json: { name: 'group' } })).status, 201)
    const recorded = events.map(({ event, user, target }) => [event, user, target])
    assert.deepEqual(recorded, [
      ['permission denied', 'ann', 'GET /admin/users/'],
      ['account changed', 'ann', 'POST /directory/groups/'],
    ])
    await services.accounts.auditLog!.flush()
    const rows = await services.database.kysely.selectFrom('audit_log').select('user').execute()
    assert.deepEqual(
      rows.map(({ user }) => user),
      ['ann', 'ann'],
    )
  })
})
