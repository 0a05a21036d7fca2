// A profile of an application relates its objects to the users and groups of the directory.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authenticated, key, related, resource, text, via } from 'resource-api'
import { directory, groups, users } from 'resource-api/directory'
import { profile } from 'resource-api/service'
import { onEveryDatabase } from '../support/service.ts'

const repairs = resource('repairs', {
  table: 'repairs',
  fields: {
    id: key(),
    mechanic: related(users, { form: 'url' }),
    mechanic_name: text({ source: via('mechanic_id', users, 'username') }),
    team: related(groups, { nullable: true }),
  },
  permissions: [authenticated],
})

const workshop = profile('workshop', {
  resources: [repairs],
  fixtures: { repairs },
  migrations: {
    async '0001_repairs'(kysely, { key, reference }) {
      await kysely.schema
        .createTable('repairs')
        .addColumn('id', key)
        .addColumn('mechanic_id', reference, column => column.notNull().references('users.id'))
        .addColumn('team_id', reference, column => column.references('groups.id'))
        .execute()
    },
  },
})

onEveryDatabase({ profiles: [workshop, directory()] }, service => {
  test('SVC-p1: an object refers to a user by the URL of the directory, and to a group by its key', async () => {
    const { client, createUser } = service()
    const { id, key: token } = await createUser('ann')
    const team = (await client.post('/directory/groups/', { token, json: { name: 'brakes' } })).json()
    const teamKey = Number(/(\d+)\/$/.exec(team.url)![1])
    const mechanic = `http://localhost/directory/users/${id}/`
    const created = await client.post('/workshop/repairs/', { token, json: { mechanic, team: teamKey } })
    assert.deepEqual([created.status, created.json()], [201, { id: 1, mechanic, mechanic_name: 'ann', team: teamKey }])
    const wrong = await client.post('/workshop/repairs/', { token, json: { mechanic: team.url, team: 99 } })
    assert.deepEqual([wrong.status, Object.keys(wrong.json())], [400, ['mechanic', 'team']])
  })

  test('a data file refers to a user by the username', async () => {
    const { loadData } = await import('resource-api/service')
    await loadData(service().services, { users: [{ username: 'bob' }], repairs: [{ mechanic: { username: 'bob' } }] })
    const { key: token } = await service().createUser('eve')
    const [, repair] = (await service().client.get('/workshop/repairs/', { token })).json()
    assert.equal(repair.mechanic_name, 'bob')
  })
})
