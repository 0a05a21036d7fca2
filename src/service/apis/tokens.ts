// The tokens that the settings ask for, one per user or several, and what stands at the token path.

import { createNamedTokens } from '../../accounts/tokens/named-tokens.ts'
import { ownTokens } from '../../accounts/tokens/own-tokens.ts'
import { createSingleTokens, type Tokens } from '../../accounts/tokens/single-tokens.ts'
import type { ApiOptions } from '../../framework/api.ts'
import type { Database } from '../../framework/database/database.ts'
import type { ViewOptions } from '../../framework/view.ts'
import { secretsOf } from '../settings/secret-key.ts'
import type { ReadySettings } from '../settings/settings.ts'

export function openTokens(settings: ReadySettings, database: Database, clock: () => Date): Tokens {
  const { tokens: kind, tokenPrefix: prefix, tokenLifetime: lifetime } = settings
  const single = createSingleTokens({ database, secrets: secretsOf(settings), clock })
  return kind === 'single'
    ? single
    : createNamedTokens({ database, single, prefix, lifetime, most: settings.limits.tokensPerUser, clock })
}

/** The endpoint as an API with the caller's tokens below it; undefined if each user has one token. */
export const tokenApi = (settings: ReadySettings, tokens: Tokens, endpoint: ViewOptions): ApiOptions | undefined =>
  settings.tokens === 'single' ? undefined : { root: endpoint, resources: [ownTokens(tokens)] }
