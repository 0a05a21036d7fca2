// The Accept-Language header field (RFC 9110 §12.5.4): which of the available languages a caller prefers. Each range is
// shortened until a language matches it (RFC 4647 §3.4), so `de-AT` finds `de`.

import { parseQuality } from '../negotiation/accept.ts'

/** The language of the texts in the code, which is always available. */
export const defaultLanguage = 'en'

const maxLength = 8192
const range = /^(?:\*|[a-z]{1,8}(?:-[a-z\d]{1,8})*)$/

/**
 * Finds the language that an Accept-Language value prefers; undefined if it names none of them. `available` contains language tags by
 * their lower-case form. Malformed members are ignored.
 */
export function findLanguage(header: string, available: ReadonlyMap<string, string>): string | undefined {
  const ranges = parseRanges(header)
  const excluded = new Set(ranges.flatMap(({ tag, quality }) => (quality === 0 ? [tag] : [])))
  const accepted = ranges.filter(({ quality }) => quality > 0).sort((a, b) => b.quality - a.quality)
  for (const { tag } of accepted) {
    if (tag === '*') return undefined
    const found = findTag(tag, available, excluded)
    if (found !== undefined) return found
  }
  return undefined
}

interface LanguageRange {
  /** In lower case. */
  readonly tag: string
  readonly quality: number
}

function parseRanges(header: string): LanguageRange[] {
  return header
    .slice(0, maxLength)
    .toLowerCase()
    .split(',')
    .flatMap(member => {
      const [tag, weight, ...others] = member.split(';').map(part => part.trim()) as [string, string?, ...string[]]
      const quality = weight === undefined ? 1 : parseQuality(/^q=(.*)$/.exec(weight)?.[1] ?? '')
      return range.test(tag) && quality !== undefined && others.length === 0 ? [{ tag, quality }] : []
    })
}

function findTag(
  tag: string,
  available: ReadonlyMap<string, string>,
  excluded: ReadonlySet<string>,
): string | undefined {
  for (let shortened = tag; shortened !== ''; shortened = shorten(shortened)) {
    if (excluded.has(shortened)) continue
    const found = shortened === defaultLanguage ? defaultLanguage : available.get(shortened)
    if (found !== undefined) return found
  }
  return undefined
}

// Removes the last subtag, and a single letter before it, because that introduces the removed subtag.
const shorten = (tag: string): string => tag.replace(/(?:^|(?:-[a-z\d])?-)[a-z\d]+$/, '')
