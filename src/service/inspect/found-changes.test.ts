// The changes that `make` finds between two random declarations, on both databases: they lead to the tables of the second one and back,
// then `make` finds nothing more, and `inspect` prints that declaration.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { step } from 'resource-api/migrations'
import type { Schema } from 'resource-api/tables'
import { type Database, emptyState, findChanges, migrate, type OwnedMigrations, type SchemaState } from '#core'
import { createRuns, databaseNames, openEmptied } from '../../../test/support/emptied-databases.ts'
import { goBack } from '../../core/database/migrations/go-back.ts'
import { replaySteps } from '../../core/database/migrations/replay-steps.ts'
import { describeDifferences } from '../../core/database/schema/describe-differences.ts'
import { anyRunnableState, findAnswered, toComparable } from '../../core/database/schema/testing.ts'
import { runProgram } from '../code/testing.ts'
import { formatTables } from './format-tables.ts'

const nothing = { changes: [], questions: [] }

/** Compares the tables and views of the database with a state. */
async function check(database: Database, { tables, views }: SchemaState): Promise<void> {
  const { kysely, dialect } = database
  const existing = await dialect.schema.readState(kysely)
  assert.deepEqual(describeDifferences(tables, existing.tables, toComparable(dialect)), [])
  const others = Object.keys(existing.tables).filter(name => name !== 'resource_api_migrations')
  assert.deepEqual(others.toSorted(), Object.keys(tables).toSorted())
  assert.deepEqual(Object.keys(existing.views).toSorted(), Object.keys(views).toSorted())
}

/** Compares the declaration that `inspect` prints with the tables of a state, and with those of the database. */
async function checkInspected({ kysely, dialect, catalogue }: Database, { tables }: SchemaState): Promise<void> {
  const names = Object.keys(tables)
  const existing = await dialect.schema.readState(kysely, names)
  const text = formatTables(existing, {
    owner: 'shop',
    resources: true,
    database: dialect.name as 'sqlite',
    catalogue: await catalogue.tables(names),
  })
  const { schema } = await runProgram(text)
  const declared = (schema as Schema).state.tables
  assert.deepEqual(describeDifferences(tables, declared, toComparable(dialect)), [])
  assert.deepEqual(findChanges({ tables: existing.tables, views: {} }, { tables: declared, views: {} }), nothing)
}

const anyChoices = fc.array(fc.nat(), { minLength: 30, maxLength: 30 })

for (const name of databaseNames) {
  suite(`the changes between two declarations on ${name}`, () => {
    test('lead from one to the other, which inspect prints, and back; and make finds no more', async context => {
      const databases = await openEmptied(name)
      context.after(() => databases.close())
      await fc.assert(
        fc.asyncProperty(anyRunnableState, anyRunnableState, anyChoices, async (from, to, choices) => {
          const left = [...choices]
          const { changes } = findAnswered(from, to, count => (left.pop() ?? 0) % count)
          const steps = {
            '0001_from': step({ after: [], change: findChanges(emptyState, from).changes }),
            '0002_to': step({ after: ['0001_from'], change: changes }),
          }
          assert.deepEqual(findChanges(replaySteps(steps), to), nothing)
          const [database] = await databases.empty()
          const owner: OwnedMigrations = { owner: 'random', steps }
          await migrate(database, [owner])
          await check(database, to)
          await checkInspected(database, to)
          await goBack(database, { ...owner }, '0001_from')
          await check(database, from)
          await goBack(database, { ...owner }, undefined)
          await check(database, emptyState)
        }),
        createRuns(15),
      )
    })
  })
}
