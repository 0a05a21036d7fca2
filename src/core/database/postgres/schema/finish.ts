// Work that follows the transaction of a step on PostgreSQL. Each kind can be done again after it was interrupted.

import { type Kysely, sql } from 'kysely'
import { quote } from '../../catalogue.ts'
import type { FinishSession, LaterWork } from '../../editors/schema-editor.ts'
import { refuseUnfit } from './examine.ts'
import { definitions } from './postgres-definitions.ts'

export async function finish(session: FinishSession, work: LaterWork): Promise<void> {
  if (work.kind === 'index') return buildIndex(session, work)
  const exists = await read(session, kysely => hasConstraint(kysely, work.table, work.constraint))
  if (!exists) return
  const [validate, ...others] = listLater(work)
  await runIn(session, validate!)
  if (others.length > 0) await runIn(session, ...others)
}

/** The statements of the work. */
export function listLater(work: LaterWork): readonly string[] {
  if (work.kind === 'index') return [definitions.formatIndex(work.table, work.name, work.index, 'concurrently ')]
  const alter = `alter table ${quote(work.table)}`
  const validate = `${alter} validate constraint ${quote(work.constraint)}`
  if (work.kind === 'validate') return [validate]
  return [
    validate,
    // The check proves that there is no null, so no row is read.
    `${alter} alter column ${quote(work.column)} set not null`,
    `${alter} drop constraint ${quote(work.constraint)}`,
  ]
}

const read = <Result>(session: FinishSession, query: (kysely: Kysely<unknown>) => Promise<Result>): Promise<Result> =>
  session.transaction(({ kysely }) => query(kysely))

const runIn = (session: FinishSession, ...texts: readonly string[]): Promise<void> =>
  session.transaction(async ({ kysely }) => {
    for (const text of texts) await sql.raw(text).execute(kysely)
  })

async function hasConstraint(kysely: Kysely<unknown>, table: string, name: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from pg_constraint where conrelid = to_regclass(${quote(table)}) and conname = ${name}`.execute(kysely)
  return rows.length > 0
}

type IndexWork = Extract<LaterWork, { readonly kind: 'index' }>

// A build that was interrupted, or that found equal values, leaves an invalid index, which every write maintains.
async function buildIndex(session: FinishSession, work: IndexWork): Promise<void> {
  const found = await read(session, kysely => findIndex(kysely, work))
  if (found === 'valid' || found === 'no table') return
  const drop = () => session.execute(`drop index concurrently if exists ${quote(work.name)}`)
  if (found === 'invalid') await drop()
  try {
    for (const text of listLater(work)) await session.execute(text)
  } catch (error) {
    // A connection that is lost cannot drop it; the next migration does.
    await drop().catch(() => undefined)
    await read(session, kysely => refuseUnfit(kysely, work.table, work.name, work.index))
    throw error
  }
}

async function findIndex(
  kysely: Kysely<unknown>,
  { table, name }: IndexWork,
): Promise<'valid' | 'invalid' | 'missing' | 'no table'> {
  const { rows } = await sql<{ hasTable: boolean; isValid: boolean | null }>`
    select to_regclass(${quote(table)}) is not null as "hasTable", (
      select indisvalid and indisready from pg_index where indexrelid = to_regclass(${quote(name)})) as "isValid"`.execute(
    kysely,
  )
  const { hasTable, isValid } = rows[0]!
  if (!hasTable) return 'no table'
  if (isValid === null) return 'missing'
  return isValid ? 'valid' : 'invalid'
}
