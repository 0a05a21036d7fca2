// Creates the tokens and their API: one token per user, or several named tokens, as the setting `tokens` says.

import { createNamedTokens } from '../../accounts/tokens/named-tokens.ts'
import { ownTokens } from '../../accounts/tokens/own-tokens.ts'
import { createSingleTokens, type Tokens } from '../../accounts/tokens/single-tokens.ts'
import type { ApiOptions } from '../../framework/api.ts'
import type { Database } from '../../framework/database/database.ts'
import type { ViewOptions } from '../../framework/view.ts'
import { secretsOf } from '../settings/secret-key.ts'
import type { ReadySettings } from '../settings/settings.ts'

export function createTokens(settings: ReadySettings, database: Database, clock: () => Date): Tokens {
  const { tokens: kind, tokenPrefix: prefix, tokenLifetime: lifetime } = settings
  const single = createSingleTokens({ database, secrets: secretsOf(settings), clock })
  return kind === 'single'
    ? single
    : createNamedTokens({ database, single, prefix, lifetime, most: settings.limits.tokensPerUser, clock })
}

/** Creates an API with the token endpoint and the caller's own tokens; undefined if each user has a single token. */
export const createTokenApi = (
  settings: ReadySettings,
  tokens: Tokens,
  endpoint: ViewOptions,
): ApiOptions | undefined =>
  settings.tokens === 'single' ? undefined : { root: endpoint, resources: [ownTokens(tokens)] }
