// The state of an SQLite database before and after a step, as far as a step could damage it in silence.

import type { DatabaseSync } from 'node:sqlite'
import { quote } from '../../catalogue.ts'

export interface DatabaseState extends SchemaState {
  readonly counts: Counts
}

export interface Counts {
  /** The numbers of rows of the tables that refer to others. */
  readonly rows: ReadonlyMap<string, number>
  /** Rows that refer to rows that do not exist. */
  readonly orphans: readonly Orphans[]
}

/** Names are in lower case, as keys and in sets: SQLite ignores case. */
interface SchemaState {
  readonly objects: ReadonlyMap<string, SchemaObject>
  readonly references: readonly Reference[]
  /** The last key of each table with AUTOINCREMENT. */
  readonly lastKeys: ReadonlyMap<string, number>
  /** Why views cannot be read, and tables with triggers cannot be written. */
  readonly errors: ReadonlyMap<string, string>
}

export interface SchemaObject {
  readonly type: 'table' | 'index' | 'view' | 'trigger'
  readonly name: string
  /** The table of an index or a trigger. */
  readonly table: string
  /** Null: SQLite creates the index for a constraint. */
  readonly sql: string | null
}

export interface Reference {
  readonly table: string
  readonly column: string
  readonly target: string
}

export interface Orphans extends Pick<Reference, 'table' | 'target'> {
  readonly count: number
}

/** Reads the state. `counts`: those of a state since which no rows were written. */
export function readState(handle: DatabaseSync, counts?: Counts): DatabaseState {
  const schema = readSchema(handle)
  return { ...schema, counts: counts ?? readCounts(handle, schema) }
}

export const toKey = (name: string): string => name.toLowerCase()

export function readObjects(handle: DatabaseSync): ReadonlyMap<string, SchemaObject> {
  const rows = query<SchemaObject>(handle, 'select type, name, tbl_name as "table", sql from sqlite_schema')
  return new Map(rows.map(object => [toKey(object.name), object]))
}

function query<Row>(handle: DatabaseSync, text: string, ...values: readonly string[]): readonly Row[] {
  return handle.prepare(text).all(...values) as unknown as readonly Row[]
}

function readSchema(handle: DatabaseSync): SchemaState {
  const objects = readObjects(handle)
  const references = query<Reference>(
    handle,
    `select owner.name as "table", reference."from" as "column", reference."table" as target from sqlite_schema as owner, pragma_foreign_key_list(owner.name) as reference where owner.type = 'table'`,
  )
  return {
    objects,
    references,
    lastKeys: readLastKeys(handle, objects),
    errors: findErrors(handle, objects, references),
  }
}

function readLastKeys(handle: DatabaseSync, objects: SchemaState['objects']): SchemaState['lastKeys'] {
  if (!objects.has('sqlite_sequence')) return new Map()
  const rows = query<{ name: string; seq: number }>(handle, 'select name, seq from sqlite_sequence')
  return new Map(rows.map(({ name, seq }) => [toKey(name), seq]))
}

const listReferring = (references: readonly Reference[]): readonly string[] => [
  ...new Set(references.map(({ table }) => table)),
]

function readCounts(handle: DatabaseSync, { references, errors }: SchemaState): Counts {
  const tables = listReferring(references)
  return {
    rows: countRows(handle, tables),
    orphans: findOrphans(
      handle,
      tables.filter(table => !errors.has(toKey(table))),
    ),
  }
}

/** SQLite takes at most 500 parts of one query. */
const maxParts = 500

function countRows(handle: DatabaseSync, tables: readonly string[]): Counts['rows'] {
  const counts = new Map<string, number>()
  for (let start = 0; start < tables.length; start += maxParts) {
    const parts = tables
      .slice(start, start + maxParts)
      .map((table, index) => `select ${start + index} as "index", count(*) as count from ${quote(table)}`)
    for (const { index, count } of query<{ index: number; count: number }>(handle, parts.join(' union all ')))
      counts.set(toKey(tables[index]!), count)
  }
  return counts
}

// A table with an error cannot be checked.
function findOrphans(handle: DatabaseSync, tables: readonly string[]): readonly Orphans[] {
  if (tables.length === 0) return []
  return query<Orphans>(
    handle,
    `select orphan."table", orphan.parent as target, count(*) as count from json_each(?) as name, pragma_foreign_key_check(name.value) as orphan group by 1, 2`,
    JSON.stringify(tables),
  )
}

/** Compiles statements that use the views, the triggers and the foreign keys: SQLite resolves the names in them only then. */
function findErrors(
  handle: DatabaseSync,
  objects: SchemaState['objects'],
  references: readonly Reference[],
): SchemaState['errors'] {
  const all = [...objects.values()]
  const written = new Set(all.filter(({ type }) => type === 'trigger').map(({ table }) => table))
  const referring = listReferring(references)
  // Usually there is no error, and one statement finds that out.
  const checked = findError(handle, 'pragma foreign_key_check') === undefined ? [] : referring
  const statements = [
    ...all.filter(({ type }) => type === 'view').map(({ name }) => [name, `select * from ${quote(name)}`] as const),
    ...[...written].flatMap(table => listWrites(handle, table).map(text => [table, text] as const)),
    ...checked.map(table => [table, `pragma foreign_key_check(${quote(table)})`] as const),
  ]
  const errors = new Map<string, string>()
  for (const [name, text] of statements) {
    const error = errors.has(toKey(name)) ? undefined : findError(handle, text)
    if (error !== undefined) errors.set(toKey(name), error)
  }
  return errors
}

function listWrites(handle: DatabaseSync, table: string): readonly string[] {
  const columns = query<{ name: string }>(handle, 'select name from pragma_table_xinfo(?) where hidden = 0', table)
  const values = columns.map(({ name }) => `${quote(name)} = ${quote(name)}`)
  const target = quote(table)
  return [`insert into ${target} default values`, `update ${target} set ${values.join()}`, `delete from ${target}`]
}

function findError(handle: DatabaseSync, text: string): string | undefined {
  try {
    handle.prepare(text)
    return undefined
  } catch (error) {
    const { message } = error as Error
    // The view has no trigger for this kind of statement.
    return message.startsWith('cannot modify') ? undefined : message
  }
}
