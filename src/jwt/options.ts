// The options of `jwtScheme()`, checked and completed when the scheme is created.

import { checkOptionNames, type OptionNames } from '#core'
import { isQuotable } from './challenge.ts'
import { checkSecureUrl } from './secure-url.ts'

const asymmetric = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const

/** A signature algorithm with a public key (RFC 7518 §3.1, RFC 8037, RFC 9864). */
export type Algorithm = (typeof asymmetric)[number]

/** How the provider's public keys are fetched and kept. */
export interface KeyOptions {
  /** Seconds until a request to the provider is given up; default 5. */
  readonly timeout?: number
  /** The maximum size of a response of the provider, in bytes after decompression; default 262,144. */
  readonly maxBytes?: number
  /** Seconds after which the keys are fetched again, in the background; default 600. */
  readonly maxAge?: number
  /** The minimum number of seconds between two fetches, however many tokens name unknown keys; default 30. */
  readonly cooldown?: number
}

/** The options that say which tokens are accepted. */
export interface TokenOptions {
  /** The issuer of the tokens, exactly as in their claim `iss`: an https URL, or an http URL of a loopback host. */
  readonly issuer: string
  /** The name of this API, which the claim `aud` of a token must contain; if there are several, one of them. */
  readonly audience: string | readonly string[]
  /** The URL of the provider's keys; default: `jwks_uri` at `<issuer>/.well-known/openid-configuration`. */
  readonly jwksUri?: string
  /** The accepted algorithms; default: RS256, PS256, ES256 and EdDSA. */
  readonly algorithms?: readonly Algorithm[]
  /** Seconds by which the clocks of the provider and this machine may differ, at most 300; default 5. */
  readonly clockTolerance?: number
  /**
   * The type in the header of the token, such as `at+jwt` (RFC 9068 §2.1). Set it if the provider does, so that its ID
   * tokens are refused. Default: `at+jwt`, `JWT` or none.
   */
  readonly typ?: string
  /** The scopes that every token needs; a token without them is refused with 403. */
  readonly requiredScopes?: readonly string[]
  /** The claim that holds the caller's groups, such as `groups`, or its path: `['realm_access', 'roles']`. */
  readonly groups?: string | readonly string[]
  /** The word before the token in the header `Authorization`; default `Bearer`. */
  readonly keyword?: string
  /** Default `api`. */
  readonly realm?: string
  /** The URL of the metadata of this API (RFC 9728), for the challenge: `url` of `protectedResource()`. */
  readonly resourceMetadata?: string
  /** The maximum length of a token in characters; default 8192. */
  readonly maxTokenLength?: number
  readonly keys?: KeyOptions
  readonly clock?: () => Date
}

/** The options with their defaults. */
export interface TokenSettings {
  readonly issuer: string
  readonly audience: readonly string[]
  readonly jwksUri: string | undefined
  readonly algorithms: readonly Algorithm[]
  readonly clockTolerance: number
  readonly typ: string | undefined
  readonly requiredScopes: readonly string[]
  readonly groups: readonly string[]
  readonly keyword: string
  readonly realm: string
  readonly resourceMetadata: string | undefined
  readonly maxTokenLength: number
  readonly keys: Required<KeyOptions>
  readonly clock: () => Date
}

const optionNames: OptionNames<TokenOptions> = {
  issuer: true,
  audience: true,
  jwksUri: true,
  algorithms: true,
  clockTolerance: true,
  typ: true,
  requiredScopes: true,
  groups: true,
  keyword: true,
  realm: true,
  resourceMetadata: true,
  maxTokenLength: true,
  keys: true,
  clock: true,
}

