// The state of an SQLite database before and after a step, as far as a step could damage it in silence.

import type { DatabaseSync } from 'node:sqlite'

export interface DatabaseState extends SchemaState {
  /** The numbers of rows of the tables that refer to others. */
  readonly counts: ReadonlyMap<string, number>
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

/** Reads the state. `rows` are the counts of a state since which no rows were written. */
export function readState(handle: DatabaseSync, rows?: Pick<DatabaseState, 'counts' | 'orphans'>): DatabaseState {
  const schema = readSchema(handle)
  const { counts, orphans } = rows ?? readRows(handle, schema)
  return { ...schema, counts, orphans }
}

export const toKey = (name: string): string => name.toLowerCase()

export const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`

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

function readRows(handle: DatabaseSync, { references }: SchemaState): Pick<DatabaseState, 'counts' | 'orphans'> {
  const tables = listReferring(references)
  const countRows = (table: string) =>
    query<{ count: number }>(handle, `select count(*) as count from ${quote(table)}`)[0]!.count
  return {
    counts: new Map(tables.map(table => [toKey(table), countRows(table)])),
    orphans: tables.flatMap(table => findOrphans(handle, table)),
  }
}

function findOrphans(handle: DatabaseSync, table: string): readonly Orphans[] {
  try {
    return query<Orphans>(
      handle,
      'select "table", parent as target, count(*) as count from pragma_foreign_key_check(?) group by parent',
      table,
    )
  } catch {
    // A foreign key refers to columns that are not unique, which is in `errors`.
    return []
  }
}

/** Compiles statements that use the views, the triggers and the foreign keys: SQLite resolves the names in them only then. */
function findErrors(
  handle: DatabaseSync,
  objects: SchemaState['objects'],
  references: readonly Reference[],
): SchemaState['errors'] {
  const all = [...objects.values()]
  const written = new Set(all.filter(({ type }) => type === 'trigger').map(({ table }) => table))
  const statements = [
    ...all.filter(({ type }) => type === 'view').map(({ name }) => [name, `select * from ${quote(name)}`] as const),
    ...[...written].flatMap(table => listWrites(handle, table).map(text => [table, text] as const)),
    ...listReferring(references).map(table => [table, `pragma foreign_key_check(${quote(table)})`] as const),
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
