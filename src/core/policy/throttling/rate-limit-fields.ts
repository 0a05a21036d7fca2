// The header fields that describe the client's rates, on every response of a throttled view
// (draft-ietf-httpapi-ratelimit-headers).

/** A rate as the client sees it. `remaining` and `reset` are set if they are known. */
export interface Quota {
  /** Printable ASCII without quotes. */
  readonly name: string
  readonly limit: number
  /** In seconds. */
  readonly period: number
  readonly remaining?: number
  /** Seconds until the full limit is available again. */
  readonly reset?: number
}

/** Formats these rates as header fields, by lower-case name; empty if there are no rates. */
export function formatRateLimitFields(quotas: readonly Quota[]): Readonly<Record<string, string>> {
  const policies = quotas.map(({ name, limit, period }) => `"${name}";q=${limit};w=${Math.ceil(period)}`)
  const states = quotas.flatMap(({ name, remaining, reset }) =>
    remaining === undefined ? [] : [`"${name}";r=${remaining}${reset === undefined ? '' : `;t=${Math.ceil(reset)}`}`],
  )
  return {
    ...(policies.length > 0 && { 'ratelimit-policy': policies.join(', ') }),
    ...(states.length > 0 && { ratelimit: states.join(', ') }),
  }
}
