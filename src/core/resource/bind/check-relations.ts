// Checks that every relation of an API leads to a resource of its application. A mistake is an error at start that names
// the fix.

import type { Database } from '../../database/database.ts'
import type { Fields, RelationTarget } from '../../fields/field.ts'
import type { Resource } from '../declare/resource.ts'
import { type ApiResources, findResource, findTargetApi } from '../names/find-target-api.ts'
import { isOnlyNested } from '../names/list-paths.ts'
import { listViewFields } from '../names/view-fields.ts'
import { namesOne } from './check-lookup.ts'

interface CheckedApi extends ApiResources {
  readonly database: Database | undefined
}

/** Throws for the first mistake. */
export function checkRelations(api: CheckedApi, apis: readonly CheckedApi[]): void {
  for (const resource of api.resources)
    for (const { where, target, ...relation } of listRelations(resource)) {
      const problem = findProblem(api, apis, { target, ...relation })
      if (problem !== undefined) throw new Error(`createApi(): ${where} refers to "${target.name}"${problem}`)
    }
}

interface CheckedRelation {
  /** True: responses contain the URL of the target's objects. */
  readonly isLinked: boolean
  /** True: bodies contain the URL of an object. */
  readonly takesUrl?: boolean
  readonly target: RelationTarget
  /** True: the target may be a resource of no API. */
  readonly mayBeUnmounted: boolean
  /** True: the target's name becomes part of a path of the own API. */
  readonly inPath: boolean
}

function findProblem(
  own: CheckedApi,
  apis: readonly CheckedApi[],
  { target, isLinked, takesUrl = false, mayBeUnmounted, inPath }: CheckedRelation,
): string | undefined {
  // A resource of no API would have no URL and no permissions, so nothing would hide its rows.
  const found = findTargetApi(own, target, apis)
  if ('problem' in found)
    return mayBeUnmounted && target.api === undefined && !found.isAmbiguous ? undefined : found.problem
  const { api: targetApi } = found
  const resource = findResource(targetApi, target)!
  if (isLinked && !hasObjects(resource))
    return ` by URL, but it has no URL for its objects: give it the action "retrieve", or remove "form", "takes" and "shows"`
  if (isLinked && isOnlyNested(resource))
    return ` by URL, but its objects have URLs only below a parent: remove "only" from its "nestedUnder", or remove "form", "takes" and "shows"`
  if (takesUrl && !hasUniqueUrls(resource))
    return ` by URL, but its "lookup" names one object only below a parent, or for one caller: take its key, with shows: 'url'`
  if (isLinked && resource.singleton !== undefined)
    return ' by URL, but it is a singleton, whose URL contains no key: relate to the resource that has its objects, or remove "form", "takes" and "shows"'
  if (inPath && resource.singleton !== undefined)
    return ', a singleton, whose path has no key: nest the resource under the one that has its objects, and give it a row filter'
  if (targetApi === own) return undefined
  if (targetApi.database !== own.database)
    return ` of the API "${targetApi.name}", which has another database: give both APIs the same "database", or store the key in a field that is not a relation`
  if (inPath && own.resources.some(({ name }) => name === target.name))
    return ` of the API "${targetApi.name}", but this API has a resource of that name too, so the path "/${target.name}/:key/" would mean both: rename one`
  return undefined
}

const hasObjects = ({ actions }: Resource): boolean => actions.some(action => !['list', 'create'].includes(action))

const hasUniqueUrls = (resource: Resource): boolean => !Array.isArray(resource.lookup) || namesOne(resource)

type NamedRelation = CheckedRelation & { readonly where: string }

function listRelations(resource: Resource): readonly NamedRelation[] {
  const { name, fields, nestedUnder } = resource
  return [
    ...listFieldRelations(fields, `of "${name}"`),
    ...listViewFields(resource).flatMap(([view, declared]) =>
      listFieldRelations(declared, `of view "${view}" of "${name}"`),
    ),
    ...nestedUnder.map(({ parent }) => ({
      where: `"nestedUnder" of "${name}"`,
      target: parent,
      isLinked: false,
      mayBeUnmounted: false,
      inPath: true,
    })),
  ]
}

const listFieldRelations = (fields: Fields, where: string): readonly NamedRelation[] =>
  Object.entries(fields).flatMap(([field, { columnUses = [], relation }]) =>
    columnUses.flatMap(({ target, mayBeUnmounted = false }) => {
      if (target === undefined) return []
      const isLinked = relation?.linked === true && relation.target === target
      const takesUrl = isLinked && relation.findValueField() === 'url'
      return [{ where: `field "${field}" ${where}`, target, isLinked, takesUrl, mayBeUnmounted, inPath: false }]
    }),
  )
