// The SQL of writes: the columns of a new or changed row, and the rows of to-many relations.

import { sql } from 'kysely'
import { compile, type Database, parameter, type Statement } from '../../database/database.ts'
import type { Dialect, Sql } from '../../database/dialect.ts'
import { castTo } from '../../database/expressions.ts'
import type { Relation } from '../../fields/field.ts'
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
    const { own, other, isOwn } = rows
    const table = sql.table(rows.table)
    const { keys, texts } = database.dialect
    const [id, list] = [parameter('id'), parameter('keys')]
    const isTyped = relation !== undefined && relation.target.key.type !== 'integer'
    const values = (rows.of === 'texts' ? texts : keys)(list)
    const value = sql.ref(`${rows.table}.${other}`)
    const keepOtherRows = isOwn ? sql` and ${isOwn(value)}` : sql``
    const keepHiddenRows = () => (relation ? compileKeepHiddenRows(related, relation, value) : sql``)
    const given = isTyped
      ? selectTypedKeys(database.dialect, relation, list)
      : sql`select value from (${values}) as given`
    const isPresent = sql`exists (select 1 from ${table} where ${sql.id(own)} = ${id} and ${value} = added.value)`
    return {
      name,
      formatKeys: given =>
        isTyped ? formatKeyList(database.dialect, relation.target.key, given) : JSON.stringify(given),
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
  })
}

// The related table has the keys in the type of their column, which a list of texts would lack on PostgreSQL.
function selectTypedKeys(dialect: Dialect, { target: { table, key } }: Relation, list: Sql): Sql {
  const column = sql.ref(`${table}.${key.column}`)
  return sql`select ${column} as value from ${sql.table(table)} where ${isListed(dialect, key, column, list)}`
}

// Keeps rows that refer to hidden objects: a caller who cannot see them does not mean to remove them.
function compileKeepHiddenRows(
  { visibleCondition: visible }: RelatedRows,
  { target, ignoreRowFilter }: Relation,
  key: Sql,
): Sql {
  const condition = ignoreRowFilter ? undefined : visible(target, hiddenRowAlias)
  if (condition === undefined) return sql``
  const isTarget = sql`${sql.id(hiddenRowAlias, target.key.column)} = ${key}`
  return sql` and not exists (select 1 from ${sql.table(target.table)} as ${sql.id(hiddenRowAlias)} where ${isTarget} and not coalesce(${condition}, false))`
}

const hiddenRowAlias = 'hidden row'

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
