// A profile with three tables of the same columns, whose keys differ: integers, UUIDs and texts.

import {
  dateTime,
  hyperlinkedIdentity,
  integerKey,
  key,
  type Migrations,
  pageNumber,
  resource,
  text,
  textKey,
  uuidKey,
} from 'resource-api'
import { type Profile, profile } from 'resource-api/service'

const actions = ['list', 'retrieve'] as const
const fields = { url: hyperlinkedIdentity(), id: key(), title: text(), note: text(), created: dateTime() }
const ordering = ['created'] as const

const resources = [
  resource('integers', { table: 'integers', key: integerKey(), actions, fields, ordering }),
  resource('uuids', { table: 'uuids', key: uuidKey(), actions, fields, ordering }),
  resource('texts', { table: 'texts', key: textKey(), actions, fields, ordering }),
]

/** The key of the nth row of each table. UUIDs of version 7 sort by their creation. */
export const keysOf = {
  integers: (nth: number): number => nth,
  uuids: (nth: number): string => `01900000-0000-7000-8000-${nth.toString(16).padStart(12, '0')}`,
  texts: (nth: number): string => `item-${String(nth).padStart(6, '0')}`,
} as const satisfies Readonly<Record<string, (nth: number) => string | number>>

export type KeyedTable = keyof typeof keysOf

const migrations: Migrations = {
  async '0001_keyed'({ schema }, { key, uuid, text, dateTime }) {
    const tables = [schema.createTable('integers').addColumn('id', key)]
    for (const [name, type] of [
      ['uuids', uuid],
      ['texts', text],
    ] as const)
      tables.push(schema.createTable(name).addColumn('id', type, column => column.primaryKey().notNull()))
    for (const table of tables)
      await table
        .addColumn('title', text, column => column.notNull())
        .addColumn('note', text, column => column.notNull())
        .addColumn('created', dateTime, column => column.notNull())
        .execute()
    // Lists are ordered by these columns, so that deep pages need not read the rows before them.
    for (const name of Object.keys(keysOf))
      await schema.createIndex(`${name}_created`).on(name).columns(['created', 'id']).execute()
  },
}

/** `GET /keyed/uuids/`, `GET /keyed/texts/item-000001/`, …. */
export const keyed = (): Profile =>
  profile('keyed', {
    description: 'Rows with keys of several kinds.',
    mount: '/keyed/',
    migrations,
    resources,
    pagination: pageNumber({ pageSize: 10 }),
  })
