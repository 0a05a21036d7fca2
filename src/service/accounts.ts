// Creates the accounts from the settings.

import { type Accounts, createAccounts } from '#accounts'
import type { Database, RateStore } from '#core'
import { createScopeThrottles } from './apis/throttles.ts'
import { formatHomePath } from './pages/home.ts'
import { listServiceSecrets, withExplainedErrors } from './settings/secret-key.ts'
import type { ReadySettings } from './settings/settings.ts'

export interface AccountsSources {
  readonly database: Database
  readonly rateStore: RateStore
  readonly clock: () => Date
}

export function openAccounts(settings: ReadySettings, { database, rateStore, clock }: AccountsSources): Accounts {
  const { limits, throttles } = settings
  const home = formatHomePath(settings)
  const accounts = createAccounts({
    database,
    secret: listServiceSecrets(settings),
    // Without a setting, the default schemes of the framework apply (AUTH-GEN-3).
    authentication: settings.authentication ?? ['session', 'basic'],
    tokens: {
      kind: settings.tokens,
      keyword: settings.tokenKeyword,
      prefix: settings.tokenPrefix,
      lifetime: settings.tokenLifetime,
      maxTokens: limits.tokensPerUser,
      forNewUsers: settings.tokenForNewUsers,
      throttles: createScopeThrottles('token', throttles, rateStore),
      response: settings.tokenResponse,
    },
    sessions: { lifetime: settings.sessionLifetime, idle: settings.sessionIdleTime },
    passwords: { minLength: settings.passwordMinLength },
    passwordReset: settings.passwordReset,
    providers: settings.providers,
    secondFactor: settings.secondFactor,
    publicUrl: settings.publicUrl ?? `http://localhost:${settings.port}`,
    loginThrottle: settings.loginThrottle,
    rateStore,
    remoteUser: settings.remoteUser,
    trustedOrigins: settings.trustedOrigins,
    audit: { retention: settings.auditRetention, onEvent: settings.onAudit },
    afterUserCreated: settings.afterUserCreated,
    loginPath: settings.loginPath,
    tokenPath: settings.tokenPath,
    apiPath: home.slice(0, -1),
    pages: { home, ...settings.pages },
    clock,
  })
  return { ...accounts, secretRecord: withExplainedErrors(accounts.secretRecord) }
}
