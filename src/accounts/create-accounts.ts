// Accounts in one line over a database: users, groups, sessions, tokens, permissions, the login views, the audit log and
// the administration. Each part can also be used alone.

import type { ApiOptions } from '#api'
import {
  type Csrf,
  createCsrf,
  type Database,
  databaseStore,
  fallbackStore,
  type Identity,
  jsonRenderer,
  type OwnedMigrations,
  type Permission,
  type RateStore,
  type Scheme,
  throttleMigrations,
  type ViewOptions,
} from '#core'
import type { Job } from '#jobs'
import { type BrowsableOptions, browsable } from '#pages'
import { type AccountsOptions, checkAccountsOptions } from './accounts-options.ts'
import { administration } from './admin/administration.ts'
import type { AdministrationOptions } from './admin/administration-options.ts'
import { type Audit, createAudit } from './audit/audit.ts'
import { type AuditLog, createAuditLog } from './audit/audit-log.ts'
import { auditTables } from './audit/audit-table.ts'
import { type Authority, createAuthority } from './authority.ts'
import { deriveSecret, deriveSecrets, type Secrets } from './encryption.ts'
import { createGrantedPermissions, type GrantedPermissions } from './granted-permissions.ts'
import { createLogin } from './login/create-login.ts'
import { createLoginThrottle, type LoginThrottle } from './login-throttle.ts'
import { accountTables } from './migrations.ts'
import { type ModelPermissionsOptions, modelPermissions } from './model-permissions.ts'
import { savedViews } from './own-account/saved-views.ts'
import { createPasswordRules, type PasswordRules } from './passwords/password-rules.ts'
import { createSchemes, type SchemeName } from './schemes.ts'
import { createSecondFactors, type SecondFactors } from './second-factor/second-factors.ts'
import { createSecretRecord, type SecretRecord } from './secret-record.ts'
import { createSessions, type Sessions } from './sessions.ts'
import { createTokens } from './tokens/create-tokens.ts'
import { ownTokens } from './tokens/own-tokens.ts'
import type { TokenStore } from './tokens/single-tokens.ts'
import { tokenEndpoint } from './tokens/token-endpoint.ts'
import type { TokenKind } from './tokens/token-issuer.ts'
import type { User } from './user.ts'
import { type AfterUserCreated, createUsers, type Users } from './users.ts'

/** Options for an API whose callers have accounts. */
export interface AccountsApiOptions
  extends Omit<ApiOptions, 'accounts' | 'anonymous' | 'authentication' | 'parameters'> {
  readonly authentication: readonly Scheme<User>[]
}

export interface Accounts {
  readonly database: Database
  /** The steps that create the tables. */
  readonly migrations: readonly OwnedMigrations[]
  readonly users: Users
  readonly sessions: Sessions
  readonly tokens: TokenStore
  readonly tokenKind: TokenKind
  /** The permissions that users have been granted, directly and through groups. */
  readonly grantedPermissions: GrantedPermissions
  /** Checks changes of accounts against the rights of the caller. */
  readonly authority: Authority
  readonly csrf: Csrf
  readonly loginThrottle: LoginThrottle
  /** The rules of new passwords, which the administration and the command line check. */
  readonly passwordRules: PasswordRules
  /** Counts requests for throttles: `anonThrottle({ rates: '60/minute', store: accounts.rateStore })`. */
  readonly rateStore: RateStore
  /** Records which secrets encrypted the stored tokens. Call `secretRecord.claim()` after `migrate`. */
  readonly secretRecord: SecretRecord
  /** The second factors of the users; undefined without the option `secondFactor`. */
  readonly secondFactors: SecondFactors | undefined
  /** Whether staff need a second factor in the administration. */
  readonly needsSecondFactor: boolean
  readonly audit: Audit
  /** The stored audit events; undefined if none are stored. */
  readonly auditLog: AuditLog | undefined
  /** Runs in each transaction that creates a user; undefined if there is nothing to do. */
  readonly afterUserCreated: AfterUserCreated | undefined
  /** Creates schemes for an API with a different choice of them. */
  schemes(...names: readonly SchemeName[]): readonly Scheme<User>[]
  /** The views by path: the token endpoint and the login views. */
  readonly views: Readonly<Record<string, ViewOptions>>
  /** The login and logout views by path; none without sessions. */
  readonly loginViews: Readonly<Record<string, ViewOptions>>
  /** The option `login` of `browsable`; undefined without login views. */
  readonly login: BrowsableOptions['login']
  /** The jobs that the options need, such as `passwordReset`. A service runs them. */
  readonly jobs: readonly Job[]
  readonly tokenEndpoint: ViewOptions
  /** An API of the token endpoint, with the caller's own tokens if they have names. */
  readonly tokenApi: ApiOptions
  /** An API of the saved views of lists: `{ prefix: '/my' }`. The pages of all APIs of the server show them. */
  readonly savedViewsApi: ApiOptions
  /**
   * Options for an API: database, schemes, views, HTML pages, cursors and audit. The callers of the API are of the type
   * `Identity`, or, with `createApi<User | Anonymous>`, of the type {@link User}.
   */
  readonly apiOptions: AccountsApiOptions
  /** Creates the options of the administration, an API of its own. */
  administration(options?: Pick<AdministrationOptions, 'resources' | 'listWarnings'>): ApiOptions
  /** Requires the caller's permissions for this model: `orders.view`, `orders.add` and so on. */
  modelPermissions(model: string, options?: ModelPermissionsOptions): Permission<Identity, never>
  /** Writes what is still queued; leaves the database open. */
  close(): Promise<void>
}

