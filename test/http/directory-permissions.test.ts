// Editing the directory neither grants nor revokes permissions (DECISIONS: rights in the directory).

import assert from 'node:assert/strict'
import { before, beforeEach, suite, test } from 'node:test'
import { sql } from 'kysely'
import { PermissionDenied } from 'resource-api'
import type { Services } from 'resource-api/service'
import { createAuthority } from '../../src/accounts/authority.ts'
import { accountsKysely } from '../../src/accounts/tables.ts'
import { createPeople, type People, runInTransaction } from '../support/administration.ts'
import { onEveryDatabase, type TestService } from '../support/service.ts'
import { dumpTables } from '../support/tables.ts'

const as = (identity: string) => ({ headers: { 'remote-user': Buffer.from(identity).toString('latin1') } })

const statuses = (responses: readonly { readonly status: number }[]) => responses.map(({ status }) => status)

const findId = async ({ services }: TestService, username: string): Promise<number> =>
  (await services.accounts.users.find(username))!.id

suite('remote users', () => {
  const remoteUser = { header: 'Remote-User', proxies: ['127.0.0.1'] }
  onEveryDatabase({ authentication: ['remote-user', 'token'], remoteUser }, service => {
    test('END-DIR-p1: a caller cannot take over the account of a superuser by swapping names', async () => {
      const { client, services } = service()
      for (const name of ['root', 'mallory']) assert.equal((await client.get('/directory/', as(name))).status, 200)
      const [root, mallory] = [await findId(service(), 'root'), await findId(service(), 'mallory')]
      const dbTrue = services.database.dialect.name === 'sqlite' ? 1 : true
      const token = await services.database.transaction(async connection => {
        const users = accountsKysely(connection).updateTable('users').where('id', '=', root)
        await users.set({ is_staff: dbTrue, is_superuser: dbTrue }).execute()
        return services.accounts.tokens.getOrCreate(mallory, connection)
      })
      const rename = (id: number, username: string) =>
        client.patch(`/directory/users/${id}/`, { token, json: { username } })
      const steps = [
        await rename(mallory, 'mallory2'),
        await rename(root, 'mallory'),
        await client.get('/admin/users/', as('mallory')),
      ]
      assert.deepEqual(statuses(steps), [200, 403, 403])
      assert.equal((await services.accounts.users.findByRemoteIdentity('mallory'))?.id, mallory)
    })

    test('AUTH-SCH-r4: a caller who takes a freed username does not get the account that had it', async () => {
      const { client, services } = service()
      for (const name of ['dora', 'emil']) await client.get('/directory/', as(name))
      const [dora, emil] = [await findId(service(), 'dora'), await findId(service(), 'emil')]
      const rename = (id: number, username: string) =>
        client.patch(`/directory/users/${id}/`, { ...as('emil'), json: { username } })
      assert.deepEqual(statuses([await rename(emil, 'free'), await rename(dora, 'emil')]), [200, 200])
      assert.equal((await services.accounts.users.findByRemoteIdentity('emil'))?.id, emil)
      assert.equal((await services.accounts.users.findByRemoteIdentity('dora'))?.id, dora)
      assert.equal((await client.delete(`/directory/users/${emil}/`, as('emil'))).status, 204)
      const refused = await client.get('/directory/', as('emil'))
      assert.equal(refused.status, 403)
      assert.equal(await services.accounts.users.findByRemoteIdentity('emil'), undefined)
    })
  })
})

