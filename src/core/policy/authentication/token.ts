// `Authorization: Token <token>` (AUTH-SCH-r2). The keyword can be changed, for example to `Bearer` (AUTH-SCH-2).

import type { FastifyRequest } from 'fastify'
import { isPromise, type MaybePromise } from '../../base/maybe-promise.ts'
import type { SecurityScheme } from '../../describe/openapi-types.ts'
import type { Identity } from '../../http/identity.ts'
import { frameworkMessages } from '../../messages/english.ts'
import { type Attempt, failure, readCredentials, type Scheme, skip, success } from './scheme.ts'

export interface TokenOptions<User extends Identity = Identity> {
  /** Finds the stored token and its user; undefined if the token is unknown. */
  readonly find: (token: string) => MaybePromise<Owner<User> | undefined>
  /** Default `Token`. */
  readonly keyword?: string
}

/** A stored token, and its user. */
interface Owner<User extends Identity> {
  readonly user: User & { readonly isActive: boolean }
  readonly token: unknown
}

/** Creates the scheme for API clients: a secret token identifies one user. */
export function tokenScheme<User extends Identity>({ find, keyword = 'Token' }: TokenOptions<User>): Scheme<User> {
  const toAttempt = (owner: Owner<User> | undefined): Attempt<User> => {
    if (owner === undefined) return failure(frameworkMessages('authentication_failed.token'))
    return owner.user.isActive
      ? success(owner.user, owner.token)
      : failure(frameworkMessages('authentication_failed.inactive'))
  }
  return Object.freeze({
    name: 'token',
    challenge: keyword,
    security: describeToken(keyword),
    varyOn: ['authorization'],
    authenticate(request: FastifyRequest) {
      const credentials = readCredentials(request, keyword)
      if (credentials.kind === 'absent') return skip
      if (credentials.kind === 'missing') return failure(frameworkMessages('authentication_failed.token_missing'))
      if (credentials.kind === 'spaces') {
        return failure(frameworkMessages('authentication_failed.token_spaces'))
      }
      // Tokens are visible ASCII; Node decodes header bytes as Latin-1, so any other character makes the token invalid.
      if (!/^[\x21-\x7e]+$/.test(credentials.value)) {
        return failure(frameworkMessages('authentication_failed.token_characters'))
      }
      const finding = find(credentials.value)
      return isPromise(finding) ? finding.then(toAttempt) : toAttempt(finding)
    },
  })
}

// OpenAPI has no word for a keyword other than those of HTTP.
const describeToken = (keyword: string): SecurityScheme =>
  keyword.toLowerCase() === 'bearer'
    ? { type: 'http', scheme: 'bearer' }
    : { type: 'apiKey', in: 'header', name: 'Authorization', description: `\`${keyword} <token>\`` }
