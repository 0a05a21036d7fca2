// The content coding of a response (RFC 9110 §12.5.3): the caller's highest weight wins, then the first of ours.

import { memoize } from '../../base/bounded-map.ts'
import { parseQuality } from '../negotiation/accept.ts'

const codings = ['br', 'zstd', 'gzip'] as const

export type ContentCoding = (typeof codings)[number]

/** Chooses the coding for this `Accept-Encoding`; undefined to send the response as it is. */
export const chooseCoding: (acceptEncoding: string) => ContentCoding | undefined = memoize(choose, {
  maxEntries: 100,
  maxLength: 200,
})

function choose(acceptEncoding: string): ContentCoding | undefined {
  const weights = new Map<string, number>()
  for (const member of acceptEncoding.toLowerCase().split(',')) {
    const [coding, weight] = member.split(';').map(part => part.trim())
    const quality = parseQuality(weight === undefined ? undefined : (/^q=(.*)$/.exec(weight)?.[1] ?? ''))
    if (coding !== undefined && quality !== undefined) weights.set(coding, quality)
  }
  const weightOf = (coding: string) => weights.get(coding) ?? weights.get('*') ?? 0
  const identity = weights.get('identity') ?? 0
  const [best] = codings.toSorted((left, right) => weightOf(right) - weightOf(left))
  return weightOf(best!) > 0 && weightOf(best!) >= identity ? best : undefined
}