/** Throws for the first mistake. */
export function completeOptions(options: TokenOptions): TokenSettings {
  const {
    issuer,
    jwksUri,
    typ,
    keyword = 'Bearer',
    realm = 'api',
    resourceMetadata,
    clock = () => new Date(),
  } = options
  // A mistyped `requiredScopes` would otherwise accept every token.
  checkOptionNames('jwtScheme()', options, { ...optionNames, user: true })
  checkIssuer(issuer)
  if (jwksUri !== undefined) checkSecureUrl('jwtScheme(): jwksUri', jwksUri)
  if (resourceMetadata !== undefined) checkSecureUrl('jwtScheme(): resourceMetadata', resourceMetadata)
  checkText('typ', typ, /^[\w!#$&^.+/-]+$/, 'a media type, such as at+jwt')
  checkText('keyword', keyword, /^[\w!#$%&'*+.^`|~-]+$/, 'one word, such as Bearer')
  if (!isQuotable(realm)) fail('realm', realm, 'use printable ASCII without " and \\')
  return {
    issuer,
    audience: checkList(
      'audience',
      [options.audience].flat(),
      'the name of this API, as in the claim aud of its tokens',
    ),
    jwksUri,
    algorithms: checkAlgorithms(options.algorithms ?? ['RS256', 'PS256', 'ES256', 'EdDSA']),
    clockTolerance: checkNumber('clockTolerance', options.clockTolerance ?? 5, 0, 300),
    typ,
    requiredScopes: checkScopes('jwtScheme(): requiredScopes', options.requiredScopes ?? []),
    groups: options.groups === undefined ? [] : checkList('groups', [options.groups].flat(), 'the name of a claim'),
    keyword,
    realm,
    resourceMetadata,
    maxTokenLength: checkNumber('maxTokenLength', options.maxTokenLength ?? 8192, 1, 1_048_576),
    keys: checkKeys(options.keys ?? {}),
    clock,
  }
}

/** Throws unless each is a scope (RFC 6749 §3.3). */
export function checkScopes(where: string, scopes: readonly string[]): readonly string[] {
  const wrong = scopes.find(scope => !isQuotable(scope) || scope.includes(' '))
  if (wrong !== undefined) throw new Error(`${where} contains "${wrong}": list scopes one by one, such as notes:read`)
  return scopes
}

function checkIssuer(issuer: string): void {
  if (checkSecureUrl('jwtScheme(): issuer', issuer).search !== '')
    fail('issuer', issuer, 'remove the query: an issuer has none')
}

function checkAlgorithms(algorithms: readonly Algorithm[]): readonly Algorithm[] {
  checkList('algorithms', algorithms, 'the algorithm of the provider, such as RS256')
  const wrong = algorithms.find(algorithm => !asymmetric.includes(algorithm))
  if (wrong !== undefined) fail('algorithms', wrong, `use algorithms with public keys: ${asymmetric.join(', ')}`)
  return algorithms
}

function checkKeys({ timeout = 5, maxBytes = 262_144, maxAge = 600, cooldown = 30 }: KeyOptions): Required<KeyOptions> {
  return {
    timeout: checkNumber('keys.timeout', timeout, 0.001, 60),
    maxBytes: checkNumber('keys.maxBytes', maxBytes, 1, 16_777_216),
    maxAge: checkNumber('keys.maxAge', maxAge, 1, 86_400),
    cooldown: checkNumber('keys.cooldown', cooldown, 1, 3600),
  }
}

function checkNumber(option: string, value: number, minimum: number, maximum: number): number {
  const isValid = typeof value === 'number' && value >= minimum && value <= maximum
  return isValid ? value : fail(option, value, `give a number from ${minimum} to ${maximum}`)
}

function checkText(option: string, value: string | undefined, format: RegExp, hint: string): void {
  if (value !== undefined && !format.test(value)) fail(option, value, `give ${hint}`)
}

function checkList<Item extends string>(option: string, list: readonly Item[], hint: string): readonly Item[] {
  const isValid = list.length > 0 && list.every(item => typeof item === 'string' && item !== '')
  return isValid ? list : fail(option, list.join(', '), `give ${hint}`)
}

function fail(option: string, value: unknown, fix: string): never {
  throw new Error(`jwtScheme(): ${option} is "${value}": ${fix}`)
}
