import { type BasicOptions, basicScheme } from './basic.ts'
import type { Csrf } from './csrf.ts'
import type { Scheme } from './scheme.ts'
import { type SessionOptions, sessionScheme } from './session.ts'

/** What an API has to know of its application's users for the schemes that are active when none is configured. */
export interface Accounts {
  readonly verify: BasicOptions['verify']
  readonly findSession: SessionOptions['find']
  readonly csrf: Csrf
}

/** Session and basic, in that order (AUTH-GEN-3). */
export const defaultSchemes = ({ verify, findSession, csrf }: Accounts): readonly Scheme[] => [
  sessionScheme({ find: findSession, csrf }),
  basicScheme({ verify }),
]
