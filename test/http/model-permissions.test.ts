// Permissions that are granted per model (SVC-3), like DjangoModelPermissions of Django REST framework.

import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { and, authenticated, key, not, or, type Permission, resource, staff, text, tokenScheme } from 'resource-api'
import { modelPermissions } from 'resource-api/accounts'
import { startApi, type TestApi } from '../support/own-api.ts'
import { onEveryDatabase, type TestService } from '../support/service.ts'

const notes = (name: string, ...permissions: readonly Permission[]) =>
  resource(name, { table: 'groups', permissions, fields: { id: key(), name: text() } })

onEveryDatabase({ profiles: ['directory'] }, service => {
  let api: TestApi
  let ann: { id: number; key: string }
  let sue: { id: number; key: string }
  let stan: { id: number; key: string }
  let group: number

  before(async () => {
    const { services, createUser } = service()
    const grantedFor = (options?: Parameters<typeof modelPermissions>[2]) =>
      modelPermissions(services.accounts.grantedPermissions, 'notes', options)
    api = await startApi({
      database: services.database,
      authentication: [tokenScheme({ find: services.accounts.tokens.find })],
      resources: [
        notes('notes', grantedFor()),
        notes('open', grantedFor({ openReads: true })),
        notes('with-message', grantedFor({ message: 'Ask the editors.', code: 'not_an_editor' })),
        notes('either', or(staff, grantedFor())),
        notes('both', and(authenticated, grantedFor({ openReads: true }))),
        notes('not-granted', and(authenticated, not(grantedFor()))),
        notes('repeated', grantedFor(), or(grantedFor(), and(grantedFor(), not(staff)))),
      ],
    })
    ann = await createUser('ann')
    sue = await createUser('sue', { superuser: true })
    stan = await createUser('stan', { staff: true })
  })
  after(() => api.stop())

  const write = (work: (kysely: TestService['services']['database']['kysely']) => Promise<unknown>) =>
    service().services.database.transaction(({ kysely }) => work(kysely))
  const grant = (...permissions: string[]) =>
    write(kysely =>
      kysely
        .insertInto('user_permissions')
        .values(permissions.map(permission => ({ user_id: ann.id, permission })))
        .execute(),
    )

  beforeEach(async () => {
    for (const table of ['user_permissions', 'group_permissions', 'user_groups', 'groups'])
      await write(kysely => kysely.deleteFrom(table).execute())
    const row = await service().services.database.transaction(({ kysely }) =>
      kysely.insertInto('groups').values({ name: 'first' }).returning('id').executeTakeFirstOrThrow(),
    )
    group = row.id
  })

  const methods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
  /** The status of each method in turn; DELETE is last, because it removes the object. */
  const statuses = async (name: string, token?: string) => {
    const received: number[] = []
    for (const method of methods) {
      const url = method === 'POST' ? `/${name}/` : `/${name}/${group}/`
      const json = { name: `${method} ${name} ${token ?? ''}` }
      const response = await api.client.request(method, url, { ...(token && { token }), json })
      received.push(response.status)
    }
    return received.join(' ')
  }

  // Ann's permissions → the statuses of GET, HEAD, OPTIONS, POST, PUT, PATCH and DELETE.
  const table: Record<string, readonly [permissions: readonly string[], notes: string, open: string]> = {
    'no permissions': [[], '403 403 200 403 403 403 403', '200 200 200 403 403 403 403'],
    'only view': [['notes.view'], '200 200 200 403 403 403 403', '200 200 200 403 403 403 403'],
    'only add': [['notes.add'], '403 403 200 201 403 403 403', '200 200 200 201 403 403 403'],
    'only change': [['notes.change'], '403 403 200 403 200 200 403', '200 200 200 403 200 200 403'],
    'only delete': [['notes.delete'], '403 403 200 403 403 403 204', '200 200 200 403 403 403 204'],
    'permissions of other models': [
      ['snippets.add', 'snippets.view', 'note.add', 'notes', 'add', 'notes.adds', 'NOTES.VIEW'],
      '403 403 200 403 403 403 403',
      '200 200 200 403 403 403 403',
    ],
  }

  for (const [granted, [permissions, ...expected]] of Object.entries(table)) {
    for (const [index, name] of ['notes', 'open'].entries()) {
      test(`SVC-3: ${name}: a caller with ${granted}`, async () => {
        if (permissions.length > 0) await grant(...permissions)
        assert.equal(await statuses(name, ann.key), expected[index])
      })
    }
  }

  test('SVC-3: a superuser has every permission; staff status alone grants none', async () => {
    assert.equal(await statuses('notes', stan.key), '403 403 200 403 403 403 403')
    assert.equal(await statuses('notes', sue.key), '200 200 200 201 200 200 204')
  })

  test('ERR-EXC-r4, AUTH-GEN-5: anonymous callers get 401; with openReads they may read', async () => {
    assert.equal(await statuses('notes'), '401 401 401 401 401 401 401')
    assert.equal(await statuses('open'), '200 200 200 401 401 401 401')
    const response = await api.client.post('/notes/', { json: { name: 'x' } })
    assert.deepEqual(response.json(), { detail: 'Authentication credentials were not provided.' })
  })

  test('SVC-3: group permissions apply to members; granting and revoking take effect at once', async () => {
    const status = async () => (await api.client.get('/notes/', { token: ann.key })).status
    assert.equal(await status(), 403)
    await write(kysely =>
      kysely.insertInto('group_permissions').values({ group_id: group, permission: 'notes.view' }).execute(),
    )
    assert.equal(await status(), 403)
    await write(kysely => kysely.insertInto('user_groups').values({ user_id: ann.id, group_id: group }).execute())
    assert.equal(await status(), 200)
    await write(kysely => kysely.deleteFrom('group_permissions').execute())
    assert.equal(await status(), 403)
    await grant('notes.view')
    assert.equal(await status(), 200)
    await write(kysely => kysely.deleteFrom('user_permissions').execute())
    assert.equal(await status(), 403)
  })

  test('SVC-3: and(), or() and not() combine granted permissions', async () => {
    assert.equal(await statuses('either', ann.key), '403 403 200 403 403 403 403')
    assert.equal(await statuses('both', ann.key), '200 200 200 403 403 403 403')
    assert.equal(await statuses('both'), '401 401 401 401 401 401 401')
    await grant('notes.change')
    assert.equal(await statuses('either', ann.key), '403 403 200 403 200 200 403')
    assert.equal(await statuses('not-granted', ann.key), '200 200 403 201 403 403 204')
  })

  test('SVC-3: or(staff, …) permits staff who have no granted permission', async () => {
    assert.equal(await statuses('either', stan.key), '200 200 200 201 200 200 204')
  })

  test('ERR-EXC-r5: a permission policy may have its own error message', async () => {
    const response = await api.client.get('/with-message/', { token: ann.key })
    assert.deepEqual([response.status, response.json()], [403, { detail: 'Ask the editors.' }])
  })

  test('OPTIONS describes only the permitted actions', async () => {
    const actions = async (url: string) =>
      Object.keys((await api.client.request('OPTIONS', url, { token: ann.key })).json().actions ?? {})
    assert.deepEqual([await actions('/notes/'), await actions(`/notes/${group}/`)], [[], []])
    await grant('notes.add')
    assert.deepEqual([await actions('/notes/'), await actions(`/notes/${group}/`)], [['POST'], []])
    await grant('notes.change')
    assert.deepEqual(await actions(`/notes/${group}/`), ['PUT'])
  })

  test('a request queries the permissions at most once, and never for a superuser', async () => {
    const { statements } = service()
    const countPermissionQueries = async (method: string, token?: string, name = 'repeated') => {
      statements.length = 0
      await api.client.request(method, `/${name}/`, { ...(token && { token }), json: { name: `${method} ${token}` } })
      return statements.filter(statement => statement.includes('user_permissions')).length
    }
    await grant('notes.add', 'notes.view')
    for (const method of ['GET', 'POST', 'OPTIONS']) {
      assert.equal(await countPermissionQueries(method, ann.key), 1, method)
      assert.equal(await countPermissionQueries(method, sue.key), 0, method)
      assert.equal(await countPermissionQueries(method), 0, method)
    }
    assert.equal(await countPermissionQueries('GET', ann.key, 'open'), 0)
  })

  test('an inactive user has no permission, even if a scheme authenticates them', async () => {
    const { grantedPermissions: granted } = service().services.accounts
    const request = {} as never
    const user = { isAuthenticated: true, id: sue.id, username: 'sue', isStaff: true, isSuperuser: true }
    assert.equal(await granted.has({ request, user }, 'notes.view'), true)
    const inactive = { ...user, isActive: false }
    assert.equal(await granted.has({ request, user: inactive }, 'notes.view'), false)
  })
})
