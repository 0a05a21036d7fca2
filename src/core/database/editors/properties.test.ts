// Random tables with random rows are changed by random steps, on both databases: the tables become what one step instead of all makes
// in a new database, no value is lost, and a process that is stopped anywhere can go on.

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import {
  createRuns,
  databaseNames,
  type EmptiedDatabases,
  openEmptied,
} from '../../../../test/support/emptied-databases.ts'
import {
  type Choices,
  createChanges,
  createChoices,
  createFrom,
  createModel,
  formatInsert,
  type Model,
  type Value,
} from '../../../../test/support/random-changes.ts'
import { quote } from '../catalogue.ts'
import type { Database, SchemaSession } from '../database.ts'
import { step } from '../migrations/declared-step.ts'
import { type Migrations, migrate } from '../migrations/migrate.ts'
import { replaySteps } from '../migrations/replay-steps.ts'
import type { Change } from '../schema/change.ts'
import { findChanges } from '../schema/find-changes.ts'
import { type ColumnType, emptyState, type SchemaState, type TableState } from '../schema/schema-state.ts'
import type { ExistingState } from './schema-editor.ts'

const execute = (database: Database, ...texts: readonly string[]) =>
  database.changeSchema(session =>
    session.transaction(async ({ kysely }) => {
      for (const text of texts) await sql.raw(text).execute(kysely)
    }),
  )

const apply = (database: Database, steps: Migrations) => migrate(database, [{ owner: 'random', steps }])

interface Steps {
  /** Creates the tables of the model. */
  readonly first: Migrations
  /** The first step, and those that change the tables. */
  readonly all: Migrations
  /** One step instead of them. */
  readonly squashed: Migrations
}

function createSteps(choices: Choices, model: Model, changes: readonly Change[]): Steps {
  const place = choices.pick(changes.length + 1)
  const lists = [createFrom(model.state), changes.slice(0, place), changes.slice(place)].filter(list => list.length > 0)
  const all = Object.fromEntries(lists.map((change, index) => [`000${index + 1}_x`, step({ change })]))
  const { changes: change } = findChanges(emptyState, replaySteps(all))
  const squashed = { '0001_to_0009': step({ replaces: Object.keys(all), change }) }
  return { first: { '0001_x': all['0001_x']! }, all, squashed }
}

/** Creates the tables and rows of a model. */
async function fill(database: Database, { rows }: Model, { first }: Steps): Promise<void> {
  await apply(database, first)
  const inserts = Object.entries(rows).flatMap(([table, all]) => all.map(row => formatInsert(table, row)))
  await execute(database, ...inserts)
}

async function readTables({ kysely, dialect }: Database): Promise<Pick<ExistingState, 'tables' | 'notes'>> {
  const { tables, notes } = await dialect.schema.readState(kysely)
  const { resource_api_migrations: _, ...own } = tables
  return { tables: own, notes }
}

/** The tables as the catalogue has them, with the order of the columns. */
const listTables = ({ tables, notes }: Pick<ExistingState, 'tables' | 'notes'>): unknown =>
  Object.entries(tables).map(([name, table]) => [name, Object.entries(table.columns), table, notes[name]])

async function readRows({ kysely }: Database, { state }: Model): Promise<unknown> {
  const found: Record<string, unknown> = {}
  for (const [name, { columns, key }] of Object.entries(state.tables)) {
    const own = Object.keys(columns).filter(column => columns[column]!.generated === undefined)
    const selected = own.map(column => `cast(${quote(column)} as text) as ${quote(column)}`)
    const { rows } = await sql
      .raw<Record<string, string>>(`select ${selected.join()} from ${quote(name)} order by ${key.map(quote).join()}`)
      .execute(kysely)
    found[name] = rows.map(row => own.map(column => [column, toValue(row[column]!, columns[column]!.type)]))
  }
  return found
}

function toValue(text: string | null, type: ColumnType): Value {
  if (text === null) return null
  if (type === 'boolean') return text === 'true' || text === '1'
  return ['text', 'date', 'dateTime'].includes(type as string) ? toTime(text, type) : Number(text)
}

const toTime = (text: string, type: ColumnType): string => (type === 'dateTime' ? new Date(text).toISOString() : text)

