// Resources of the administration may refer to others that it does not show.

import { type Fields, type RelationTarget, type Resource, resource } from '#core'

/**
 * Creates the resources that these ones refer to and that are not among them. They have no URLs and no row filter, so
 * staff can select every row. A target of hyperlinks is left to the API in which it has URLs.
 */
export function createRelatedResources(shown: readonly Resource[]): readonly Resource[] {
  const names = new Set(shown.map(({ name }) => name))
  const linked = new Set(shown.flatMap(({ fields }) => listLinks(fields)))
  const targets = shown
    .flatMap(({ fields }) => listTargets(fields))
    .filter(({ name, api }) => api === undefined && !names.has(name) && !linked.has(name))
  return [...new Map(targets.map(target => [target.name, createHiddenResource(target)])).values()]
}

const listLinks = (fields: Fields): readonly string[] =>
  Object.values(fields).flatMap(({ relation }) => (relation?.linked ? [relation.target.name] : []))

const listTargets = (fields: Fields): readonly RelationTarget[] =>
  Object.values(fields).flatMap(({ columnUses = [] }) =>
    columnUses.flatMap(({ target }) => (target === undefined ? [] : [target])),
  )

const createHiddenResource = ({ name, table, key }: RelationTarget): Resource =>
  resource(name, { table, key, actions: [], permissions: [], fields: {} })
