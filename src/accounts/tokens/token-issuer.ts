// Issues, finds and revokes tokens: one per user (single-tokens.ts), or several with names (named-tokens.ts). The token
// endpoint, the command line and the administration work with both (AUTH-SCH-2).

import type { Connection, Fields, MaybePromise } from '#core'
import type { User } from '../user.ts'

/** One token per user (AUTH-SCH-3), or several with names. */
export type TokenKind = 'single' | 'named'

/** The `auth` of a caller who presented a token; does not contain the token's text. */
export interface Token {
  readonly userId: number
}

/** A newly issued token; `token` is the text that the caller presents. */
export interface IssuedToken {
  /** The primary key of the token. */
  readonly id: number
  readonly token: string
  /** Additional properties for the response of the token endpoint. */
  readonly details: Readonly<Record<string, unknown>>
}

export interface TokenIssuer {
  /** The optional fields of a request body that asks for a token. */
  readonly fields: Fields
  /** Returns the owner of this token; undefined if the token is unknown or has expired. */
  find(token: string): MaybePromise<{ user: User; token: Token } | undefined>
  /** Issues a token; `values` are values of `fields`. Rejects with ValidationError if the user has too many tokens. */
  issue(userId: number, values: Readonly<Record<string, unknown>>, connection: Connection): Promise<IssuedToken>
  /** Gives the token whose primary key is `id` a new text, and returns that text. The old text becomes invalid. */
  reissue(id: number, connection: Connection): Promise<string>
  /** Deletes all tokens of the user. */
  revokeAll(userId: number, connection: Connection): Promise<void>
  /** Resolves when all pending writes of `last_used` are done. */
  settle(): Promise<void>
}
