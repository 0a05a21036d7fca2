// Finds the filters by words that no full-text index serves. On SQLite, they are errors at start instead.

import type { Database } from '../../database/database.ts'
import type { NamedFullTextIndex } from '../../database/dialect.ts'
import type { BoundResource } from '../bind/bound-resource.ts'
import { formatAdvice, type IndexReason } from './index-advice.ts'

interface Want extends IndexReason {
  /** The table, with its schema if it has one. */
  readonly table: string
  readonly index: NamedFullTextIndex
}

/** Lists the full-text indexes that resources want and the database lacks, as {@link formatAdvice} formats them. */
export async function findMissingFullText(
  database: Database,
  boundResources: readonly BoundResource[],
): Promise<readonly string[]> {
  const { isIndexed, create } = database.dialect.fullText
  const wants = boundResources.flatMap(listWants)
  if (isIndexed === undefined || wants.length === 0) return []
  const tables = await database.catalogue.indexes([...new Set(wants.map(({ table }) => table))])
  const wanted = wants.filter(({ table }) => tables.has(table))
  return database.transaction(async ({ kysely }) => {
    const lines: string[] = []
    for (const group of Map.groupBy(wanted, ({ index }) => JSON.stringify(index)).values()) {
      const [{ index }] = group as [Want, ...Want[]]
      if (await isIndexed(index, kysely)) continue
      const statements = create(index).map(statement => statement.compile(kysely).sql)
      lines.push(formatAdvice(group, statements.join('; ')))
    }
    return lines
  })
}

function listWants({ resource, filters }: BoundResource): readonly Want[] {
  const { name, actions, table, key } = resource
  if (!actions.includes('list')) return []
  return filters.all.flatMap(({ parameter, findFullTextIndex }) =>
    findFullTextIndex === undefined
      ? []
      : [{ resource: name, option: 'filters', name: parameter, table, index: findFullTextIndex(table, key.column) }],
  )
}
