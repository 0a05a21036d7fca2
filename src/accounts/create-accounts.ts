// Accounts in one line over a database: users, groups, sessions, tokens, permissions, the login views, the audit log and
// the administration. Each part can also be used alone.

import {
  type ApiOptions,
  type BrowsableOptions,
  browsable,
  type Csrf,
  createCsrf,
  type Database,
  databaseStore,
  fallbackStore,
  jsonRenderer,
  type OwnedMigrations,
  type Permission,
  throttleMigrations,
  type ViewOptions,
} from 'resource-api'
import { createPageFrame, type RateStore, type Scheme, type Throttle } from 'resource-api/extend'
import { administration } from './admin/administration.ts'
import type { AdministrationOptions } from './admin/administration-options.ts'
import { type Audit, type AuditListener, createAudit } from './audit/audit.ts'
import { type AuditLog, auditMigrations, createAuditLog } from './audit/audit-log.ts'
import { type Authority, createAuthority } from './authority.ts'
import { deriveSecret, deriveSecrets, type Secrets } from './encryption.ts'
import { createGrantedPermissions, type GrantedPermissions } from './granted-permissions.ts'
import { createLoginThrottle, type LoginThrottle } from './login-throttle.ts'
import { loginView, logoutView } from './login-view.ts'
import { accountMigrations } from './migrations.ts'
import { type ModelPermissionsOptions, modelPermissions } from './model-permissions.ts'
import { createSchemes, type RemoteUserSettings, type SchemeName } from './schemes.ts'
import { createSecretRecord, type SecretRecord } from './secret-record.ts'
import { createSessions, type Sessions } from './sessions.ts'
import { createTokens } from './tokens/create-tokens.ts'
import { ownTokens } from './tokens/own-tokens.ts'
import type { TokenStore } from './tokens/single-tokens.ts'
import { tokenEndpoint } from './tokens/token-endpoint.ts'
import type { TokenKind } from './tokens/token-issuer.ts'
import type { User } from './user.ts'
import { type AfterUserCreated, createUsers, type Users } from './users.ts'

export interface AccountsOptions {
  readonly database: Database
  /**
   * Encrypts tokens, and signs CSRF tokens and cursors; 32 random characters or more, the same in all processes. In a
   * list, the first one is used, and the others are still accepted.
   */
  readonly secret: string | Secrets
  /** The schemes of `apiOptions`, in this order; default `token`, `session`, `basic`. */
  readonly authentication?: readonly SchemeName[] | undefined
  readonly tokens?: TokenSettings | undefined
  readonly sessions?: SessionSettings | undefined
  readonly loginThrottle?: LoginThrottleSettings | undefined
  /** Counts failed logins; default: a table of the database. */
  readonly rateStore?: RateStore | undefined
  /** Required by the scheme `remote-user`. */
  readonly remoteUser?: RemoteUserSettings | undefined
  /** Other origins whose pages may send requests with a session, such as `https://app.example.org`. */
  readonly trustedOrigins?: readonly string[] | undefined
  readonly audit?: AuditSettings | undefined
  /** Called in every transaction that creates a user. */
  readonly afterUserCreated?: AfterUserCreated | undefined
  /** The path below the API of the views `login/` and `logout/`; default `/api-auth/`; null for no login views. */
  readonly loginPath?: string | null | undefined
  /** The path below the API of the token endpoint; default `/api-token-auth/`. */
  readonly tokenPath?: string | undefined
  /** The path of the API with the login views, as clients see it, without a slash at its end; default: the root, ''. */
  readonly apiPath?: string | undefined
  /** The title, logo and links of the HTML pages. */
  readonly pages?: Omit<BrowsableOptions, 'login'> | undefined
  readonly clock?: (() => Date) | undefined
}

