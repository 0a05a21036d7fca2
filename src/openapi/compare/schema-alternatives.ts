// A schema as a list of simple ones, each of at most one type: a value is valid if it is valid by any of them.

import { isObject } from '#core'
import { type DocumentNode, findNode, formatPlace, type Members, readMembers } from './document-node.ts'

/** Lists the alternatives of a schema. One without a type accepts values of every type. */
export const listAlternatives = (node: DocumentNode): readonly DocumentNode[] => joinChoices(list(node, []))

// A union that contains itself has no further alternatives there.
function list(node: DocumentNode, outer: readonly string[]): readonly DocumentNode[] {
  const place = formatPlace(node)
  if (outer.includes(place)) return []
  const { anyOf, oneOf, ...others } = mergeAll(node, [])
  const union = findNode({ ...node, value: { anyOf, oneOf } }, Array.isArray(anyOf) ? 'anyOf' : 'oneOf')
  if (union === undefined || !Array.isArray(union.value)) return splitTypes({ ...node, value: others })
  return union.value.flatMap((_, index) => {
    const alternative = findNode(union, index)!
    return list({ ...alternative, value: merge(others, readMembers(alternative)) }, [...outer, place])
  })
}

const choiceKeywords = ['type', 'enum', 'title', 'description', 'deprecated']

// Choices with titles are often written as a union of constants.
function joinChoices(alternatives: readonly DocumentNode[]): readonly DocumentNode[] {
  const isChoice = (node: DocumentNode) =>
    Array.isArray(readMembers(node).enum) && Object.keys(readMembers(node)).every(name => choiceKeywords.includes(name))
  const byType = Map.groupBy(alternatives.filter(isChoice), node => readMembers(node).type)
  const joined = [...byType].map(([type, nodes]) => ({
    ...nodes[0]!,
    value: { type, enum: nodes.flatMap(node => readMembers(node).enum as readonly unknown[]) },
  }))
  return [...alternatives.filter(node => !isChoice(node)), ...joined]
}

// The parts of `allOf` are joined with the schema.
function mergeAll(node: DocumentNode, outer: readonly string[]): Members {
  const { allOf, ...others } = readMembers(node)
  const all = findNode(node, 'allOf')
  const place = formatPlace(node)
  if (!Array.isArray(allOf) || all === undefined || outer.includes(place)) return others
  return allOf.map((_, index) => mergeAll(findNode(all, index)!, [...outer, place])).reduce<Members>(merge, others)
}

function merge(schema: Members, part: Members): Members {
  const required = [schema.required, part.required].flat().filter(name => typeof name === 'string')
  return {
    ...schema,
    ...part,
    ...(required.length > 0 && { required }),
    ...(isObject(schema.properties) && {
      properties: { ...schema.properties, ...readMembers({ value: part.properties }) },
    }),
  }
}

function splitTypes(node: DocumentNode): readonly DocumentNode[] {
  const { type, nullable, const: constant, ...others } = readMembers(node)
  const values = constant === undefined ? others.enum : [constant]
  if (type === undefined && !Array.isArray(values)) return [{ ...node, value: others }]
  const types = type ?? (values as readonly unknown[]).map(findType)
  return [...new Set([types, nullable === true ? 'null' : []].flat(2) as string[])].map(name => ({
    ...node,
    value: {
      ...keepKeywords(others, name),
      type: name,
      ...(Array.isArray(values) && { enum: values.filter(each => isOfType(each, name)) }),
    },
  }))
}

// A keyword limits values of some types only: a maximum length says nothing about null.
function keepKeywords(schema: Members, type: string): Members {
  const own = keywordsByType.get(type === 'integer' ? 'number' : type) ?? []
  return Object.fromEntries(Object.entries(schema).filter(([name]) => own.includes(name) || !typedKeywords.has(name)))
}

const keywordsByType: ReadonlyMap<string, readonly string[]> = new Map([
  ['string', ['minLength', 'maxLength', 'pattern', 'format']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'format']],
  ['array', ['items', 'minItems', 'maxItems', 'uniqueItems']],
  ['object', ['properties', 'required', 'additionalProperties', 'minProperties', 'maxProperties']],
])
const typedKeywords = new Set([...keywordsByType.values()].flat())

function findType(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}

const isOfType = (value: unknown, type: string): boolean => {
  const found = findType(value)
  return found === type || (found === 'integer' && type === 'number')
}
