// Fields that some objects hide from a caller, or that a body changes only in some objects.

import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import {
  authenticated,
  browsable,
  findDocument,
  integer,
  jsonRenderer,
  key,
  nested,
  type Representation,
  readOnly,
  related,
  resource,
  text,
  writeOnly,
} from 'resource-api'
import { createClient } from 'resource-api/client'
import { caller, reference, table, tables } from 'resource-api/tables'
import type { RecordedWrite } from '../../src/core/resource/declare/object-change.ts'
import { injectFetch } from '../support/client.ts'
import { asUser, onEachDatabase, userScheme } from '../support/own-api.ts'

const teamTable = table('crews', { columns: { id: key(), lead: text() } })
const staffTable = table('workers', {
  columns: {
    id: key(),
    crew: reference('crews', { relatedName: 'workers' }),
    name: text(),
    salary: integer({ default: 1 }),
    grade: text({ nullable: true }),
    bonus: integer({ default: 0 }),
  },
})
const schema = tables({ owner: 'workers', tables: [teamTable, staffTable] })
const leads = { 'crew.lead': caller('username') } as const

const saved: object[] = []
const workers = resource('workers', {
  table: staffTable,
  permissions: [authenticated],
  pagination: null,
  bulk: 'atomic',
  fields: {
    ...staffTable.pick('id', 'name'),
    crew: related('crews'),
    salary: integer({ min: 1, default: 1, visible: leads }),
    grade: text({ nullable: true, visible: { or: [leads, { name: caller('username') }] }, hiddenAs: 'null' }),
    bonus: integer({ default: 0, editable: leads }),
  },
  filters: { name: true },
  validate: ({ given }) => void saved.push(given),
})
const strictWorkers = resource('strict-workers', {
  table: staffTable,
  permissions: [authenticated],
  unknownFields: 'refuse',
  actions: ['retrieve', 'update'],
  fields: { ...staffTable.pick('id', 'name'), salary: integer({ default: 1, visible: leads }) },
})
const secretWorkers = resource('secret-workers', {
  table: staffTable,
  permissions: [authenticated],
  actions: ['update'],
  fields: { ...staffTable.pick('id', 'name'), bonus: writeOnly(integer({ default: 0, editable: leads })) },
})
const crews = resource('crews', {
  table: teamTable,
  permissions: [authenticated],
  pagination: null,
  fields: {
    ...teamTable.pick('id', 'lead'),
    workers: nested({
      of: workers,
      many: { reverse: 'crew_id' },
      fields: ['id', 'name', 'salary', 'grade', 'bonus'],
      writable: true,
    }),
  },
})
const changes: unknown[] = []
const resources = [workers, crews, strictWorkers, secretWorkers] as const