export interface TokenSettings {
  /** One token per user, or several with names; default `single`. */
  readonly kind?: TokenKind
  /** The keyword of `Authorization: Token …`; default `Token`. */
  readonly keyword?: string
  /** The beginning of a named token: letters and digits, followed by `_`; default `rapi_`. */
  readonly prefix?: string
  /** The default and maximum lifetime of a named token in seconds; default: null, no expiry. */
  readonly lifetime?: number | null
  /** The maximum number of named tokens per user; default 100. */
  readonly maxTokens?: number
  /** Whether each new user gets a token; not possible with named tokens. Default: false. */
  readonly forNewUsers?: boolean
  /** The throttles of the token endpoint; default: none (END-TOKEN-2). */
  readonly throttles?: readonly Throttle[]
  /** Adds properties to the response of the token endpoint (END-TOKEN-3). */
  readonly response?: ((user: User) => Readonly<Record<string, unknown>>) | undefined
}

export interface SessionSettings {
  /** In seconds; default two weeks. */
  readonly lifetime?: number
  /** Seconds without a request after which a session ends; default: only `lifetime` counts. */
  readonly idle?: number | undefined
}

export interface LoginThrottleSettings {
  /** Failed logins per address and account; default `10/5 minutes`. */
  readonly perAccount?: string
  /** Failed logins per address; default `100/hour`. */
  readonly perAddress?: string
}

export interface AuditSettings {
  /** The number of days for which events are stored in the database; default 90; null stores none. */
  readonly retention?: number | null
  /** Called with each event. Must not throw. */
  readonly onEvent?: AuditListener | undefined
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
  /** Counts requests for throttles: `anonThrottle({ rates: '60/minute', store: accounts.rateStore })`. */
  readonly rateStore: RateStore
  /** Records which secrets encrypted the stored tokens. Call `secretRecord.claim()` after `migrate`. */
  readonly secretRecord: SecretRecord
  readonly audit: Audit
  /** The stored audit events; undefined if none are stored. */
  readonly auditLog: AuditLog | undefined
  /** Runs in each transaction that creates a user; undefined if there is nothing to do. */
  readonly afterUserCreated: AfterUserCreated | undefined
  /** Creates schemes for an API with a different choice of them. */
  schemes(...names: readonly SchemeName[]): readonly Scheme[]
  /** The views by path: the token endpoint, and the login views if sessions are used. */
  readonly views: Readonly<Record<string, ViewOptions>>
  /** The option `login` of `browsable`; undefined without login views. */
  readonly login: BrowsableOptions['login']
  readonly tokenEndpoint: ViewOptions
  /** An API of the token endpoint, with the caller's own tokens if they have names. */
  readonly tokenApi: ApiOptions
  /** Options for an API: database, schemes, views, HTML pages, cursors and audit. */
  readonly apiOptions: ApiOptions
  /** Creates the options of the administration, an API of its own. */
  administration(options?: Pick<AdministrationOptions, 'resources'>): ApiOptions
  /** Requires the caller's permissions for this model: `orders.view`, `orders.add` and so on. */
  modelPermissions(model: string, options?: ModelPermissionsOptions): Permission
  /** Writes what is still queued; leaves the database open. */
  close(): Promise<void>
}

/**
 * Creates accounts over a database. Every option but `database` and `secret` has a default.
 *
 * @example
 * const accounts = createAccounts({ database, secret })
 * await migrate(database, [...accounts.migrations, { owner: 'shop', steps }])
 * const orders = resource('orders', { table: 'orders', permissions: [accounts.modelPermissions('orders')], fields })
 * await app.register(createApi({ ...accounts.apiOptions, resources: [orders] }))
 * await app.register(createApi(accounts.administration({ resources: [adminResource(orders)] })), { prefix: '/admin' })
 * app.addHook('onClose', accounts.close)
 */
