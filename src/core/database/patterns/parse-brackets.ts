// The characters in brackets: `[^a-z_\d[:punct:]]`.

import { type CharacterSet, complement, createSet, escapedSets, foldCase, namedSets } from './character-set.ts'
import { escapedCharacters, mistake, type PatternReader, unsupported } from './pattern-reader.ts'

/** Reads what follows the bracket at `position`. Throws ValidationError. */
export function parseBrackets(reader: PatternReader, position: number, ignoresCase: boolean): CharacterSet {
  const isNegated = reader.skip('^')
  const ranges: [from: number, to: number][] = []
  // A closing bracket that comes first is a character.
  for (let isFirst = true; isFirst || !reader.skip(']'); isFirst = false) {
    if (reader.isAtEnd) throw mistake(position, '[')
    for (const [from, to] of parseRange(reader, isFirst)) ranges.push([from, to])
  }
  const set = createSet(ranges)
  const folded = ignoresCase ? foldCase(set) : set
  return isNegated ? complement(folded) : folded
}

/** Reads a character, a range of characters or a set. */
function parseRange(reader: PatternReader, isFirst: boolean): CharacterSet {
  const { position } = reader
  // PostgreSQL refuses `[a-c-e]`, in which Python takes the second hyphen for a character.
  if (!isFirst && reader.peek(/-(?!\])/y) !== '') throw mistake(position, '-')
  const member = parseMember(reader)
  if (!reader.find(/-(?!\])/y)) return typeof member === 'number' ? [[member, member]] : member
  const last = reader.isAtEnd ? undefined : parseMember(reader)
  if (typeof member !== 'number' || typeof last !== 'number' || last < member) throw mistake(position, '-')
  return [[member, last]]
}

function parseMember(reader: PatternReader): number | CharacterSet {
  const { position } = reader
  const character = reader.take()
  if (character === '[') return parseName(reader, position)
  if (character !== '\\') return character.codePointAt(0)!
  const escaped = reader.take()
  const set = escapedSets.get(escaped)
  if (set !== undefined) return set
  const found = escapedCharacters(escaped)
  if (found === '') throw mistake(position, '\\')
  if (found === undefined) throw unsupported(position, `\\${escaped}`)
  return found.codePointAt(0)!
}

/** Reads `:alpha:]`; a bracket alone is a character. */
function parseName(reader: PatternReader, position: number): number | CharacterSet {
  if (reader.next === '.' || reader.next === '=') throw unsupported(position, `[${reader.next}`)
  if (reader.next !== ':') return bracket
  const [, name = ''] = reader.find(/:([a-z]+):\]/y) ?? []
  const set = namedSets.get(name)
  if (set === undefined) throw mistake(position, '[:')
  return set
}

const bracket = '['.charCodeAt(0)
