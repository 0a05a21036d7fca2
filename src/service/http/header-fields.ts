// Default headers of every response: JSON, pages, redirects, and errors, including those before routing. A response may
// override them. They are computed once, at start (decision 021).

import type { Settings } from '../settings/settings.ts'

/** Header values by lower-case name. */
export type FixedFields = Readonly<Record<string, string>>

/** API responses are data: browsers must not run scripts in them, and other sites must not frame, read or open them. */
const defaultFields: FixedFields = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

/**
 * Browsers use only HTTPS for a year (RFC 6797 §6.1). No `includeSubDomains`: subdomains may belong to other services.
 */
const httpsOnly: FixedFields = { 'strict-transport-security': 'max-age=31536000' }

/** Applies the setting `headers` to the defaults: a string sets a header, null removes it. */
export function fixedFields({ headers, publicUrl }: Pick<Settings, 'headers' | 'publicUrl'>): FixedFields {
  const defaults = { ...defaultFields, ...(publicUrl?.startsWith('https:') && httpsOnly) }
  const overrides = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  const all = Object.entries({ ...defaults, ...Object.fromEntries(overrides) })
  return Object.freeze(Object.fromEntries(all.filter((entry): entry is [string, string] => entry[1] !== null)))
}
