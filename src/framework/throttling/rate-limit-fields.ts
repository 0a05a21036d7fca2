// What a client is told of its rates, on every answer of a view that asked for them (draft-ietf-httpapi-ratelimit-headers).

/** A rate as the client sees it. What is left of it is told where that is known. */
export interface Quota {
  /** Printable ASCII without quotes. */
  readonly name: string
  readonly limit: number
  /** In seconds. */
  readonly period: number
  readonly remaining?: number
  /** Seconds until everything remains again. */
  readonly reset?: number
}

/** The header fields of these rates, lower case; none where there is no rate. */
export function rateLimitFields(quotas: readonly Quota[]): Readonly<Record<string, string>> {
  const policies = quotas.map(({ name, limit, period }) => `"${name}";q=${limit};w=${Math.ceil(period)}`)
  const states = quotas.flatMap(({ name, remaining, reset }) =>
    remaining === undefined ? [] : [`"${name}";r=${remaining}${reset === undefined ? '' : `;t=${Math.ceil(reset)}`}`],
  )
  return {
    ...(policies.length > 0 && { 'ratelimit-policy': policies.join(', ') }),
    ...(states.length > 0 && { ratelimit: states.join(', ') }),
  }
}
