// The changes that `findChanges` finds between two random states run on both databases, and back.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { createRuns, databaseNames, openEmptied } from '../../../../test/support/emptied-databases.ts'
import type { Database } from '../database.ts'
import { describeDifferences } from '../schema/describe-differences.ts'
import { findChanges } from '../schema/find-changes.ts'
import { emptyState, type SchemaState } from '../schema/schema-state.ts'
import { anyRunnableState, findAnswered, toComparable } from '../schema/testing.ts'
import { step } from './declared-step.ts'
import { goBack } from './go-back.ts'
import { migrate, type OwnedMigrations } from './migrate.ts'

/** Compares the tables and views of the database with a state. */
async function check(database: Database, { tables, views }: SchemaState): Promise<void> {
  const { kysely, dialect } = database
  const existing = await dialect.schema.readState(kysely)
  assert.deepEqual(describeDifferences(tables, existing.tables, toComparable(dialect)), [])
  const others = Object.keys(existing.tables).filter(name => name !== 'resource_api_migrations')
  assert.deepEqual(others.toSorted(), Object.keys(tables).toSorted())
  assert.deepEqual(Object.keys(existing.views).toSorted(), Object.keys(views).toSorted())
}

async function goForthAndBack(
  database: Database,
  from: SchemaState,
  to: SchemaState,
  change: OwnedMigrations['steps'],
) {
  const owner: OwnedMigrations = { owner: 'random', steps: change }
  await migrate(database, [owner])
  await check(database, to)
  await goBack(database, { ...owner }, '0001_from')
  await check(database, from)
  await goBack(database, { ...owner }, undefined)
  await check(database, emptyState)
}

const anyChoices = fc.array(fc.nat(), { minLength: 30, maxLength: 30 })

for (const name of databaseNames) {
  suite(`the changes between two states on ${name}`, () => {
    test('lead from one to the other, and back', async context => {
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
          const [database] = await databases.empty()
          await goForthAndBack(database, from, to, steps)
        }),
        createRuns(name, 12),
      )
    })
  })
}
