// Creates of an object with its children. On PostgreSQL, one statement inserts all of them, unless another row may appear in the
// response.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import {
  boolean,
  type Database,
  dateTime,
  decimal,
  integer,
  json,
  key,
  type Migrations,
  nested,
  readOnly,
  related,
  resource,
  rowFilter,
  text,
  uuid,
} from 'resource-api'
import { type LibraryApi, onEachDatabase } from '../support/own-api.ts'

const makers = resource('makers', {
  table: 'makers',
  fields: { id: key(), name: text({ max: 20 }) },
})

const inspectors = resource('inspectors', {
  table: 'inspectors',
  permissions: [rowFilter(({ row }) => sql`${row.name} <> 'hidden'`)],
  fields: { id: key(), name: text({ max: 20 }) },
})

const parts = resource('parts', {
  table: 'parts',
  fields: {
    id: key(),
    machine: related('machines'),
    maker: related(makers, { nullable: true }),
    label: text({ max: 20, unique: 'This label is taken.' }),
    count: integer({ min: 0, max: 9 }),
    isSpare: boolean({ column: 'is_spare', default: false }),
    weight: decimal({ maxDigits: 6, decimalPlaces: 2 }),
    builtAt: dateTime({ column: 'built_at', nullable: true }),
    serial: uuid({ nullable: true }),
    extras: json({ nullable: true }),
  },
})

const shownParts = ['id', 'maker', 'label', 'count', 'isSpare', 'weight', 'builtAt', 'serial', 'extras'] as const

const ownParts = nested({
  of: parts,
  many: { reverse: 'machine_id' },
  fields: shownParts,
  position: 'place',
  writable: true,
})

const machines = resource('machines', {
  table: 'machines',
  fields: {
    id: key(),
    name: text({ max: 20 }),
    maker: related(makers, { nullable: true }),
    isOn: boolean({ column: 'is_on', default: true }),
    price: decimal({ maxDigits: 8, decimalPlaces: 2, nullable: true }),
    total: readOnly(integer()),
    parts: ownParts,
  },
})

// Refers to objects that not every caller sees.
const inspectedParts = resource('inspected-parts', {
  table: 'parts',
  actions: ['list'],
  fields: {
    ...parts.fields,
    inspector: related(inspectors, { nullable: true }),
  },
})

const inspected = resource('inspected', {
  table: 'machines',
  actions: ['create', 'retrieve'],
  fields: {
    id: key(),
    name: text({ max: 20 }),
    parts: nested({
      of: inspectedParts,
      many: { reverse: 'machine_id' },
      fields: [...shownParts, 'inspector'] as readonly string[],
      writable: true,
    }),
  },
})

// Shows other rows of its own table.
const successors = resource('successors', {
  table: 'machines',
  actions: ['create', 'retrieve'],
  fields: {
    id: key(),
    name: text({ max: 20 }),
    replaced: related(machines, { column: 'replaced_id', nullable: true }),
    old: nested({ of: machines, column: 'replaced_id', fields: ['id', 'name', 'parts'] }),
    parts: ownParts,
  },
})

const sums = resource('sums', {
  table: 'part_sums',
  actions: ['list'],
  fields: { id: key(), machine: related('machines'), sum: integer() },
})

// Shows a view of the table of its children.
const summed = resource('summed', {
  table: 'machines',
  actions: ['create', 'retrieve'],
  fields: {
    id: key(),
    name: text({ max: 20 }),
    sum: nested({ of: sums, one: { reverse: 'machine_id' }, fields: ['sum'] }),
    parts: ownParts,
  },
})