export function createAccounts(options: AccountsOptions): Accounts {
  checkOptions(options)
  const { database, clock = () => new Date(), authentication = defaultAuthentication } = options
  const { tokens: tokenSettings = {}, audit: { retention = 90, onEvent } = {} } = options
  const secrets: Secrets = typeof options.secret === 'string' ? [options.secret] : options.secret
  const rateStore = options.rateStore ?? createRateStore(database, secrets, clock)
  const tokenKind = tokenSettings.kind ?? 'single'
  const tokens = createTokens({ ...tokenSettings, database, secrets, clock })
  const afterUserCreated = createAfterUserCreated(options, tokens)
  const users = createUsers({ database, clock, afterUserCreated })
  const sessions = createSessions({ ...options.sessions, database, clock })
  const grantedPermissions = createGrantedPermissions(database)
  const csrf = createCsrf({
    secret: deriveSecrets(secrets, 'csrf'),
    ...(options.trustedOrigins && { trustedOrigins: options.trustedOrigins }),
  })
  const loginThrottle = createLoginThrottle({ ...options.loginThrottle, store: rateStore })
  const auditLog = retention === null ? undefined : createAuditLog({ database, retention, clock })
  const audit = createAudit(...[onEvent, auditLog?.record].filter(listener => listener !== undefined))
  const parts = { database, users, sessions, tokens, tokenKind, grantedPermissions, csrf, loginThrottle }

  const schemes: Accounts['schemes'] = (...names) =>
    createSchemes(names, { ...parts, keyword: tokenSettings.keyword, remoteUser: options.remoteUser })
  const endpoint = tokenEndpoint({
    ...parts,
    loginThrottle: { guard: audit.guard(loginThrottle.guard, 'token made') },
    throttles: tokenSettings.throttles ?? [],
    extend: tokenSettings.response,
  })
  const { login, loginViews } = createLogin(options, authentication, { ...parts, audit })
  const sharedOptions: ApiOptions = {
    database,
    authentication: schemes(...authentication),
    renderers: [jsonRenderer, browsable({ ...options.pages, ...(login && { login }) })],
    secret: deriveSecrets(secrets, 'cursors'),
    observe: audit.observe,
    clock,
  }
  const views = { [options.tokenPath ?? '/api-token-auth/']: endpoint, ...loginViews }

  return {
    ...parts,
    migrations: [accountMigrations, auditMigrations, ...(options.rateStore ? [] : [throttleMigrations])],
    authority: createAuthority(database, grantedPermissions),
    rateStore,
    secretRecord: createSecretRecord({ database, secrets }),
    audit,
    auditLog,
    afterUserCreated,
    schemes,
    views,
    login,
    tokenEndpoint: endpoint,
    tokenApi: { ...sharedOptions, root: endpoint, resources: tokenKind === 'single' ? [] : [ownTokens(tokens)] },
    apiOptions: { ...sharedOptions, views },
    administration: adminOptions => ({
      ...sharedOptions,
      ...administration({ ...parts, afterUserCreated, auditLog, ...adminOptions }),
    }),
    modelPermissions: (model, permissionOptions) => modelPermissions(grantedPermissions, model, permissionOptions),
    async close() {
      await tokens.settle()
      await auditLog?.flush()
    },
  }
}

const defaultAuthentication: readonly SchemeName[] = ['token', 'session', 'basic']

function checkOptions({ tokens = {}, secret }: AccountsOptions): void {
  if (secret === undefined || secret.length === 0)
    throw new Error('createAccounts(): secret is missing: set it to 32 random characters or more')
  if (tokens.kind === 'named' && tokens.forNewUsers)
    throw new Error(
      'createAccounts(): tokens.forNewUsers must be false if tokens.kind is "named", because the new token could not be shown to anyone',
    )
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

function createLogin(
  { loginPath = '/api-auth/', apiPath = '', pages = {} }: AccountsOptions,
  authentication: readonly SchemeName[],
  {
    users,
    sessions,
    csrf,
    loginThrottle,
    audit,
  }: Pick<Accounts, 'users' | 'sessions' | 'csrf' | 'loginThrottle' | 'audit'>,
): { readonly login: BrowsableOptions['login']; readonly loginViews: Accounts['views'] } {
  if (loginPath === null || !authentication.includes('session')) return { login: undefined, loginViews: {} }
  const guard = audit.guard(loginThrottle.guard, 'login')
  return {
    login: { loginPath: `${apiPath}${loginPath}login/`, logoutPath: `${apiPath}${loginPath}logout/`, csrf },
    loginViews: {
      [`${loginPath}login/`]: loginView({ users, sessions, csrf, frame: createPageFrame(pages), guard }),
      [`${loginPath}logout/`]: logoutView({ sessions, csrf }),
    },
  }
}
