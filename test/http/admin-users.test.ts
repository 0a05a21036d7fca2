// User and group administration: only the staff has access, and staff members cannot grant themselves more permissions.

import assert from 'node:assert/strict'
import { before, beforeEach, suite, test } from 'node:test'
import { createPeople, type People, runInTransaction } from '../support/administration.ts'
import { onEitherService, password } from '../support/service.ts'
import { countRows, dumpTables } from '../support/tables.ts'

const users = '/admin/users/'
const groups = '/admin/groups/'
const now = new Date('2030-01-01T00:00:00.000Z')
const joined = '2030-01-01T00:00:00.000000Z'

onEitherService(
  {},
  service => {
    let people: People
    let token: string
    beforeEach(async () => {
      people = await createPeople(service())
      token = people.root.key
    })

    const userUrl = (name: 'root' | 'stan' | 'sam' | 'pam' | 'ann') => `${users}${people[name].id}/`

    test('SVC-3: only active staff members can use the administration', async () => {
      const { client, createUser } = service()
      const { key: nonStaffKey } = await createUser('idle', { superuser: true })
      for (const url of ['/admin/', users, groups, '/admin/tokens/', userUrl('ann')]) {
        assert.equal((await client.get(url)).status, 401)
        for (const key of [people.ann.key, people.pam.key, nonStaffKey])
          assert.equal((await client.get(url, { token: key })).status, 403)
        for (const key of [people.stan.key, token]) assert.equal((await client.get(url, { token: key })).status, 200)
      }
      const root = (await client.get('/admin/', { token })).json()
      const base = 'http://localhost/admin'
      const names = ['users', 'groups', 'tokens', 'sessions', 'snippets', 'audit-log']
      assert.deepEqual(root, Object.fromEntries(names.map(name => [name, `${base}/${name}/`])))
    })

    test('a superuser creates, reads, changes and deletes a user; no response contains a password', async () => {
      const { client } = service()
      const json = {
        username: 'new',
        email: 'new@example.org',
        password: 'secret of the new',
        is_staff: true,
        groups: [people.editors],
        permissions: ['snippets.view', 'groups.add', 'snippets.view'],
        date_joined: '1999-01-01T00:00:00Z',
        id: 7,
      }
      const response = await client.post(users, { token, json })
      const { id, ...createdFields } = response.json()
      const flags = { is_active: true, is_staff: true, is_superuser: false }
      const user = { username: 'new', email: 'new@example.org', remote_identity: null, ...flags, date_joined: joined }
      const expected = {
        ...user,
        groups: [people.editors],
        permissions: ['groups.add', 'snippets.view'],
        inherited_permissions: ['snippets.delete'],
      }
      assert.deepEqual([response.status, createdFields], [201, expected])
      const url = `${users}${id}/`
      assert.equal(response.headers.location, `http://localhost${url}`)
      assert.deepEqual((await client.get(url, { token })).json(), { id, ...expected })
      assert.equal((await client.get('/directory/users/', { basic: 'new:secret of the new' })).status, 200)

      const patched = await client.patch(url, { token, json: { permissions: ['users.view'], is_staff: false } })
      const changed = { ...expected, is_staff: false, permissions: ['users.view'] }
      assert.deepEqual([patched.status, patched.json()], [200, { id, ...changed }])
      const none = { groups: [], permissions: [], inherited_permissions: [] }
      const put = await client.put(url, { token, json: { username: 'newer', groups: [], permissions: [] } })
      assert.deepEqual(put.json(), { id, ...changed, username: 'newer', ...none })
      assert.equal((await client.get('/directory/users/', { basic: 'newer:secret of the new' })).status, 200)

      assert.equal((await client.delete(url, { token })).status, 204)
      assert.equal((await client.get(url, { token })).status, 404)
      const { results } = (await client.get(users, { token })).json()
      assert.deepEqual(Object.keys(results[0]), ['id', ...Object.keys(expected)])
      assert.doesNotMatch(JSON.stringify(results), /argon2|password/)
    })

    test('groups accept the declared permissions, and OPTIONS lists them as choices', async () => {
      const { client } = service()
      const response = await client.post(groups, { token, json: { name: 'new', permissions: ['snippets.add'] } })
      const { id, ...createdFields } = response.json()
      assert.deepEqual([response.status, createdFields], [201, { name: 'new', permissions: ['snippets.add'] }])
      const changed = await client.patch(`${groups}${id}/`, { token, json: { permissions: ['users.delete'] } })
      assert.deepEqual(changed.json(), { id, name: 'new', permissions: ['users.delete'] })
      assert.equal((await client.delete(`${groups}${id}/`, { token })).status, 204)
      const { actions } = (await client.request('OPTIONS', groups, { token })).json()
      const { type, child } = actions.POST.permissions
      assert.deepEqual([type, child.type], ['list', 'choice'])
      const choices = child.choices.map(({ value }: { value: string }) => value)
      assert.deepEqual(choices.slice(0, 5), ['users.add', 'users.change', 'users.delete', 'users.view', 'groups.add'])
      assert.equal(choices.length, 12)
    })

    test('END-LIST-r1, END-LIST-r2: lists have twenty items per page', async () => {
      const { client, services } = service()
      await services.database.transaction(async connection => {
        for (let index = 0; index < 20; index++)
          await services.accounts.users.create({ username: `u${index}` }, connection)
      })
      const { count, next, results } = (await client.get(users, { token })).json()
      assert.deepEqual([count, next, results.length], [25, `http://localhost${users}?page=2`, 20])
      const names = results.map(({ username }: { username: string }) => username)
      assert.deepEqual(names, names.toSorted())
    })

    test('ERR-EXC-r2: an invalid body is rejected with one error per field, and nothing is written', async () => {
      const { client, services } = service()
      const before = await dumpTables(services.database)
      const required = ['This field is required.']
      const taken = ['A user with that username already exists.']
      const invalidChoice = (value: string) => ({ 0: [`"${value}" is not a valid choice.`] })
      const invalidUsername =
        'Enter a valid username. This value may contain only letters, numbers, and @/./+/-/_ characters.'
      for (const [body, errors] of [
        [{}, { username: required }],
        [[], { non_field_errors: ['Invalid data. Expected a dictionary, but got list.'] }],
        [{ username: 'a b' }, { username: [invalidUsername] }],
        [{ username: 'x'.repeat(151) }, { username: ['Ensure this field has no more than 150 characters.'] }],
        [{ username: 'ann' }, { username: taken }],
        [{ username: 'ａnn' }, { username: taken }],
        [{ username: 'ANN' }, { username: taken }],
        [{ username: 'x', email: 'x' }, { email: ['Enter a valid email address.'] }],
        [{ username: 'x', password: '' }, { password: ['This field may not be blank.'] }],
        [{ username: 'x', password: null }, { password: ['This field may not be null.'] }],
        [{ username: 'x', password: ['a'] }, { password: ['Not a valid string.'] }],
        [{ username: 'x', password: 'a\0' }, { password: ['Null characters are not allowed.'] }],
        [
          { username: 'x', password: 'é'.repeat(2049) },
          { password: ['Ensure this field has no more than 4096 bytes.'] },
        ],
        [
          { username: 'margarethe', password: '1234' },
          {
            password: [
              'This password is too short. It must contain at least 8 characters.',
              'This password is too common.',
              'This password is entirely numeric.',
            ],
          },
        ],
        [
          { username: 'margarethe', email: 'grete@example.org', password: 'Grete@example' },
          { password: ['The password is too similar to the email address.'] },
        ],
        [{ username: 'x', is_staff: 'maybe' }, { is_staff: ['Must be a valid boolean.'] }],
        [{ username: 'x', is_superuser: null }, { is_superuser: ['This field may not be null.'] }],
        [{ username: 'x', groups: [999_999] }, { groups: ['Invalid pk "999999" - object does not exist.'] }],
        [{ username: 'x', groups: 1 }, { groups: ['Expected a list of items but got type "int".'] }],
        [{ username: 'x', permissions: 'a' }, { permissions: ['Expected a list of items but got type "str".'] }],
        [{ username: 'x', permissions: ['snippets.fly'] }, { permissions: invalidChoice('snippets.fly') }],
        [{ username: 'x', permissions: ['__proto__'] }, { permissions: invalidChoice('__proto__') }],
        [{ username: 'x', permissions: [null] }, { permissions: { 0: ['This field may not be null.'] } }],
        [{ username: 'x', permissions: null }, { permissions: ['This field may not be null.'] }],
      ] as const) {
        const response = await client.post(users, { token, json: body })
        assert.deepEqual([response.status, response.json()], [400, errors])
      }
      for (const id of ['0', '-1', '999999', '1e3', '9'.repeat(19), '9007199254740993', 'x'])
        for (const method of ['GET', 'PATCH', 'DELETE'])
          assert.equal((await client.request(method, `${users}${id}/`, { token, json: {} })).status, 404)
      assert.equal(await dumpTables(services.database), before)
    })

    test('the rules of passwords use the names that the user will have', async () => {
      const { client, services } = service()
      const patch = (json: object) => client.patch(userUrl('ann'), { token, json })
      assert.equal((await patch({ username: 'margarethe' })).status, 200)
      const refused = await patch({ password: 'margarethe1' })
      assert.deepEqual(
        [refused.status, refused.json()],
        [400, { password: ['The password is too similar to the username.'] }],
      )
      assert.equal((await patch({ password: 'margarethe1', username: 'ann' })).status, 200)
      assert.equal((await services.accounts.users.verify('ann', 'margarethe1'))?.id, people.ann.id)
    })

    test('a password may have 4096 bytes', async () => {
      const { client } = service()
      const json = { username: 'long', password: 'é'.repeat(2048) }
      assert.equal((await client.post(users, { token, json })).status, 201)
      const login = await client.post('/api-token-auth/', { json })
      assert.equal(login.status, 200)
    })

    test('a form creates the same user as JSON', async () => {
      const { client } = service()
      const form = [
        ['username', 'formed'],
        ['password', 'of a form'],
        ['is_active', 'on'],
        ['permissions', 'users.view'],
        ['permissions', 'groups.view'],
      ] as const
      const response = (await client.post(users, { token, form })).json()
      assert.deepEqual(
        [response.is_active, response.is_staff, response.permissions],
        [true, false, ['groups.view', 'users.view']],
      )
    })

    test('AUTH-SCH-r3: a new password or deactivation ends the sessions, and other changes do not', async () => {
      const { client, services } = service()
      const { id } = people.ann
      for (const [json, sessionStays] of [
        [{ email: 'ann@example.org', permissions: [] }, true],
        [{ password: 'another one' }, false],
        [{ is_active: false }, false],
      ] as const) {
        const session = (await services.accounts.sessions.start(id))!
        assert.equal((await client.patch(userUrl('ann'), { token, json })).status, 200)
        if (sessionStays) assert.equal((await services.accounts.sessions.find(session))?.username, 'ann')
        else assert.equal(await countRows(services.database, 'sessions'), 0)
        await services.database.transaction(connection => services.accounts.sessions.endAll(id, connection))
      }
      assert.equal(await services.accounts.users.verify('ann', 'another one'), undefined)
      assert.equal((await client.patch(userUrl('ann'), { token, json: { is_active: true } })).status, 200)
      assert.equal((await services.accounts.users.verify('ann', 'another one'))?.id, id)
      assert.equal(await services.accounts.users.verify('ann', password), undefined)
    })

    test('an omitted password is unchanged, and the stored hash is not accepted as a password', async () => {
      const { client, services } = service()
      const [{ password: hash }] = await services.database.kysely
        .selectFrom('users')
        .select('password')
        .where('id', '=', people.ann.id)
        .execute()
        .then(rows => rows as [{ password: string }])
      for (const [method, json] of [
        ['PATCH', { email: '' }],
        ['PUT', { username: 'ann' }],
      ] as const)
        assert.equal((await client.request(method, userUrl('ann'), { token, json })).status, 200)
      assert.equal((await services.accounts.users.verify('ann', password))?.id, people.ann.id)
      assert.equal((await client.patch(userUrl('ann'), { token, json: { password: hash } })).status, 200)
      assert.equal(await services.accounts.users.verify('ann', password), undefined)
      assert.equal((await services.accounts.users.verify('ann', hash))?.id, people.ann.id)
    })

    const noFlags = { is_staff: false, is_superuser: false }

    /** Requests of Stan, a staff member with only `snippets.view`, to gain permissions or to revoke them from others. */
    const attempts: Record<string, () => readonly [method: string, url: string, body?: object]> = {
      'make himself a superuser': () => ['PATCH', userUrl('stan'), { is_superuser: true }],
      'make himself a superuser by PUT': () => ['PUT', userUrl('stan'), { username: 'stan', is_superuser: true }],
      'end his own staff status': () => ['PATCH', userUrl('stan'), { is_staff: false }],
      'give himself a permission': () => [
        'PATCH',
        userUrl('stan'),
        { permissions: ['snippets.view', 'snippets.delete'] },
      ],
      'join a group with more permissions': () => ['PATCH', userUrl('stan'), { groups: [people.editors] }],
      'create a superuser': () => ['POST', users, { username: 'x', password: 'a long password', is_superuser: true }],
      'create a staff member': () => ['POST', users, { username: 'x', password: 'a long password', is_staff: true }],
      'create a user with a permission that he lacks': () => [
        'POST',
        users,
        { username: 'x', permissions: ['users.add'] },
      ],
      'create a user in a group with more permissions': () => [
        'POST',
        users,
        { username: 'x', groups: [people.editors] },
      ],
      'make Ann a staff member': () => ['PATCH', userUrl('ann'), { is_staff: true }],
      'make Ann a superuser': () => ['PATCH', userUrl('ann'), { is_superuser: true }],
      'give Ann a permission that he lacks': () => ['PATCH', userUrl('ann'), { permissions: ['snippets.delete'] }],
      'add Ann to a group with more permissions': () => [
        'PATCH',
        userUrl('ann'),
        { groups: [people.readers, people.editors] },
      ],
      'change the password of the superuser': () => ['PATCH', userUrl('root'), { password: 'a long password' }],
      'rename the superuser': () => ['PATCH', userUrl('root'), { username: 'groot' }],
      'deactivate the superuser': () => ['PATCH', userUrl('root'), { is_active: false }],
      'end the staff status of the superuser': () => ['PATCH', userUrl('root'), noFlags],
      'clear the permissions of the superuser': () => ['PATCH', userUrl('root'), { permissions: [] }],
      'add the superuser to a group': () => ['PATCH', userUrl('root'), { groups: [people.readers] }],
      'replace the superuser by PUT': () => ['PUT', userUrl('root'), { username: 'root', password: 'a long password' }],
      'delete the superuser': () => ['DELETE', userUrl('root')],
      'change the password of another staff member': () => ['PATCH', userUrl('sam'), { password: 'a long password' }],
      'deactivate another staff member': () => ['PATCH', userUrl('sam'), { is_active: false }],
      'end the staff status of another staff member': () => ['PATCH', userUrl('sam'), noFlags],
      'clear the permissions of another staff member': () => ['PATCH', userUrl('sam'), { permissions: [], groups: [] }],
      'delete another staff member': () => ['DELETE', userUrl('sam')],
      'change the password of a user with more permissions': () => [
        'PATCH',
        userUrl('pam'),
        { password: 'a long password' },
      ],
      'clear the permissions of a user with more permissions': () => ['PATCH', userUrl('pam'), { permissions: [] }],
      'delete a user with more permissions': () => ['DELETE', userUrl('pam')],
      'give his group a permission that he lacks': () => [
        'PATCH',
        `${groups}${people.readers}/`,
        { permissions: ['users.change'] },
      ],
      'clear the permissions of a group that contains another staff member': () => [
        'PATCH',
        `${groups}${people.readers}/`,
        { permissions: [] },
      ],
      'delete a group that contains another staff member': () => ['DELETE', `${groups}${people.readers}/`],
      'clear the permissions of a group with more permissions': () => [
        'PATCH',
        `${groups}${people.editors}/`,
        { permissions: [] },
      ],
      'delete a group with more permissions': () => ['DELETE', `${groups}${people.editors}/`],
      'create a group with a permission that he lacks': () => [
        'POST',
        groups,
        { name: 'x', permissions: ['groups.delete'] },
      ],
    }

    for (const [goal, attempt] of Object.entries(attempts)) {
      test(`AUTH-GEN-5: a staff member cannot ${goal}`, async () => {
        const { client, services } = service()
        const before = await dumpTables(services.database)
        const [method, url, json] = attempt()
        const refused = await client.request(method, url, { token: people.stan.key, ...(json && { json }) })
        assert.equal(refused.status, 403, refused.text)
        assert.match(refused.json().detail, /^Only a superuser may /)
        assert.equal(await dumpTables(services.database), before)
      })
    }

    test('a staff member may make every change that grants no more than their own permissions', async () => {
      const { client } = service()
      for (const [method, url, json, status] of [
        ['POST', users, { username: 'x', password: 'a long password', permissions: ['snippets.view'] }, 201],
        ['POST', users, { username: 'y', ...noFlags, groups: [people.readers] }, 201],
        ['POST', groups, { name: 'x', permissions: ['snippets.view'] }, 201],
        ['PATCH', `${groups}${people.readers}/`, { name: 'who read' }, 200],
        ['PATCH', userUrl('ann'), { password: 'a long password', is_active: false, email: 'a@example.org' }, 200],
        ['PATCH', userUrl('ann'), { groups: [], permissions: ['snippets.view'], ...noFlags }, 200],
        ['DELETE', userUrl('ann'), undefined, 204],
        ['PATCH', userUrl('stan'), { password: 'a long password', email: 's@example.org', is_staff: true }, 200],
        ['PATCH', userUrl('stan'), { permissions: [] }, 200],
        ['PATCH', userUrl('stan'), { permissions: ['snippets.view'] }, 403],
      ] as const) {
        const response = await client.request(method, url, { token: people.stan.key, ...(json && { json }) })
        assert.equal(response.status, status, `${method} ${url} ${response.text}`)
      }
    })

    const lastSuperuser = { detail: 'At least one active superuser must remain.' }

    test('the last active superuser cannot be deleted, deactivated or demoted', async () => {
      const { client, services, createUser } = service()
      const asleep = await createUser('asleep', { superuser: true, active: false })
      for (const [method, json] of [
        ['PATCH', { is_superuser: false }],
        ['PATCH', { is_active: false }],
        ['PUT', { username: 'root', is_superuser: false }],
        ['DELETE', undefined],
      ] as const) {
        const before = await dumpTables(services.database)
        const refused = await client.request(method, userUrl('root'), { token, ...(json && { json }) })
        assert.deepEqual([refused.status, refused.json()], [403, lastSuperuser])
        assert.equal(await dumpTables(services.database), before)
      }
      assert.equal((await client.delete(`${users}${asleep.id}/`, { token })).status, 204)
      assert.equal((await client.patch(userUrl('root'), { token, json: { email: 'r@example.org' } })).status, 200)
      const successor = await createUser('heir', { staff: true, superuser: true })
      assert.equal((await client.patch(userUrl('root'), { token, json: noFlags })).status, 200)
      const refused = await client.delete(`${users}${successor.id}/`, { token: successor.key })
      assert.deepEqual([refused.status, refused.json()], [403, lastSuperuser])
    })

    test('when superusers delete or demote each other concurrently, one stays', async () => {
      const { client, services, createUser } = service()
      const superusers = [people.root]
      for (let index = 0; index < 5; index++)
        superusers.push(await createUser(`super${index}`, { staff: true, superuser: true }))
      const responses = await Promise.all(
        superusers.map(({ id, key }, index) =>
          index % 2 === 0
            ? client.delete(`${users}${id}/`, { token: key })
            : client.patch(`${users}${id}/`, { token: key, json: { is_superuser: false } }),
        ),
      )
      const statuses = responses.map(({ status }) => status).toSorted()
      assert.equal(statuses.filter(status => status === 403).length, 1)
      const remaining = await runInTransaction(services, kysely => kysely.selectFrom('users').selectAll().execute())
      assert.equal(remaining.filter(({ is_superuser, is_active }) => is_superuser && is_active).length, 1)
    })

    test('AUTH-SCH-r2: a change takes effect with the next request', async () => {
      const { client } = service()
      const { key } = people.stan
      assert.equal((await client.get(users, { token: key })).status, 200)
      await client.patch(userUrl('stan'), { token, json: { is_staff: false } })
      assert.equal((await client.get(users, { token: key })).status, 403)
      await client.patch(userUrl('stan'), { token, json: { is_active: false } })
      assert.equal((await client.get(users, { token: key })).status, 401)
    })
  },
  () => now,
)

