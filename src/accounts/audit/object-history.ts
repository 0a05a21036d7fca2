// Reads the stored changes of objects, newest first.

import { sql } from 'kysely'
import { type ChangedValue, compile, type Database, formatJson, type ObjectChange, parameter, type Sql } from '#core'

/** A stored change of an object. */
export interface StoredChange {
  readonly id: number
  readonly created: string
  readonly event: string
  /** The username; null if the caller had no account, or if a command without a caller changed the object. */
  readonly user: string | null
  readonly action: ObjectChange['action']
  /** By declared field names. */
  readonly changes: Readonly<Record<string, ChangedValue>>
}

/** A change, and the object that it changed. */
export interface LastChange extends StoredChange {
  readonly resource: string
  readonly object_key: string
  readonly object_name: string | null
}

/** Which changes are wanted. */
export interface WantedChanges {
  readonly table?: string | undefined
  readonly key?: string | undefined
  readonly resource?: string | undefined
  readonly user?: string | undefined
  /** The id of a single change. */
  readonly id?: number | undefined
  /** Times as the database stores them; `until` is not included. */
  readonly from?: string | undefined
  readonly until?: string | undefined
  /** Changes have ids below it. */
  readonly before?: number | undefined
  readonly limit: number
}

export interface StoredChanges {
  read(wanted: WantedChanges): Promise<readonly LastChange[]>
}

const conditions: Readonly<Record<Exclude<keyof WantedChanges, 'limit'>, Sql>> = {
  table: sql` and object_table = ${parameter('table')}`,
  key: sql` and object_key = ${parameter('key')}`,
  resource: sql` and resource = ${parameter('resource')}`,
  user: sql` and ${sql.id('user')} = ${parameter('user')}`,
  id: sql` and id = ${parameter('id')}`,
  from: sql` and created >= ${parameter('from')}`,
  until: sql` and created < ${parameter('until')}`,
  before: sql` and id < ${parameter('before')}`,
}

/** Creates the reader of the changes in a database with the table of `auditTables`. */
export function createStoredChanges(database: Database): StoredChanges {
  const { dialect } = database
  const compileFor = (names: readonly string[]) =>
    compile<readonly [change: string]>(database, () => {
      const where = names.map(name => conditions[name as keyof typeof conditions])
      return sql`select ${dialect.text(createChangeObject(database))} from audit_log where object_table is not null${sql.join(where, sql``)} order by id desc limit ${parameter('limit')}`
    })
  const statements = new Map<string, ReturnType<typeof compileFor>>()
  return {
    async read(wanted) {
      const given = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined))
      const names = Object.keys(conditions).filter(name => Object.hasOwn(given, name))
      const statement = statements.get(names.join()) ?? compileFor(names)
      statements.set(names.join(), statement)
      const rows = await database.run(statement, given)
      return rows.map(([change]) => JSON.parse(change) as LastChange)
    },
  }
}

const createChangeObject = ({ dialect }: Database): Sql =>
  dialect.object([
    ['id', sql`id`],
    ['created', dialect.dateTime(sql`created`)],
    ['event', sql`event`],
    ['user', sql.id('user')],
    ['action', sql`action`],
    ...['resource', 'object_key', 'object_name'].map(column => [column, sql.id(column)] as const),
    ['changes', dialect.json(sql`changes`)],
  ])

const maxListed = 500

/** The change as lists show it: a long old value is cut as long new ones are. Only a change that is read alone has it in full. */
export const shortenChange = <Change extends StoredChange>(change: Change): Change => ({
  ...change,
  changes: Object.fromEntries(Object.entries(change.changes).map(([name, value]) => [name, shortenOld(value)])),
})

function shortenOld(value: ChangedValue): ChangedValue {
  const { old, cut = [] } = value
  const text = typeof old === 'string' ? old : formatJson(old ?? null)
  if (text.length <= maxListed) return value
  return { ...value, old: text.slice(0, maxListed).toWellFormed(), cut: [...new Set([...cut, 'old' as const])] }
}
