// Creates the token store and the API of tokens. The setting `tokens` selects one token per user or several named ones.

import type { ApiOptions, Database, ViewOptions } from 'resource-api'
import { createNamedTokens, createSingleTokens, ownTokens, type TokenStore } from 'resource-api/accounts'
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
