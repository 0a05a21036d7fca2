import type { Identifier, KeyValue } from './key.ts'

/** Parses a segment of a URL that names an object; undefined if it names none. */
export function parseSegment(segment: string, identifier: Identifier): KeyValue | undefined {
  const text = decodeSegment(segment, identifier)
  return text === undefined ? undefined : identifier.parse(text)
}

// If values need no encoding, only their plain spelling is accepted.
function decodeSegment(segment: string, { isUrlSafe }: Identifier): string | undefined {
  if (isUrlSafe) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}
