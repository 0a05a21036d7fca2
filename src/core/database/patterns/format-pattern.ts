// Writes a pattern as both databases take it: in the syntax of PostgreSQL, with nothing that depends on its settings or locale.

import { anyCharacter, type CharacterSet, complement } from './character-set.ts'
import type { Pattern, Repetition } from './pattern.ts'

/** Writes a pattern, which `parsePattern` can read again. */
export function formatPattern(pattern: Pattern): string {
  if (pattern.type === 'set') return formatSet(pattern.set)
  if (pattern.type === 'assertion') return pattern.assertion
  if (pattern.type === 'repetition') return formatRepetition(pattern)
  const parts = pattern.parts.map(formatPattern)
  return pattern.type === 'alternation' ? `(?:${parts.join('|')})` : parts.join('')
}

function formatRepetition({ part, min, max }: Repetition): string {
  const text = formatPattern(part)
  const bounds = max === Infinity ? `${min},` : min === max ? String(min) : `${min},${max}`
  return `${part.type === 'set' || part.type === 'alternation' ? text : `(?:${text})`}{${bounds}}`
}

function formatSet(set: CharacterSet): string {
  const others = complement(set)
  if (others.length === 0) return '.'
  if (set.length === 0) return `[^${formatRanges(anyCharacter)}]`
  const [[from, to]] = set as readonly [CharacterSet[number]]
  if (set.length === 1 && from === to) return escapeCharacter(from, /[\^$\\.*+?()[\]{}|]/)
  return others.length < set.length ? `[^${formatRanges(others)}]` : `[${formatRanges(set)}]`
}

const formatRanges = (set: CharacterSet): string =>
  set
    .map(([from, to]) => (from === to ? [from] : [from, to]).map(each => escapeCharacter(each, /[\\\]^[-]/)).join('-'))
    .join('')

function escapeCharacter(code: number, special: RegExp): string {
  const character = String.fromCodePoint(code)
  return special.test(character) ? `\\${character}` : character
}
