// Finds the API to which a related resource belongs: the API of the relation itself if it has the resource, otherwise the
// one other API of the application that has it.

import type { RelationTarget } from '../../fields/field.ts'
import type { Resource } from '../declare/resource.ts'
import { isSameDeclaration } from './resolve-names.ts'

/** The properties of an API that decide where a related resource belongs. */
export interface ApiResources {
  /** The name that declarations use: `{ ...customers, api: 'crm' }`. */
  readonly name: string
  readonly resources: readonly Resource[]
}

/** The API of a related resource, or why it was not found: a text to append to `… refers to "customers"`. */
export type FoundApi<Api> =
  | { readonly api: Api }
  | {
      readonly problem: string
      /** Whether several APIs have the resource. */
      readonly isAmbiguous: boolean
    }

/** Finds the API of a target for a relation in the API `own`. */
export function findTargetApi<Api extends ApiResources>(
  own: Api,
  target: RelationTarget,
  apis: readonly Api[],
): FoundApi<Api> {
  const { api: name } = target
  if (name === undefined && findResource(own, target)) return { api: own }
  const named = name === undefined ? apis : apis.filter(candidate => candidate.name === name)
  const candidates = prefer(
    prefer(
      named.filter(candidate => findResource(candidate, target)),
      candidate => candidate.resources.some(resource => isSameDeclaration(resource, target)),
    ),
    candidate => hasUrl(findResource(candidate, target)!),
  )
  const [api, ...others] = candidates
  if (api !== undefined && others.length === 0) return { api }
  return api === undefined
    ? { problem: explainMissing(own, target, apis), isAmbiguous: false }
    : { problem: explainSeveral(candidates), isAmbiguous: true }
}

/** The resource of an API that a relation refers to: the same object, or one with the same name, table and key. */
export const findResource = ({ resources }: ApiResources, { name, table, key }: RelationTarget): Resource | undefined =>
  resources.find(resource => resource.name === name && resource.table === table && resource.key.column === key.column)

/** The preferred items; if there are none, all. */
export const prefer = <Item>(items: readonly Item[], isPreferred: (item: Item) => boolean): readonly Item[] => {
  const preferred = items.filter(isPreferred)
  return preferred.length === 0 ? items : preferred
}

/** Whether a resource has a URL. With "actions: []", it only names a table and its row filter. */
export const hasUrl = ({
  actions,
  listMethods,
  objectMethods,
  lists = {},
  listViews = {},
  objectViews = {},
}: Resource): boolean =>
  actions.length > 0 ||
  (listMethods ?? objectMethods) !== undefined ||
  Object.keys({ ...lists, ...listViews, ...objectViews }).length > 0

function explainMissing<Api extends ApiResources>(own: Api, target: RelationTarget, apis: readonly Api[]): string {
  const { name, api } = target
  const home = api === undefined ? own : apis.find(other => other.name === api)
  if (home === undefined) return ` of the API "${api}", which does not exist: write one of ${formatNames(apis)}`
  const sameName = home.resources.find(resource => resource.name === name)
  if (sameName !== undefined)
    return `${api === undefined ? '' : ` of the API "${api}"`}, and the resource of this name in "resources" has the table "${sameName.table}" and the key "${sameName.key.column}": use the same resource in both places`
  return api === undefined
    ? ': add it to "resources"; with "actions: []" it has no URL'
    : ` of the API "${api}", which has no such resource: add it to the "resources" of that API`
}

const explainSeveral = (apis: readonly ApiResources[]): string =>
  `, which several APIs have: name one of ${formatNames(apis)}, as in { ...resource, api: "crm" }`

const formatNames = (apis: readonly ApiResources[]): string =>
  apis
    .map(({ name }) => `"${name}"`)
    .toSorted()
    .join(', ')
