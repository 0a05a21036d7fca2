// Values that hooks return are checked before they are written: both databases refuse a wrong type in the same way, as a
// mistake of the service.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import {
  boolean,
  choice,
  date,
  dateTime,
  decimal,
  duration,
  integer,
  json,
  key,
  list,
  type Migrations,
  number,
  readOnly,
  related,
  resource,
  text,
  time,
  uuid,
} from 'resource-api'
import type { Field } from 'resource-api/extend'
import { onEachDatabase } from '../support/own-api.ts'
import { randomCases } from '../support/repetitions.ts'

const migrations: Migrations = {
  async '0001_notes'({ schema }, types) {
    await schema
      .createTable('teams')
      .addColumn('id', types.key)
      .addColumn('name', types.text, column => column.notNull())
      .execute()
    await schema
      .createTable('notes')
      .addColumn('id', types.key)
      .addColumn('title', types.text, column => column.notNull())
      .addColumn('owner_id', types.reference)
      .addColumn('team_id', types.reference, column => column.references('teams.id'))
      .addColumn('word', types.text)
      .addColumn('kind', types.text)
      .addColumn('is_open', types.boolean)
      .addColumn('day', types.date)
      .addColumn('clock', types.time)
      .addColumn('created', types.dateTime)
      .addColumn('price', types.decimal(9, 2))
      .addColumn('share', types.number)
      .addColumn('lasts', types.duration)
      .addColumn('token', types.uuid)
      .addColumn('data', types.json)
      .addColumn('words', types.json)
      .addColumn('small', sql`smallint`)
      .addColumn('code', sql`varchar(5)`)
      .execute()
  },
}

const teams = resource('teams', { table: 'teams', fields: { id: key(), name: text() } })

/** For each column, its field, values that it takes, and values of wrong types. Every column takes null. */
const columns: Readonly<Record<string, { field: Field; takes: readonly unknown[]; refuses: readonly unknown[] }>> = {
  owner_id: {
    field: integer({ nullable: true }),
    takes: [5, -1, '7'],
    refuses: ['ann', 1.5, '', '1e3', Number.NaN, 2 ** 70],
  },
  team_id: {
    field: related(teams, { column: 'team_id', nullable: true }),
    takes: [1],
    refuses: ['ann', true, 'Team 1'],
  },
  word: { field: text({ nullable: true }), takes: ['', 'ann', 'ä🙂'], refuses: [5, true, 'a\0b', 'a\ud800'] },
  kind: { field: choice(['a', 'b'], { nullable: true }), takes: ['a'], refuses: [5, false, 'c'] },
  is_open: { field: boolean({ nullable: true }), takes: [true, false, 1, 0], refuses: ['yes', 5, 'true'] },
  day: {
    field: date({ nullable: true }),
    takes: ['2026-01-31'],
    refuses: [5, 'soon', '2026-02-30', '2026-13-01', true],
  },
  clock: { field: time({ nullable: true }), takes: ['12:00:00', '23:59:59.5'], refuses: [12, 'noon', '25:00:00'] },
  created: {
    field: dateTime({ nullable: true }),
    takes: ['2026-01-31T12:00:00.000000Z', '2026-01-31 12:00:00+00', '2026-01-31T12:00:00.123+02:00'],
    refuses: [5, 'now', 'ann', '', '2026-01-31T25:00:00Z', '2026-02-30T12:00:00Z'],
  },
  price: {
    field: decimal({ maxDigits: 9, decimalPlaces: 2, nullable: true }),
    takes: ['12.50', 12.5, 3],
    refuses: ['much', '', true],
  },
  share: {
    field: number({ nullable: true }),
    takes: [0.5, 3, '0.25'],
    refuses: ['half', true, Number.POSITIVE_INFINITY],
  },
  lasts: { field: duration({ nullable: true }), takes: [3_600_000_000], refuses: ['01:00:00', 1.5] },
  token: {
    field: uuid({ nullable: true }),
    takes: ['018f3e3e-0000-7000-8000-000000000001'],
    refuses: ['ann', 5, '018f3e3e-0000-7000-8000'],
  },
  data: { field: json({ nullable: true }), takes: ['{"a":[1]}', '"a"', '5'], refuses: ['{', 'ann', 5, true] },
  words: { field: list({ of: text(), nullable: true }), takes: ['["a"]'], refuses: ['a', true] },
}
const names = Object.keys(columns)

