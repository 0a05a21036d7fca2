// Finds out what a step does, without a database: the step runs on a driver that only notes the statements, and finds no rows.
// Two steps are the same if their statements are, however their code is written, formatted or built (decision 090).

import { hash } from 'node:crypto'
import {
  AlterTableNode,
  CreateTableNode,
  type DatabaseConnection,
  type Driver,
  DropTableNode,
  DummyDriver,
  type RawBuilder,
  RawNode,
  type RootOperationNode,
  sql,
  type TableNode,
} from 'kysely'
import type { ColumnTypes, Dialect } from '../dialect.ts'
import { completeColumn } from '../schema/apply-changes.ts'
import type { Change } from '../schema/change.ts'
import type { StepFunction } from './declared-step.ts'
import type { MigrationStep } from './migrations.ts'

export interface StepOutline {
  /**
   * Differs if the changes or the statements differ. Values that are bound to statements do not count, and neither do times in their
   * text.
   */
  readonly digest: string
  /** Whether the step has no change and runs no statement. */
  readonly isEmpty: boolean
  /** The tables that the step creates and removes, in their order; undefined if that is not known before it runs. */
  readonly tables: readonly TableEvent[] | undefined
}

/** A table begins or ceases to exist under its name. */
export interface TableEvent {
  readonly table: string
  readonly exists: boolean
}

const outlines = new WeakMap<MigrationStep, Map<string, Promise<StepOutline>>>()

/** Outlines a step for one kind of database; runs it at most once in each process. Never rejects. */
export function outlineStep(step: MigrationStep, dialect: Dialect): Promise<StepOutline> {
  const byDialect = outlines.get(step) ?? new Map<string, Promise<StepOutline>>()
  outlines.set(step, byDialect)
  const outline = byDialect.get(dialect.name) ?? createOutline(step, dialect)
  byDialect.set(dialect.name, outline)
  return outline
}

/** Whether two digests tell if steps are the same: a later version may compute them in another way. */
export const isComparable = (digest: string): boolean => digest.startsWith(digestVersion)

const digestVersion = '1-'

async function createOutline(step: MigrationStep, dialect: Dialect): Promise<StepOutline> {
  const { change = [], run } = typeof step === 'function' ? { run: step } : step
  const changes = change.map(each => JSON.stringify(normalize(each)))
  const { statements, nodes, hasFailed } = run === undefined ? noStatements : await noteStatements(run, dialect)
  const text = [...changes, ...statements.map(withoutTimes)].join(';\n')
  return {
    digest: digestVersion + hash('sha256', text, 'base64url'),
    isEmpty: changes.length === 0 && statements.length === 0 && !hasFailed,
    tables: hasFailed ? undefined : findTables(change, nodes),
  }
}

interface NotedStatements {
  readonly statements: readonly string[]
  readonly nodes: readonly RootOperationNode[]
  readonly hasFailed: boolean
}

const noStatements: NotedStatements = { statements: [], nodes: [], hasFailed: false }

async function noteStatements(run: StepFunction, dialect: Dialect): Promise<NotedStatements> {
  const statements: string[] = []
  const nodes: RootOperationNode[] = []
  const named = nameTypes(dialect)
  try {
    await run(dialect.createKysely(createNotingDriver(statements, nodes)), named.columns, named)
  } catch {
    // The step may need rows. Its first statements identify it.
    return { statements, nodes, hasFailed: true }
  }
  return { statements, nodes, hasFailed: false }
}

// The order of properties does not matter, except that of columns.
function normalize(change: Change): unknown {
  if (!('createTable' in change)) return sortProperties(change)
  const { columns, ...others } = change
  const complete = Object.entries(columns).map(([name, column]) => [name, sortProperties(completeColumn(column))])
  return { ...(sortProperties(others) as object), columns: complete }
}

const sortProperties = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const entries = Object.entries(value).filter(([, part]) => part !== undefined)
  return Object.fromEntries(
    entries.toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([name, part]) => [name, sortProperties(part)]),
  )
}

function findTables(changes: readonly Change[], nodes: readonly RootOperationNode[]): StepOutline['tables'] {
  const all = [...changes.map(findChangedTable), ...nodes.map(findNamedTable)]
  return all.includes(undefined) ? undefined : all.flatMap(events => events ?? [])
}

function findChangedTable(change: Change): readonly TableEvent[] {
  if ('createTable' in change) return [{ table: change.createTable, exists: true }]
  if ('dropTable' in change) return [{ table: change.dropTable, exists: false }]
  return 'renameTable' in change ? createRename([change.renameTable], [change.to]) : []
}

const createRename = (names: readonly string[], to: readonly string[]): readonly TableEvent[] => [
  ...names.map(table => ({ table, exists: false })),
  ...to.map(table => ({ table, exists: true })),
]

function findNamedTable(node: RootOperationNode): readonly TableEvent[] | undefined {
  if (CreateTableNode.is(node)) return node.ifNotExists ? [] : createRename([], listName(node.table))
  if (DropTableNode.is(node)) return createRename(listName(node.table), [])
  if (AlterTableNode.is(node) && node.renameTo !== undefined)
    return createRename(listName(node.table), listName(node.renameTo))
  const isOther = RawNode.is(node) && /\b(?:drop|rename|schema|search_path)\b/i.test(node.sqlFragments.join(' '))
  return isOther ? undefined : []
}

// A table in another schema is not examined.
const listName = ({ table: { schema, identifier } }: TableNode): readonly string[] =>
  schema === undefined ? [identifier.name] : []

/** A step that runs until it finds rows never ends. */
const maxStatements = 10_000

/** A driver that only notes the statements, and finds no rows. */
export function createNotingDriver(statements: string[], nodes: RootOperationNode[] = []): Driver {
  const connection: DatabaseConnection = {
    async executeQuery(query) {
      nodes.push(query.query)
      if (statements.push(query.sql) > maxStatements) throw new Error('too many statements')
      return { rows: [], numAffectedRows: 0n }
    },
    async *streamQuery(query) {
      yield await connection.executeQuery(query)
    },
  }
  return Object.assign(new DummyDriver(), { acquireConnection: async () => connection })
}

// A step that writes the time of its run into a statement is still the same step.
const withoutTimes = (text: string): string =>
  text.replaceAll(/'\d{4}-\d\d-\d\d[T ]\d\d:\d\d[^']*'/g, "'time'").replaceAll(/\b1\d{12}\b/g, "'time'")

// A later version of the framework may write other SQL for a column type or a full-text index.
function nameTypes(dialect: Dialect): Dialect {
  const create = (name: string) => sql.raw(`type.${name}`)
  const toNamed = ([name, type]: readonly [string, RawBuilder<unknown> | ColumnTypes['decimal']]) =>
    typeof type === 'function'
      ? ([name, (...sizes: readonly number[]) => create(`${name}(${sizes.join()})`)] as const)
      : ([name, create(name)] as const)
  const describe = (action: string, index: object) => [sql.raw(`${action} full text ${JSON.stringify(index)}`)]
  return {
    ...dialect,
    columns: Object.fromEntries(Object.entries(dialect.columns).map(toNamed)) as unknown as ColumnTypes,
    fullText: {
      ...dialect.fullText,
      create: index => describe('create', index),
      drop: index => describe('drop', index),
    },
  }
}