const migrations: Migrations = {
  async '0001_machines'({ schema }, { key, text, reference, boolean, decimal, dateTime, uuid, json }) {
    // No foreign key refers to makers, so that only the framework checks that they exist.
    for (const table of ['makers', 'inspectors'])
      await schema
        .createTable(table)
        .addColumn('id', key)
        .addColumn('name', text, column => column.notNull())
        .execute()
    await schema
      .createTable('machines')
      .addColumn('id', key)
      .addColumn('name', text, column => column.notNull())
      .addColumn('maker_id', reference)
      .addColumn('is_on', boolean)
      .addColumn('price', decimal(8, 2))
      .addColumn('total', 'integer', column => column.notNull().defaultTo(0))
      .addColumn('replaced_id', reference, column => column.references('machines.id'))
      .execute()
    await schema
      .createTable('parts')
      .addColumn('id', key)
      .addColumn('machine_id', reference, column => column.notNull().references('machines.id').onDelete('cascade'))
      .addColumn('maker_id', reference)
      .addColumn('inspector_id', reference, column => column.references('inspectors.id'))
      .addColumn('place', 'integer')
      .addColumn('label', text, column => column.notNull().unique())
      .addColumn('count', 'integer', column => column.notNull())
      .addColumn('is_spare', boolean, column => column.notNull())
      .addColumn('weight', decimal(6, 2), column => column.notNull())
      .addColumn('built_at', dateTime)
      .addColumn('serial', uuid)
      .addColumn('extras', json)
      .execute()
    await schema
      .createView('part_sums')
      .as(sql`select machine_id as id, machine_id, sum(count) as sum from parts group by machine_id`)
      .execute()
  },
}

const statements: string[] = []
const options = (database: Database) => ({
  authentication: [],
  resources: [machines, parts, successors, sums, summed, makers, inspectors, inspectedParts, inspected],
  database,
})

onEachDatabase(options, define, { migrations, observe: statement => statements.push(statement) })

