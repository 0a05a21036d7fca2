// The view `deletion` of an object of the administration lists the rows that its deletion would also delete. Staff who may see and
// delete the object may read it; the page on which they confirm the deletion shows it, and so does that of several objects.

import { sql } from 'kysely'
import {
  boolean,
  countDeletion,
  type Database,
  type DeletionCounts,
  type Identifier,
  integer,
  isOneOf,
  type KeyValue,
  list,
  object,
  objectView,
  type Resource,
  type RowCount,
  rowsOf,
  text,
} from '#core'
import { accountMessages } from '../messages.ts'
import { permissionsAs } from './permissions-as.ts'

const rows = list({
  of: object({ fields: { name: text(), resource: text({ nullable: true }), count: integer(), has_more: boolean() } }),
})

/** Adds the view `deletion` to a resource whose objects can be deleted, unless it has one already. */
export function addDeletion(resource: Resource, database: Database, shown: readonly Resource[]): Resource {
  const { actions, singleton, objectViews = {} } = resource
  if (!actions.includes('destroy') || singleton !== undefined || Object.hasOwn(objectViews, 'deletion')) return resource
  const count = async (identifier: Identifier, ids: readonly KeyValue[]): Promise<DeletionCounts> => {
    const counts = await countDeletion(database, { ...resource, key: identifier }, ids)
    const describe = (rows: readonly RowCount[]) => rows.map(row => describeRows(row, shown))
    return {
      deletes: describe(counts.deletes),
      changes: describe(counts.changes),
      prevents: describe(counts.prevents),
      files: await countFiles(database, resource, identifier, ids),
    }
  }
  const deletion = objectView({
    description: accountMessages('about.deletion'),
    permissions: permissionsAs('DELETE', resource),
    auditEvent: null,
    response: { deletes: rows, changes: rows, prevents: rows, files: integer() },
    handlers: { GET: ({ key }) => count(resource.key, [key]) },
  })
  return { ...resource, objectViews: { ...objectViews, deletion }, countDeletion: count }
}

// A table without a resource of the administration, such as that of memberships, has only its own name.
const describeRows = ({ table, count, hasMore }: RowCount, shown: readonly Resource[]) => ({
  name: table,
  resource: shown.find(resource => resource.table === table)?.name ?? null,
  count,
  has_more: hasMore,
})

/** The number of files of the objects themselves. */
async function countFiles(
  { kysely, dialect }: Database,
  resource: Resource,
  identifier: Identifier,
  ids: readonly KeyValue[],
): Promise<number> {
  const columns = Object.entries(resource.fields).flatMap(([name, field]) =>
    field.file === undefined ? [] : field.columns(name),
  )
  if (columns.length === 0) return 0
  const count = sql.join(
    columns.map(column => sql`count(${sql.id(column)})`),
    sql` + `,
  )
  const isSelected = isOneOf(dialect, identifier, sql.id(identifier.column), ids)
  const query = sql<{
    readonly files: number | string
  }>`select ${count} as files from ${rowsOf(resource)} where ${isSelected}`
  return Number((await query.execute(kysely)).rows[0]!.files)
}
