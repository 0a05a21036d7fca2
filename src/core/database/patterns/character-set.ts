// Sets of characters: ranges of code points without surrogates and without NUL, which no database stores.

/** The first and the last code point. */
type Range = readonly [from: number, to: number]

/** Sorted ranges that do not touch. */
export type CharacterSet = readonly Range[]

/** Every character. */
export const anyCharacter: CharacterSet = [
  [0x1, 0xd7ff],
  [0xe000, 0x10ffff],
]

/** The characters of the ranges, which may overlap. */
export function createSet(ranges: readonly Range[]): CharacterSet {
  const merged: [from: number, to: number][] = []
  for (const [from, to] of ranges.toSorted(([one], [other]) => one - other)) {
    const last = merged.at(-1)
    if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to)
    else merged.push([from, to])
  }
  return anyCharacter.flatMap(([first, last]) =>
    merged.flatMap(([from, to]): Range[] =>
      from > last || to < first ? [] : [[Math.max(from, first), Math.min(to, last)]],
    ),
  )
}

/** All other characters. */
export function complement(set: CharacterSet): CharacterSet {
  const starts = [0, ...set.map(([, to]) => to + 1)]
  return createSet(
    starts.map((start, index): Range => [start, (set[index]?.[0] ?? 0x110000) - 1]).filter(([from, to]) => from <= to),
  )
}

/** The set with both cases of its ASCII letters. */
export const foldCase = (set: CharacterSet): CharacterSet =>
  createSet([...set, ...shift(set, 'A', 'Z', 32), ...shift(set, 'a', 'z', -32)])

function shift(set: CharacterSet, first: string, last: string, distance: number): readonly Range[] {
  const [low, high] = [first.charCodeAt(0), last.charCodeAt(0)]
  return set
    .map(([from, to]): Range => [Math.max(from, low), Math.min(to, high)])
    .filter(([from, to]) => from <= to)
    .map(([from, to]) => [from + distance, to + distance])
}

export const hasCharacter = (set: CharacterSet, character: number): boolean =>
  set.some(([from, to]) => character >= from && character <= to)

/** Reads pairs of characters: `azAZ` contains the ASCII letters. */
const readPairs = (pairs: string): CharacterSet =>
  createSet((pairs.match(/../gs) ?? []).map((pair): Range => [pair.charCodeAt(0), pair.charCodeAt(1)]))

const digit = readPairs('09')
/** The characters of words: ASCII letters, digits and the underscore. */
export const word = readPairs('09AZaz__')
const space = readPairs('\t\r  ')

/** The sets of `\d` and the like. */
export const escapedSets: ReadonlyMap<string, CharacterSet> = new Map([
  ['d', digit],
  ['D', complement(digit)],
  ['w', word],
  ['W', complement(word)],
  ['s', space],
  ['S', complement(space)],
])

/** The sets of `[:alpha:]` and the like, which stand inside of brackets. */
export const namedSets: ReadonlyMap<string, CharacterSet> = new Map([
  ['alnum', readPairs('09AZaz')],
  ['alpha', readPairs('AZaz')],
  ['blank', readPairs('\t\t  ')],
  ['cntrl', readPairs('\x01\x1f\x7f\x7f')],
  ['digit', digit],
  ['graph', readPairs('!~')],
  ['lower', readPairs('az')],
  ['print', readPairs(' ~')],
  ['punct', readPairs('!/:@[`{~')],
  ['space', space],
  ['upper', readPairs('AZ')],
  ['word', word],
  ['xdigit', readPairs('09AFaf')],
])