suite('permission checks', () => {
  onEveryDatabase({ profiles: ['directory'] }, service => {
    let people: People
    beforeEach(async () => {
      people = await createPeople(service())
    })

    type Name = 'root' | 'stan' | 'sam' | 'pam' | 'ann'
    const url = (name: Name) => `/users/${people[name].id}/`
    const patch = (caller: Name, target: Name, json: object) =>
      service().client.patch(url(target), { token: people[caller].key, json })
    const remove = (caller: Name, target: Name) => service().client.delete(url(target), { token: people[caller].key })

    for (const target of ['root', 'stan', 'pam'] as const) {
      test(`END-DIR-p1: an ordinary caller cannot rename or delete ${target}, or change the e-mail address`, async () => {
        const { client, services } = service()
        const { key: token } = people.ann
        const [before, email] = [await dumpTables(services.database), 'mine@example.org']
        const refused = [
          await patch('ann', target, { username: 'renamed' }),
          await patch('ann', target, { email }),
          await client.put(url(target), { token, json: { username: 'renamed', email } }),
          await remove('ann', target),
        ]
        assert.deepEqual(statuses(refused), [403, 403, 403, 403])
        assert.equal(await dumpTables(services.database), before)
      })
    }

    test('END-DIR-p1: PUT with unchanged values is allowed, and every caller edits ordinary users', async () => {
      const { client } = service()
      const { key: token } = people.ann
      const unchanged = await client.put(url('stan'), { token, json: { username: 'stan', email: '' } })
      const { id } = await service().createUser('plain')
      const renamed = await client.patch(`/users/${id}/`, {
        token,
        json: { username: 'other', email: 'o@example.org' },
      })
      const deleted = await client.delete(`/users/${id}/`, { token })
      assert.deepEqual(statuses([unchanged, renamed, deleted]), [200, 200, 204])
    })

    test('END-DIR-p1: callers rename themselves, and a superuser renames every user', async () => {
      assert.equal((await patch('stan', 'stan', { username: 'stanley' })).status, 200)
      assert.equal((await patch('pam', 'pam', { email: 'pam@example.org' })).status, 200)
      assert.equal((await patch('sam', 'stan', { username: 'x' })).status, 403)
      for (const target of ['stan', 'pam'] as const)
        assert.equal((await patch('root', target, { username: `${target}2` })).status, 200)
      assert.deepEqual(statuses([await remove('root', 'stan'), await remove('root', 'pam')]), [204, 204])
    })

    test('END-DIR-p1: a caller who holds the same permissions may rename and delete', async () => {
      const { createUser, services, client } = service()
      const { id, key } = await createUser('peer')
      await runInTransaction(services, kysely =>
        kysely.insertInto('user_permissions').values({ user_id: id, permission: 'snippets.delete' }).execute(),
      )
      const renamed = await client.patch(url('pam'), { token: key, json: { username: 'pamela' } })
      assert.deepEqual(statuses([renamed, await client.delete(url('pam'), { token: key })]), [200, 204])
    })

    test('END-DIR-p1: a caller cannot add or remove members of a group with permissions that the caller lacks', async () => {
      const { services, client } = service()
      await runInTransaction(services, kysely =>
        kysely.insertInto('user_groups').values({ user_id: people.sam.id, group_id: people.editors }).execute(),
      )
      const groups = (...ids: number[]) => ({ groups: ids.map(id => `/groups/${id}/`) })
      assert.equal((await patch('ann', 'ann', groups(people.editors, people.readers))).status, 403)
      assert.equal((await patch('ann', 'sam', groups(people.readers))).status, 403)
      assert.equal((await patch('ann', 'sam', groups())).status, 403)
      assert.equal((await patch('pam', 'sam', groups(people.readers))).status, 200)
      assert.equal((await client.delete(`/groups/${people.editors}/`, { token: people.ann.key })).status, 403)
      assert.equal((await client.delete(`/groups/${people.editors}/`, { token: people.pam.key })).status, 204)
    })

    for (const path of ['/users/', '/admin/users/']) {
      test(`END-DIR-p1: the last active superuser stays, at ${path}`, async () => {
        const { client, createUser } = service()
        await createUser('asleep', { staff: true, superuser: true, active: false })
        const refused = await client.delete(`${path}${people.root.id}/`, { token: people.root.key })
        assert.deepEqual(
          [refused.status, refused.json()],
          [403, { detail: 'At least one active superuser must remain.' }],
        )
        const { id } = await createUser('second', { staff: true, superuser: true })
        assert.equal((await client.delete(`${path}${id}/`, { token: people.root.key })).status, 204)
      })

      test(`END-DIR-p1: at least one of four superusers who delete each other concurrently stays, at ${path}`, async () => {
        const { client, createUser, services } = service()
        const newSuperusers = await Promise.all(
          ['r1', 'r2', 'r3'].map(name => createUser(name, { staff: true, superuser: true })),
        )
        const superusers = [people.root, ...newSuperusers]
        const deletions = superusers.map(({ id }, index) =>
          client.delete(`${path}${id}/`, { token: superusers[(index + 1) % superusers.length]!.key }),
        )
        const outcomes = new Set(statuses(await Promise.all(deletions)))
        assert.ok(outcomes.isSubsetOf(new Set([204, 403, 401])), [...outcomes].join())
        assert.ok((await findSuperusers(services)).length >= 1)
      })
    }

    test('END-DIR-p1: a deletion of a superuser waits for an earlier deletion, and then is refused', async () => {
      const { createUser, services } = service()
      const { database } = services
      const { id: second } = await createUser('second', { staff: true, superuser: true })
      const authority = createAuthority(database, services.accounts.grantedPermissions)
      const caller = (await services.accounts.users.find('root'))!
      const remove = (userId: number, allowed: () => Promise<void>) =>
        database.transaction(async connection => {
          await authority.checkUserDeletion(caller, userId, connection)
          await allowed()
          await connection.kysely.deleteFrom('users').where('id', '=', userId).execute()
        })
      const [firstAllowed, secondAllowed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const firstDeletion = remove(people.root.id, async () => {
        firstAllowed.resolve()
        await Promise.race([secondAllowed.promise, waitForLock(services)])
      })
      await firstAllowed.promise
      const secondDeletion = remove(second, async () => secondAllowed.resolve())
      await assert.rejects(secondDeletion, PermissionDenied)
      await firstDeletion
      assert.deepEqual(await findSuperusers(services), [second])
    })
  })
})

async function findSuperusers({ database }: Services): Promise<readonly number[]> {
  const dbTrue = database.dialect.name === 'sqlite' ? 1 : true
  const users = accountsKysely(database).selectFrom('users').select('id')
  return (await users.where('is_superuser', '=', dbTrue).execute()).map(({ id }) => id)
}

/** Resolves when a transaction waits for a lock; immediately on SQLite, where a second transaction does not start. */
async function waitForLock({ database }: Services): Promise<void> {
  if (database.dialect.name === 'sqlite') return
  const waiting = sql`select 1 from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  while ((await waiting.execute(database.kysely)).rows.length === 0);
}

suite('linking remote identities', () => {
  onEveryDatabase(
    {
      authentication: ['token', 'session', 'remote-user'],
      remoteUser: { header: 'Remote-User', proxies: ['127.0.0.1'] },
    },
    service => {
      let people: People
      before(async () => {
        people = await createPeople(service())
      })

      test('AUTH-SCH-r4: staff link only the accounts that they may change', async () => {
        const { client, services } = service()
        const link = (caller: 'root' | 'stan', target: 'root' | 'sam' | 'ann', remote_identity: string | null) =>
          client.patch(`/admin/users/${people[target].id}/`, { token: people[caller].key, json: { remote_identity } })
        assert.deepEqual(
          statuses([
            await link('stan', 'ann', 'A-1'),
            await link('stan', 'sam', 'S-1'),
            await link('stan', 'root', 'R'),
          ]),
          [200, 403, 403],
        )
        assert.equal((await services.accounts.users.findByRemoteIdentity('A-1'))?.id, people.ann.id)
        assert.equal((await link('root', 'sam', 'S-1')).json().remote_identity, 'S-1')
        const duplicate = await link('root', 'root', 'S-1')
        assert.deepEqual(
          [duplicate.status, duplicate.json()],
          [400, { remote_identity: ['A user with that remote identity already exists.'] }],
        )
        assert.equal((await link('root', 'root', ' s-1 ')).json().remote_identity, ' s-1 ')
      })

      test('AUTH-SCH-r3: a new remote identity ends the sessions of the account', async () => {
        const { client, services } = service()
        const session = (await services.accounts.sessions.start(people.pam.id))!
        const patch = (json: object) => client.patch(`/admin/users/${people.pam.id}/`, { token: people.root.key, json })
        assert.equal((await patch({ email: 'pam@example.org' })).status, 200)
        assert.ok(await services.accounts.sessions.find(session))
        assert.equal((await patch({ remote_identity: 'P-1' })).status, 200)
        assert.equal(await services.accounts.sessions.find(session), undefined)
      })
    },
  )
})
