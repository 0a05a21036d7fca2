// The references in the SQL of an application: columns of the row, properties of the caller, and the time and language of the request.

import { sql } from 'kysely'
import type { Dialect, Sql } from '../database/dialect.ts'
import { dialects } from '../database/dialects.ts'
import { columnReference } from './column-reference.ts'
import type { FieldLocation, RequestUses } from './field.ts'
import { callerParameter, languageParameter, nowParameter } from './request-values.ts'
import { type CallerReferences, createReferences, type RowReferences } from './sql-references.ts'

/** The references of SQL. */
export interface SqlScope {
  readonly row: RowReferences
  readonly caller: CallerReferences
  readonly now: Sql
  readonly language: Sql
  /** The value of a filter. */
  readonly value: Sql
  readonly dialect: Dialect
}

/** The references of SQL in a statement. `value`: that of a filter. */
export const createSqlScope = (location: FieldLocation, value: Sql = sql`null`): SqlScope => ({
  row: createReferences(column => columnReference(location, column)),
  caller: createReferences(callerParameter),
  now: nowParameter,
  language: languageParameter,
  value,
  dialect: location.dialect,
})

/** The columns and the values of the request that SQL uses. The SQL may differ by dialect, so it is created for each. */
export function findSqlUses(createSql: (scope: SqlScope) => Sql): {
  readonly columns: readonly string[]
  readonly uses: RequestUses
} {
  const columns = new Set<string>()
  const caller = new Set<string>()
  let [usesNow, usesLanguage] = [false, false]
  const record = (names: Set<string>) =>
    createReferences(name => {
      names.add(name)
      return sql.ref(name)
    })
  for (const dialect of dialects)
    createSql({
      row: record(columns) as RowReferences,
      caller: record(caller) as CallerReferences,
      get now() {
        usesNow = true
        return nowParameter
      },
      get language() {
        usesLanguage = true
        return languageParameter
      },
      value: sql`null`,
      dialect,
    })
  return { columns: [...columns], uses: { caller: [...caller], now: usesNow, language: usesLanguage } }
}
