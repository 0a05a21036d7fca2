// Reads a table from the catalogue of SQLite, and from its CREATE TABLE statement.

import { type Kysely, sql } from 'kysely'
import type { ColumnRow } from '../sqlite-catalogue.ts'
import { parseTable, type TableText } from './table-text.ts'

/** A table as the catalogue and its CREATE TABLE statement describe it. */
export interface CatalogueTable {
  readonly name: string
  readonly text: TableText
  readonly columns: readonly ColumnRow[]
  readonly indexes: readonly CatalogueIndex[]
  readonly references: readonly CatalogueReference[]
  readonly triggers: readonly string[]
  readonly isWithoutRowId: boolean
  readonly isStrict: boolean
}

export interface CatalogueIndex {
  readonly name: string
  /** `c`: CREATE INDEX; `u`: a UNIQUE constraint. */
  readonly origin: string
  readonly isUnique: number
  readonly sql: string | null
  readonly parts: readonly { readonly name: string | null; readonly descending: number; readonly collation: string }[]
}

export interface CatalogueReference {
  readonly columns: readonly string[]
  readonly table: string
  readonly targets: readonly (string | null)[]
  readonly onDelete: string
  readonly onUpdate: string
}

export async function readTable(kysely: Kysely<unknown>, name: string): Promise<CatalogueTable> {
  const { rows } = await sql<{ sql: string; wr: number; strict: number }>`
    select t.sql, l.wr, l.strict from sqlite_schema t, pragma_table_list l
    where t.type = 'table' and t.name = ${name} and l.schema = 'main' and l.name = t.name`.execute(kysely)
  if (rows[0] === undefined) throw new Error(`table "${name}" does not exist`)
  const { rows: columns } = await sql<ColumnRow>`
    select name, type, "notnull", dflt_value, pk, hidden from pragma_table_xinfo(${name})`.execute(kysely)
  const { rows: triggers } = await sql<{ name: string }>`
    select name from sqlite_schema where type = 'trigger' and tbl_name = ${name} collate nocase order by name`.execute(
    kysely,
  )
  return {
    name,
    text: parseTable(rows[0].sql),
    columns,
    indexes: await readIndexes(kysely, name),
    references: await readReferences(kysely, name),
    triggers: triggers.map(trigger => trigger.name),
    isWithoutRowId: rows[0].wr === 1,
    isStrict: rows[0].strict === 1,
  }
}

async function readIndexes(kysely: Kysely<unknown>, table: string): Promise<readonly CatalogueIndex[]> {
  const { rows } = await sql<Omit<CatalogueIndex, 'parts'>>`
    select l.name, l.origin, l."unique" as "isUnique", i.sql from pragma_index_list(${table}) l left join sqlite_schema i on i.name = l.name
    where l.origin <> 'pk' order by l.name`.execute(kysely)
  const indexes: CatalogueIndex[] = []
  for (const index of rows) {
    const { rows: parts } = await sql<CatalogueIndex['parts'][number]>`
      select name, "desc" as descending, coll as collation from pragma_index_xinfo(${index.name}) where key order by seqno`.execute(
      kysely,
    )
    indexes.push({ ...index, parts })
  }
  return indexes
}

async function readReferences(kysely: Kysely<unknown>, table: string): Promise<readonly CatalogueReference[]> {
  const { rows } = await sql<{
    id: number
    from: string
    to: string | null
    table: string
    onDelete: string
    onUpdate: string
  }>`
    select id, "from", coalesce("to", (select name from pragma_table_info(f."table") where pk = 1)) as "to", "table",
      lower(on_delete) as "onDelete", lower(on_update) as "onUpdate"
    from pragma_foreign_key_list(${table}) f order by id, seq`.execute(kysely)
  return [...Map.groupBy(rows, ({ id }) => id).values()].map(parts => ({
    ...parts[0]!,
    columns: parts.map(({ from }) => from),
    targets: parts.map(({ to }) => to),
  }))
}
