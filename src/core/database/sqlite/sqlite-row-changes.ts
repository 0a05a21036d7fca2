// Triggers of SQLite that record the changes of rows. A trigger that mentions a column prevents a step from dropping it, so steps begin
// without these triggers; the next start creates them again.

import { hash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import { quote } from '../catalogue.ts'
import type { FollowedTable, RowChangesSql } from '../dialect.ts'

/** The names of these triggers. */
const pattern = 'feed of %'

export const sqliteRowChanges: RowChangesSql = {
  async follow(kysely, table) {
    const triggers = createTriggers(table)
    const { rows } = await sql<{
      name: string
    }>`select name from sqlite_master where type = 'trigger' and lower(tbl_name) = lower(${table.name}) and name like ${pattern}`.execute(
      kysely,
    )
    if (rows.length === triggers.size && rows.every(({ name }) => triggers.has(name))) return false
    for (const { name } of rows) await sql`drop trigger ${sql.id(name)}`.execute(kysely)
    for (const [name, text] of triggers) await sql.raw(`create trigger ${quote(name)} ${text}`).execute(kysely)
    return true
  },
  moment: sql`0`,
  isSettled: sql`1 = 1`,
  origin: sql`0`,
  formerRows: ({ columns }, ids) =>
    sql`select ${sql.join(
      columns.map(({ name, plainType }) => {
        const value = sql`json_extract(former, ${sql.lit(`$."${name}"`)})`
        // The cast gives the value the affinity of its column.
        return sql`${/^[a-z ]+$/i.test(plainType) ? sql`cast(${value} as ${sql.raw(plainType)})` : value} as ${sql.id(name)}`
      }),
    )} from feed_changes where id in (select value from json_each(${ids}))`,
}

/** Drops the triggers of all tables. */
export function dropRowChanges(handle: DatabaseSync): void {
  const names = handle.prepare("select name from sqlite_master where type = 'trigger' and name like ?").all(pattern)
  for (const { name } of names) handle.exec(`drop trigger ${quote(String(name))}`)
}

function createTriggers({ name: table, key, columns }: FollowedTable): ReadonlyMap<string, string> {
  const [oldKey, newKey] = [`old.${quote(key)}`, `new.${quote(key)}`]
  const former = `json_object(${columns.map(({ name }) => `${literal(name)}, ${formatValue(`old.${quote(name)}`)}`).join(', ')})`
  const record = (rowKey: string, action: string, row: string, condition: string) =>
    `insert into feed_changes (table_name, row_key, action, former, moment, created_at) select ${literal(table)}, json_quote(${rowKey}), ${action}, ${row}, 0, strftime('%Y-%m-%dT%H:%M:%f000Z', 'now') where ${condition};`
  const events = {
    insert: record(newKey, "'create'", 'null', '1'),
    update: `${record(oldKey, `iif(${oldKey} is ${newKey}, 'update', 'destroy')`, former, '1')} ${record(newKey, "'create'", 'null', `${oldKey} is not ${newKey}`)}`,
    delete: record(oldKey, "'destroy'", former, '1'),
  }
  return new Map(
    Object.entries(events).map(([event, statements]) => {
      const text = `after ${event} on ${quote(table)} begin ${statements} end`
      return [`feed of ${table} ${event} ${hash('sha256', text, 'base64url').slice(0, 8)}`, text]
    }),
  )
}

// JSON has neither bytes nor infinite numbers, and json_object writes 15 digits of a double.
const formatValue = (value: string): string =>
  `case typeof(${value}) when 'blob' then null when 'real' then iif(abs(${value}) <= 1.7976931348623157e308, json(printf('%!.17g', ${value})), null) else ${value} end`

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`
