// A regular expression as both databases search it. It only says whether a text contains a match, so groups and lazy quantifiers have no trace.

import type { CharacterSet } from './character-set.ts'

/** The beginning and the end of the text; the boundary of a word, and any other place. Written as PostgreSQL writes them. */
export type Assertion = '^' | '$' | '\\y' | '\\Y'

export type Pattern =
  | { readonly type: 'set'; readonly set: CharacterSet }
  | { readonly type: 'assertion'; readonly assertion: Assertion }
  | { readonly type: 'sequence'; readonly parts: readonly Pattern[] }
  | { readonly type: 'alternation'; readonly parts: readonly Pattern[] }
  | Repetition

export interface Repetition {
  readonly type: 'repetition'
  readonly part: Pattern
  readonly min: number
  /** Infinity: any number. */
  readonly max: number
}

/** The most characters of a pattern in a request. */
export const maxPatternLength = 200

/**
 * The most sets and assertions of a pattern whose repetitions are written out. 255 is also the largest number of a repetition on PostgreSQL,
 * which needs seconds for patterns with dozens of assertions, and refuses them as too complex.
 */
export const maxPatternSize = { sets: 255, assertions: 6 }

/** How many sets or assertions the pattern has if its repetitions are written out. */
export function countParts(pattern: Pattern, counted: 'set' | 'assertion'): number {
  if (pattern.type === 'set' || pattern.type === 'assertion') return Number(pattern.type === counted)
  if (pattern.type === 'repetition') {
    const { part, min, max } = pattern
    const count = countParts(part, counted)
    return (counted === 'set' ? Math.max(1, count) : count) * Math.max(1, max === Infinity ? min : max)
  }
  return pattern.parts.reduce((sum, part) => sum + countParts(part, counted), 0)
}
