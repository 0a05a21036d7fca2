// The content of a verified token: its claims, and the scopes and groups in them.

/** The claims of a token, by name (RFC 7519 §4). */
export interface Claims {
  readonly [name: string]: unknown
  readonly iss: string
  readonly sub: string
  readonly aud: string | readonly string[]
  /** Seconds since 1970. */
  readonly exp: number
}

/** A verified token: `auth` of the requests that {@link isAccessToken} recognizes. */
export interface AccessToken {
  readonly claims: Claims
  /** The words of the claim `scope` (RFC 9068 §2.2.3), or the claim `scp` of providers that call it so. */
  readonly scopes: readonly string[]
  /** The texts in the claim that the option `groups` of `jwtScheme()` names. */
  readonly groups: readonly string[]
}

/** Creates the challenge that asks for these scopes. */
type ScopeChallenge = (scopes: readonly string[]) => string

const challenges = new WeakMap<object, ScopeChallenge>()

/** Whether the caller was identified by a token of `jwtScheme()`. */
export function isAccessToken(auth: unknown): auth is AccessToken {
  return typeof auth === 'object' && auth !== null && challenges.has(auth)
}

/** The challenge of the scheme that accepted the token. */
export const scopeChallenge = (token: AccessToken, scopes: readonly string[]): string | undefined =>
  challenges.get(token)?.(scopes)

/** Reads verified claims. `groups` is the path of the claim that holds the groups. */
export function createAccessToken(claims: Claims, groups: readonly string[], challenge: ScopeChallenge): AccessToken {
  const { scope, scp } = claims
  const token = Object.freeze({
    claims,
    scopes: readTexts(scope ?? scp),
    groups: groups.length === 0 ? [] : readTexts(groups.reduce(readMember, claims)),
  })
  challenges.set(token, challenge)
  return token
}

function readMember(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined
}

function readTexts(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.split(' ').filter(word => word !== '')
  return Array.isArray(value) ? value.filter(item => typeof item === 'string') : []
}