/** How SQLite stores the values of columns. */
const storageClasses: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(['owner_id', 'is_open', 'small', 'lasts'].map(name => [name, ['integer']])),
  ...Object.fromEntries(['price', 'share'].map(name => [name, ['integer', 'real']])),
  ...Object.fromEntries(
    ['word', 'kind', 'day', 'clock', 'created', 'token', 'data', 'words', 'code'].map(name => [name, ['text']]),
  ),
}

const values = fc.oneof(
  fc.constantFrom(...Object.values(columns).flatMap(({ takes, refuses }) => [...takes, ...refuses])),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.double(),
  fc.boolean(),
  fc.uuid(),
  fc.date({ noInvalidDate: true }).map(date => date.toISOString()),
  fc.stringMatching(/^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?)?$/),
  fc.stringMatching(/^[-+]?\d{1,25}(\.\d{1,5})?$/),
  fc.json({ maxDepth: 1 }),
)

/** What the hook of the next write returns. */
let returned: object = {}

const declare = (name: string, hook: 'prepare' | 'beforeSave', fields: Readonly<Record<string, Field>>) =>
  resource(name, {
    table: 'notes',
    bulk: 'atomic',
    fields: { id: key(), title: text(), ...fields },
    hookColumns: [...names, 'small', 'code'],
    [hook]: () => returned,
  })

const shownFields = Object.fromEntries(names.map(name => [name, readOnly(columns[name]!.field)]))
const lines: string[] = []

const options = (showCauses: boolean) => () => ({
  resources: [
    declare('shown', 'prepare', shownFields),
    declare('shown-late', 'beforeSave', shownFields),
    declare('hidden', 'prepare', {}),
    declare('hidden-late', 'beforeSave', {}),
    teams,
  ],
  showCauses,
  checkResponses: false,
})

