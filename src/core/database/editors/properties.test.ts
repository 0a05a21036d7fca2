// Random tables with random rows are changed in random ways, on both databases: the tables become what new ones would be, no value is
// lost, and a process that is stopped anywhere can go on.

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
import { migrate } from '../migrations/migrate.ts'
import type { Change } from '../schema/change.ts'
import type { ColumnType, SchemaState, TableState } from '../schema/schema-state.ts'
import type { ExistingState } from './schema-editor.ts'

const execute = (database: Database, ...texts: readonly string[]) =>
  database.changeSchema(session =>
    session.transaction(async ({ kysely }) => {
      for (const text of texts) await sql.raw(text).execute(kysely)
    }),
  )

/** Runs changes without the history of migrations. */
const change = ({ dialect, changeSchema }: Database, changes: readonly Change[]) =>
  changeSchema(session =>
    session.transaction(({ kysely }, runStep) => runStep(() => dialect.schema.run(kysely, changes, { alone: true }))),
  )

/** Creates the tables and rows of a model. */
async function fill(database: Database, { state, rows }: Model): Promise<void> {
  await change(database, createFrom(state))
  const inserts = Object.entries(rows).flatMap(([table, all]) => all.map(row => formatInsert(table, row)))
  await execute(database, ...inserts)
}

const migrateTo = (database: Database, changes: readonly Change[]) =>
  migrate(database, [{ owner: 'random', steps: { '0001': step({ change: changes }) } }])

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
      const [changed, fresh] = await databases.empty()
      await fill(changed, model)
      return { model, changes, expected, changed, fresh }
    }

    type Prepared = Awaited<ReturnType<typeof prepare>>

    const check = async ({ model, changes, expected, changed, fresh }: Prepared) => {
      await change(fresh, createFrom(expected.state))
      const text = describe(model, changes)
      const found = await readTables(changed)
      assert.deepEqual(listTables(found), listTables(await readTables(fresh)), text)
      assert.deepEqual(await readRows(changed, expected), expectRows(expected), text)
      expectState(changed, found.tables, expected.state)
    }

    test('lead to the tables that a new database has, and keep each value of each table', async () => {
      await fc.assert(
        fc.asyncProperty(entropy, async numbers => {
          const prepared = await prepare(createChoices(numbers))
          const { model, changes, changed } = prepared
          await migrateTo(changed, changes).catch(error => {
            throw new Error(`${error.message}${describe(model, changes)}`, { cause: error })
          })
          await check(prepared)
        }),
        createRuns(name, 25),
      )
    })

    test('that are stopped before any statement end in the same tables and values when they run again', async () => {
      await fc.assert(
        fc.asyncProperty(entropy, fc.integer({ min: 1, max: 60 }), async (numbers, number) => {
          const prepared = await prepare(createChoices(numbers))
          const { changes, changed } = prepared
          await migrateTo(stopAt(changed, number), changes).catch(error => {
            if (!/stopped/.test(error.message)) throw error
          })
          await migrateTo(changed, changes)
          await check(prepared)
        }),
        createRuns(name, 25),
      )
    })
  })
