// Compares the indexes that lists want with those of the database. The result is advice: a small table needs no index, and
// each index makes writes slower.

import type { FastifyInstance } from 'fastify'
import type { Index, Table } from '../../database/catalogue.ts'
import type { Database } from '../../database/database.ts'
import type { IndexColumn } from '../../database/dialect.ts'
import type { BoundResource } from '../bind/bound-resource.ts'
import { formatAdvice } from './index-advice.ts'
import { findMissingFullText } from './missing-full-text.ts'
import { listRegisteredResources } from './start-checks.ts'
import { listWantedIndexes, type WantedIndex } from './wanted-indexes.ts'

/**
 * Lists the indexes that the resources of a Fastify server want and their databases lack, one line each, with the SQL that
 * creates the index. Call it once the server is ready. Rejects if a database cannot be reached.
 */
export async function listMissingIndexes(app: Pick<FastifyInstance, 'server'>): Promise<readonly string[]> {
  const resources = listRegisteredResources(app).filter(({ suggestsIndexes }) => suggestsIndexes)
  const lines = await Promise.all(
    [...Map.groupBy(resources, ({ database }) => database)].map(async ([database, bound]) => [
      ...(await findMissing(database, bound)),
      ...(await findMissingFullText(database, bound)),
    ]),
  )
  return lines.flat()
}

/** A want of a resource; the columns are named as in the catalogue. */
interface Want extends WantedIndex {
  readonly resource: string
}

async function findMissing(database: Database, boundResources: readonly BoundResource[]): Promise<readonly string[]> {
  const wants = boundResources.flatMap(bound =>
    listWantedIndexes(bound).map(want => ({ ...want, resource: bound.resource.name })),
  )
  const names = [...new Set(wants.map(({ table }) => table))]
  const [tables, indexes] = [await database.catalogue.tables(names), await database.catalogue.indexes(names)]
  const missing = wants.flatMap(want => {
    const [table, found] = [tables.get(want.table), indexes.get(want.table)]
    if (table === undefined || found === undefined) return []
    const named = nameColumns(want, table)
    return found.some(index => beginsWith(index, named.columns.slice(0, named.leadingColumns))) ? [] : [named]
  })
  return joinWants(missing).map(group =>
    formatAdvice(group, database.dialect.formatCreateIndex(group[0].table, group[0].columns)),
  )
}

const nameColumns = (want: Want, table: Table): Want => ({
  ...want,
  columns: want.columns.map(column => ({ ...column, name: table.column(column.name)?.name ?? column.name })),
})

// The database also reads an index backwards, so it serves the opposite of its directions too.
function beginsWith(index: Index, columns: readonly IndexColumn[]): boolean {
  const isReversed = (index[0]?.descending ?? false) !== (columns[0]?.descending ?? false)
  return columns.every(({ name, descending = false }, position) => {
    const found = index[position]
    return found?.name === name && (found.descending !== descending) === isReversed
  })
}

// One index serves all wants whose columns it begins with.
function joinWants(wants: readonly Want[]): readonly (readonly [Want, ...Want[]])[] {
  const groups: [Want, ...Want[]][] = []
  for (const want of wants.toSorted((left, right) => right.columns.length - left.columns.length)) {
    const group = groups.find(([first]) => first.table === want.table && isPrefix(want.columns, first.columns))
    if (group === undefined) groups.push([want])
    else group.push(want)
  }
  return groups
}

const isPrefix = (columns: readonly IndexColumn[], of: readonly IndexColumn[]): boolean =>
  columns.every(({ name, descending }, index) => of[index]?.name === name && of[index]?.descending === descending)
