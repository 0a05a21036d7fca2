// `Authorization: Token <key>` (AUTH-SCH-r2). The keyword may be another, such as `Bearer` (AUTH-SCH-2).

import type { FastifyRequest } from 'fastify'
import { readCredentials } from './authorization-header.ts'
import type { Identity } from './identity.ts'
import { failure, type Scheme, skip, success } from './scheme.ts'

export interface TokenOptions {
  /** The token with this key and its user; undefined where there is no such token. */
  readonly find: (key: string) => Promise<{ user: Identity & { isActive: boolean }; token: unknown } | undefined>
  /** Default `Token`. */
  readonly keyword?: string
}

/** The scheme for programs: a secret key that stands for one user. */
export function tokenScheme({ find, keyword = 'Token' }: TokenOptions): Scheme {
  const attemptWith = async (key: string) => {
    const found = await find(key)
    if (found === undefined) return failure('Invalid token.')
    return found.user.isActive ? success(found.user, found.token) : failure('User inactive or deleted.')
  }
  return Object.freeze({
    name: 'token',
    challenge: keyword,
    varyOn: ['authorization'],
    authenticate(request: FastifyRequest) {
      const credentials = readCredentials(request, keyword)
      if (credentials.kind === 'absent') return skip
      if (credentials.kind === 'missing') return failure('Invalid token header. No credentials provided.')
      if (credentials.kind === 'spaces') {
        return failure('Invalid token header. Token string should not contain spaces.')
      }
      // Node hands header bytes over as Latin-1, so whatever is not visible ASCII was never part of a key.
      if (!/^[\x21-\x7e]+$/.test(credentials.value)) {
        return failure('Invalid token header. Token string should not contain invalid characters.')
      }
      return attemptWith(credentials.value)
    },
  })
}