suite('settings', () => {
  const createdIds: number[] = []
  const afterUserCreated = async (id: number) => void createdIds.push(id)

  onEitherService({ profiles: ['directory'], tokenForNewUsers: true, afterUserCreated }, service => {
    let token: string
    before(async () => {
      token = (await service().createUser('root', { staff: true, superuser: true })).key
      createdIds.length = 0
    })

    test('AUTH-SCH-2: afterUserCreated runs once per user created in the administration, and each user gets a token', async () => {
      const { client, services } = service()
      const { id } = (await client.post(users, { token, json: { username: 'bob' } })).json()
      assert.deepEqual(createdIds, [id])
      await client.patch(`${users}${id}/`, { token, json: { email: 'b@example.org' } })
      assert.deepEqual(createdIds, [id])
      assert.equal(await countRows(services.database, 'tokens'), 2)
    })
  })

  onEitherService({ adminPath: null }, service => {
    test('with adminPath null there is no administration', async () => {
      const { client, createUser } = service()
      const { key: token } = await createUser('root', { staff: true, superuser: true })
      for (const url of ['/admin/', users]) assert.equal((await client.get(url, { token })).status, 404)
    })
  })

  onEitherService({ adminPath: 'back/office', profiles: ['directory'] }, service => {
    test('adminPath sets the path, and only the permissions of its resources can be granted', async () => {
      const { client, createUser } = service()
      const { key: token } = await createUser('root', { staff: true, superuser: true })
      const create = (permissions: readonly string[]) =>
        client.post('/back/office/groups/', { token, json: { name: 'clerks', permissions } })
      assert.equal((await create(['snippets.add'])).status, 400)
      const created = await create(['groups.add'])
      assert.deepEqual([created.status, created.json().permissions], [201, ['groups.add']])
    })

    test('grants of a model that the administration does not show are neither shown nor changed', async () => {
      const { client, services, createUser } = service()
      const { key: token } = await createUser('admin', { staff: true, superuser: true })
      const { id } = await createUser('ann')
      await runInTransaction(services, kysely =>
        kysely.insertInto('user_permissions').values({ user_id: id, permission: 'snippets.add' }).execute(),
      )
      const url = `/back/office/users/${id}/`
      for (const permissions of [['users.view'], ['users.view', 'users.add'], []]) {
        const changed = await client.patch(url, { token, json: { permissions } })
        assert.deepEqual([changed.status, changed.json().permissions], [200, permissions.toSorted()])
        assert.deepEqual((await client.get(url, { token })).json().permissions, permissions.toSorted())
        const connection = services.database
        const stored = await services.accounts.grantedPermissions.findPermissions(id, connection)
        assert.deepEqual([...stored].sort(), [...permissions, 'snippets.add'].sort())
      }
    })
  })
})
