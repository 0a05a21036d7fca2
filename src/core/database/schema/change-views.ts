// Views are dropped before the tables that they read change, and created again after that.

import type { Change } from './change.ts'
import { mentions } from './draft.ts'
import { isSame } from './same-state.ts'
import type { SchemaState } from './schema-state.ts'

/** Returns the changes of the tables between those of the views. */
export function changeViews(from: SchemaState, to: SchemaState, changes: readonly Change[]): readonly Change[] {
  const changed = listChangedTables(changes)
  const dropped = new Set(
    Object.keys(from.views).filter(
      view => !isSame(from.views[view], to.views[view]) || changed.some(table => mentions(from.views[view], table)),
    ),
  )
  for (const view of dropped)
    for (const other of Object.keys(from.views)) if (mentions(from.views[other], view)) dropped.add(other)
  const created = Object.keys(to.views).filter(view => !Object.hasOwn(from.views, view) || dropped.has(view))
  return [
    ...sortViews([...dropped], from.views)
      .toReversed()
      .map(dropView => ({ dropView })),
    ...changes,
    ...sortViews(created, to.views).map(createView => ({ createView, sql: to.views[createView]! })),
  ]
}

// A database follows the new name of a table or a column by itself.
const listChangedTables = (changes: readonly Change[]): readonly string[] =>
  changes.flatMap(change => {
    if ('dropTable' in change) return [change.dropTable]
    return 'table' in change && ('alterColumn' in change || 'dropColumn' in change) ? [change.table] : []
  })

/** Puts each view after those that it reads. */
function sortViews(names: readonly string[], views: SchemaState['views']): readonly string[] {
  const sorted = new Set<string>()
  const visit = (name: string, readers: readonly string[]): void => {
    for (const other of names)
      if (other !== name && !readers.includes(other) && mentions(views[name], other)) visit(other, [...readers, name])
    sorted.add(name)
  }
  for (const name of names) visit(name, [])
  return [...sorted]
}
