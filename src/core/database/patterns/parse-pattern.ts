// Reads a regular expression of a caller: what Python and PostgreSQL have in common, and what both databases can search without
// going back in the text. Throws ValidationError for anything else.

import { invalid } from '../../errors/invalid.ts'
import { anyCharacter, type CharacterSet, createSet, escapedSets, foldCase } from './character-set.ts'
import { parseBrackets } from './parse-brackets.ts'
import { type Assertion, countParts, maxPatternSize, type Pattern, type Repetition } from './pattern.ts'
import { escapedCharacters, mistake, PatternReader, unsupported } from './pattern-reader.ts'

/** Reads a pattern. `ignoresCase`: both cases of ASCII letters match, as after `(?i)`. */
export function parsePattern(text: string, ignoresCase: boolean): Pattern {
  const [flags = ''] = /^\(\?[is]+\)/.exec(text) ?? []
  const reader = new PatternReader(text, flags.length)
  const pattern = parseAlternation({ reader, ignoresCase: ignoresCase || flags.includes('i') })
  if (!reader.isAtEnd) throw mistake(reader.position, ')')
  const { sets, assertions } = maxPatternSize
  if (countParts(pattern, 'set') > sets || countParts(pattern, 'assertion') > assertions)
    throw invalid('invalid.pattern.size', { characters: sets, assertions })
  return pattern
}

interface Parsing {
  readonly reader: PatternReader
  readonly ignoresCase: boolean
}

function parseAlternation(parsing: Parsing): Pattern {
  const parts = [parseSequence(parsing)]
  while (parsing.reader.skip('|')) parts.push(parseSequence(parsing))
  return parts.length === 1 ? parts[0]! : { type: 'alternation', parts }
}

function parseSequence(parsing: Parsing): Pattern {
  const { reader } = parsing
  const parts: Pattern[] = []
  while (!reader.isAtEnd && reader.next !== '|' && reader.next !== ')') {
    const part = parsePart(parsing)
    // PostgreSQL and Python differ in whether an assertion can be repeated.
    parts.push(part.type === 'assertion' ? part : parseQuantifier(reader, part))
  }
  return { type: 'sequence', parts }
}

function parsePart(parsing: Parsing): Pattern {
  const { reader } = parsing
  const { position } = reader
  const character = reader.take()
  if (character === '(') return parseGroup(parsing, position)
  if (character === '[') return { type: 'set', set: parseBrackets(reader, position, parsing.ignoresCase) }
  if (character === '.') return { type: 'set', set: anyCharacter }
  if (character === '^' || character === '$') return { type: 'assertion', assertion: character }
  if (character === '\\') return parseEscape(parsing, position)
  if ('*+?'.includes(character) || (character === '{' && reader.find(/\d/y))) throw mistake(position, character)
  if (character === '{' && reader.next === ',') throw unsupported(position, '{,')
  return { type: 'set', set: createLetter(character, parsing) }
}

function createLetter(character: string, { ignoresCase }: Parsing): CharacterSet {
  const code = character.codePointAt(0)!
  const set = createSet([[code, code]])
  return ignoresCase ? foldCase(set) : set
}

const assertions: Readonly<Partial<Record<string, Assertion>>> = {
  A: '^',
  Z: '$',
  b: '\\y',
  y: '\\y',
  B: '\\Y',
  Y: '\\Y',
}

function parseEscape(parsing: Parsing, position: number): Pattern {
  const { reader } = parsing
  if (reader.isAtEnd) throw mistake(position, '\\')
  const character = reader.take()
  const assertion = assertions[character]
  if (assertion !== undefined) return { type: 'assertion', assertion }
  const set = escapedSets.get(character)
  if (set !== undefined) return { type: 'set', set }
  const escaped = escapedCharacters(character)
  if (escaped === undefined) throw unsupported(position, `\\${character}`)
  return { type: 'set', set: createLetter(escaped, parsing) }
}

function parseGroup(parsing: Parsing, position: number): Pattern {
  const { reader } = parsing
  if (reader.next === '?' && !reader.find(/\?(?::|P?<[A-Za-z_]\w*>)/y))
    throw unsupported(position, `(${reader.peek(/\?P?<?.?/suy)}`)
  const inner = parseAlternation(parsing)
  if (!reader.skip(')')) throw mistake(position, '(')
  return inner
}

function parseQuantifier(reader: PatternReader, part: Pattern): Pattern {
  const { position } = reader
  const found = reader.find(/[*+?]|\{(\d+)(,?)(\d*)\}/y)
  if (found === undefined) return part
  const [text] = found
  reader.skip('?')
  const { min, max } = readBounds(found)
  if (max < min) throw mistake(position, text)
  if (max > 1 && countParts(part, 'assertion') > 0)
    throw invalid('invalid.pattern.repeated', { position: position + 1, part: text })
  return { type: 'repetition', part, min, max }
}

function readBounds([text, first, comma, last]: readonly string[]): Pick<Repetition, 'min' | 'max'> {
  if (first === undefined) return { min: text === '+' ? 1 : 0, max: text === '?' ? 1 : Infinity }
  return { min: Number(first), max: comma === '' ? Number(first) : last === '' ? Infinity : Number(last) }
}
