import { type BasicOptions, basicScheme } from './basic.ts'
import type { Csrf } from './csrf.ts'
import type { Scheme } from './scheme.ts'
import { type SessionOptions, sessionScheme } from './session.ts'

/** The functions that the default schemes need to find the application's users. */
export interface DefaultSchemeOptions {
  readonly verify: BasicOptions['verify']
  readonly findSession: SessionOptions['find']
  readonly csrf: Csrf
}

/** Session and basic authentication, in that order (AUTH-GEN-3). */
export const defaultSchemes = ({ verify, findSession, csrf }: DefaultSchemeOptions): readonly Scheme[] => [
  sessionScheme({ find: findSession, csrf }),
  basicScheme({ verify }),
]
