const quantifiers = /\{(\d+)(?:(,)(\d*))?\}/g

/**
 * Whether a regular expression matches all texts that another one matches: true if both differ only in their numbers of
 * repetitions, such as `\d{1,4}` and `\d{1,3}`. False if that cannot be decided.
 */
export function isWiderPattern(wide: string, narrow: string): boolean {
  if (wide.replaceAll(quantifiers, '{}') !== narrow.replaceAll(quantifiers, '{}')) return false
  const [ranges, others] = [readRanges(wide), readRanges(narrow)]
  return ranges.every(([min, max], index) => min <= others[index]![0] && max >= others[index]![1])
}

const readRanges = (pattern: string): readonly (readonly [min: number, max: number])[] =>
  [...pattern.matchAll(quantifiers)].map(([, min, comma, max]) => [
    Number(min),
    comma === undefined ? Number(min) : max === '' ? Infinity : Number(max),
  ])
