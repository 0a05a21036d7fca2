// The header fields that the settings add to those of every response.

import type { Settings } from './settings.ts'

/**
 * Browsers use only HTTPS for a year (RFC 6797 §6.1). No `includeSubDomains`: subdomains may belong to other services.
 */
const httpsOnly = { 'strict-transport-security': 'max-age=31536000' }

/** Returns header values by name; null removes a default. */
export const headerSettings = ({ headers, publicUrl }: Pick<Settings, 'headers' | 'publicUrl'>) => ({
  ...(publicUrl?.startsWith('https:') && httpsOnly),
  ...headers,
})