/**
 * Creates accounts over a database. Every option but `database` and `secret` has a default.
 *
 * @example
 * const accounts = createAccounts({ database, secret })
 * await migrate(database, [...accounts.migrations, { owner: 'shop', steps }])
 * await accounts.secretRecord.claim()
 * const orders = resource('orders', { table: 'orders', permissions: [accounts.modelPermissions('orders')], fields })
 * await app.register(createApi({ ...accounts.apiOptions, resources: [orders] }))
 * await app.register(createApi(accounts.administration({ resources: [adminResource(orders)] })), { prefix: '/admin' })
 * app.addHook('onClose', accounts.close)
 */
export function createAccounts(options: AccountsOptions): Accounts {
  checkAccountsOptions(options)
  const { authentication = defaultAuthentication, tokenPath = '/api-token-auth/', clock } = options
  const secrets: Secrets = typeof options.secret === 'string' ? [options.secret] : options.secret
  const parts = createParts(options, secrets)
  const { database, tokens, tokenKind, grantedPermissions, audit, auditLog } = parts

  const schemes: Accounts['schemes'] = (...names) =>
    createSchemes(names, { ...parts, keyword: options.tokens?.keyword, remoteUser: options.remoteUser })
  const endpoint = createTokenEndpoint(options, parts)
  const { login, loginViews, jobs } = createLogin({ ...options, authentication, secrets }, parts)
  const views = { [tokenPath]: endpoint, ...loginViews }
  const migrations = [accountTables, auditTables, ...(options.rateStore ? [] : [throttleMigrations])]
  const sharedOptions: AccountsApiOptions = {
    database,
    migrations,
    authentication: schemes(...authentication),
    renderers: [jsonRenderer, browsable({ ...options.pages, ...(login && { login }) })],
    secret: deriveSecrets(secrets, 'cursors'),
    observe: audit.observe,
    ...(auditLog && { recordChanges: auditLog.recordChanges }),
    ...(clock && { clock }),
  }
  return {
    ...parts,
    migrations,
    schemes,
    views,
    loginViews,
    login,
    jobs,
    tokenEndpoint: endpoint,
    tokenApi: {
      ...sharedOptions,
      title: null,
      root: endpoint,
      resources: tokenKind === 'single' ? [] : [ownTokens(tokens)],
    },
    savedViewsApi: { ...sharedOptions, title: null, root: null, openapi: false, resources: [savedViews(database)] },
    apiOptions: { ...sharedOptions, views },
    administration: shown => ({ ...sharedOptions, ...administration({ ...parts, clock, ...shown }) }),
    modelPermissions: (model, permissionOptions) => modelPermissions(grantedPermissions, model, permissionOptions),
    async close() {
      await tokens.settle()
      await auditLog?.flush()
    },
  }
}

const defaultAuthentication: readonly SchemeName[] = ['token', 'session', 'basic']

type Parts = Pick<
  Accounts,
  | 'database'
  | 'users'
  | 'sessions'
  | 'tokens'
  | 'tokenKind'
  | 'grantedPermissions'
  | 'authority'
  | 'csrf'
  | 'loginThrottle'
  | 'passwordRules'
  | 'rateStore'
  | 'secretRecord'
  | 'secondFactors'
  | 'needsSecondFactor'
  | 'audit'
  | 'auditLog'
  | 'afterUserCreated'
>

function createParts(options: AccountsOptions, secrets: Secrets): Parts {
  const { database, trustedOrigins, clock = () => new Date() } = options
  const { retention = 90, onEvent } = options.audit ?? {}
  const rateStore = options.rateStore ?? createRateStore(database, secrets, clock)
  const tokens = createTokens({ ...options.tokens, database, secrets, clock })
  const afterUserCreated = createAfterUserCreated(options, tokens)
  const grantedPermissions = createGrantedPermissions(database)
  const auditLog = retention === null ? undefined : createAuditLog({ database, retention, clock })
  return {
    database,
    users: createUsers({ database, clock, afterUserCreated }),
    sessions: createSessions({ ...options.sessions, database, clock }),
    tokens,
    tokenKind: options.tokens?.kind ?? 'single',
    grantedPermissions,
    authority: createAuthority(database, grantedPermissions),
    csrf: createCsrf({ secret: deriveSecrets(secrets, 'csrf'), ...(trustedOrigins && { trustedOrigins }) }),
    loginThrottle: createLoginThrottle({ ...options.loginThrottle, store: rateStore }),
    passwordRules: createPasswordRules(options.passwords),
    rateStore,
    secretRecord: createSecretRecord({ database, secrets }),
    secondFactors: options.secondFactor && createSecondFactors({ database, secrets, rateStore, clock }),
    needsSecondFactor: options.secondFactor?.requiredForStaff ?? false,
    audit: createAudit(...[onEvent, auditLog?.record].filter(listener => listener !== undefined)),
    auditLog,
    afterUserCreated,
  }
}

// Failed logins are counted in the memory of the process while an SQLite database cannot be written to.
const createRateStore = (database: Database, [secret]: Secrets, clock: () => Date): RateStore =>
  fallbackStore(databaseStore(database, { clock, secret: deriveSecret(secret, 'rates') }), { clock })

function createAfterUserCreated(
  { afterUserCreated: hook, tokens: { forNewUsers = false } = {} }: AccountsOptions,
  tokens: TokenStore,
): AfterUserCreated | undefined {
  if (!forNewUsers) return hook
  return async (userId, connection) => {
    await tokens.getOrCreate(userId, connection)
    await hook?.(userId, connection)
  }
}

const createTokenEndpoint = ({ tokens = {} }: AccountsOptions, parts: Parts): ViewOptions =>
  tokenEndpoint({
    ...parts,
    loginThrottle: { guard: parts.audit.guard(parts.loginThrottle.guard, 'token made') },
    throttles: tokens.throttles ?? [],
    extend: tokens.response,
  })
