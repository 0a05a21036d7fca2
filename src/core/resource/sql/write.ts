// The SQL of writes: the columns of a new or changed row, and the rows of to-many relations.

import { sql } from 'kysely'
import { compile, type Database, parameter, type Statement } from '../../database/database.ts'
import type { Dialect, Sql } from '../../database/dialect.ts'
import { castTo } from '../../database/expressions.ts'
import { rowsOf } from '../../database/row-source.ts'
import type { JoinTable, RelationTarget, StoredRows } from '../../fields/field.ts'
import { listRowFields } from '../../fields/storage.ts'
import { createVisibleKey, createVisibleRows } from '../../fields/visible.ts'
import type { KeyValue } from '../../keys/key.ts'
import type { Resource } from '../declare/resource.ts'
import { findChildJoin, findRelation } from '../declare/storage.ts'
import { formatKeyList, isListed } from './key-list.ts'
import type { RelatedRows } from './related-rows.ts'

/**
 * The statements of a field that is stored as rows of another table. Parameters: `id`, and `keys`, the list of the values.
 */
export interface RelationRows {
  /** The field's name. */
  readonly name: string
  /** Formats the parameter `keys`. */
  formatKeys(values: readonly KeyValue[]): string
  /** Removes the rows whose values are not listed. */
  readonly remove: Statement
  /** Adds a row for each listed value that has none, so that the rows that stay keep their other columns. */
  readonly add: Statement
}

export function compileRelationRows(
  database: Database,
  resource: Resource,
  related: RelatedRows,
): readonly RelationRows[] {
  return listRowFields(resource.fields).flatMap(([name, { readOnly, relation }, rows]) => {
    if (readOnly) return []
    const findVisible = () =>
      relation === undefined || relation.ignoreRowFilter
        ? undefined
        : related.visibleCondition(relation.target, hiddenRowAlias)
    return { name, ...compileLinks(database, rows, { target: relation?.target, findVisible }) }
  })
}

type LinkedTarget = Pick<RelationTarget, 'table' | 'key' | 'parentRows'>

interface LinkedRows {
  /** The table of the keys; undefined if the values are none. */
  readonly target: LinkedTarget | undefined
  /** The condition on the rows with the alias `hiddenRowAlias` that the caller sees; the others keep their links. */
  readonly findVisible: () => Sql | undefined
}

/** The statements that replace the values of one object in another table. */
export function compileLinks(
  database: Database,
  { table: name, own, other, ...rows }: JoinTable & Partial<StoredRows>,
  { target, findVisible }: LinkedRows,
): Omit<RelationRows, 'name'> {
  const table = sql.table(name)
  const { keys, texts } = database.dialect
  const [id, list] = [parameter('id'), parameter('keys')]
  const typed = target !== undefined && target.key.type !== 'integer' ? target : undefined
  const values = (rows.of === 'texts' ? texts : keys)(list)
  const value = sql.ref(`${name}.${other}`)
  const keepOtherRows = rows.isOwn ? sql` and ${rows.isOwn(value)}` : sql``
  const keepHiddenRows = () => (target ? compileKeepHiddenRows(target, findVisible(), value) : sql``)
  const given = typed ? selectTypedKeys(database.dialect, typed, list) : sql`select value from (${values}) as given`
  const isPresent = sql`exists (select 1 from ${table} where ${sql.id(own)} = ${id} and ${value} = added.value)`
  return {
    formatKeys: given => (typed ? formatKeyList(database.dialect, typed.key, given) : JSON.stringify(given)),
    remove: compile(
      database,
      () =>
        sql`delete from ${table} where ${sql.id(own)} = ${id} and ${value} not in (${given})${keepOtherRows}${keepHiddenRows()}`,
    ),
    add: compile(
      database,
      sql`insert into ${table} (${sql.id(own)}, ${sql.id(other)}) select ${id}, value from (${given}) as added where not ${isPresent}`,
    ),
  }
}

// The related table has the keys in the type of their column, which a list of texts would lack on PostgreSQL.
function selectTypedKeys(dialect: Dialect, target: LinkedTarget, list: Sql): Sql {
  const { table, key } = target
  const column = sql.ref(`${table}.${key.column}`)
  return sql`select ${column} as value from ${rowsOf(target)} where ${isListed(dialect, key, column, list)}`
}

// Keeps rows that refer to hidden objects: a caller who cannot see them does not mean to remove them.
function compileKeepHiddenRows(target: LinkedTarget, condition: Sql | undefined, key: Sql): Sql {
  if (condition === undefined) return sql``
  const isTarget = sql`${sql.id(hiddenRowAlias, target.key.column)} = ${key}`
  return sql` and not exists (select 1 from ${rowsOf(target, hiddenRowAlias)} where ${isTarget} and not coalesce(${condition}, false))`
}

/** The alias of the related rows that a caller may not see. */
export const hiddenRowAlias = 'hidden row'

/** The columns and values of an insert: one parameter per column. */
export function insertion(columns: readonly string[]): Sql {
  if (columns.length === 0) return sql`default values`
  return sql`(${sql.join(columns.map(name => sql.id(name)))}) values (${sql.join(columns.map(name => parameter(name)))})`
}

/** The assignments of an update. The SQL is the same whichever columns change. */
export function assignments(resource: Resource, columns: readonly string[], related: RelatedRows): Sql {
  const { table, key } = resource
  if (columns.length === 0) return sql`${sql.id(key.column)} = ${sql.ref(`${table}.${key.column}`)}`
  return sql.join(
    columns.map(
      name =>
        sql`${sql.id(name)} = case when ${castTo(parameter(`set ${name}`), 'boolean')} then ${createNewValue(resource, name, related)} else ${sql.ref(`${table}.${name}`)} end`,
    ),
  )
}

/**
 * The SQL of a column's new value. The caller sees null instead of a hidden related object, so writing null back must not change
 * the column.
 */
export function createNewValue(
  { fields, table }: Resource,
  column: string,
  related: RelatedRows,
  value: Sql = parameter(column),
): Sql {
  const relation = findRelation(fields, column) ?? findChildJoin(fields, column)
  const current = sql.ref(`${table}.${column}`)
  if (relation === undefined || createVisibleRows(related, relation, current) === undefined) return value
  return sql`coalesce(${value}, case when ${createVisibleKey(related, relation, current)} is null then ${current} end)`
}

/** The beginning of a statement that deletes rows: of a table whose deleted rows stay, it sets the time of their deletion. */
export const formatRemoval = (dialect: Dialect, { table, deletedColumn }: Resource): Sql =>
  deletedColumn === undefined
    ? sql`delete from ${sql.table(table)}`
    : sql`update ${sql.table(table)} set ${sql.id(deletedColumn)} = ${dialect.columns.now}`
