// Callers whom an external provider identifies by a text, in a service with accounts: they are never taken for the
// account whose primary key has the same digits.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { key, memoryStore, resource, text, userThrottle } from 'resource-api'
import { modelPermissions } from 'resource-api/accounts'
import { type Scheme, skip, success } from 'resource-api/extend'
import { startApi } from '../support/own-api.ts'
import { onEveryDatabase, password } from '../support/service.ts'

/** `X-Subject: 1` identifies a caller with the id "1"; `X-Account: 1`, one with the id 1. */
const scheme: Scheme = {
  name: 'subject',
  challenge: 'Subject',
  varyOn: ['x-subject', 'x-account'],
  authenticate({ headers }) {
    const { 'x-subject': subject, 'x-account': account } = headers
    if (subject === undefined && account === undefined) return skip
    const id = account === undefined ? String(subject) : Number(account)
    return success({ isAuthenticated: true, id, username: String(id), isStaff: false })
  },
}
const asSubject = (subject: string) => ({ headers: { 'x-subject': subject } })

onEveryDatabase({ profiles: ['snippets'], tokens: 'named', authentication: ['token'], schemes: [scheme] }, service => {
  test('a text id owns no snippet and no token', async () => {
    const { client, createUser } = service()
    const { id } = await createUser('ann')
    const { token } = (await client.post('/api-token-auth/', { json: { username: 'ann', password } })).json()
    const { headers } = await client.post('/snippets/', { token, json: { code: 'a' } })
    const snippet = new URL(headers.location!).pathname
    const tokens = '/api-token-auth/tokens/'
    for (const subject of [String(id), 'ann', "' or 1=1", '9'.repeat(30)]) {
      const caller = asSubject(subject)
      assert.equal((await client.patch(snippet, { ...caller, json: { code: 'b' } })).status, 403)
      assert.equal((await client.delete(snippet, caller)).status, 403)
      assert.equal((await client.post('/snippets/', { ...caller, json: { code: 'c' } })).status, 403)
      const listed = await client.get(tokens, caller)
      assert.deepEqual([listed.status, listed.json()], [200, []])
      assert.equal((await client.delete(tokens, caller)).status, 204)
    }
    assert.equal((await client.get(snippet, { token })).json().code, 'a')
    assert.equal((await client.get(tokens, { token })).json().length, 1)
  })
})

onEveryDatabase({ profiles: ['directory'] }, service => {
  test('a text id has the permissions of no account', async () => {
    const { createUser, services } = service()
    const { database, accounts } = services
    const { id } = await createUser('ann')
    await database.transaction(({ kysely }) =>
      kysely.insertInto('user_permissions').values({ user_id: id, permission: 'notes.view' }).execute(),
    )
    const notes = resource('notes', {
      table: 'groups',
      permissions: [modelPermissions(accounts.grantedPermissions, 'notes')],
      fields: { id: key(), name: text() },
    })
    const { client, stop } = await startApi({ database, authentication: [scheme], resources: [notes] })
    const statusFor = async (headers: Record<string, string>) => (await client.get('/notes/', { headers })).status
    const statuses = [await statusFor({ 'x-account': String(id) }), await statusFor({ 'x-subject': String(id) })]
    await stop()
    assert.deepEqual(statuses, [200, 403])
  })
})

test('a text and a number with the same digits are throttled separately', async () => {
  const throttles = [userThrottle({ rates: '1/minute', store: memoryStore() })]
  const views = { '/x/': { name: 'X', handlers: { GET: () => ({ status: 200 }) } } }
  const { client, stop } = await startApi({ authentication: [scheme], throttles, views })
  const statuses: number[] = []
  for (const headers of [
    { 'x-subject': '1' },
    { 'x-account': '1' },
    { 'x-subject': '2' },
    { 'x-subject': '1' },
  ] as const)
    statuses.push((await client.get('/x/', { headers })).status)
  await stop()
  assert.deepEqual(statuses, [200, 200, 200, 429])
})
