// The value of WWW-Authenticate for bearer tokens (RFC 6750 §3, RFC 9728 §5.1).

/** The parameters of a challenge, in their order. All are quotable: {@link isQuotable}. */
export interface ChallengeParameters {
  readonly realm: string
  readonly error?: 'invalid_token' | 'insufficient_scope'
  readonly error_description?: string
  /** Separated by spaces. */
  readonly scope?: string
  readonly resource_metadata?: string | undefined
}

/** Formats `Bearer realm="api", error="invalid_token"`. */
export function formatChallenge(keyword: string, parameters: ChallengeParameters): string {
  const pairs = Object.entries(parameters).filter(([, value]) => value !== undefined)
  return `${keyword} ${pairs.map(([name, value]) => `${name}="${value}"`).join(', ')}`
}

/** Whether a text needs no escapes in a quoted string: visible ASCII and spaces, without `"` and `\`. */
export const isQuotable = (text: string): boolean => /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/.test(text)
