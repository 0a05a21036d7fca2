// The properties of a row in a data file, derived from the fields of its resource: how each value is checked and stored.

import {
  defineField,
  type Field,
  type ForeignColumn,
  type JoinTable,
  type KeyValue,
  listStoredColumns,
  type MaybePromise,
  type Relation,
  type Resource,
  type SqlValue,
  ValidationError,
  valueKind,
} from '#core'
import { findKey } from './find-key.ts'
import type { Loading } from './fixture.ts'
import { optional } from './read-rows.ts'
import { type Reference, referenceField } from './references.ts'
import { itemsOf } from './row-fields.ts'

/** A property of a row, apart from the primary key. */
export interface Member {
  readonly name: string
  readonly field: Field
  /** Returns the columns of the resource's table that store the value. */
  readonly write?: Write
  /** Inserts the rows of another table that store the value; `key` is the primary key of the new row. */
  readonly addRows?: (loading: Loading, key: KeyValue, value: unknown, path: string) => Promise<void>
}

type Write = (loading: Loading, value: unknown, path: string) => MaybePromise<Readonly<Record<string, SqlValue>>>

/** Lists the fields with a stored value, and with `hasHookColumns` the columns that only hooks write. */
export function listMembers({ fields, hookColumns }: Resource, hasHookColumns: boolean): readonly Member[] {
  const members = Object.entries(fields).flatMap(([name, field]) => createMember(name, field, hookColumns) ?? [])
  if (!hasHookColumns) return members
  const taken = new Set(Object.entries(fields).flatMap(([name, field]) => [name, ...field.columns(name)]))
  return [...members, ...hookColumns.filter(column => !taken.has(column)).map(hookColumnMember)]
}

function createMember(name: string, field: Field, hookColumns: readonly string[]): Member | undefined {
  const { storedRows, childStorage, relation, foreignColumn } = field
  if (foreignColumn !== undefined) return foreignColumnMember(name, field, foreignColumn, hookColumns)
  const [column] = field.columns(name)
  if (column !== undefined)
    return relation === undefined ? columnsMember(name, field) : toOneMember(name, field, column, relation)
  // Bodies contain the object itself, and rows refer to a row of its own resource.
  if (childStorage?.column !== undefined) return toOneMember(name, field, childStorage.column, childStorage)
  if (childStorage?.join !== undefined) return toManyMember(name, childStorage, childStorage.join)
  if (storedRows === undefined) return undefined
  return relation === undefined ? textsMember(name, field, storedRows) : toManyMember(name, relation, storedRows)
}

// A file may omit what requests cannot set.
const unlessReadOnly = (field: Field): Field => (field.readOnly ? optional(field) : field)

const columnsMember = (name: string, field: Field): Member => ({
  name,
  field: unlessReadOnly(field),
  write: (_loading, value) =>
    Object.fromEntries(listStoredColumns(name, field).map(({ column, store }) => [column, store(value)])),
})

const toOneMember = (name: string, field: Field, column: string, { target }: Pick<Relation, 'target'>): Member => ({
  name,
  field: referenceField(target, unlessReadOnly(field)),
  write: async (loading, value, path) => ({
    [column]: value === null ? null : await findKey(loading, target, value as Reference, path),
  }),
})

const toManyMember = (name: string, { target }: Pick<Relation, 'target'>, table: JoinTable): Member => ({
  name,
  field: itemsOf(referenceField(target, { required: true, nullable: false })),
  async addRows(loading, key, value, path) {
    for (const [index, reference] of (value as readonly Reference[]).entries())
      await addRow(loading, table, key, await findKey(loading, target, reference, `${path}[${index}]`))
  },
})

const textsMember = (name: string, field: Field, table: JoinTable): Member => ({
  name,
  field: unlessReadOnly(field),
  async addRows(loading, key, value) {
    for (const text of value as readonly string[]) await addRow(loading, table, key, text)
  },
})

const addRow = ({ connection }: Loading, { table, own, other }: JoinTable, key: KeyValue, value: SqlValue) =>
  connection.kysely
    .insertInto(table)
    .values({ [own]: key, [other]: value })
    .execute()

// No request sets the column that refers to the other table, but if a hook does, a row has to contain its value.
const foreignColumnMember = (
  name: string,
  field: Field,
  { reference, target, column }: ForeignColumn,
  hookColumns: readonly string[],
): Member => ({
  name,
  field: { ...field, required: hookColumns.includes(reference) },
  write: async (loading, value, path) => ({
    [reference]: await findKey(
      loading,
      target.name === undefined ? { ...target, name: target.table, key: { column: 'id' } } : target,
      { column, value: value as string },
      path,
    ),
  }),
})

const hookColumnMember = (column: string): Member => ({
  name: column,
  field: optional(scalar),
  write: (_loading, value) => ({ [column]: value as SqlValue }),
})

// No field describes the column, so only the database checks the value.
const scalar = defineField<SqlValue>(
  {},
  {
    kind: valueKind,
    parse(input) {
      if (['string', 'number', 'boolean'].includes(typeof input)) return input as SqlValue
      throw new ValidationError('Expected a string, a number, true or false.')
    },
  },
)
