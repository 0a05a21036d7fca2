// Resources of the administration may refer to others that it does not show.

import { type Resource, resource } from 'resource-api'
import type { RelationTarget } from 'resource-api/extend'

/** Creates the resources that these ones refer to and that are not among them. They have no URLs and no row filter. */
export function createRelatedResources(resources: readonly Resource[]): readonly Resource[] {
  const names = new Set(resources.map(({ name }) => name))
  const hidden = listTargets(resources).filter(({ name }) => !names.has(name))
  return [...new Map(hidden.map(target => [target.name, createHiddenResource(target)])).values()]
}

const listTargets = (resources: readonly Resource[]): readonly RelationTarget[] =>
  resources.flatMap(({ fields }) =>
    Object.values(fields).flatMap(({ columnUses = [] }) =>
      columnUses.flatMap(({ target }) => (target === undefined ? [] : [target])),
    ),
  )

const createHiddenResource = ({ name, table, key }: RelationTarget): Resource =>
  resource(name, { table, key, actions: [], permissions: [], fields: {} })
