// Inserts a new object and the children that refer to it with one statement, on databases whose queries can contain statements that
// write. It saves the round trips of a transaction, and the statement that reads the representation (decision 107).

import { type RawBuilder, sql } from 'kysely'
import { compile, parameter, type Statement } from '../../database/database.ts'
import type { Field } from '../../fields/field.ts'
import { findPathIdentifier, selectRowName } from '../../fields/identifier.ts'
import { showsOwnColumn } from '../../fields/storage.ts'
import type { MountedApi } from '../names/mounted-api.ts'
import { type InsertedRow, listInsertedColumns, type StatementSource } from './many.ts'
import { representation } from './select.ts'

/** The bound resource of the parent, or of the children. */
export interface FamilyMember extends StatementSource {
  readonly api: Pick<MountedApi, 'findRowFilter'>
}

export interface Family {
  readonly parent: FamilyMember
  readonly child: FamilyMember
  /** The name of the parent's field with the children. */
  readonly name: string
  /** The columns that an insert of a child writes; `reverse` is the one that contains the key of the parent. */
  readonly columns: readonly string[]
  readonly reverse: string
}

/**
 * The statement, which inserts nothing if one of the tables has a trigger; undefined if the database has no such statement, or if
 * the declaration does not prove that the representation needs no other rows. Parameters: those of the representation, those of
 * `Dialect.insertedRows` for the children, and the columns of the parent by `nameParentColumn`.
 */
export function compileFamilyInsert(family: Family): Statement<InsertedRow> | undefined {
  const { database, columns } = family.parent
  const canInsert = database.dialect.withInserted !== undefined && columns.create.length > 0
  if (!canInsert || !showsOnlyFamily(family)) return undefined
  return compile<InsertedRow>(database, () => createInsert(family))
}

export const nameParentColumn = (column: string): string => `parent ${column}`

// In the statement, the names of both tables mean the new rows.
function showsOnlyFamily({ parent, child, name }: Family): boolean {
  const members = [parent, child]
  const names = members.map(({ resource }) => resource.table)
  const areTables = members.every(({ resource, tables }) => tables.get(resource.table)?.isView === false)
  if (!areTables || names[0] === names[1] || names.some(table => table.includes('.'))) return false
  const { [name]: list, ...others } = parent.plans.create.shows
  const showOwn = ({ api }: FamilyMember, fields: readonly Field[]) =>
    fields.every(field => field.file === undefined && (showsOwnColumn(field) || showsPlainKey(field, api)))
  return (
    child.api.findRowFilter(child.resource) === undefined &&
    showOwn(parent, Object.values(others)) &&
    showOwn(child, Object.values(list?.child?.children ?? {}))
  )
}

// A relation whose column contains what responses show.
function showsPlainKey({ relation, shownFields, ...field }: Field, { findRowFilter }: FamilyMember['api']): boolean {
  if (relation === undefined || shownFields !== undefined) return false
  const { linked, identifier, target } = relation
  const isKey = !linked && identifier.column === target.key.column
  return isKey && findRowFilter(target) === undefined && showsOwnColumn(field)
}

function createInsert({ parent, child, columns, reverse }: Family): RawBuilder<unknown> {
  const { database, resource, plans, related } = parent
  const { dialect } = database
  const { table, key } = resource
  const keyColumn = sql.ref(`${table}.${key.column}`)
  const own = parent.columns.create
  const inserts = dialect.withInserted!(
    { table, columns: own, values: own.map(name => parameter(nameParentColumn(name))) },
    {
      table: child.resource.table,
      columns,
      values: columns.map(name => (name === reverse ? keyColumn : sql.id('given', name))),
      from: dialect.insertedRows.select(listInsertedColumns(child, columns), 1),
    },
  )
  const identifier = findPathIdentifier(resource)
  const name = selectRowName(dialect, identifier, column => sql.ref(`${table}.${column}`))
  const andName = identifier.column === key.column ? sql`` : sql`, ${name}`
  const json = dialect.text(representation(database, resource, plans.create.shows, related))
  return sql`${inserts} select ${keyColumn}, ${json}${andName} from ${sql.table(table)}`
}
