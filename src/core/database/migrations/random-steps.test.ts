// Random steps that only expand the tables, on both databases: a program from before them reads and writes as it did.

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
  applyToModel,
  type Choices,
  createChange,
  createChoices,
  createFrom,
  createModel,
  formatInsert,
  type Model,
} from '../../../../test/support/random-changes.ts'
import { quote } from '../catalogue.ts'
import type { Database } from '../database.ts'
import type { Change } from '../schema/change.ts'
import { listBreaks } from '../schema/list-breaks.ts'
import type { TableState } from '../schema/schema-state.ts'
import { step } from './declared-step.ts'
import { type Migrations, migrate } from './migrate.ts'

const entropy = fc.array(fc.nat(10_000), { minLength: 150, maxLength: 400 })

const apply = (database: Database, steps: Migrations) => migrate(database, [{ owner: 'random', steps }])

/** Changes beside which a program from before them still works. */
function createExpansion(choices: Choices, model: Model): readonly Change[] {
  const changes: Change[] = []
  let last = model
  for (let count = 12; count > 0; count--) {
    const change = createChange(choices, last)
    if (change === undefined || listBreaks(model.state, [...changes, change]).length > 0) continue
    changes.push(change)
    last = applyToModel(last, change)
  }
  return changes
}

/** Statements as a program writes them that knows only these tables: it names the columns that it uses. */
function listRequests({ state, rows }: Model, choices: Choices): readonly string[] {
  return Object.entries(state.tables).flatMap(([name, table]) => {
    const [row] = rows[name] ?? []
    if (row === undefined) return [formatSelect(name, table)]
    const isJoin = table.key.length > 1
    // A column with a default may be omitted.
    const entries = Object.entries(row).filter(
      ([column]) => table.columns[column]!.default === undefined || choices.once(2),
    )
    const insert = formatInsert(name, Object.fromEntries(isJoin ? entries : [...entries, ['id', 99]]))
    const keys = table.key.map(column => `${quote(column)} = ${row[column]}`).join(' and ')
    const assignments = entries
      .filter(([column]) => !table.key.includes(column))
      .map(([column]) => `${quote(column)} = ${table.columns[column]!.nullable ? 'null' : quote(column)}`)
    const update = `update ${quote(name)} set ${assignments.join()} where ${keys}`
    const remove = `delete from ${quote(name)} where ${keys}`
    return [...(isJoin ? [] : [insert]), ...(assignments.length > 0 ? [update] : []), remove, formatSelect(name, table)]
  })
}

function formatSelect(name: string, { columns, key }: TableState): string {
  const selected = Object.keys(columns).map(column => `cast(${quote(column)} as text) as ${quote(column)}`)
  return `select ${selected.join()} from ${quote(name)} order by ${key.map(quote).join()}`
}

/** Runs each statement in a transaction of its own; returns the rows, or the kind of the error. */
async function answer(database: Database, requests: readonly string[]): Promise<readonly unknown[]> {
  const answers: unknown[] = []
  for (const text of requests)
    answers.push(
      await database
        .transaction(async ({ kysely }) => (await sql.raw<object>(text).execute(kysely)).rows)
        .catch((error: Error) => error.name),
    )
  return answers
}

async function fill(database: Database, { state, rows }: Model): Promise<void> {
  await apply(database, { '0001': step({ change: createFrom(state) }) })
  await database.transaction(async ({ kysely }) => {
    for (const [table, all] of Object.entries(rows))
      for (const row of all) await sql.raw(formatInsert(table, row)).execute(kysely)
  })
}

for (const name of databaseNames)
  suite(`random steps, ${name}`, () => {
    let databases: EmptiedDatabases
    before(async () => {
      databases = await openEmptied(name)
    })
    after(() => databases.close())

    test('a program from before steps that only expand the tables gets the same answers', async () => {
      await fc.assert(
        fc.asyncProperty(entropy, async numbers => {
          const choices = createChoices(numbers)
          const model = createModel(choices)
          const [first, expanded] = await databases.empty()
          for (const database of [first, expanded]) await fill(database, model)
          const changes = createExpansion(choices, model)
          await apply(expanded, {
            '0001': step({ change: createFrom(model.state) }),
            '0002': step({ change: changes }),
          })
          const requests = listRequests(model, choices)
          assert.deepEqual(await answer(expanded, requests), await answer(first, requests), JSON.stringify(changes))
        }),
        createRuns(15),
      )
    })
  })
