// Resources of the administration may refer to others that it does not show.

import { type Resource, resource } from 'resource-api'
import type { RelationTarget } from 'resource-api/extend'

/** Creates the resources that these ones refer to and that are not among them. They have no URLs and no row filter. */
export function createRelatedResources(shown: readonly Resource[]): readonly Resource[] {
  const hidden = new Map<string, Resource>()
  for (const { name, fields } of shown) {
    for (const target of listTargets(fields)) {
      const found = shown.find(other => other.name === target.name) ?? hidden.get(target.name)
      if (found === undefined) hidden.set(target.name, createHiddenResource(target))
      else checkSame(name, target, found)
    }
  }
  return [...hidden.values()]
}

const listTargets = (fields: Resource['fields']): readonly RelationTarget[] =>
  Object.values(fields).flatMap(({ columnUses = [] }) =>
    columnUses.flatMap(({ target }) => (target === undefined ? [] : [target])),
  )

const createHiddenResource = ({ name, table, key }: RelationTarget): Resource =>
  resource(name, { table, key, actions: [], permissions: [], fields: {} })

// A relation names its resource, so two resources of different tables cannot have one name here.
function checkSame(owner: string, target: RelationTarget, found: RelationTarget): void {
  if (target.table === found.table && target.key === found.key) return
  throw new Error(
    `administration(): "${owner}" refers to a resource "${target.name}" of the table "${target.table}", but "${found.name}" of the table "${found.table}" is in the administration: give the first one another name`,
  )
}
