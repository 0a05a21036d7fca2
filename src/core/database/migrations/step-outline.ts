// Finds out what a step does, without a database: the step runs on a driver that only notes the statements, and finds no rows.
// Two steps are the same if their statements are, however their code is written, formatted or built (decision 090).

import { hash } from 'node:crypto'
import { type DatabaseConnection, type Driver, DummyDriver, type RawBuilder, sql } from 'kysely'
import type { ColumnTypes, Dialect } from '../dialect.ts'
import type { MigrationStep } from './migrations.ts'

export interface StepOutline {
  /** Differs if the statements differ. Values that are bound to them do not count, and neither do times in their text. */
  readonly digest: string
  /** Whether the step runs no statement. */
  readonly isEmpty: boolean
}

const outlines = new WeakMap<MigrationStep, Map<string, Promise<StepOutline>>>()

/** Outlines a step for one kind of database; runs it at most once in each process. Never rejects. */
export function outlineStep(step: MigrationStep, dialect: Dialect): Promise<StepOutline> {
  const byDialect = outlines.get(step) ?? new Map<string, Promise<StepOutline>>()
  outlines.set(step, byDialect)
  const known = byDialect.get(dialect.name) ?? createOutline(step, dialect)
  byDialect.set(dialect.name, known)
  return known
}

/** Whether two digests tell if steps are the same: a later version may compute them in another way. */
export const isComparable = (digest: string): boolean => digest.startsWith(digestVersion)

const digestVersion = '1-'

async function createOutline(step: MigrationStep, dialect: Dialect): Promise<StepOutline> {
  const statements: string[] = []
  const named = nameTypes(dialect)
  let hasFailed = false
  try {
    await step(dialect.createKysely(createDriver(statements)), named.columns, named)
  } catch {
    // The step may need rows. Its first statements identify it.
    hasFailed = true
  }
  return {
    digest: digestVersion + hash('sha256', statements.map(withoutTimes).join(';\n'), 'base64url'),
    isEmpty: statements.length === 0 && !hasFailed,
  }
}

/** A step that runs until it finds rows never ends. */
const maxStatements = 10_000

function createDriver(statements: string[]): Driver {
  const connection: DatabaseConnection = {
    async executeQuery(query) {
      if (statements.push(query.sql) > maxStatements) throw new Error('too many statements')
      return { rows: [], numAffectedRows: 0n }
    },
    async *streamQuery(query) {
      yield await connection.executeQuery(query)
    },
  }
  return Object.assign(new DummyDriver(), { acquireConnection: async () => connection })
}

// A step that writes the time of its run into a statement is still the same step.
const withoutTimes = (text: string): string =>
  text.replaceAll(/'\d{4}-\d\d-\d\d[T ]\d\d:\d\d[^']*'/g, "'time'").replaceAll(/\b1\d{12}\b/g, "'time'")

// A later version of the framework may write other SQL for a column type or a full-text index.
function nameTypes(dialect: Dialect): Dialect {
  const create = (name: string) => sql.raw(`type.${name}`)
  const toNamed = ([name, type]: readonly [string, RawBuilder<unknown> | ColumnTypes['decimal']]) =>
    typeof type === 'function'
      ? ([name, (...sizes: readonly number[]) => create(`${name}(${sizes.join()})`)] as const)
      : ([name, create(name)] as const)
  const describe = (action: string, index: object) => [sql.raw(`${action} full text ${JSON.stringify(index)}`)]
  return {
    ...dialect,
    columns: Object.fromEntries(Object.entries(dialect.columns).map(toNamed)) as unknown as ColumnTypes,
    fullText: {
      ...dialect.fullText,
      create: index => describe('create', index),
      drop: index => describe('drop', index),
    },
  }
}
