// Data files: the lists of accounts and of both profiles, on both databases.

import assert from 'node:assert/strict'
import { pbkdf2Sync } from 'node:crypto'
import { test } from 'node:test'
import { loadData } from 'resource-api/service'
import { accountsKysely } from '../../src/accounts/tables.ts'
import { DataError } from '../../src/service/data/data-error.ts'
import { onEveryDatabase } from '../support/service.ts'

const hooks: number[] = []
const options = {
  tokenForNewUsers: true,
  afterUserCreated: async (id: number) => {
    hooks.push(id)
  },
}

onEveryDatabase(options, service => {
  const load = (data: unknown) => loadData(service().services, data)
  const get = async (path: string, login: { basic?: string; token?: string } = {}) =>
    (await service().client.get(path, login)).json()
  const counts = async () => {
    const { services } = service()
    const count = async (table: string) =>
      (await services.database.kysely.selectFrom(table).selectAll().execute()).length
    return Promise.all(['groups', 'users', 'user_groups', 'tokens', 'snippets'].map(count))
  }

  test('a file fills the tables; rows with an id are inserted first', async () => {
    const loaded = await load({
      groups: [{ name: 'writers' }, { id: 1, name: 'readers' }],
      users: [
        { username: 'first', password: 'one', email: 'first@example.org', groups: [1, 1] },
        { id: 1, username: 'second', is_active: false, date_joined: '2026-01-02 03:04' },
      ],
      snippets: [
        { owner: 'first', code: 'print(1)\n', title: 'a & b', linenos: true },
        { id: 1, owner: 'second', code: 'x', created: '2026-01-02T03:04:05Z' },
      ],
    })
    assert.deepEqual(loaded, { groups: 2, users: 2, snippets: 2 })
    const basic = 'first:one'
    const { results } = await get('/directory/users/', { basic })
    assert.deepEqual(results, [
      {
        url: 'http://localhost/directory/users/2/',
        username: 'first',
        email: 'first@example.org',
        groups: ['http://localhost/directory/groups/1/'],
      },
      { url: 'http://localhost/directory/users/1/', username: 'second', email: '', groups: [] },
    ])
    const snippets = await get('/snippet/snippets/')
    assert.deepEqual(
      snippets.map(({ id, owner, language }: Record<string, unknown>) => [id, owner, language]),
      [
        [1, 'second', 'python'],
        [2, 'first', 'python'],
      ],
    )
    const page = (await service().client.get('/snippet/snippets/2/highlight/')).text
    assert.match(page, /<title>a &amp; b<\/title>/)
    assert.match(page, /class="linenos"/)
  })

  test('groups and owners may already exist, and new ids follow the largest one', async () => {
    const { client } = service()
    await load({ users: [{ id: 50, username: 'third', groups: [1], token: 'key-of-third' }] })
    await load({ snippets: [{ id: 60, owner: 'third', code: 'x' }], groups: [{ id: 70, name: 'late' }] })
    await load({ users: [{ id: 40, username: 'between' }] })
    const token = 'key-of-third'
    const post = async (path: string, json: unknown) => {
      const { status, headers } = await client.post(path, { token, json })
      return [status, headers.location]
    }
    const origin = 'http://localhost'
    const user = await post('/directory/users/', { username: 'fourth' })
    assert.deepEqual(user, [201, `${origin}/directory/users/51/`])
    const snippet = await post('/snippet/snippets/', { code: 'x' })
    assert.deepEqual(snippet, [201, `${origin}/snippet/snippets/61/`])
    const group = await post('/directory/groups/', { name: 'later' })
    assert.deepEqual(group, [201, `${origin}/directory/groups/71/`])
  })

  test('AUTH-SCH-2: the user-creation hook runs, and a token in the file replaces the one that the hook creates', async () => {
    hooks.length = 0
    await load({
      users: [
        { id: 101, username: 'hook' },
        { id: 102, username: 'own', token: '~own!' },
      ],
    })
    assert.deepEqual(hooks, [101, 102])
    const { database, tokens } = service().services.accounts
    const key = await database.transaction(connection => tokens.getOrCreate(101, connection))
    assert.match(key, /^[0-9a-f]{40}$/)
    assert.equal((await service().client.get('/directory/users/', { token: '~own!' })).status, 200)
    assert.equal(await database.transaction(connection => tokens.getOrCreate(102, connection)), '~own!')
  })

  test('AUTH-SCH-r4: a user may have a remote identity, which is stored unchanged', async () => {
    await load({ users: [{ username: 'remote', remote_identity: ' EXAMPLE\\Remote ' }] })
    const { users } = service().services.accounts
    assert.equal((await users.findByRemoteIdentity(' EXAMPLE\\Remote '))?.username, 'remote')
    assert.equal(await users.findByRemoteIdentity('remote'), undefined)
    const again = load({ users: [{ username: 'other', remote_identity: ' EXAMPLE\\Remote ' }] })
    await assert.rejects(again, /users\[0\]: a user with this id, username or remote identity already exists/)
  })

  test('a password is hashed, unless the whole string is a hash', async () => {
    const salt = 'seasalt'
    const hash = pbkdf2Sync('brought along', salt, 1000, 32, 'sha256').toString('base64')
    const fromDjango = `pbkdf2_sha256$1000$${salt}$${hash}`
    await load({
      users: [
        { username: 'django', password: fromDjango },
        { username: 'nearly', password: ` ${fromDjango}` },
        { username: 'none' },
      ],
    })
    const { users, database } = service().services.accounts
    const verifies = async (name: string, password: string) => (await users.verify(name, password))?.username === name
    assert.equal(await verifies('django', 'brought along'), true)
    assert.equal(await verifies('django', fromDjango), false)
    assert.equal(await verifies('nearly', ` ${fromDjango}`), true)
    assert.equal(await verifies('nearly', 'brought along'), false)
    const stored = accountsKysely(database).selectFrom('users').select('password')
    const passwordOf = async (name: string) =>
      (await stored.where('username', '=', name).executeTakeFirstOrThrow()).password
    assert.match((await passwordOf('nearly'))!, /^\$argon2id\$/)
    assert.equal(await passwordOf('none'), null)
  })

  test('an error of the database names the row, and nothing is loaded', async () => {
    await load({
      groups: [{ id: 201, name: 'taken' }],
      users: [{ id: 201, username: 'taken', token: 'taken' }],
      snippets: [{ id: 201, owner: 'taken', code: 'x' }],
    })
    const before = await counts()
    const good = {
      groups: [{ name: 'good' }],
      users: [{ username: 'good', password: 'x', groups: [201] }],
      snippets: [{ owner: 'good', code: 'x' }],
    }
    const refusals: readonly (readonly [list: keyof typeof good, row: unknown, message: string])[] = [
      ['groups', { name: 'taken' }, 'groups[1]: a group with this id or name already exists'],
      ['groups', { id: 201, name: 'new' }, 'groups[1]: a group with this id or name already exists'],
      ['users', { username: 'taken' }, 'users[1]: a user with this id, username or remote identity already exists'],
      ['users', { username: 'Taken' }, 'users[1]: a user with this id, username or remote identity already exists'],
      ['users', { username: 'GOOD' }, 'users[1]: a user with this id, username or remote identity already exists'],
      [
        'users',
        { id: 201, username: 'new' },
        'users[1]: a user with this id, username or remote identity already exists',
      ],
      ['users', { username: 'new', token: 'taken' }, 'users[1].token: another user has this token'],
      ['users', { username: 'new', groups: [201, 7] }, 'users[1].groups[1]: there is no group 7'],
      ['snippets', { owner: 'nobody', code: 'x' }, 'snippets[1].owner: there is no user "nobody"'],
      ['snippets', { id: 201, owner: 'good', code: 'x' }, 'snippets[1]: a snippet with this id already exists'],
    ]
    for (const [list, row, message] of refusals) {
      await assert.rejects(load({ ...good, [list]: [...good[list], row] }), new DataError(message))
      assert.deepEqual(await counts(), before)
    }
    await load(good)
  })

  test('more snippets are loaded than may wait for the highlighter at once', async () => {
    const snippets = Array.from({ length: 40 }, (_, index) => ({ owner: 'first', code: `print(${index})` }))
    assert.deepEqual(await load({ snippets }), { groups: 0, users: 0, snippets: 40 })
  })
})
