// Compares the keywords of two schemas of one type that limit a value itself: choices, bounds, patterns and formats.

import { isDeepStrictEqual } from 'node:util'
import type { Members } from './document-node.ts'
import { isWiderPattern } from './wider-pattern.ts'

/** The direction in which a value travels. */
export type Direction = 'request' | 'response'

/** Describes each change that breaks requests or responses. */
export function compareKeywords(old: Members, current: Members, direction: Direction): readonly string[] {
  // `limits` must accept each value that `part` accepts.
  const [part, limits] = direction === 'request' ? [old, current] : [current, old]
  const isChanged = (keyword: string, isWithin: (limit: never, value: never) => boolean) => {
    const [limit, value] = [limits[keyword], part[keyword] ?? defaults[keyword]]
    return limit !== undefined && limit !== value && (value === undefined || !isWithin(limit as never, value as never))
  }
  const describe = (label: string, keyword: string) =>
    `${label} was ${formatValue(old[keyword])} and is now ${formatValue(current[keyword])}`
  return [
    ...compareChoices(part.enum, limits.enum, direction),
    ...Object.entries(minima).flatMap(([keyword, label]) =>
      isChanged(keyword, (limit, value) => value >= limit) ? [describe(label, keyword)] : [],
    ),
    ...Object.entries(maxima).flatMap(([keyword, label]) =>
      isChanged(keyword, (limit, value) => value <= limit) ? [describe(label, keyword)] : [],
    ),
    ...(isChanged('pattern', isWiderPattern) ? [describe('the pattern', 'pattern')] : []),
    ...(isChanged('format', isWiderFormat) ? [describe('the format', 'format')] : []),
    ...(isChanged('multipleOf', (limit, value) => value % limit === 0) ? [describe('the step', 'multipleOf')] : []),
    ...(limits.uniqueItems === true && part.uniqueItems !== true ? [repeatedItems[direction]] : []),
    ...(limits.not !== undefined && !isDeepStrictEqual(limits.not, part.not) ? [excludedValues[direction]] : []),
    ...(direction === 'request' && limits.additionalProperties === false && part.additionalProperties !== false
      ? ['no longer accepts members that are not listed']
      : []),
  ]
}

const minima = {
  minLength: 'the minimum length',
  minItems: 'the minimum number of items',
  minProperties: 'the minimum number of members',
  minimum: 'the minimum',
  exclusiveMinimum: 'the exclusive minimum',
}
// The meaning of an absent keyword (JSON Schema Validation 2020-12, sections 6.3.2, 6.4.2 and 6.5.2).
const defaults: Readonly<Record<string, number>> = { minLength: 0, minItems: 0, minProperties: 0 }
const maxima = {
  maxLength: 'the maximum length',
  maxItems: 'the maximum number of items',
  maxProperties: 'the maximum number of members',
  maximum: 'the maximum',
  exclusiveMaximum: 'the exclusive maximum',
}
const repeatedItems = { request: 'no longer accepts repeated items', response: 'may now contain repeated items' }
const excludedValues = {
  request: 'no longer accepts some values (not)',
  response: 'may now have values that were excluded (not)',
}

function compareChoices(part: unknown, limits: unknown, direction: Direction): readonly string[] {
  if (!Array.isArray(limits)) return []
  if (!Array.isArray(part)) {
    const values = limits.map(formatValue).join(', ')
    return [direction === 'request' ? `accepts only ${values} now` : `is no longer limited to ${values}`]
  }
  const added = part.filter(value => !limits.some(limit => isDeepStrictEqual(limit, value)))
  const values = added.map(formatValue).join(', ')
  if (added.length === 0) return []
  return [direction === 'request' ? `no longer accepts ${values}` : `may now be ${values}`]
}

const wideFormats: Readonly<Record<string, string>> = { int64: 'int32', double: 'float' }

const isWiderFormat = (limit: string, value: string): boolean => wideFormats[limit] === value

const formatValue = (value: unknown): string => (value === undefined ? 'absent' : JSON.stringify(value))
