// Notes what a step creates. If the step does nothing else, `dev` can take it back by removing that.

import {
  AddColumnNode,
  AlterTableNode,
  CreateIndexNode,
  CreateTableNode,
  CreateViewNode,
  ExpressionWrapper,
  type Kysely,
  type OperationNode,
  type RootOperationNode,
  type SchemableIdentifierNode,
  SelectQueryNode,
  sql,
} from 'kysely'

/** A table, column, index or view that a step created. */
export interface Creation {
  readonly kind: 'table' | 'column' | 'index' | 'view'
  /** The table or view; absent for an index. */
  readonly table?: QualifiedName
  /** The column; or the index, which is in the schema of its table. */
  readonly name?: string
  readonly schema?: string
  /** The SQL of the default value of a column. */
  readonly defaultValue?: string
}

/** A name, or a schema and a name. */
export type QualifiedName = readonly string[]

/** Notes what the statements of `kysely` create. `list` returns null if they did anything else. */
export function watchCreations(kysely: Kysely<unknown>): {
  readonly kysely: Kysely<unknown>
  list(): readonly Creation[] | null
} {
  const queries = new WeakMap<object, RootOperationNode>()
  const found: (readonly Creation[] | null)[] = []
  const watched = kysely.withPlugin({
    transformQuery({ node, queryId }) {
      queries.set(queryId, node)
      return node
    },
    // Called for statements that have succeeded.
    async transformResult({ result, queryId }) {
      const node = queries.get(queryId)
      found.push(node === undefined ? null : findCreations(node, kysely))
      return result
    },
  })
  return { kysely: watched, list: () => (found.includes(null) ? null : found.flatMap(creations => creations ?? [])) }
}

function findCreations(node: RootOperationNode, kysely: Kysely<unknown>): readonly Creation[] | null {
  if (SelectQueryNode.is(node)) return node.with === undefined ? [] : null
  if (CreateTableNode.is(node)) {
    if (node.ifNotExists || node.temporary || node.selectQuery !== undefined) return null
    return [{ kind: 'table', table: toName(node.table.table) }]
  }
  if (CreateViewNode.is(node)) {
    if (node.ifNotExists || node.temporary || node.materialized || node.orReplace) return null
    return [{ kind: 'view', table: toName(node.name) }]
  }
  if (CreateIndexNode.is(node)) {
    if (node.ifNotExists || node.table === undefined) return null
    const schema = node.table.table.schema?.name
    return [{ kind: 'index', name: node.name.name, ...(schema !== undefined && { schema }) }]
  }
  return AlterTableNode.is(node) ? findColumns(node, kysely) : null
}

function findColumns(node: AlterTableNode, kysely: Kysely<unknown>): readonly Creation[] | null {
  const { kind, table, columnAlterations = [], ...others } = node
  if (columnAlterations.length === 0 || Object.values(others).some(part => part !== undefined)) return null
  const columns = columnAlterations.map(alteration => {
    if (!AddColumnNode.is(alteration) || alteration.column.ifNotExists) return null
    const { column, defaultTo } = alteration.column
    return {
      kind: 'column' as const,
      table: toName(table.table),
      name: column.column.name,
      ...(defaultTo && { defaultValue: formatSql(defaultTo.defaultValue, kysely) }),
    }
  })
  return columns.includes(null) ? null : columns.filter(column => column !== null)
}

const toName = ({ schema, identifier }: SchemableIdentifierNode): QualifiedName =>
  schema === undefined ? [identifier.name] : [schema.name, identifier.name]

const formatSql = (node: OperationNode, kysely: Kysely<unknown>): string =>
  sql`${new ExpressionWrapper(node)}`.compile(kysely).sql
