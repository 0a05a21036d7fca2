import type { Identity } from '../../http/identity.ts'
import { type BasicOptions, basicScheme } from './basic.ts'
import type { Csrf } from './csrf.ts'
import type { Scheme } from './scheme.ts'
import { type SessionOptions, sessionScheme } from './session.ts'

/** The functions that the default schemes need to find the application's users. */
export interface DefaultSchemeOptions<User extends Identity = Identity> {
  readonly verify: BasicOptions<User>['verify']
  readonly findSession: SessionOptions<User>['find']
  readonly csrf: Csrf
}

/** Session and basic authentication, in that order (AUTH-GEN-3). */
export const defaultSchemes = <User extends Identity>({
  verify,
  findSession,
  csrf,
}: DefaultSchemeOptions<User>): readonly Scheme<User>[] => [
  sessionScheme({ find: findSession, csrf }),
  basicScheme({ verify }),
]
