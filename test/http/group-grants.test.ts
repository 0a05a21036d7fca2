// Every authenticated caller may edit users and groups, but cannot grant permissions through groups.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { staff } from 'resource-api'
import { directory } from 'resource-api/directory'
import { onEveryDatabase } from '../support/service.ts'

onEveryDatabase({ profiles: ['directory'] }, service => {
  let plain: { id: number; key: string }
  let holder: { id: number; key: string }
  const urls: Record<string, string> = {}

  before(async () => {
    plain = await service().createUser('plain')
    holder = await service().createUser('holder')
    for (const name of ['harmless', 'mighty']) {
      const created = await service().client.post('/groups/', { token: plain.key, json: { name } })
      urls[name] = created.json().url
    }
    const mighty = Number(urls.mighty!.split('/').at(-2))
    await service().services.database.transaction(async ({ kysely }) => {
      await kysely.insertInto('group_permissions').values({ group_id: mighty, permission: 'snippets.delete' }).execute()
      await kysely
        .insertInto('user_permissions')
        .values({ user_id: holder.id, permission: 'snippets.delete' })
        .execute()
    })
  })

  const patch = (caller: { key: string }, id: number, groups: readonly string[]) =>
    service().client.patch(`/users/${id}/`, { token: caller.key, json: { groups } })

  test('AUTH-PERM-r1: a caller cannot add users to a group with permissions that the caller lacks', async () => {
    for (const id of [plain.id, holder.id]) {
      const refused = await patch(plain, id, [urls.harmless!, urls.mighty!])
      assert.deepEqual(
        [refused.status, refused.json()],
        [403, { detail: 'A group grants permissions that you do not have.' }],
      )
    }
    const json = { username: 'new', groups: [urls.mighty] }
    assert.equal((await service().client.post('/users/', { token: plain.key, json })).status, 403)
    assert.equal((await patch(plain, plain.id, [urls.harmless!])).status, 200)
  })

  test('AUTH-PERM-r1: a caller with the permissions adds users, and then every caller may edit these users', async () => {
    assert.equal((await patch(holder, plain.id, [urls.mighty!])).status, 200)
    const updated = await patch(plain, plain.id, [urls.mighty!, urls.harmless!])
    assert.deepEqual([updated.status, updated.json().groups.length], [200, 2])
    assert.equal((await patch(plain, plain.id, [])).status, 200)
    assert.equal((await patch(holder, holder.id, [urls.mighty!])).status, 200)
  })
})

onEveryDatabase({ profiles: [directory({ permissions: [staff] })] }, service => {
  test('AUTH-PERM-r1: the setting `permissions` restricts access to the directory', async () => {
    const { key } = await service().createUser('ann')
    const { key: staffKey } = await service().createUser('sue', { staff: true })
    for (const path of ['/users/', '/groups/']) {
      assert.equal((await service().client.get(path, { token: key })).status, 403)
      assert.equal((await service().client.get(path, { token: staffKey })).status, 200)
    }
  })
})
