// HTTP Basic (AUTH-SCH-r1, RFC 7617), mainly for testing; in production, use it only over HTTPS (AUTH-SCH-1).

import type { FastifyRequest } from 'fastify'
import type { Identity } from '../../http/identity.ts'
import { frameworkMessages } from '../../messages/english.ts'
import { decodeText } from './decode-text.ts'
import { type Attempt, failure, readCredentials, type Scheme, skip, success } from './scheme.ts'

export interface BasicOptions<User extends Identity = Identity> {
  /** Finds the user with this name and password; undefined if there is none or the user may not log in. */
  readonly verify: (username: string, password: string, request: FastifyRequest) => Promise<User | undefined>
  /** Default `api`. */
  readonly realm?: string
}

const wrongCredentials = frameworkMessages('authentication_failed.password')

/** Creates the scheme that requires a username and a password on each request. */
export function basicScheme<User extends Identity>({ verify, realm = 'api' }: BasicOptions<User>): Scheme<User> {
  const verifyPair: (...credentials: Parameters<typeof verify>) => Promise<Attempt<User>> = async (...credentials) => {
    const user = await verify(...credentials)
    return user === undefined ? failure(wrongCredentials) : success(user)
  }
  return Object.freeze({
    name: 'basic',
    challenge: `Basic realm="${realm}"`,
    varyOn: ['authorization'],
    authenticate(request: FastifyRequest) {
      const credentials = readCredentials(request, 'Basic')
      if (credentials.kind === 'absent') return skip
      if (credentials.kind === 'missing') return failure(frameworkMessages('authentication_failed.basic_missing'))
      if (credentials.kind === 'spaces') {
        return failure(frameworkMessages('authentication_failed.basic_spaces'))
      }
      const pair = parseUserPass(credentials.value)
      if (pair === 'not base64') return failure(frameworkMessages('authentication_failed.basic_encoding'))
      if (pair === 'no pair') return failure(wrongCredentials)
      return verifyPair(pair.username, pair.password, request)
    },
  })
}

/** The two parts of `user-pass`, or the reason why there are none: `no pair` if the decoded text has no colon. */
type UserPass = { readonly username: string; readonly password: string } | 'not base64' | 'no pair'

/** Parses `user-pass` (RFC 7617 §2): base64 of UTF-8, else of Latin-1, split at the first colon. NUL is rejected. */
export function parseUserPass(encoded: string): UserPass {
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/.test(encoded)) return 'not base64'
  const text = decodeText(Buffer.from(encoded, 'base64'))
  const colon = text.indexOf(':')
  if (text.includes('\0')) return 'not base64'
  if (colon < 0) return 'no pair'
  return { username: text.slice(0, colon), password: text.slice(colon + 1) }
}
