// Creates the token store and the API of tokens. The setting `tokens` selects one token per user or several named ones.

import { createNamedTokens } from '../../accounts/tokens/named-tokens.ts'
import { ownTokens } from '../../accounts/tokens/own-tokens.ts'
import { createSingleTokens, type TokenStore } from '../../accounts/tokens/single-tokens.ts'
import type { ApiOptions } from '../../framework/api.ts'
import type { Database } from '../../framework/database/database.ts'
import type { ViewOptions } from '../../framework/view.ts'
import { listServiceSecrets } from '../settings/secret-key.ts'
import type { ReadySettings } from '../settings/settings.ts'

export function createTokens(settings: ReadySettings, database: Database, clock: () => Date): TokenStore {
  const { tokens: kind, tokenPrefix: prefix, tokenLifetime: lifetime } = settings
  const single = createSingleTokens({ database, secrets: listServiceSecrets(settings), clock })
  return kind === 'single'
    ? single
    : createNamedTokens({
        database,
        singleTokens: single,
        prefix,
        lifetime,
        maxTokens: settings.limits.tokensPerUser,
        clock,
      })
}

/** Creates an API with the token endpoint and the caller's own tokens; undefined if each user has a single token. */
export const createTokenApi = (
  settings: ReadySettings,
  tokens: TokenStore,
  endpoint: ViewOptions,
): ApiOptions | undefined =>
  settings.tokens === 'single' ? undefined : { root: endpoint, resources: [ownTokens(tokens)] }
