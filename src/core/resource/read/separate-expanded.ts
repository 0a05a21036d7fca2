// Takes the objects of expanded relations out of the items of a list, so that the list shows each of them once.

import { formatJson, parseExactNumbers } from '../../base/exact-json.ts'
import { findExpandedMember } from '../../http/envelope/envelope.ts'
import type { BoundResource } from '../bind/bound-resource.ts'
import type { SeparateRelation } from '../query/selection/selected-fields.ts'

/** The relations whose objects a response shows apart; undefined if it has no member for them. */
export function findSeparateRelations(
  { envelope, separateRelations, selection }: BoundResource,
  action: 'list' | 'retrieve',
): readonly SeparateRelation[] | undefined {
  if (separateRelations !== undefined || selection === undefined) return separateRelations
  const member = findExpandedMember(envelope)
  return member?.always && (action === 'list' || member.objects) ? [] : undefined
}

/** The items without the objects, and the JSON of the objects by relation and key. */
export function separateExpanded(
  items: readonly string[],
  relations: readonly SeparateRelation[],
): { readonly items: readonly string[]; readonly expanded: string } {
  if (relations.length === 0) return { items, expanded: '{}' }
  const expanded = new Map(relations.map(({ name }) => [name, new Map<string, unknown>()]))
  const separated = items.map(json => {
    const item = parseExactNumbers(json) as Record<string, unknown>
    for (const { name, member, key } of relations) {
      for (const object of listObjects(item[member])) expanded.get(name)!.set(formatKey(object[key]), object)
      delete item[member]
    }
    return formatJson(item)
  })
  const entries = [...expanded].map(([name, objects]) => [name, Object.fromEntries(objects)])
  return { items: separated, expanded: formatJson(Object.fromEntries(entries)) }
}

type ExpandedObject = Readonly<Record<string, unknown>>

const listObjects = (value: unknown): readonly ExpandedObject[] =>
  value === null || value === undefined ? [] : Array.isArray(value) ? value : [value as ExpandedObject]

const formatKey = (key: unknown): string => (typeof key === 'string' ? key : formatJson(key))