function define(api: () => LibraryApi): void {
  let made = 0
  const createPart = (values: object = {}) => ({ label: `part ${++made}`, count: 1, weight: '1.50', ...values })
  const create = async (path: string, body: object) => {
    statements.length = 0
    const response = await api().client.post(path, { json: body })
    const inserts = statements.filter(statement => /insert into "(?:machines|parts)"/.test(statement)).length
    return { response, inserts, expected: api().database.dialect.name === 'postgres' ? 1 : 2 }
  }
  const checkShown = async (path: string, { status, text, json }: Awaited<ReturnType<typeof create>>['response']) => {
    assert.equal(status, 201, text)
    const found = await api().client.get(`${path}${json().id}/`)
    assert.equal(found.text, text)
    return json()
  }

  test('every type of column is stored and shown as a GET shows it, in the order of the body', async () => {
    const serial = '0f0e0d0c-0b0a-4908-8706-050403020100'
    const extras = { deep: [1, 'two', null, 3.5] }
    const { response, inserts, expected } = await create('/machines/', {
      name: 'press',
      isOn: false,
      price: '12.30',
      parts: [
        createPart({ isSpare: true, builtAt: '2026-01-02T03:04:05Z', serial, extras }),
        createPart({ label: 'a "quoted" \\ one', extras: 'text' }),
        createPart({ count: 9 }),
      ],
    })
    const machine = await checkShown('/machines/', response)
    assert.deepEqual(
      machine.parts.map(({ id: _, maker, ...part }: Record<string, unknown>) => part),
      [
        {
          label: `part ${made - 2}`,
          count: 1,
          isSpare: true,
          weight: '1.50',
          builtAt: '2026-01-02T03:04:05.000000Z',
          serial,
          extras,
        },
        {
          label: 'a "quoted" \\ one',
          count: 1,
          isSpare: false,
          weight: '1.50',
          builtAt: null,
          serial: null,
          extras: 'text',
        },
        { label: `part ${made}`, count: 9, isSpare: false, weight: '1.50', builtAt: null, serial: null, extras: null },
      ],
    )
    assert.equal(inserts, expected)
  })

  test('a violation has its place, and nothing is written', async () => {
    const label = 'the same'
    const body = { name: 'saw', parts: [createPart({ label }), createPart()] }
    const before = await create('/machines/', body)
    assert.equal(before.response.status, 201)
    const racing = [createPart({ label: 'raced' }), createPart()]
    const responses = await Promise.all([1, 2].map(() => create('/machines/', { name: 'saw', parts: racing })))
    assert.deepEqual(responses.map(({ response }) => response.status).toSorted(), [201, 400])
    const refused = responses.find(({ response }) => response.status === 400)!.response
    assert.deepEqual(refused.json().parts[0], { label: ['This label is taken.'] })
    const { count } = await api()
      .database.kysely.selectFrom('machines')
      .select(({ fn }) => fn.countAll().as('count'))
      .where('name', '=', 'saw')
      .executeTakeFirstOrThrow()
    assert.equal(Number(count), 2)
  })

  test('other objects of the same tables appear in the response', async () => {
    const first = await create('/machines/', { name: 'old', parts: [createPart(), createPart()] })
    const old = await checkShown('/machines/', first.response)
    const second = await create('/successors/', { name: 'new', replaced: old.id, parts: [createPart(), createPart()] })
    const successor = await checkShown('/successors/', second.response)
    assert.deepEqual(successor.old, { id: old.id, name: 'old', parts: old.parts })
  })

  test('a view of the same tables has the new rows', async () => {
    const { response } = await create('/summed/', {
      name: 'sum',
      parts: [createPart({ count: 2 }), createPart({ count: 3 })],
    })
    assert.deepEqual((await checkShown('/summed/', response)).sum, { sum: 5 })
  })

  test('related objects must exist, and be visible to the caller', async () => {
    const { client, database } = api()
    const createMaker = async (name: string) => (await client.post('/makers/', { json: { name } })).json().id as number
    const [first, second] = [await createMaker('first'), await createMaker('second')]
    const unknown = second + 1000
    const missing = { maker: [`Invalid pk "${unknown}" - object does not exist.`] }
    const createOne = async (name: string, maker: number | null, makersOfParts: readonly (number | null)[]) =>
      create('/machines/', { name, maker, parts: makersOfParts.map(own => createPart({ maker: own })) })

    const valid = await createOne('lathe', first, [first, second, null, first])
    const machine = await checkShown('/machines/', valid.response)
    assert.equal(machine.maker, first)
    assert.deepEqual(
      machine.parts.map((part: { maker: number | null }) => part.maker),
      [first, second, null, first],
    )
    for (const [response, errors] of [
      [(await createOne('bad 1', unknown, [first, second])).response, missing],
      [(await createOne('bad 2', first, [first, unknown, second])).response, { parts: [{}, missing, {}] }],
      [(await createOne('bad 3', unknown, [unknown, second])).response, { ...missing, parts: [missing, {}] }],
      [(await createOne('bad 4', unknown, [])).response, missing],
      [
        (await create('/machines/', { maker: unknown, parts: [createPart({ maker: unknown, count: 10 })] })).response,
        {
          name: ['This field is required.'],
          ...missing,
          parts: [{ ...missing, count: ['Ensure this value is less than or equal to 9.'] }],
        },
      ],
    ] as const) {
      assert.equal(response.status, 400)
      assert.deepEqual(response.json(), errors)
    }
    // A refused body has no effect on those after it.
    const again = await createOne('planer', second, [second, first])
    assert.equal(again.inserts, again.expected)
    assert.equal(statements.filter(statement => /from "makers"/.test(statement)).length, 2)

    const inspector = (await client.post('/inspectors/', { json: { name: 'Ada' } })).json().id
    const inspect = (name: string, key: number) =>
      create('/inspected/', { name, parts: [createPart({ inspector: key, maker: first }), createPart()] })
    assert.equal((await inspect('seen', inspector)).response.status, 201)
    await database.transaction(({ kysely }) => kysely.updateTable('inspectors').set({ name: 'hidden' }).execute())
    const { response } = await inspect('bad 5', inspector)
    assert.equal(response.status, 400)
    assert.deepEqual(response.json(), {
      parts: [{ inspector: [`Invalid pk "${inspector}" - object does not exist.`] }, {}],
    })
    const names = await database.kysely.selectFrom('machines').select('name').execute()
    assert.deepEqual(
      names.filter(({ name }) => String(name).startsWith('bad')),
      [],
    )
  })

  test('what triggers change appears in the response', async () => {
    const { kysely, dialect } = api().database
    const isOnPostgres = dialect.name === 'postgres'
    const update = 'update machines set total = total + new.count where id = new.machine_id'
    await api().database.transaction(async ({ kysely }) => {
      if (isOnPostgres) {
        const body = sql.lit(`begin ${update}; return new; end`)
        await sql`create function add_count() returns trigger language plpgsql as ${body}`.execute(kysely)
        await sql`create trigger add_count after insert on parts for each row execute function add_count()`.execute(
          kysely,
        )
      } else await sql.raw(`create trigger add_count after insert on parts begin ${update}; end`).execute(kysely)
    })
    const parts = [createPart({ count: 3 }), createPart({ count: 4 })]
    const { response } = await create('/machines/', { name: 'mill', parts })
    assert.equal((await checkShown('/machines/', response)).total, 7)
    assert.equal((await kysely.selectFrom('machines').select('id').where('name', '=', 'mill').execute()).length, 1)
  })
}
