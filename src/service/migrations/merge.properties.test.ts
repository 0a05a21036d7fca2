// Random branches that `merge` joins, on both databases: whichever of them a database has applied first, the tables and rows are the
// same.

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import { step } from 'resource-api/migrations'
import { type Change, type Database, type Migrations, migrate } from '#core'
import {
  createRuns,
  databaseNames,
  type EmptiedDatabases,
  openEmptied,
} from '../../../test/support/emptied-databases.ts'
import {
  applyToModel,
  type Choices,
  createChange,
  createChoices,
  createFrom,
  createModel,
  formatInsert,
  type Model,
} from '../../../test/support/random-changes.ts'
import { findConflict } from './merge.ts'

const entropy = fc.array(fc.nat(10_000), { minLength: 150, maxLength: 400 })

/** Changes that can be joined with those of another branch. */
function createBranch(choices: Choices, model: Model, other: readonly Change[], tries: number): readonly Change[] {
  const changes: Change[] = []
  let last = model
  for (let count = tries; count > 0; count--) {
    const change = createChange(choices, last)
    if (change === undefined || findConflict(model.state, [other, [...changes, change]]) !== undefined) continue
    changes.push(change)
    last = applyToModel(last, change)
  }
  return changes
}

async function readAll({ kysely, dialect }: Database): Promise<unknown> {
  const { tables } = await dialect.schema.readState(kysely)
  const { resource_api_migrations: _, ...own } = tables
  const found: Record<string, unknown> = {}
  for (const [name, table] of Object.entries(own)) {
    const { rows } = await sql<object>`select * from ${sql.table(name)}`.execute(kysely)
    found[name] = [Object.entries(table.columns), table, rows.map(row => JSON.stringify(row)).toSorted()]
  }
  return found
}

const apply = (database: Database, steps: Migrations) => migrate(database, [{ owner: 'random', steps }])

const insertRows = (database: Database, { rows }: Model) =>
  database.transaction(async ({ kysely }) => {
    for (const [table, all] of Object.entries(rows))
      for (const row of all) await sql.raw(formatInsert(table, row)).execute(kysely)
  })

for (const name of databaseNames)
  suite(`joined branches, ${name}`, () => {
    let databases: EmptiedDatabases
    before(async () => {
      databases = await openEmptied(name)
    })
    after(() => databases.close())

    test('make the same tables and rows in both orders', async () => {
      await fc.assert(
        fc.asyncProperty(entropy, async numbers => {
          const choices = createChoices(numbers)
          const model = createModel(choices)
          const one = createBranch(choices, model, [], 4)
          const other = createBranch(choices, model, one, 12)
          const first = { '0001': step({ change: createFrom(model.state) }) }
          const branches = [
            { '0002_one': step({ after: ['0001'], change: one }) },
            { '0002_other': step({ after: ['0001'], change: other }) },
          ]
          const pair = await databases.empty()
          for (const [index, database] of pair.entries()) {
            await apply(database, first)
            await insertRows(database, model)
            await apply(database, { ...first, ...branches[index] })
            await apply(database, { ...first, ...branches[0], ...branches[1] })
          }
          assert.deepEqual(await readAll(pair[0]), await readAll(pair[1]), JSON.stringify({ one, other }))
        }),
        createRuns(15),
      )
    })
  })
