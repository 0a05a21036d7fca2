// The tables of one owner together: references between them are checked, and their migrations and types follow.

import { type DeclaredStep, step } from '../database/migrations/declared-step.ts'
import type { Migrations, OwnedMigrations } from '../database/migrations/migrate.ts'
import { listUsedSteps } from '../database/migrations/replay-steps.ts'
import { findChanges } from '../database/schema/find-changes.ts'
import { emptyState, type SchemaState } from '../database/schema/schema-state.ts'
import type { ReferencesOf } from './condition-types.ts'
import type { Table } from './table.ts'
import { createTableState, listDefaults } from './table-state.ts'

/** The declared tables of an owner, and the steps that make them. */
export interface Schema<out T extends Table = Table> extends OwnedMigrations {
  /** These tables, and those of the owners that they use. */
  readonly tables: readonly T[]
  /** What the steps have to make. */
  readonly state: SchemaState
}

export interface TablesOptions<Own extends Table = Table, Used extends Table = Table> {
  /** The owner of the tables; see {@link OwnedMigrations}. */
  readonly owner: string
  readonly tables: readonly Own[]
  /** The tables of other owners to which these refer. */
  readonly uses?: readonly Schema<Used>[]
  /**
   * The steps, or the folder of their files, which `resource-api migrations make` writes. Default: one step creates the tables, which
   * suits a test and a first try.
   */
  readonly migrations?: OwnedMigrations['steps']
}

/**
 * Brings tables together. Throws an Error if a reference names a table that is neither among them nor in `uses`.
 *
 * @example
 * export const schema = tables({ owner: 'blog', tables: [articles, comments], migrations: import.meta.dirname + '/migrations' })
 */
export function tables<Own extends Table, Used extends Table = never>(
  options: TablesOptions<Own, Used> & ReferenceMistakes<Own | Used>,
): Schema<Own | Used> {
  const { owner, tables: declared, uses = [] } = options
  const all: readonly (Own | Used)[] = [...declared, ...uses.flatMap(schema => schema.tables)]
  const findTable = (name: string) => all.find(table => table.name === name)
  const duplicate = all.find(table => findTable(table.name) !== table)
  if (duplicate !== undefined) throw new Error(`tables of "${owner}": two tables have the name "${duplicate.name}"`)
  const managed = declared.filter(table => table.options.managed !== false)
  const state: SchemaState = {
    tables: Object.fromEntries(managed.map(table => [table.name, createTableState(table, findTable)])),
    views: {},
  }
  const steps = options.migrations ?? { '0001_first': createFirst(state, uses) }
  for (const table of declared) schemaTables.set(table, all)
  const defaults = Object.assign({}, ...managed.map(listDefaults))
  return Object.freeze({ owner, steps, state, defaults, tables: all })
}

function createFirst(state: SchemaState, uses: readonly Schema[]): DeclaredStep {
  const { changes: change } = findChanges(emptyState, state)
  const others = uses.flatMap(({ owner, steps }) => (isRecord(steps) ? [{ owner, steps }] : []))
  const used = listUsedSteps(change, others)
  return step({ ...(used.length > 0 && { uses: used }), change })
}

const isRecord = (steps: OwnedMigrations['steps']): steps is Migrations =>
  typeof steps === 'object' && !(steps instanceof URL)

/** The references to tables that are not there; `unknown` without them. */
type ReferenceMistakes<T extends Table> = [Exclude<ReferencesOf<T>['target'], T['name']>] extends [never]
  ? unknown
  : string extends ReferencesOf<T>['target']
    ? unknown
    : { readonly tables: UnknownTables<ReferencesOf<T>, T['name']> }

type UnknownTables<Each extends { readonly target: string; readonly from: string }, Known> = {
  readonly [Wrong in Each as Wrong['target'] extends Known
    ? never
    : `${Wrong['from']} refers to the table ${Wrong['target']}, which is neither in tables nor in uses`]: never
}

const schemaTables = new WeakMap<Table, readonly Table[]>()

/** A table of the same schema; undefined if there is none with this name. */
export const findSchemaTable = (table: Table, name: string): Table | undefined =>
  schemaTables.get(table)?.find(each => each.name === name)

/** The tables to which a table can lead: those of its schema. Throws an Error if no call of tables() contains the table. */
export function findSchemaTables(table: Table): readonly Table[] {
  const found = schemaTables.get(table)
  if (found !== undefined) return found
  throw new Error(`table "${table.name}" belongs to no schema: name it in tables({ owner, tables: [${table.name}] })`)
}
