import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authenticated, key, resource, text } from 'resource-api'
import { testApi } from 'resource-api/testing'

const notes = resource('notes', { table: 'notes', fields: { id: key(), text: text() }, permissions: [authenticated] })
const ada = { isAuthenticated: true, id: 1, username: 'ada', isStaff: false }
for (const database of ['sqlite', 'memory', 'postgres'] as const)
  test(database, async () => {
    const start = performance.now()
    await using api = await testApi(
      {
        resources: [notes],
        migrations: {
          '0001': async (kysely, { key, text }) => {
            await kysely.schema.createTable('notes').addColumn('id', key).addColumn('text', text).execute()
          },
        },
      },
      { database },
    )
    console.log(database, performance.now() - start)
    const made = await api.as(ada).post('/notes/', { text: 'a' }).expect(201).json()
    assert.deepEqual(made, { id: 1, text: 'a' })
    console.log(await api.statements(() => api.as(ada).get('/notes/')))
    await assert.rejects(
      () => api.get('/notes/').expect(200),
      (e: Error) => (console.log(e.stack), true),
    )
    await assert.rejects(
      () => api.get('notes/').expect(200),
      (e: Error) => (console.log(e.stack), true),
    )
  })
