// The header fields that every answer has unless it brings its own: JSON, pages, redirects, errors, and what is refused
// before any route is known. Worked out once, at start (decision 021).

import type { Settings } from '../settings/settings.ts'

/** Lower-case names and their values. */
export type FixedFields = Readonly<Record<string, string>>

/** An answer of an API is data: nothing in it runs, and no page of another site frames it, reads it or opens it. */
const usualFields: FixedFields = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

/** For a year, browsers ask over nothing but HTTPS (RFC 6797 §6.1). Hosts below this one are not ours to speak for. */
const httpsOnly: FixedFields = { 'strict-transport-security': 'max-age=31536000' }

/** The fields as the setting `headers` leaves them: a text replaces or adds one, null takes one away. */
export function fixedFields({ headers, publicUrl }: Pick<Settings, 'headers' | 'publicUrl'>): FixedFields {
  const usual = { ...usualFields, ...(publicUrl?.startsWith('https:') && httpsOnly) }
  const own = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  const all = Object.entries({ ...usual, ...Object.fromEntries(own) })
  return Object.freeze(Object.fromEntries(all.filter((entry): entry is [string, string] => entry[1] !== null)))
}
