// Refuses what a resource cannot do if its table extends another one, because it needs one table.

import { storageColumn } from '../../fields/storage.ts'
import { listUrlColumns } from '../declare/nested-under.ts'
import type { Resource } from '../declare/resource.ts'
import { listTableParts } from '../sql/table-parts.ts'

/** Throws for the first mistake. */
export function checkExtending(resource: Resource): void {
  const { table, parentRows, feed, filters = {}, uniqueTogether, fields, hookColumns } = resource
  if (parentRows === undefined) return
  const place = `the table "${table}" extends "${parentRows.table}"`
  if (feed === true) throw new Error(`feed: ${place}, and a feed reads the changes of one table: remove it`)
  const parts = listTableParts(resource)
  const links = parts.map(({ link }) => link)
  const written = [...hookColumns, ...listUrlColumns(resource)].find(column => links.includes(column))
  if (written !== undefined)
    throw new Error(`hookColumns, nestedUnder: ${place}, and "${written}" gets the key of a new row there: remove it`)
  const fullText = Object.keys(filters).find(name => {
    const filter: unknown = filters[name]
    return typeof filter === 'object' && filter !== null && 'fullText' in filter
  })
  if (fullText !== undefined)
    throw new Error(`filters: "${fullText}": ${place}, and a full-text index is of one table: use searchFields`)
  const isStored = (names: readonly string[]) =>
    parts.some(({ has }) => names.every(name => has(storageColumn(name, fields[name]!)!)))
  const split = uniqueTogether.find(names => !isStored(names))
  if (split !== undefined)
    throw new Error(`uniqueTogether: ${place}, and no unique index contains the columns of ${split.join(' and ')}`)
}
