// The parameters in the paths of a resource: the keys of its objects and of their parents, or the fields that stand for them.

import type { JsonSchema } from '../../../describe/json-schema.ts'
import type { RelationTarget } from '../../../fields/field.ts'
import { findPathIdentifier, listLookupParameters } from '../../../fields/identifier.ts'
import { describeIdentifier, type Identifier } from '../../../keys/key.ts'
import type { ResourceLocation } from '../../bind/resource-location.ts'

/** Describes the parameters in the path of a list or of an object, by name. */
export function describePath(
  { bound: { resource }, list }: ResourceLocation,
  place: 'list' | 'object',
): Readonly<Record<string, JsonSchema>> {
  const parents = list.parents.map(({ parameter, resource: parent }) => describeName(parent, parameter))
  const isKeyed = place === 'object' && resource.singleton === undefined
  return Object.fromEntries([...parents.reverse(), ...(isKeyed ? [describeName(resource)] : [])].flat())
}

function describeName(
  target: Pick<RelationTarget, 'fields' | 'key' | 'lookup'>,
  single?: string,
): readonly (readonly [parameter: string, schema: JsonSchema])[] {
  const identifier = findPathIdentifier(target)
  const { parts = [identifier] } = identifier
  return listLookupParameters(target, single).map((name, index) => [name, describeValue(parts[index]!)])
}

// The router matches no empty segment.
const describeValue = (identifier: Identifier): JsonSchema => {
  const schema = describeIdentifier(identifier)
  return schema.type === 'string' && !('minLength' in schema) ? { ...schema, minLength: 1 } : schema
}
