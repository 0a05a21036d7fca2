import type { Identifier, IdentifierPart, KeyValue } from './key.ts'

/** Parses the part of a URL that names an object, one segment or several; undefined if it names none. */
export function parseSegment(segment: string, identifier: Identifier): KeyValue | undefined {
  const { parts } = identifier
  if (parts !== undefined) return parseParts(parts, splitName(segment, identifier))
  const text = decodeSegment(segment, identifier)
  return text === undefined ? undefined : identifier.parse(text)
}

/** Parses the end of a URL of an object; undefined if it names none. */
export const parseUrlName = (url: string, identifier: Identifier): KeyValue | undefined =>
  parseSegment(
    url
      .replace(/\/$/, '')
      .split('/')
      .slice(-(identifier.parts?.length ?? 1))
      .join('/'),
    identifier,
  )

/** Parses the decoded segments of a path; undefined if no object can have these values. */
export function parseParts(
  parts: readonly IdentifierPart[],
  texts: readonly (string | undefined)[],
): KeyValue | undefined {
  const values = parts.map((part, index) => {
    const text = texts[index]
    return text === undefined ? undefined : part.parse(text)
  })
  return texts.length !== parts.length || values.includes(undefined) ? undefined : JSON.stringify(values)
}

/** The decoded segments in the part of a URL that names an object. */
export const splitName = (
  segment: string,
  { parts = [] }: Pick<Identifier, 'parts'>,
): readonly (string | undefined)[] =>
  segment.split('/').map((text, index) => decodeSegment(text, parts[index] ?? { isUrlSafe: false }))

// If values need no encoding, only their plain spelling is accepted.
function decodeSegment(segment: string, { isUrlSafe }: Pick<Identifier, 'isUrlSafe'>): string | undefined {
  if (isUrlSafe) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}
