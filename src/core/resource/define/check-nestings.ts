// Checks the option `nestedUnder` of a declaration.

import { findStoredField } from '../../fields/storage.ts'
import { listUrlColumns } from '../declare/nested-under.ts'
import type { Resource } from '../declare/resource.ts'

type Declared = Omit<Resource, 'name'>

/** Throws for the first mistake. */
export function checkNestings(resource: Declared): void {
  const { nestedUnder, fields, hookColumns } = resource
  const parents = nestedUnder.map(({ parent }) => (typeof parent === 'string' ? parent : parent.name))
  const duplicate = parents.find((parent, index) => parents.indexOf(parent) < index)
  if (duplicate !== undefined)
    throw new Error(`nestedUnder: "${duplicate}" is named twice, and both lists would have one URL: remove one`)
  if (nestedUnder.some(({ only }) => only) && !nestedUnder.every(({ only }) => only))
    throw new Error('nestedUnder: "only" removes the URLs at the top level: set it for every parent, or for none')
  for (const column of listUrlColumns({ nestedUnder })) {
    if (findStoredField(fields, column) === undefined && !hookColumns.includes(column))
      throw new Error(`nestedUnder: no field stores column "${column}": add one, or name it in "hookColumns"`)
  }
  checkThrough(resource)
}

// A new object below such a parent would need a row of the joining table.
function checkThrough({ nestedUnder, actions, feed }: Declared): void {
  const joined = nestedUnder.find(({ through }) => through !== undefined)
  if (joined === undefined) return
  const { parent } = joined
  if (actions.includes('create'))
    throw new Error(
      `nestedUnder: a list through a table cannot create: leave out the action "create", write a POST in "listMethods", or declare a second resource of the table below "${parent.name}"`,
    )
  if (feed)
    throw new Error('nestedUnder: a feed does not see the changes of the joining table: remove "feed", or "through"')
}
