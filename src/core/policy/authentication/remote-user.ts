// The web server identifies the caller (AUTH-SCH-r4), in a way that clients cannot forge. The scheme has no challenge,
// so its refusals are 403.

import type { FastifyRequest } from 'fastify'
import type { Identity } from '../../http/identity.ts'
import { frameworkMessages } from '../../messages/english.ts'
import { failure, type Scheme, skip, success } from './scheme.ts'

/** Returns the user name from the web server; null or undefined if there is none. May throw AuthenticationFailed. */
export type Identify = (request: FastifyRequest) => string | undefined | null | Promise<string | undefined | null>

export interface RemoteUserOptions<User extends Identity = Identity> {
  readonly identify: Identify
  /** Finds or creates the user with this name (AUTH-SCH-5); if undefined, authentication fails. */
  readonly find: (name: string, request: FastifyRequest) => Promise<(User & { readonly isActive: boolean }) | undefined>
  /** The request header fields that `identify` reads, in lower case; default: none. */
  readonly varyOn?: readonly string[]
}

/**
 * Creates the scheme for services behind a web server that authenticates callers.
 *
 * @example
 * remoteUserScheme({ identify: remoteUserHeader({ header: 'Remote-User', proxies: ['127.0.0.1'] }), find })
 */
export function remoteUserScheme<User extends Identity>({
  identify,
  find,
  varyOn = [],
}: RemoteUserOptions<User>): Scheme<User> {
  return Object.freeze({
    name: 'remote-user',
    varyOn,
    async authenticate(request: FastifyRequest) {
      const name = await identify(request)
      if (name === undefined || name === null || name === '') return skip
      const user = await find(name, request)
      if (user === undefined) return failure(frameworkMessages('authentication_failed.remote_user'))
      return user.isActive ? success(user) : failure(frameworkMessages('authentication_failed.inactive'))
    },
  })
}
