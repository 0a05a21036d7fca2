// The statements that load several objects before a write, and lock them: by key, by name, or as the children of a parent.

import { sql } from 'kysely'
import { compile, type Database, parameter, type Statement } from '../../database/database.ts'
import type { Dialect, Sql } from '../../database/dialect.ts'
import { rowsOf } from '../../database/row-source.ts'
import { findPathIdentifier, selectRowName } from '../../fields/identifier.ts'
import { findPublicIdentifier, type KeyValue } from '../../keys/key.ts'
import { createWhereClause } from '../../policy/permissions/row-filter.ts'
import type { Resource } from '../declare/resource.ts'
import type { ActionPlans } from './action-plan.ts'
import { hasListedName, isListed, isNamed } from './key-list.ts'
import { snapshotObject } from './select.ts'

/** The key of an object, its state (see `Statements.load`), and what bodies contain instead of the key. */
export type LoadedRow = readonly [key: KeyValue, snapshot: string, name: KeyValue]

/** Parameters: those of `ManyStatements`. */
export interface LoadStatements {
  /** The objects with these keys that the row filter of the action shows, locked in the order of their keys. */
  readonly lock: Readonly<Record<'update' | 'destroy', Statement<LoadedRow>>>
  /** The same, not locked. */
  readonly load: Readonly<Record<'update', Statement<LoadedRow>>>
  /** The objects that the values in `keys` name (see `formatNames`). */
  readonly loadNamed: Readonly<Record<'update' | 'destroy', Statement<LoadedRow>>>
  /** The same, locked in the order of their keys. */
  readonly lockNamed: Readonly<Record<'update' | 'destroy', Statement<LoadedRow>>>
  /**
   * The children of the parent with the key `owner`, if the row filter of the action shows them, at most `limit`; `isListed`: only
   * those that the values in `keys` name (see `formatChildNames`).
   */
  loadChildren(action: 'update' | 'destroy', link: ChildLink, isListed: boolean): Statement<LoadedRow>
  /** The same, locked. */
  lockChildren(action: 'update' | 'destroy', link: ChildLink, isListed: boolean): Statement<LoadedRow>
}

/**
 * The column that connects children with their parent: `reverse` is a column of the children with the key of the parent; `column` is one
 * of the parent with the key of its only child.
 */
export type ChildLink = { readonly reverse: string } | { readonly parent: LinkedParent; readonly column: string }

type LinkedParent = Pick<Resource, 'table' | 'key' | 'parentRows'>

/** What the statements are made of. */
export interface LoadSource {
  readonly database: Database
  readonly resource: Resource
  readonly plans: ActionPlans
}

export function createLoadStatements(source: LoadSource): LoadStatements {
  const { database, resource, plans } = source
  const { dialect } = database
  const { keyColumn, identifier, row, rowName, nameColumn } = findKeyColumns(dialect, resource)
  const load = (action: 'update' | 'destroy', condition: Sql, name: Sql = nameColumn) => {
    const snapshot = dialect.text(snapshotObject(database, resource, action, plans[action].permissions))
    const where = createWhereClause(dialect, resource.table, plans[action].filter, condition)
    return sql`select ${keyColumn}, ${snapshot}, ${name} from ${rowsOf(resource)} ${where}`
  }
  // Two transactions that lock rows in the same order cannot wait for each other.
  const andLocked = sql`order by ${keyColumn} ${dialect.forUpdate}`
  const hasKey = isListed(dialect, resource.key, keyColumn, parameter('keys'))
  const lock = (action: 'update' | 'destroy') =>
    compile<LoadedRow>(database, () => sql`${load(action, hasKey)} ${andLocked}`)
  const findNamed = (action: 'update' | 'destroy', end: Sql) =>
    compile<LoadedRow>(database, () => {
      const isFound = hasListedName(dialect, identifier, row, parameter('keys'))
      return sql`${load(action, isFound, rowName)} ${end}`
    })
  const children = new Map<string, Statement<LoadedRow>>()
  const findChildren = (verb: 'load' | 'lock', action: 'update' | 'destroy', link: ChildLink, areNamed: boolean) => {
    const place = 'reverse' in link ? link.reverse : `of ${link.parent.table}.${link.column}`
    const name = `${verb} ${action} ${areNamed} ${place}`
    const found = children.get(name)
    if (found !== undefined) return found
    const end = verb === 'load' ? sql`order by ${keyColumn}` : andLocked
    const andLimited = areNamed ? sql`` : sql` limit ${parameter('limit')}`
    const statement = compile<LoadedRow>(
      database,
      () => sql`${load(action, areChildren(source, link, areNamed))} ${end}${andLimited}`,
    )
    children.set(name, statement)
    return statement
  }
  return {
    lock: { update: lock('update'), destroy: lock('destroy') },
    load: { update: compile<LoadedRow>(database, () => load('update', hasKey)) },
    loadNamed: { update: findNamed('update', sql``), destroy: findNamed('destroy', sql``) },
    lockNamed: { update: findNamed('update', andLocked), destroy: findNamed('destroy', andLocked) },
    loadChildren: (action, link, areNamed) => findChildren('load', action, link, areNamed),
    lockChildren: (action, link, areNamed) => findChildren('lock', action, link, areNamed),
  }
}

/** The columns of the key, of what paths contain, and of what bodies contain. */
export function findKeyColumns(dialect: Dialect, resource: Resource) {
  const { table, key } = resource
  const refer = (column: string) => sql.ref(`${table}.${column}`)
  const identifier = findPathIdentifier(resource)
  const publicIdentifier = findPublicIdentifier(key)
  return {
    keyColumn: refer(key.column),
    identifier,
    row: { table, refer },
    rowName: selectRowName(dialect, identifier, refer),
    publicIdentifier,
    nameColumn: refer(publicIdentifier.column),
  }
}

function areChildren({ database, resource }: LoadSource, link: ChildLink, areNamed: boolean): Sql {
  const { keyColumn, publicIdentifier, nameColumn } = findKeyColumns(database.dialect, resource)
  const areOwned =
    'reverse' in link
      ? sql`${sql.ref(`${resource.table}.${link.reverse}`)} = ${parameter('owner')}`
      : sql`${keyColumn} = (${selectReference(database, link.parent, link.column)})`
  if (!areNamed) return areOwned
  return sql`${areOwned} and ${isListed(database.dialect, publicIdentifier, nameColumn, parameter('keys'))}`
}

// The alias is needed because the table may be that of the child.
function selectReference({ dialect }: Database, parent: LinkedParent, column: string): Sql {
  const { key } = parent
  const isParent = isNamed(dialect, key, sql.id(parentAlias, key.column), parameter('owner'))
  return sql`select ${sql.id(parentAlias, column)} from ${rowsOf(parent, parentAlias)} where ${isParent}`
}

const parentAlias = 'parent row'
