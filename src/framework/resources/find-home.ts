// Finds the API to which a related resource belongs: the API of the relation itself if it has the resource, otherwise the
// one other API of the application that has it.

import type { RelationTarget } from '../fields/field.ts'
import type { Resource } from './resource.ts'

/** The properties of an API that decide where a related resource belongs. */
export interface ResourceHome {
  /** The name that declarations use: `{ ...customers, api: 'crm' }`. */
  readonly name: string
  readonly resources: readonly Resource[]
}

/** The API of a related resource, or why it was not found: a text to append to `… refers to "customers"`. */
export type FoundHome<Api> =
  | { readonly home: Api }
  | { readonly problem: string /** Whether several APIs have the resource. */; readonly isAmbiguous: boolean }

/** Finds the API of a target for a relation in the API `own`. */
export function findHome<Api extends ResourceHome>(
  own: Api,
  target: RelationTarget,
  apis: readonly Api[],
): FoundHome<Api> {
  const { api: name } = target
  if (name === undefined && findResource(own, target)) return { home: own }
  const named = name === undefined ? apis : apis.filter(api => api.name === name)
  const candidates = prefer(
    prefer(
      named.filter(api => findResource(api, target)),
      api => api.resources.some(resource => resource === target),
    ),
    api => hasUrl(findResource(api, target)!),
  )
  const [home, ...others] = candidates
  if (home !== undefined && others.length === 0) return { home }
  return home === undefined
    ? { problem: explainMissing(own, target, apis), isAmbiguous: false }
    : { problem: explainSeveral(candidates), isAmbiguous: true }
}

/** The resource of an API that a relation refers to: the same object, or one with the same name, table and key. */
export const findResource = ({ resources }: ResourceHome, { name, table, key }: RelationTarget): Resource | undefined =>
  resources.find(resource => resource.name === name && resource.table === table && resource.key === key)

const prefer = <Item>(items: readonly Item[], isPreferred: (item: Item) => boolean): readonly Item[] => {
  const preferred = items.filter(isPreferred)
  return preferred.length === 0 ? items : preferred
}

// With "actions: []", a resource only names a table and its row filter.
const hasUrl = ({ actions, listMethods, listViews = {}, objectViews = {} }: Resource): boolean =>
  actions.length > 0 || listMethods !== undefined || Object.keys({ ...listViews, ...objectViews }).length > 0

function explainMissing<Api extends ResourceHome>(own: Api, target: RelationTarget, apis: readonly Api[]): string {
  const { name, api } = target
  const home = api === undefined ? own : apis.find(other => other.name === api)
  if (home === undefined) return ` of the API "${api}", which does not exist: write one of ${formatNames(apis)}`
  const sameName = home.resources.find(resource => resource.name === name)
  if (sameName !== undefined)
    return `${api === undefined ? '' : ` of the API "${api}"`}, and the resource of this name in "resources" has the table "${sameName.table}" and the key "${sameName.key}": use the same resource in both places`
  return api === undefined
    ? ': add it to "resources"; with "actions: []" it has no URL'
    : ` of the API "${api}", which has no such resource: add it to the "resources" of that API`
}

const explainSeveral = (apis: readonly ResourceHome[]): string =>
  `, which several APIs have: name one of ${formatNames(apis)}, as in { ...resource, api: "crm" }`

const formatNames = (apis: readonly ResourceHome[]): string =>
  apis
    .map(({ name }) => `"${name}"`)
    .toSorted()
    .join(', ')