onEachDatabase(
  () => ({
    resources,
    authentication: [userScheme],
    renderers: [jsonRenderer, browsable()],
    secret: 'x'.repeat(32),
    recordChanges: async ({ changes: made }: RecordedWrite) => void changes.push(...made),
  }),
  api => {
    let own = 0
    let other = 0
    const send = async (method: string, path: string, json?: unknown, who: 'ann' | 'bob' = 'ann') => {
      const response = await api().client.request(method, path, { ...asUser(who), json })
      return [response.status, response.text === '' ? null : response.json()] as const
    }
    const stored = async (id: number) => {
      const { salary, grade, bonus } = (await api().rows('workers')).find(row => row.id === id)!
      return { salary, grade, bonus }
    }

    before(async () => {
      const [red, blue] = (await api().insert('crews', [{ lead: 'ann' }, { lead: 'bob' }])) as [number, number]
      ;[own, other] = (await api().insert('workers', [
        { crew_id: red, name: 'w1', salary: 10, grade: 'A', bonus: 1 },
        { crew_id: blue, name: 'w2', salary: 20, grade: 'B', bonus: 2 },
      ])) as [number, number]
    })

    test('a field that only bodies have may depend on the object and the caller', async () => {
      for (const [who, name, bonus] of [
        ['bob', 'w1', 1],
        ['ann', 'w1', 5],
        ['ann', 'w1', 1],
      ] as const) {
        const body = { name, bonus: who === 'bob' ? 9 : bonus }
        assert.equal((await send('PATCH', `/secret-workers/${own}/`, body, who))[0], 200)
        assert.equal((await stored(own)).bonus, bonus)
      }
    })

    test('an object that hides a field lacks it, or shows null', async () => {
      const shown = { id: own, name: 'w1', crew: 1, salary: 10, grade: 'A', bonus: 1 }
      const hidden = { id: other, name: 'w2', crew: 2, grade: null, bonus: 2 }
      assert.deepEqual(await send('GET', '/workers/'), [200, [shown, hidden]])
      assert.deepEqual(await send('GET', `/workers/${other}/`), [200, hidden])
      assert.deepEqual((await send('GET', `/workers/${own}/`, undefined, 'bob'))[1], {
        ...{ id: own, name: 'w1', crew: 1, grade: null, bonus: 1 },
      })
      const [, nestedCrews] = await send('GET', '/crews/')
      assert.deepEqual(nestedCrews[1].workers, [{ id: other, name: 'w2', grade: null, bonus: 2 }])
      const page = await api().client.get(`/workers/${other}/`, {
        headers: { ...asUser('ann').headers, accept: 'text/html' },
      })
      assert.doesNotMatch(page.text, /\b20\b|>B<|name="salary"/)
      assert.match(page.text, /name="bonus"/)
    })

    test('a body changes only what the object lets the caller change', async () => {
      const values = { salary: 99, grade: 'Z', bonus: 99 }
      for (const [method, body] of [
        ['PATCH', values],
        ['PUT', { name: 'w2', crew: 2, ...values }],
        ['PATCH', { ...values, salary: 'many', grade: 7, bonus: 'wrong' }],
      ] as const) {
        const [status, changed] = await send(method, `/workers/${other}/`, body)
        assert.deepEqual([status, changed.bonus, changed.salary], [200, 2, undefined], method)
        assert.deepEqual(await stored(other), { salary: 20, grade: 'B', bonus: 2 })
        assert.deepEqual(Object.keys(saved.at(-1)!), method === 'PUT' ? ['name', 'crew'] : [])
      }
      assert.deepEqual((await send('PATCH', `/strict-workers/${other}/`, { salary: 99 }))[0], 200)
      assert.deepEqual(await send('PATCH', `/workers/${own}/`, { salary: 0 }), [
        400,
        { salary: ['Ensure this value is greater than or equal to 1.'] },
      ])
      const [, mine] = await send('PATCH', `/workers/${own}/`, values)
      assert.deepEqual([mine.salary, mine.grade, mine.bonus], [99, 'Z', 99])
    })

    test('so do many objects, and children', async () => {
      const values = { salary: 30, grade: 'C', bonus: 3 }
      assert.equal(
        (
          await send('PATCH', '/workers/', [
            { id: own, ...values },
            { id: other, ...values },
          ])
        )[0],
        200,
      )
      assert.deepEqual(await stored(own), values)
      assert.deepEqual(await stored(other), { salary: 20, grade: 'B', bonus: 2 })
      const [status] = await send('PATCH', '/crews/2/', { workers: [{ id: other, name: 'w2', ...values }] })
      assert.equal(status, 200)
      assert.deepEqual(await stored(other), { salary: 20, grade: 'B', bonus: 2 })
      const [, changed] = await send('PATCH', '/crews/1/', { workers: [{ id: own, name: 'w1', salary: 31 }] })
      assert.equal(changed.workers[0].salary, 31)
    })

    test('a new object takes the fields, and shows what it may', async () => {
      const body = { name: 'w3', crew: 2, salary: 5, grade: 'D', bonus: 4 }
      const [status, made] = await send('POST', '/workers/', body)
      assert.deepEqual([status, made], [201, { id: made.id, name: 'w3', crew: 2, grade: null, bonus: 4 }])
      assert.deepEqual(await stored(made.id), { salary: 5, grade: 'D', bonus: 4 })
      assert.equal((await send('DELETE', `/workers/${made.id}/`))[0], 204)
    })

    test('the history has no hidden values', async () => {
      changes.length = 0
      await send('PATCH', `/workers/${own}/`, { salary: 77, bonus: 78 })
      assert.match(JSON.stringify(changes), /78/)
      assert.doesNotMatch(JSON.stringify(changes), /77/)
    })

    test('the document and the client know that an object may lack the field', async () => {
      const schemas = findDocument(api().app)!.components!.schemas as Record<string, { required?: string[] }>
      assert.deepEqual(schemas.Worker!.required, ['id', 'name', 'crew', 'grade', 'bonus'])
      const client = createClient<typeof resources>({
        baseUrl: 'http://localhost/',
        fetch: injectFetch(api().client),
        headers: asUser('ann').headers,
      })
      const worker = await client.workers(other).retrieve()
      const salary: number | undefined = worker.salary
      assert.equal(salary, undefined)
      // @ts-expect-error an object may hide it
      const always: number = worker.salary
      assert.equal(always, undefined)
      type Shown = Representation<typeof workers>
      const shown: Shown = { id: 1, name: '', crew: 1, grade: null, bonus: 1 }
      assert.ok(shown)
    })
  },
  { migrations: {}, owners: [schema] as never },
)

