// Checks the fields that not every caller sees. An option that would reveal their values to the others is an error at
// start.

import { hasInitial } from '../../fields/field.ts'
import { isAlias, listWrittenColumns } from '../../fields/storage.ts'
import type { Paginator } from '../../pagination/paginator.ts'
import type { Resource } from '../declare/resource.ts'
import { checkOrdering, createOrdering, listOrderedColumns } from '../query/declared-ordering.ts'

/** Throws for the first mistake in a declaration. */
export function checkVisibleFields(resource: Omit<Resource, 'name'>): void {
  const { actions, objectName, ordering, orderingTies = [], uniqueTogether, nestedUnder } = resource
  for (const [name, field] of listConditional(resource)) {
    const { visible, readOnly, isPartial } = field
    if (!isPartial && typeof visible !== 'function')
      throw new Error(`field "${name}": visible must be a function of the caller`)
    const columns = listWrittenColumns(name, field)
    if (!isPartial && actions.includes('create') && columns.length > 0 && !readOnly && !hasInitial(field))
      throw new Error(`field "${name}" is not visible to every caller: give it a default, or set nullable: true`)
    if (isPartial && field.unique !== undefined) refuse('unique', name)
    if (name === objectName) refuse('objectName', name)
    if (uniqueTogether.flat().includes(name)) refuse('uniqueTogether', name)
    for (const [option, names] of Object.entries({ ordering, orderingTies }))
      if (listOrderedColumns(resource, names).some(column => columns.includes(column))) refuse(option, name)
    if (nestedUnder.some(({ column }) => columns.includes(column))) refuse('nestedUnder', name)
  }
}

/** Throws if a declared order is wrong, or reveals such a field: the cursors of a paginator would even contain the values. */
export function checkVisibleOrdering(resource: Resource, paginator: Paginator | null): void {
  const { fields, ordering, orderingTies = [] } = resource
  const orders = { ordering, orderingTies, 'the ordering of its pagination': paginator?.ordering ?? [] }
  for (const [option, names] of Object.entries(orders)) {
    checkOrdering(fields, option, names)
    for (const name of names) {
      const { column, path } = createOrdering(resource, [name])[0]!
      const stored = listConditional(resource).flatMap(([field, { columns }]) => columns(field))
      if (path.some(({ visible }) => visible !== undefined) || (column !== undefined && stored.includes(column)))
        refuse(option, name.replace(/^-/, ''))
    }
  }
}

const listConditional = ({ fields }: Pick<Resource, 'fields'>) =>
  Object.entries(fields).filter(([, { visible, isPartial }]) => visible !== undefined || isPartial)

function refuse(option: string, name: string): never {
  throw new Error(`${option}: field "${name}" is not visible to every caller, and this would reveal it: remove it`)
}

/**
 * Throws if two fields write one column: the default of the field that the body lacks would replace the value of the other one. A
 * caller may see only one of two fields with `visible`.
 */
export function checkWriters({ fields, perAction }: Pick<Resource, 'fields' | 'perAction'>): void {
  for (const action of ['create', 'update'] as const) {
    const writers = new Map<string, string>()
    for (const name of perAction[action]?.takes ?? Object.keys(fields)) {
      const { readOnly, visible } = fields[name]!
      if (readOnly || visible || isAlias(fields, name)) continue
      for (const column of listWrittenColumns(name, fields[name]!)) {
        const other = writers.get(column)
        if (other !== undefined)
          throw new Error(
            `fields "${other}" and "${name}" both write column "${column}": wrap one of them in readOnly()`,
          )
        writers.set(column, name)
      }
    }
  }
}
