// The rights of callers in the administration come from their accounts, whatever an application's own scheme says.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { authenticatedOrReadOnly, key, resource, text } from 'resource-api'
import { adminResource } from 'resource-api/accounts'
import { type Scheme, skip, success } from 'resource-api/extend'
import { startApi } from '../support/own-api.ts'
import { onEveryDatabase } from '../support/service.ts'

/** Identifies the caller whose properties are in the header field `X-Caller`, as JSON; staff unless it says otherwise. */
const scheme: Scheme = {
  name: 'caller',
  challenge: 'Caller',
  varyOn: ['x-caller'],
  authenticate({ headers: { 'x-caller': caller } }) {
    if (caller === undefined) return skip
    return success({ isAuthenticated: true, username: '', isStaff: true, ...JSON.parse(String(caller)) })
  },
}
const as = (caller: object) => ({ headers: { 'x-caller': JSON.stringify(caller) } })

const superuserPaths = ['/admin/audit-log/']
const staffPaths = ['/admin/', '/admin/users/', '/admin/groups/', '/admin/tokens/', '/admin/sessions/']

onEveryDatabase({ schemes: [scheme], profiles: ['directory'] }, service => {
  let root: number
  let stan: number
  let ann: number
  let old: number
  before(async () => {
    const create = async (name: string, rights: object) => (await service().createUser(name, rights)).id
    root = await create('root', { staff: true, superuser: true })
    stan = await create('stan', { staff: true })
    ann = await create('ann', {})
    old = await create('old', { staff: true, superuser: true, active: false })
  })

  const get = async (path: string, caller: object) => (await service().client.get(path, as(caller))).status
  const assertStatuses = async (caller: object, staffStatus: number, superuserStatus: number) => {
    for (const path of staffPaths)
      assert.equal(await get(path, caller), staffStatus, `${path} ${JSON.stringify(caller)}`)
    for (const path of superuserPaths)
      assert.equal(await get(path, caller), superuserStatus, `${path} ${JSON.stringify(caller)}`)
  }

  test('SVC-3: a caller without an account has no rights, even if its scheme says that it is staff', async () => {
    for (const id of ['auth0|7', String(root), null, root + 1000])
      for (const isSuperuser of [true, false]) {
        await assertStatuses({ id, isSuperuser }, 403, 403)
        const request = { ...as({ id, isSuperuser }), json: { username: 'eve', is_staff: true } }
        assert.equal((await service().client.post('/admin/users/', request)).status, 403)
      }
    assert.equal(await service().services.accounts.users.find('eve'), undefined)
  })

  test('SVC-3: a scheme cannot give an account rights that it lacks', async () => {
    await assertStatuses({ id: stan }, 200, 403)
    await assertStatuses({ id: stan, isSuperuser: true }, 403, 403)
    await assertStatuses({ id: ann }, 403, 403)
    await assertStatuses({ id: old, isSuperuser: true }, 403, 403)
  })

  test('SVC-3: a scheme may identify an account, and restrict its rights', async () => {
    await assertStatuses({ id: root, isSuperuser: true }, 200, 200)
    await assertStatuses({ id: root }, 200, 403)
    await assertStatuses({ id: root, isStaff: false, isSuperuser: true }, 403, 403)
  })

  test('SVC-3: only a superuser by account may change other staff in the directory', async () => {
    const change = async (caller: object, email: string) =>
      (await service().client.patch(`/users/${stan}/`, { ...as(caller), json: { email } })).status
    assert.equal(await change({ id: 'auth0|7', isSuperuser: true }, 'a@example.org'), 403)
    assert.equal(await change({ id: ann, isSuperuser: true }, 'b@example.org'), 403)
    assert.equal(await change({ id: root, isSuperuser: true }, 'c@example.org'), 200)
  })

  test('SVC-3: permissions of a declared view do not open it to others than staff', async () => {
    const { accounts, database } = service().services
    const handle = () => ({ status: 200 })
    const notes = resource('notes', {
      table: 'users',
      actions: ['list'],
      fields: { id: key(), username: text() },
      objectViews: {
        open: { permissions: [], handlers: { GET: handle } },
        mixed: {
          handlers: { GET: { handle, permissions: [authenticatedOrReadOnly] }, POST: { handle, permissions: [] } },
        },
      },
    })
    const shown = adminResource(notes, { actions: ['list'], objectViews: notes.objectViews! })
    const options = accounts.administration({ resources: [shown] })
    const { client, stop } = await startApi({ ...options, database, authentication: [scheme] })
    const statuses = async (caller: object) => {
      const responses = [
        await client.get(`/notes/${ann}/open/`, as(caller)),
        await client.get(`/notes/${ann}/mixed/`, as(caller)),
        await client.post(`/notes/${ann}/mixed/`, { ...as(caller), json: {} }),
      ]
      return responses.map(({ status }) => status)
    }
    const all = [await statuses({ id: ann }), await statuses({ id: 'auth0|7' }), await statuses({ id: stan })]
    const anonymous = (await client.get(`/notes/${ann}/open/`)).status
    await stop()
    assert.deepEqual([...all, anonymous], [[403, 403, 403], [403, 403, 403], [200, 200, 200], 401])
  })
})
