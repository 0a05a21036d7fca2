// `Authorization: Token <token>` (AUTH-SCH-r2). The keyword can be changed, for example to `Bearer` (AUTH-SCH-2).

import type { FastifyRequest } from 'fastify'
import { frameworkMessages } from '../messages/english.ts'
import type { SecurityScheme } from '../openapi/openapi-types.ts'
import { readCredentials } from './authorization-header.ts'
import type { Identity } from './identity.ts'
import { failure, type Scheme, skip, success } from './scheme.ts'

export interface TokenOptions<User extends Identity = Identity> {
  /** Finds the stored token and its user; undefined if the token is unknown. */
  readonly find: (token: string) => Promise<{ user: User & { readonly isActive: boolean }; token: unknown } | undefined>
  /** Default `Token`. */
  readonly keyword?: string
}

/** Creates the scheme for API clients: a secret token identifies one user. */
export function tokenScheme<User extends Identity>({ find, keyword = 'Token' }: TokenOptions<User>): Scheme<User> {
  const findUser = async (token: string) => {
    const found = await find(token)
    if (found === undefined) return failure(frameworkMessages('authentication_failed.token'))
    return found.user.isActive
      ? success(found.user, found.token)
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
      return findUser(credentials.value)
    },
  })
}

// OpenAPI has no word for a keyword other than those of HTTP.
const describeToken = (keyword: string): SecurityScheme =>
  keyword.toLowerCase() === 'bearer'
    ? { type: 'http', scheme: 'bearer' }
    : { type: 'apiKey', in: 'header', name: 'Authorization', description: `\`${keyword} <token>\`` }
