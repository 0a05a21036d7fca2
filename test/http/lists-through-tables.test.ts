// A list below a parent through a join table, as docs/relations.md shows it.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { key, related, resource, rowFilter, text } from 'resource-api'
import { caller, reference, table, tables } from 'resource-api/tables'
import { asUser, onEachDatabase, userScheme } from '../support/own-api.ts'

const people = table('people', { columns: { id: key(), name: text() } })
const groups = table('groups', { columns: { id: key(), name: text(), keeper: text() } })
const memberships = table('memberships', {
  columns: { id: key(), group: reference('groups', { onDelete: 'cascade' }), person: reference('people') },
  unique: [['group', 'person']],
})
const schema = tables({ owner: 'club', tables: [people, groups, memberships] })

const personResource = resource('people', {
  table: people,
  fields: people.pick('id', 'name'),
  permissions: [rowFilter({ not: { name: 'hidden' } })],
})
const groupResource = resource('groups', {
  table: groups,
  actions: ['list', 'retrieve'],
  fields: groups.pick('id', 'name'),
  permissions: [rowFilter({ keeper: caller('username') })],
})
const members = resource('members', {
  table: memberships,
  methods: ['GET', 'POST', 'DELETE'],
  pagination: null,
  bulk: 'atomic',
  unknownFields: 'refuse',
  fields: { id: key(), group: related(groupResource), person: related(personResource, { shows: ['id', 'name'] }) },
  nestedUnder: [{ parent: groupResource, field: 'group', only: true }],
})

onEachDatabase(
  () => ({ resources: [personResource, groupResource, members], authentication: [userScheme] }),
  api => {
    let [own, foreign, ann, bob, hidden] = [0, 0, 0, 0, 0]
    const send = async (method: string, url: string, json?: unknown) => {
      const response = await api().client.request(method, url, {
        ...asUser('ann'),
        ...(json !== undefined && { json }),
      })
      return [response.status, response.text === '' ? undefined : response.json()]
    }

    beforeEach(async () => {
      await api().database.transaction(async ({ kysely }) => {
        for (const name of ['memberships', 'groups', 'people']) await kysely.deleteFrom(name).execute()
      })
      ;[own, foreign] = (await api().insert('groups', [
        { name: 'chess', keeper: 'ann' },
        { name: 'go', keeper: 'bob' },
      ])) as [number, number]
      ;[ann, bob, hidden] = (await api().insert('people', [{ name: 'Ann' }, { name: 'Bob' }, { name: 'hidden' }])) as [
        number,
        number,
        number,
      ]
    })

    const list = () => `/groups/${own}/members/`

    test('POST adds one or several, and DELETE removes', async () => {
      assert.equal((await send('POST', list(), { person: ann }))[0], 201)
      assert.deepEqual(await send('POST', list(), { person: ann }), [
        400,
        { non_field_errors: ['The fields group, person must make a unique set.'] },
      ])
      assert.equal((await send('POST', list(), [{ person: bob }]))[0], 201)
      const [, shown] = await send('GET', list())
      assert.deepEqual(
        shown.map(({ person }: { person: object }) => person),
        [
          { id: ann, name: 'Ann' },
          { id: bob, name: 'Bob' },
        ],
      )
      assert.equal((await send('DELETE', `${list()}${shown[0].id}/`))[0], 204)
      assert.equal((await send('DELETE', list(), [shown[1].id]))[0], 204)
      assert.deepEqual([await send('GET', list()), (await api().rows('people')).length], [[200, []], 3])
      assert.equal((await send('PATCH', `${list()}${shown[0].id}/`, {}))[0], 405)
    })

    test('hidden people, unknown fields and the groups of others are refused', async () => {
      assert.deepEqual(await send('POST', list(), { person: hidden }), [
        400,
        { person: [`Invalid pk "${hidden}" - object does not exist.`] },
      ])
      assert.equal((await send('POST', list(), { persn: ann }))[0], 400)
      assert.equal((await send('POST', `/groups/${foreign}/members/`, { person: ann }))[0], 404)
      const [row] = await api().insert('memberships', [{ group_id: foreign, person_id: ann }])
      assert.equal((await send('DELETE', `${list()}${row}/`))[0], 404)
      assert.deepEqual(await send('DELETE', list(), [row]), [
        400,
        [{ id: [`Invalid pk "${row}" - object does not exist.`] }],
      ])
    })
  },
  { migrations: {}, owners: [schema] },
)
