// The login session of the browsable interface (AUTH-SCH-r3): a cookie names it. A cookie that names none, for whatever
// reason, is no attempt. What changes something needs a CSRF token as well (AUTH-SCH-4).

import type { FastifyRequest } from 'fastify'
import { readCookie } from './cookies.ts'
import type { Csrf } from './csrf.ts'
import type { Identity } from './identity.ts'
import { type Attempt, type Scheme, skip, success } from './scheme.ts'

export interface SessionOptions {
  /** The user whose session has this id; undefined where there is no such session, or the user may not log in. */
  readonly find: (id: string, request: FastifyRequest) => Promise<Identity | undefined>
  readonly csrf: Csrf
}

/** The methods that change nothing (RFC 9110 §9.2.1). */
const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])

/** The scheme for people with a browser. It has no challenge, so that its refusals are 403. */
export function sessionScheme({ find, csrf }: SessionOptions): Scheme {
  const attemptWith = async (id: string, request: FastifyRequest, baseUrl: string): Promise<Attempt> => {
    const user = await find(id, request)
    if (user === undefined) return skip
    const confirm = safeMethods.has(request.method) ? undefined : csrf.check(request, baseUrl)
    return confirm === undefined ? success(user) : { outcome: 'success', user, auth: null, checkBody: confirm }
  }
  return Object.freeze({
    name: 'session',
    varyOn: ['cookie'],
    authenticate(request: FastifyRequest, baseUrl: string) {
      const id = readCookie(request, csrf.sessionCookie)
      return id === undefined ? skip : attemptWith(id, request, baseUrl)
    },
  })
}
