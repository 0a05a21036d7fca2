// The login session of the browsable pages (AUTH-SCH-r3): a cookie holds its id. A request with an unknown or expired
// session counts as one without a session. Unsafe methods also need a CSRF token (AUTH-SCH-4).

import type { FastifyRequest } from 'fastify'
import type { Identity } from '../../http/identity.ts'
import { readCookie } from './cookies.ts'
import { type Csrf, csrfCookie } from './csrf.ts'
import { type Attempt, type Scheme, skip, success } from './scheme.ts'

export interface SessionOptions<User extends Identity = Identity> {
  /** Finds the user of the session with this id; undefined if there is no such session or the user may not log in. */
  readonly find: (id: string, request: FastifyRequest) => Promise<User | undefined>
  readonly csrf: Csrf
}

/** The safe methods of RFC 9110 §9.2.1. */
const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])

/** Creates the scheme for browsers. It has no `WWW-Authenticate` challenge, so its refusals are 403. */
export function sessionScheme<User extends Identity>({ find, csrf }: SessionOptions<User>): Scheme<User> {
  const authenticateSession = async (id: string, request: FastifyRequest, baseUrl: string): Promise<Attempt<User>> => {
    const user = await find(id, request)
    if (user === undefined) return skip
    const checkBody = safeMethods.has(request.method) ? undefined : csrf.check(request, baseUrl)
    return checkBody === undefined ? success(user) : { outcome: 'success', user, auth: null, checkBody }
  }
  return Object.freeze<Scheme<User>>({
    name: 'session',
    varyOn: ['cookie'],
    security: {
      type: 'apiKey',
      in: 'cookie',
      name: csrf.sessionCookie,
      description: `A login session. Unsafe methods also need the value of the cookie \`${csrfCookie}\` in the header \`X-CSRFToken\`.`,
    },
    authenticate(request: FastifyRequest, baseUrl: string) {
      const id = readCookie(request, csrf.sessionCookie)
      return id === undefined ? skip : authenticateSession(id, request, baseUrl)
    },
  })
}