onEachDatabase(
  options(true),
  api => {
    beforeEach(async () => {
      lines.length = 0
      returned = {}
      await api().database.transaction(async ({ kysely }) => {
        await kysely.deleteFrom('notes').execute()
        await kysely.deleteFrom('teams').execute()
        await kysely.insertInto('teams').values({ id: 1, name: 'Team 1' }).execute()
      })
    })

    const readLogged = () => lines.map(line => JSON.parse(line).err?.message).filter(Boolean)

    async function expectMistake(
      response: { status: number; json(): { cause?: { message: string } } },
      reason: RegExp,
    ) {
      assert.equal(response.status, 500)
      assert.match(response.json().cause!.message, reason)
      assert.deepEqual(readLogged().length, 1)
      assert.match(readLogged()[0]!, reason)
      lines.length = 0
    }

    for (const [hook, name] of [
      ['prepare', 'shown'],
      ['beforeSave', 'shown-late'],
    ] as const)
      test(`ERR-EXC-r11: ${hook} that returns a wrong type for the column of a field is a 500, and nothing is stored`, async () => {
        const { client } = api()
        const created = await client.post(`/${name}/`, { json: { title: 'A' } })
        assert.equal(created.status, 201)
        const before = await api().rows('notes')
        for (const [column, { refuses }] of Object.entries(columns))
          for (const value of refuses) {
            returned = { [column]: value }
            const reason = new RegExp(
              `^resource "${name}": ${hook} returned a ${typeof value} for the column "${column}": return (?:an?|one|true|the) `,
            )
            const requests = [
              ['POST', `/${name}/`, { title: 'B' }],
              ['PATCH', `/${name}/${created.json().id}/`, { title: 'B' }],
              ['POST', `/${name}/`, [{ title: 'B' }, { title: 'C' }]],
            ] as const
            for (const [method, path, body] of requests)
              await expectMistake(await client.request(method, path, { json: body }), reason)
          }
        assert.deepEqual(await api().rows('notes'), before)
      })

    test('values of the right type are stored, also null', async () => {
      const { client } = api()
      for (const [column, { takes }] of Object.entries(columns))
        for (const value of [...takes, null])
          for (const name of ['shown', 'hidden-late']) {
            returned = { [column]: value }
            const response = await client.post(`/${name}/`, { json: { title: 'A' } })
            assert.equal(response.status, 201, `${column} ${JSON.stringify(value)}: ${response.text}`)
          }
      assert.deepEqual(readLogged(), [])
      assert.equal((await client.get('/shown/')).status, 200)
    })

    test('a column without a field takes the values of its type in the database', async () => {
      const { client, database } = api()
      const isSqlite = database.dialect.name === 'sqlite'
      // SQLite stores booleans as integers, and dates, times, UUIDs and JSON as texts.
      const refusals: readonly (readonly [column: string, value: unknown])[] = [
        ['owner_id', 'ann'],
        ['owner_id', 1.5],
        ['team_id', 'ann'],
        ['word', 5],
        ['word', true],
        ['word', 'a\0b'],
        ['created', 5],
        ['day', true],
        ['data', 5],
        ['token', 5],
        ['price', 'much'],
        ['share', 'half'],
        ['is_open', 'yes'],
        ...(isSqlite
          ? []
          : ([
              ['created', 'soon'],
              ['day', '2026-02-30'],
              ['is_open', 5],
              ['data', '{'],
              ['token', 'ann'],
              ['small', 40_000],
              ['small', '40000'],
              ['code', 'longer'],
              ['price', '12345678.00'],
            ] as const)),
      ]
      for (const [column, value] of refusals) {
        returned = { [column]: value }
        const response = await client.post('/hidden/', { json: { title: 'A' } })
        await expectMistake(response, new RegExp(`prepare returned a ${typeof value} for the column "${column}"`))
      }
      assert.deepEqual(await api().rows('notes'), [])
      for (const [column, value] of [
        ['small', 5],
        ['code', '🙂🙂🙂🙂🙂'],
        ['code', 'abcde  '],
      ] as const) {
        returned = { [column]: value }
        assert.equal((await client.post('/hidden/', { json: { title: 'A' } })).status, 201, column)
      }
    })

    test('whatever a hook returns is stored in the type of its column, or refused as a mistake of the hook', async () => {
      const { client, database } = api()
      const isSqlite = database.dialect.name === 'sqlite'
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...names, 'small', 'code'),
          fc.boolean(),
          values,
          async (name, isShown, value) => {
            if (name === 'team_id') return
            lines.length = 0
            returned = { [name]: value }
            const response = await client.post(isShown ? '/shown/' : '/hidden/', { json: { title: 'A' } })
            if (response.status !== 201) {
              await expectMistake(response, new RegExp(`: prepare returned an? .* for the column "${name}": return `))
              return
            }
            const stored = isSqlite ? storageClasses[name] : undefined
            if (stored === undefined) return
            const query = sql<{
              type: string
            }>`select typeof(${sql.ref(name)}) as type from notes order by id desc limit 1`
            const { rows } = await query.execute(database.kysely)
            assert.ok(stored.includes(rows[0]!.type), `${name}: ${JSON.stringify(value)} is stored as ${rows[0]!.type}`)
          },
        ),
        { numRuns: randomCases(150) },
      )
    })

    test('values that no column takes are refused too', async () => {
      for (const [value, type] of [
        [new Date(), 'an object'],
        [{ a: 1 }, 'an object'],
        [['a'], 'a list'],
        [Promise.resolve('a'), 'a promise'],
      ] as const) {
        returned = { word: value }
        const response = await api().client.post('/shown/', { json: { title: 'A' } })
        await expectMistake(response, new RegExp(`prepare returned ${type} for the column "word": return a text$`))
      }
      assert.deepEqual(await api().rows('notes'), [])
    })
  },
  { migrations, log: line => lines.push(line), checkDocument: false },
)

onEachDatabase(
  options(false),
  api => {
    test('without "showCauses", the response does not tell the cause', async () => {
      returned = { owner_id: 'ann' }
      const response = await api().client.post('/shown/', { json: { title: 'A' } })
      assert.deepEqual([response.status, response.json()], [500, { detail: 'A server error occurred.' }])
    })
  },
  { migrations },
)