suite('wrong declarations are errors', () => {
  const declare = (salary: unknown, more = {}) =>
    resource('workers', { table: staffTable, fields: { ...staffTable.pick('id', 'name'), salary }, ...more } as never)
  const hidden = integer({ visible: leads })
  const hiddenFrom = (editable: typeof leads) => integer({ editable })
  for (const [name, declaring, message] of [
    ['a filter', () => declare(hidden, { filters: { salary: true } }), /field "salary" is hidden in some objects/],
    ['an order', () => declare(hidden, { orderingFields: ['salary'] }), /field "salary" is hidden in some objects/],
    ['a search', () => declare(text({ visible: leads }), { searchFields: ['salary'] }), /is hidden in some objects/],
    ['the declared order', () => declare(hidden, { ordering: ['salary'] }), /salary/],
    ['a unique value', () => declare(text({ visible: leads, unique: 'taken' })), /unique: field "salary"/],
    ['null', () => declare(integer({ visible: leads, hiddenAs: 'null' })), /set nullable: true/],
    [
      'null for some callers',
      () => declare(integer({ visible: () => true, hiddenAs: 'null' })),
      /hiddenAs: it belongs to/,
    ],
    ['null without a condition', () => declare(integer({ hiddenAs: 'null' })), /hiddenAs: it belongs to/],
    ['a read-only field that bodies change', () => declare(readOnly(hiddenFrom(leads))), /editable: no body changes/],
    ['a column', () => declare(integer({ editable: { 'crew.boss': 1 } } as never)), /there is no column "boss"/],
  ] as const)
    test(name, () => assert.throws(declaring, message))
})

test('a unique set of the table with a field that objects hide is left to the database, whose error names no value', () => {
  const paid = table('paid', { columns: { id: key(), name: text(), salary: integer() }, unique: [['name', 'salary']] })
  const declare = (options: Parameters<typeof integer>[0]) =>
    resource('paid', {
      table: paid,
      fields: { ...paid.pick('id', 'name'), salary: integer({ default: 1, ...options }) },
    } as never).uniqueTogether
  assert.deepEqual(declare({}), [['name', 'salary']])
  assert.deepEqual(declare({ visible: { name: caller('username') } }), [])
})
