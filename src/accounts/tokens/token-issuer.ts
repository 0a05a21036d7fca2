// How users come by tokens, and lose them: one each (tokens.ts), or as many as they name (named-tokens.ts). The token
// endpoint, the command line and the administration work with either (AUTH-SCH-2).

import type { Connection } from '../../framework/database/database.ts'
import type { Fields } from '../../framework/fields/field.ts'
import type { User } from '../user.ts'

/** One token per user (AUTH-SCH-3), or several with names. */
export type TokenKind = 'single' | 'named'

/** A token as authentication information; its key is the caller's own. */
export interface Token {
  readonly userId: number
}

/** A token that was given out, with its key. */
export interface IssuedToken {
  /** The token's key in its table. */
  readonly id: number
  readonly key: string
  /** What the token endpoint answers beside the key. */
  readonly details: Readonly<Record<string, unknown>>
}

export interface TokenIssuer {
  /** What a request for a token may say of it. */
  readonly fields: Fields
  /** The user whose token has this key; undefined as well for one that has expired. */
  find(key: string): Promise<{ user: User; token: Token } | undefined>
  /** Gives the user a token; `wanted` are values of `fields`. Throws ValidationError where the user has too many. */
  issue(userId: number, wanted: Readonly<Record<string, unknown>>, connection: Connection): Promise<IssuedToken>
  /** A new key for the token with this id; the one before it is worth nothing from now on. */
  reissue(id: number, connection: Connection): Promise<string>
  /** None of the user's tokens is worth anything from now on. */
  revokeAll(userId: number, connection: Connection): Promise<void>
  /** Waits for what is still being written. */
  settle(): Promise<void>
}
