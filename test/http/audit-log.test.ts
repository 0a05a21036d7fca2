// The stored audit log, and the views in which superusers read it.

import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { createPeople, type People, runInTransaction } from '../support/administration.ts'
import { openBrowser } from '../support/browser.ts'
import { onEveryDatabase, password } from '../support/service.ts'
import { countRows } from '../support/tables.ts'

const url = '/admin/audit-log/'
const start = new Date('2030-01-01T00:00:00.000Z')
let now = start

onEveryDatabase(
  {},
  service => {
    let people: People
    let token: string
    beforeEach(async () => {
      now = start
      await service().services.accounts.auditLog!.flush()
      await runInTransaction(service().services, kysely => kysely.deleteFrom('audit_log').execute())
      people = await createPeople(service())
      token = people.root.key
    })

    const readEvents = async (query = '') => {
      await service().services.accounts.auditLog!.flush()
      const response = await service().client.get(url + query, { token })
      assert.equal(response.status, 200, response.text)
      return response.json().results
    }

    test('audit events are stored with their fields and listed newest first', async () => {
      const { client } = service()
      const { id } = people.ann
      await client.get('/admin/users/?secret=1', { token: people.ann.key })
      await service().services.accounts.auditLog!.flush()
      await client.patch(`/admin/users/${id}/`, { token, json: { email: 'ann@example.org' } })
      const [second, first] = await readEvents()
      const common = { created: '2030-01-01T00:00:00.000000Z', address: '127.0.0.1' }
      const [changed, refused] = [
        {
          event: 'account changed',
          outcome: 'success',
          user: 'root',
          target: `PATCH /admin/users/${id}/`,
          status: null,
          action: 'update',
          resource: 'users',
          object_key: String(id),
          object_name: 'ann',
          changes: { email: { old: '', new: 'ann@example.org' } },
        },
        {
          event: 'permission denied',
          outcome: 'failure',
          user: 'ann',
          target: 'GET /admin/users/',
          status: 403,
          action: null,
          resource: null,
          object_key: null,
          object_name: null,
          changes: null,
        },
      ]
      assert.deepEqual(
        [second, first],
        [
          { id: second.id, ...common, ...changed },
          { id: first.id, ...common, ...refused },
        ],
      )
      assert.deepEqual((await client.get(`${url}${first.id}/`, { token })).json(), first)
    })

    test('the list is searched, filtered and paginated, and HTTP cannot write it', async () => {
      const { client } = service()
      for (let time = 0; time < 51; time++) await client.get('/admin/groups/', { token: people.ann.key })
      await service().services.accounts.sessions.start(people.ann.id)
      const [{ id }] = (await client.get('/admin/sessions/', { token })).json().results
      await client.delete(`/admin/sessions/${id}/`, { token })
      assert.deepEqual(
        (await readEvents('?event=session%20ended')).map(({ user }: { user: string }) => user),
        ['root'],
      )
      assert.equal((await readEvents('?outcome=failure')).length, 50)
      assert.equal((await readEvents('?user=ann&outcome=success')).length, 0)
      assert.equal((await readEvents('?search=DELETE+root')).length, 1)
      const { next } = (await client.get(url, { token })).json()
      const { pathname, search } = new URL(next)
      assert.equal((await client.get(pathname + search, { token })).json().results.length, 2)
      assert.equal((await client.get(`${url}?event=x`, { token })).status, 400)
      for (const method of ['POST', 'PUT', 'DELETE'])
        assert.equal((await client.request(method, url, { token, json: {} })).status, 405)
    })

    test('SVC-3: only superusers read the audit log', async () => {
      const { client } = service()
      for (const [key, status] of [
        [people.stan.key, 403],
        [people.ann.key, 403],
        [undefined, 401],
      ] as const)
        assert.equal((await client.get(url, key === undefined ? {} : { token: key })).status, status)
    })

    test('no secret is stored, and characters that the database rejects are replaced in usernames', async () => {
      const { client, services } = service()
      const browser = openBrowser(client)
      await browser.logIn('ann')
      await client.get(`/admin/users/?token=${token}`, { token: 'f'.repeat(40) })
      const login = { event: 'login', outcome: 'failure', address: '::1', source: 'request', target: 'POST /' } as const
      services.accounts.auditLog!.record({ ...login, user: 'a\0\ud800b' })
      await services.accounts.auditLog!.flush()
      const rows = await runInTransaction(services, kysely =>
        kysely.selectFrom('audit_log').selectAll().orderBy('id').execute(),
      )
      assert.deepEqual(
        rows.map(({ event, user }) => [event, user]),
        [
          ['login', 'ann'],
          ['authentication', null],
          ['login', 'a\ufffd\ufffdb'],
        ],
      )
      for (const secret of [browser.cookies.get('sessionid')!, password, token, 'f'.repeat(40)])
        assert.ok(!JSON.stringify(rows).includes(secret))
    })

    test('the next write removes events older than ninety days', async () => {
      const { client, services } = service()
      await client.get('/admin/users/', { token: people.ann.key })
      await services.accounts.auditLog!.flush()
      now = new Date(start.getTime() + 89 * 86_400_000)
      await client.get('/admin/users/', { token: people.ann.key })
      assert.equal((await readEvents()).length, 2)
      now = new Date(start.getTime() + 90 * 86_400_000)
      await client.get('/admin/users/', { token: people.ann.key })
      assert.equal((await readEvents()).length, 2)
    })

    test('the queue is bounded at 1000 events, and queued events survive a database failure', async () => {
      const { services } = service()
      const { record: note, flush: settle } = services.accounts.auditLog!
      const event = {
        event: 'throttled',
        outcome: 'failure',
        user: null,
        address: '::1',
        source: 'request',
        target: 'GET /',
      } as const
      await runInTransaction(services, kysely => kysely.schema.alterTable('audit_log').renameTo('away').execute())
      for (let time = 0; time < 1500; time++) note(event)
      await settle()
      await runInTransaction(services, kysely => kysely.schema.alterTable('away').renameTo('audit_log').execute())
      await settle()
      assert.equal(await countRows(services.database, 'audit_log'), 1000)
    })
  },
  () => now,
)

suite('settings', () => {
  onEveryDatabase({ auditRetention: null }, service => {
    test('with auditRetention null nothing is stored, and the audit log has no view', async () => {
      const { client, services } = service()
      const { key: token } = await service().createUser('root', { staff: true, superuser: true })
      await client.get('/admin/users/')
      assert.equal(services.accounts.auditLog, undefined)
      assert.equal(await countRows(services.database, 'audit_log'), 0)
      assert.equal((await client.get(url, { token })).status, 404)
      assert.ok(!('audit-log' in (await client.get('/admin/', { token })).json()))
    })
  })
})
