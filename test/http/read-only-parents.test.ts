// URLs below a parent whose relation bodies do not write: the URL alone sets its column.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { key, type Migrations, type Resource, readOnly, related, resource, rowFilter, text } from 'resource-api'
import { testApi } from 'resource-api/testing'
import { onEachDatabase } from '../support/own-api.ts'

const projects = resource('projects', {
  table: 'projects',
  permissions: [rowFilter(({ row }) => sql`${row.name} <> 'hidden'`)],
  fields: { id: key(), name: text() },
})

const tasks = resource('tasks', {
  table: 'tasks',
  bulk: 'atomic',
  fields: { id: key(), title: text(), project: readOnly(related(projects)) },
  nestedUnder: [{ parent: projects, field: 'project', only: true }],
})

/** Also at the top level, where its project stays empty. */
const notes = resource('notes', {
  table: 'notes',
  fields: {
    id: key(),
    title: text(),
    project: readOnly(related('projects', { column: 'project_id', nullable: true })),
    task: readOnly(related('tasks', { nullable: true })),
  },
  nestedUnder: [
    { parent: 'projects', field: 'project' },
    { parent: 'tasks', field: 'task' },
  ],
})

const migrations: Migrations = {
  async '0001_tasks'({ schema }, { key, reference, text }) {
    await schema
      .createTable('projects')
      .addColumn('id', key)
      .addColumn('name', text, column => column.notNull())
      .execute()
    await schema
      .createTable('tasks')
      .addColumn('id', key)
      .addColumn('title', text, column => column.notNull())
      .addColumn('project_id', reference, column => column.notNull().references('projects.id'))
      .execute()
    await schema
      .createTable('notes')
      .addColumn('id', key)
      .addColumn('title', text, column => column.notNull())
      .addColumn('project_id', reference, column => column.references('projects.id'))
      .addColumn('task_id', reference, column => column.references('tasks.id'))
      .execute()
  },
}

onEachDatabase(
  () => ({ resources: [projects, tasks, notes] }),
  api => {
    let [own, other, hidden] = [0, 0, 0]

    beforeEach(async () => {
      await api().database.transaction(async ({ kysely }) => {
        for (const table of ['notes', 'tasks', 'projects']) await kysely.deleteFrom(table).execute()
      })
      ;[own, other, hidden] = (await api().insert('projects', [
        { name: 'Own' },
        { name: 'Other' },
        { name: 'hidden' },
      ])) as [number, number, number]
    })

    test('a create below a parent sets the relation, and its body does not', async () => {
      const { client } = api()
      const url = `/projects/${own}/tasks/`
      const created = await client.post(url, { json: { title: 'A', project: other } })
      const { id } = created.json()
      assert.deepEqual([created.status, created.json()], [201, { id, title: 'A', project: own }])
      const many = await client.post(url, { json: [{ title: 'B' }, { title: 'C', project: other }] })
      assert.deepEqual(
        many.json().map(({ title, project }: { title: string; project: number }) => [title, project]),
        [
          ['B', own],
          ['C', own],
        ],
      )
      assert.deepEqual((await client.get(`/projects/${other}/tasks/`)).json(), [])
      assert.equal((await client.get(url)).json().length, 3)
    })

    test('updates leave it as it is, at the URL of the parent only', async () => {
      const { client } = api()
      const [id] = await api().insert('tasks', [{ title: 'A', project_id: own }])
      const url = `/projects/${own}/tasks/${id}/`
      for (const method of ['PUT', 'PATCH']) {
        const response = await client.request(method, url, { json: { title: method, project: other } })
        assert.deepEqual([response.status, response.json()], [200, { id, title: method, project: own }])
      }
      assert.equal((await client.get(`/projects/${other}/tasks/${id}/`)).status, 404)
      assert.equal((await client.delete(url)).status, 204)
    })

    test('a hidden or missing parent is 404', async () => {
      for (const id of [hidden, 999_999])
        assert.equal((await api().client.post(`/projects/${id}/tasks/`, { json: { title: 'A' } })).status, 404)
      assert.deepEqual(await api().rows('tasks'), [])
    })

    test('each URL sets the column of its own parent', async () => {
      const { client } = api()
      const [task] = await api().insert('tasks', [{ title: 'A', project_id: own }])
      const json = { title: 'N', project: other, task: 5 }
      const post = async (url: string) => {
        const { project, task: shown } = (await client.post(url, { json })).json()
        return [project, shown]
      }
      assert.deepEqual(await post(`/projects/${own}/notes/`), [own, null])
      assert.deepEqual(await post(`/projects/${own}/tasks/${task}/notes/`), [null, task])
      assert.deepEqual(await post('/notes/'), [null, null])
    })
  },
  { migrations },
)

test('a column that some create would leave NULL although it is NOT NULL is an error at start', async () => {
  const start = (declared: Resource) =>
    testApi({ resources: [projects, declared], migrations: [{ owner: 'tasks', steps: migrations }] })
  const fields = { id: key(), title: text(), project: readOnly(related(projects)) }
  const declare = (options: object) =>
    resource('tasks', {
      table: 'tasks',
      fields,
      nestedUnder: [{ parent: projects, field: 'project' }],
      ...options,
    }) as unknown as Resource
  await assert.rejects(start(declare({})), {
    message:
      'resource "tasks": nestedUnder: field "project" is read-only, and a create at /tasks/ writes nothing to its column "project_id", which is NOT NULL: set only: true, return it from "prepare", or let bodies write the field',
  })
  for (const options of [
    { nestedUnder: [{ parent: projects, field: 'project', only: true }] },
    { actions: ['list', 'retrieve'] },
    { hookColumns: ['project_id'], prepare: () => ({ project_id: 1 }) },
  ]) {
    const api = await start(declare(options))
    await api.close()
  }
})
