// What a list does beside listing and creating (`listMethods`), and fields that only hooks see.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { key, listView, resource, text, writeOnly } from '../../src/framework/index.ts'
import { onEachDatabase } from '../support/own-api.ts'

const seen: unknown[] = []

const tags = resource('tags', {
  table: 'tags',
  fields: {
    id: key(),
    name: text({ max: 20 }),
    reason: { ...writeOnly(text({ required: false })), storage: { kind: 'none' } },
  },
  prepare: values => {
    seen.push(values)
    return {}
  },
  listMethods: {
    handlers: {
      DELETE: async ({ database }) => {
        await database.transaction(({ kysely }) => kysely.deleteFrom('tags').execute())
        return { status: 204 }
      },
    },
  },
})

const labels = resource('labels', {
  table: 'tags',
  actions: ['retrieve'],
  fields: { id: key(), name: text() },
  listMethods: listView({
    fields: { text: text({ max: 5 }) },
    handlers: { POST: ({ values }) => ({ status: 200, body: { given: values.text } }) },
  }),
})

onEachDatabase(
  () => ({ resources: [tags, labels] }),
  api => {
    beforeEach(() => {
      seen.length = 0
    })

    test('ERR-EXC-r7: a list has further methods, and says so', async () => {
      const { client, rows } = api()
      await client.post('/tags/', { json: { name: 'a' } })
      const refused = await client.put('/tags/', { json: {} })
      assert.deepEqual([refused.status, refused.headers.allow], [405, 'GET, POST, DELETE, HEAD, OPTIONS'])
      const cleared = await client.delete('/tags/')
      assert.deepEqual([cleared.status, cleared.text], [204, ''])
      assert.deepEqual(await rows('tags'), [])
      assert.deepEqual((await client.get('/tags/')).json(), [])
    })

    test('such a method has fields of its own, described and checked', async () => {
      const { client } = api()
      const { actions } = (await client.request('OPTIONS', '/labels/')).json()
      assert.deepEqual(Object.keys(actions.POST), ['text'])
      assert.deepEqual((await client.post('/labels/', { json: { text: 'x' } })).json(), { given: 'x' })
      const refused = await client.post('/labels/', { json: {} })
      assert.deepEqual([refused.status, refused.json()], [400, { text: ['This field is required.'] }])
      assert.equal((await client.get('/labels/')).status, 405)
    })

    test('a field that is kept nowhere and never shown is for hooks', async () => {
      const { client } = api()
      const made = await client.post('/tags/', { json: { name: 'b', reason: 'why not' } })
      const { id } = made.json()
      assert.deepEqual(made.json(), { id, name: 'b' })
      const changed = await client.patch(`/tags/${id}/`, { json: { name: 'c' } })
      assert.deepEqual(changed.json(), { id, name: 'c' })
      assert.deepEqual(seen, [{ name: 'b', reason: 'why not' }, { name: 'c' }])
    })
  },
)

test('a list method that an action has, or that is no method, is a wrong declaration', () => {
  const declare = (method: string) => () =>
    resource('tags', {
      table: 'tags',
      fields: { id: key() },
      listMethods: { handlers: { [method]: () => ({ status: 204 }) } },
    })
  assert.throws(declare('POST'), {
    message: 'resource "tags": listMethods: POST is the action "create": leave one out',
  })
  assert.throws(declare('delete'), {
    message: 'resource "tags": listMethods: "delete" is no method; write it in upper case, such as GET',
  })
})
