// Rows of a resource that has URLs only below its parents: they are hidden wherever their parents are.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import {
  createContext,
  ignorePermissions,
  key,
  type Migrations,
  NotFound,
  nested,
  objectView,
  readOnly,
  related,
  resource,
  rowFilter,
  text,
} from 'resource-api'
import { asUser, onEachDatabase, people, userScheme } from '../support/own-api.ts'

const migrations: Migrations = {
  async '0001_tasks'({ schema }, { key, reference, text }) {
    const tables = {
      orgs: [],
      projects: ['org_id'],
      boards: [],
      tasks: ['project_id', 'board_id'],
      steps: ['task_id'],
      notes: ['task_id'],
    }
    for (const [table, references] of Object.entries(tables)) {
      let creation = schema
        .createTable(table)
        .addColumn('id', key)
        .addColumn('name', text, column => column.notNull())
        .addColumn('owner', text)
      for (const column of references) creation = creation.addColumn(column, reference)
      await creation.execute()
    }
  },
}

const ownRows = rowFilter(({ row, caller }) => sql`${row.owner} = ${caller.username}`)
const name = text({ max: 20 })
const declared = { id: key(), name }

const orgs = resource('orgs', { table: 'orgs', fields: declared })

const projects = resource('projects', {
  table: 'projects',
  fields: { ...declared, org: related(orgs) },
  nestedUnder: [{ parent: orgs, field: 'org', only: true }],
  permissions: [ownRows],
})

const boards = resource('boards', { table: 'boards', fields: declared, permissions: [ownRows] })

const tasks = resource('tasks', {
  table: 'tasks',
  fields: { ...declared, project: related(projects, { nullable: true }), board: related(boards, { nullable: true }) },
  nestedUnder: [
    { parent: projects, field: 'project', only: true },
    { parent: boards, field: 'board', only: true },
  ],
  objectViews: {
    other: objectView({
      path: 'others/:other',
      handlers: {
        GET: async ({ parameters, represent }) => ({ status: 200, body: await represent(Number(parameters.other)) }),
      },
    }),
  },
})

const steps = resource('steps', {
  table: 'steps',
  fields: { ...declared, task: related(tasks) },
  nestedUnder: [{ parent: 'tasks', field: 'task', only: true }],
})

const notes = resource('notes', {
  table: 'notes',
  fields: {
    ...declared,
    task: related(tasks, { shows: ['id', 'name'] }),
    task_name: readOnly(text({ source: 'task.name' })),
    whole: nested({ of: tasks, column: 'task_id' }),
  },
  filters: { 'task.name': true },
  searchFields: ['task.name'],
  expandableFields: ['task'],
})

onEachDatabase(
  () => ({ authentication: [userScheme], resources: [orgs, projects, boards, tasks, steps, notes] }),
  api => {
    let ids: Readonly<Record<string, number>>
    const callAs = () => createContext(api().app, { user: people.ann })
    const send = (method: string, url: string, json?: unknown) =>
      api().client.request(method, url, { ...asUser('ann'), ...(json !== undefined && { json }) })

    beforeEach(async () => {
      await api().database.transaction(async ({ kysely }) => {
        for (const table of ['notes', 'steps', 'tasks', 'boards', 'projects', 'orgs'])
          await kysely.deleteFrom(table).execute()
      })
      const [org] = await api().insert('orgs', [{ name: 'org' }])
      const [own, other] = await api().insert(
        'projects',
        ['ann', 'bob'].map(owner => ({ name: owner, owner, org_id: org })),
      )
      const [board, otherBoard] = await api().insert(
        'boards',
        ['ann', 'bob'].map(owner => ({ name: owner, owner })),
      )
      const [visible, hidden, onBoard, alone] = await api().insert('tasks', [
        { name: 'visible', project_id: own },
        { name: 'hidden', project_id: other, board_id: otherBoard },
        { name: 'on board', project_id: other, board_id: board },
        { name: 'alone' },
      ])
      ids = { org, own, other, board, visible, hidden, onBoard, alone } as Record<string, number>
    })

    test('relations, nested objects and fields of related rows show no row below hidden parents', async () => {
      await api().insert('notes', [
        { name: 'a', task_id: ids.visible },
        { name: 'b', task_id: ids.hidden },
        { name: 'c', task_id: ids.onBoard },
        { name: 'd', task_id: ids.alone },
      ])
      for (const url of ['/notes/', '/notes/?expand=task']) {
        const rows = await send('GET', url).then(response => response.json())
        assert.deepEqual(
          rows.map(({ name, task, task_name, whole }: Record<string, { name: string } | null>) => [
            name,
            task?.name ?? null,
            task_name,
            whole?.name ?? null,
          ]),
          [
            ['a', 'visible', 'visible', 'visible'],
            ['b', null, null, null],
            ['c', 'on board', 'on board', 'on board'],
            ['d', null, null, null],
          ],
          url,
        )
      }
    })

    test('filters and search compare no row below hidden parents', async () => {
      await api().insert('notes', [
        { name: 'a', task_id: ids.visible },
        { name: 'b', task_id: ids.hidden },
      ])
      const count = async (query: string) => (await send('GET', `/notes/?${query}`)).json().length
      assert.equal(await count('task__name=visible'), 1)
      assert.equal(await count('task__name=hidden'), 0)
      assert.equal(await count('search=visible'), 1)
      assert.equal(await count('search=hidden'), 0)
    })

    test('a body can refer to no row below hidden parents', async () => {
      const write = async (task: unknown) => (await send('POST', '/notes/', { name: 'x', task })).status
      assert.equal(await write(ids.visible), 201)
      assert.equal(await write(ids.onBoard), 201)
      assert.equal(await write(ids.hidden), 400)
    })

    test('a row two levels below a hidden parent is hidden too', async () => {
      const path = `/projects/${ids.own}/tasks/${ids.visible}/steps/`
      assert.equal((await send('GET', `/orgs/${ids.org}${path}`)).status, 200)
      assert.equal((await send('GET', `/orgs/${ids.org}/projects/${ids.other}/tasks/${ids.hidden}/steps/`)).status, 404)
      const [shown, hidden] = await api().insert('steps', [
        { name: 'x', task_id: ids.visible },
        { name: 'y', task_id: ids.hidden },
      ])
      const context = callAs()
      assert.equal((await steps.update(shown!, { name: 'z' }, context)).values.name, 'z')
      await assert.rejects(steps.update(hidden!, { name: 'z' }, context), NotFound)
    })

    test('calls of actions find no row below hidden parents, except without permissions', async () => {
      const context = callAs()
      for (const task of [ids.visible!, ids.onBoard!])
        assert.equal((await tasks.update(task, { name: 'z' }, context)).values.name, 'z')
      for (const task of [ids.hidden!, ids.alone!]) {
        await assert.rejects(tasks.update(task, { name: 'z' }, context), NotFound)
        await assert.rejects(tasks.destroy(task, context), NotFound)
      }
      const unrestricted = ignorePermissions(context)
      assert.equal((await tasks.update(ids.hidden!, { name: 'z' }, unrestricted)).values.name, 'z')
    })

    test('a view represents no other object below hidden parents', async () => {
      const view = (task: unknown) => send('GET', `/boards/${ids.board}/tasks/${ids.onBoard}/others/${task}/`)
      assert.equal((await view(ids.visible)).json().name, 'visible')
      assert.equal((await view(ids.hidden)).status, 404)
    })
  },
  { migrations },
)
