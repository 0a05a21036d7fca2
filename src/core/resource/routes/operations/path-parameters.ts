// The parameters in the paths of a resource: the keys of its objects and of their parents, or the fields that stand for them.

import type { JsonSchema } from '../../../describe/json-schema.ts'
import type { RelationTarget } from '../../../fields/field.ts'
import { findPathIdentifier } from '../../../fields/identifier.ts'
import { describeIdentifier } from '../../../keys/key.ts'
import type { ResourceLocation } from '../../bind/resource-location.ts'

/** Describes the parameters in the path of a list or of an object, by name. */
export function describePath(
  { bound: { resource }, list }: ResourceLocation,
  place: 'list' | 'object',
): Readonly<Record<string, JsonSchema>> {
  const parents = list.parents.map(({ parameter, resource: parent }) => [parameter, describeKey(parent)] as const)
  const isKeyed = place === 'object' && resource.singleton === undefined
  return Object.fromEntries([...parents.reverse(), ...(isKeyed ? [['key', describeKey(resource)] as const] : [])])
}

// The router matches no empty segment.
const describeKey = (target: Pick<RelationTarget, 'fields' | 'key' | 'lookup'>): JsonSchema => {
  const schema = describeIdentifier(findPathIdentifier(target))
  return schema.type === 'string' && !('minLength' in schema) ? { ...schema, minLength: 1 } : schema
}