function expectRows({ state, rows }: Model): unknown {
  return Object.fromEntries(
    Object.entries(state.tables).map(([name, { columns, key }]) => {
      const own = Object.keys(columns).filter(column => columns[column]!.generated === undefined)
      const sorted = (rows[name] ?? []).toSorted((one, other) => compareKeys(one, other, key))
      return [
        name,
        sorted.map(row =>
          own.map(column => {
            const value = row[column]!
            return [column, typeof value === 'string' ? toTime(value, columns[column]!.type) : value]
          }),
        ),
      ]
    }),
  )
}

const compareKeys = (one: Readonly<Record<string, Value>>, other: typeof one, key: readonly string[]): number => {
  for (const column of key) if (one[column] !== other[column]) return Number(one[column]) - Number(other[column])
  return 0
}

/** A database whose session throws before one of the statements. */
function stopAt(database: Database, number: number): Database {
  let count = 0
  const check = () => {
    if (++count === number) throw new Error('stopped')
  }
  const plugin = {
    transformQuery: <Node>({ node }: { readonly node: Node }): Node => {
      check()
      return node
    },
    transformResult: async <Result>({ result }: { readonly result: Result }): Promise<Result> => result,
  }
  const wrap = (session: SchemaSession): SchemaSession => ({
    transaction: work =>
      session.transaction((connection, runStep) =>
        work({ ...connection, kysely: connection.kysely.withPlugin(plugin as never) }, runStep),
      ),
    async execute(text) {
      check()
      await session.execute(text)
    },
  })
  return {
    ...database,
    kysely: database.kysely,
    changeSchema: (work, options) => database.changeSchema(session => work(wrap(session)), options),
  }
}

const withoutSql = (table: TableState): unknown => ({
  ...table,
  columns: Object.fromEntries(
    Object.entries(table.columns).map(([name, { generated, ...column }]) => [
      name,
      { ...column, isGenerated: generated !== undefined },
    ]),
  ),
  indexes: Object.fromEntries(
    Object.entries(table.indexes).map(([name, { where, ...index }]) => [
      name,
      { ...index, isPartial: where !== undefined },
    ]),
  ),
  checks: Object.keys(table.checks).toSorted(),
})

function expectState({ dialect }: Database, tables: SchemaState['tables'], state: SchemaState): void {
  for (const [name, table] of Object.entries(state.tables))
    assert.deepEqual(withoutSql(tables[name]!), withoutSql(dialect.schema.normalize(table)), name)
}

const describe = (model: Model, changes: readonly Change[]): string =>
  `\nmodel: ${JSON.stringify(model)}\nchanges: ${JSON.stringify(changes)}`

const entropy = fc.array(fc.nat(10_000), { minLength: 150, maxLength: 400 })

for (const name of databaseNames)
  suite(`random changes, ${name}`, () => {
    let databases: EmptiedDatabases
    before(async () => {
      databases = await openEmptied(name)
    })
    after(() => databases.close())

    const prepare = async (choices: Choices) => {
      const model = createModel(choices)
      const { changes, after: expected } = createChanges(choices, model)
      const steps = createSteps(choices, model, changes)
      const [changed, fresh] = await databases.empty()
      await fill(changed, model, steps)
      return { model, changes, steps, expected, changed, fresh }
    }

    type Prepared = Awaited<ReturnType<typeof prepare>>

    /** Applies the steps to the database with rows. Its session throws before the statement with this number, if there are as many. */
    const applyStopped = async ({ changed, steps }: Prepared, number: number) => {
      await apply(stopAt(changed, number), steps.all).catch(error => {
        if (!/stopped/.test(error.message)) throw error
      })
      await apply(changed, steps.all)
    }

    const check = async ({ model, changes, steps, expected, changed, fresh }: Prepared) => {
      await apply(fresh, steps.squashed)
      const text = describe(model, changes)
      const found = await readTables(changed)
      assert.deepEqual(listTables(found), listTables(await readTables(fresh)), text)
      assert.deepEqual(await readRows(changed, expected), expectRows(expected), text)
      expectState(changed, found.tables, expected.state)
      assert.deepEqual(await apply(changed, steps.squashed), [], text)
    }

    test('lead to the tables that one step makes in a new database, and keep each value, also if they are stopped before any statement', async () => {
      await fc.assert(
        fc.asyncProperty(entropy, fc.integer({ min: 1, max: 60 }), async (numbers, number) => {
          const prepared = await prepare(createChoices(numbers))
          await applyStopped(prepared, number).catch(error => {
            throw new Error(`${error.message}${describe(prepared.model, prepared.changes)}`, { cause: error })
          })
          await check(prepared)
        }),
        createRuns(40),
      )
    })
  })
