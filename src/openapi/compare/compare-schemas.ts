// Compares the schemas of two documents. A request breaks if the new schema refuses a value that the old one accepts; a
// response breaks if it may contain a value that the old one does not have.

import { isObject } from '#core'
import { type BreakingChange, createChange } from './breaking-change.ts'
import { compareKeywords, type Direction } from './compare-keywords.ts'
import { type DocumentNode, findNode, formatPlace, listNodes, readMembers } from './document-node.ts'
import { listAlternatives } from './schema-alternatives.ts'

/** Compares two schemas. */
export type CompareSchemas = (old: DocumentNode, current: DocumentNode) => readonly BreakingChange[]

/** Creates the comparison for one direction. It compares each pair of schemas once, also schemas that contain themselves. */
export function createSchemaComparison(direction: Direction): CompareSchemas {
  const known = new Map<string, readonly BreakingChange[]>()
  const compare: CompareSchemas = (old, current) => {
    // One part of a union may have a schema at a place where another one accepts every value.
    const pair = JSON.stringify([old, current].map(node => [formatPlace(node), acceptsAny(node)]))
    const found = known.get(pair)
    if (found !== undefined) return found
    known.set(pair, [])
    const changes = compareAlternatives(old, current, { direction, compare })
    known.set(pair, changes)
    return changes
  }
  return compare
}

interface Comparison {
  readonly direction: Direction
  readonly compare: CompareSchemas
}

function compareAlternatives(
  old: DocumentNode,
  current: DocumentNode,
  comparison: Comparison,
): readonly BreakingChange[] {
  const isRequest = comparison.direction === 'request'
  const limits = listAlternatives(isRequest ? current : old)
  return listAlternatives(isRequest ? old : current).flatMap(part => {
    const possible = limits
      .filter(limit => acceptsType(limit, part))
      .map(limit => compareObjects(isRequest ? part : limit, isRequest ? limit : part, comparison))
    const [nearest] = possible.toSorted((a, b) => a.length - b.length)
    return nearest ?? [createChange(current, formatType(readMembers(part).type, comparison.direction))]
  })
}

function acceptsType(limit: DocumentNode, part: DocumentNode): boolean {
  const [wide, type] = [readMembers(limit).type, readMembers(part).type]
  return wide === undefined || wide === type || (wide === 'number' && type === 'integer')
}

function formatType(type: unknown, direction: Direction): string {
  const name = type === undefined ? 'any value' : type === 'null' ? 'null' : `a value of the type ${type}`
  return direction === 'request' ? `no longer accepts ${name}` : `may now be ${name}`
}

const compareObjects = (
  old: DocumentNode,
  current: DocumentNode,
  comparison: Comparison,
): readonly BreakingChange[] => [
  ...compareKeywords(readMembers(old), readMembers(current), comparison.direction).map(message =>
    createChange(current, message),
  ),
  ...compareProperties(old, current, comparison),
  ...Object.entries(typesWithParts).flatMap(([keyword, type]) => {
    if (![old, current].every(node => (readMembers(node).type ?? type) === type)) return []
    const [before, after] = [findPart(old, keyword), findPart(current, keyword)]
    return isObject(before.value) && isObject(after.value) ? comparison.compare(before, after) : []
  }),
]

const typesWithParts = { items: 'array', additionalProperties: 'object' }

/** The schema of a keyword. Without one, and with `true`, every value is allowed, and so is every part of it. */
function findPart(node: DocumentNode, keyword: string): DocumentNode {
  const found = findNode(node, keyword)
  if (found !== undefined && found.value !== true) return found
  return acceptsAny(node) ? node : { ...node, path: [...node.path, keyword], value: {} }
}

const acceptsAny = (node: DocumentNode): boolean => Object.keys(readMembers(node)).length === 0

function compareProperties(
  old: DocumentNode,
  current: DocumentNode,
  { direction, compare }: Comparison,
): readonly BreakingChange[] {
  const [before, after] = [readProperties(old), readProperties(current)]
  const required = (name: string, place: DocumentNode) => {
    const [was, is] = [before.required.has(name), after.required.has(name)]
    if (direction === 'request') return is && !was ? [createChange(place, 'is now required')] : []
    return was && !is ? [createChange(place, 'may now be absent')] : []
  }
  const kept = [...before.properties].flatMap(([name, property]) => {
    const now = after.properties.get(name)
    return now === undefined
      ? [createChange(property, 'was removed')]
      : [...required(name, now), ...compare(property, now)]
  })
  const added = [...after.properties].filter(([name]) => !before.properties.has(name))
  return [...kept, ...added.flatMap(([name, property]) => required(name, property))]
}

interface Properties {
  readonly properties: ReadonlyMap<string, DocumentNode>
  readonly required: ReadonlySet<unknown>
}

function readProperties(node: DocumentNode): Properties {
  const { required } = readMembers(node)
  return {
    properties: new Map(listNodes(findNode(node, 'properties'))),
    required: new Set(Array.isArray(required) ? required : []),
  }
}
