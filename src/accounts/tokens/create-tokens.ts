import type { Database } from '#core'
import type { Secrets } from '../encryption.ts'
import { createNamedTokens } from './named-tokens.ts'
import { createSingleTokens, type TokenStore } from './single-tokens.ts'
import type { TokenKind } from './token-issuer.ts'

export interface CreateTokensOptions {
  readonly database: Database
  /** The current secret and earlier ones, each of at least 32 characters. */
  readonly secrets: Secrets
  /** One token per user, or several with names; default `single`. */
  readonly kind?: TokenKind | undefined
  /** The beginning of a named token: letters and digits, followed by `_`; default `rapi_`. */
  readonly prefix?: string | undefined
  /** The default and maximum lifetime of a named token in seconds; default: null, no expiry. */
  readonly lifetime?: number | null | undefined
  /** The maximum number of named tokens per user; default 100. */
  readonly maxTokens?: number | undefined
  readonly clock?: (() => Date) | undefined
}

/**
 * Creates the tokens of a database with the tables of `accountTables`: one per user without expiry (AUTH-SCH-3), or
 * several with names.
 *
 * @example
 * const tokens = createTokens({ database, secrets: [secret], kind: 'named', prefix: 'shop_' })
 * const scheme = tokenScheme({ find: tokens.find, keyword: 'Bearer' })
 */
export function createTokens(options: CreateTokensOptions): TokenStore {
  const { kind = 'single', prefix = 'rapi_', lifetime = null, maxTokens = 100, clock = () => new Date() } = options
  const { database, secrets } = options
  const singleTokens = createSingleTokens({ database, secrets, clock })
  if (kind === 'single') return singleTokens
  checkPrefix(prefix)
  return createNamedTokens({ database, singleTokens, prefix, lifetime, maxTokens, clock })
}

function checkPrefix(prefix: string): void {
  if (!/^[A-Za-z][A-Za-z0-9]{0,19}_$/.test(prefix))
    throw new Error(`the token prefix "${prefix}" must be letters and digits with "_" at the end, such as "shop_"`)
}
