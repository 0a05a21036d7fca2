// `Authorization: Bearer <token>`, with a signed token of an OpenID Connect provider (RFC 6750, RFC 9068). The provider
// is asked for its public keys only; each token is verified here.

import type { FastifyRequest } from 'fastify'
import {
  type Attempt,
  type ErrorDetail,
  failure,
  type Identity,
  type MaybePromise,
  PermissionDenied,
  readCredentials,
  type Scheme,
  skip,
  success,
} from '#core'
import { type AccessToken, createAccessToken } from './access-token.ts'
import { type ChallengeParameters, formatChallenge } from './challenge.ts'
import { createKeySet } from './key-set.ts'
import { loadKeys } from './load-keys.ts'
import { jwtMessages } from './messages.ts'
import { completeOptions, type TokenOptions } from './options.ts'
import { InvalidToken, verifyToken } from './verify-token.ts'

export interface JwtOptions<User extends Identity = Identity> extends TokenOptions {
  /**
   * Finds the user of a verified token; undefined, or a user with `isActive: false`, refuses the token. Default: a user whose `id` is
   * the claim `sub` and whose `username` is `preferred_username`, or else `sub`; never staff.
   */
  readonly user?: FindUser<User>
}

type FindUser<User> = (token: AccessToken, request: FastifyRequest) => MaybePromise<User | undefined>

/**
 * Creates the scheme for access tokens of an OpenID Connect provider. Its callers have the type that `user` returns, and
 * `auth` of a request is an {@link AccessToken}. List it first, so that refusals are 401 with a challenge. Throws if an
 * option is invalid.
 *
 * @example
 * createApi({ authentication: [jwtScheme({ issuer: 'https://login.example.org', audience: 'https://api.example.org' })] })
 */
export function jwtScheme<User extends Identity>(
  options: JwtOptions<User> & { readonly user: FindUser<User> },
): Scheme<User>
export function jwtScheme(options: JwtOptions): Scheme
export function jwtScheme({ user: findUser = createIdentity, ...options }: JwtOptions): Scheme {
  const settings = completeOptions(options)
  const { keyword, realm, resourceMetadata, requiredScopes, groups, clock } = settings
  const keys = createKeySet({ load: () => loadKeys(settings, settings.keys), ...settings.keys, clock })
  const challenge = (parameters: Omit<ChallengeParameters, 'realm'> = {}) =>
    formatChallenge(keyword, { realm, ...parameters, resource_metadata: resourceMetadata })
  const scopeChallenge = (scopes: readonly string[]) =>
    challenge({ error: 'insufficient_scope', error_description: insufficientScope.message, scope: scopes.join(' ') })

  const refuse = (detail: ErrorDetail): Attempt =>
    failure(detail, {
      challenge: challenge({ error: 'invalid_token', error_description: detail.message }),
    })

  async function authenticateToken(text: string, request: FastifyRequest): Promise<Attempt> {
    const claims = await verifyToken(text, settings, keys, request).catch((error: unknown) => {
      if (error instanceof InvalidToken) return error
      throw error
    })
    if (claims instanceof InvalidToken) return refuse(claims.detail)
    const token = createAccessToken(claims, groups, scopeChallenge)
    if (!requiredScopes.every(scope => token.scopes.includes(scope)))
      throw new PermissionDenied(insufficientScope, undefined, scopeChallenge(requiredScopes))
    const user = await findUser(token, request)
    return user === undefined || isInactive(user) ? refuse(jwtMessages('invalid_token.inactive')) : success(user, token)
  }

  return Object.freeze({
    name: 'jwt',
    challenge: challenge(),
    varyOn: ['authorization'],
    authenticate(request: FastifyRequest) {
      const credentials = readCredentials(request, keyword)
      if (credentials.kind === 'absent') return skip
      if (credentials.kind === 'missing') return refuse(jwtMessages('invalid_token.missing'))
      if (credentials.kind === 'spaces') return refuse(jwtMessages('invalid_token.spaces'))
      return authenticateToken(credentials.value, request)
    },
  })
}

// The account of a caller may be deactivated while the provider still issues tokens.
const isInactive = (user: Identity & { readonly isActive?: boolean }): boolean => user.isActive === false

const insufficientScope = jwtMessages('insufficient_scope')

function createIdentity({ claims }: AccessToken): Identity {
  const { sub, preferred_username: name } = claims
  return { isAuthenticated: true, id: sub, username: isName(name) ? name : sub, isStaff: false }
}

const isName = (name: unknown): name is string =>
  typeof name === 'string' && name !== '' && name.length <= 255 && name.isWellFormed() && !name.includes('\0')
