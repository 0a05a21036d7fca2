// The options of createAccounts, and their checks.

import { checkOptionNames, type Database, type OptionNames, type RateStore, type Throttle } from '#core'
import type { BrowsableOptions } from '#pages'
import type { AuditListener } from './audit/audit.ts'
import type { Secrets } from './encryption.ts'
import { checkPasswordReset, type PasswordResetSettings } from './password-reset/password-reset-settings.ts'
import type { PasswordRulesOptions } from './passwords/password-rules.ts'
import { checkProviders, type ProviderSettings } from './providers/provider-settings.ts'
import type { RemoteUserSettings, SchemeName } from './schemes.ts'
import { refusePublicUrl } from './second-factor/webauthn.ts'
import { maxLifetime } from './tokens/named-tokens.ts'
import type { TokenKind } from './tokens/token-issuer.ts'
import type { User } from './user.ts'
import type { AfterUserCreated } from './users.ts'

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
  /** The rules of new passwords. */
  readonly passwords?: PasswordRulesOptions | undefined
  /** Lets people reset a forgotten password by mail; default: no. Its job is in `accounts.jobs`. */
  readonly passwordReset?: PasswordResetSettings | undefined
  /** The OpenID Connect providers with which people may log in to the pages; default: none. */
  readonly providers?: readonly ProviderSettings[] | undefined
  /** Lets people protect their login with an authenticator app, or passkeys; default: no. */
  readonly secondFactor?: SecondFactorSettings | undefined
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
  /**
   * The URL of the server as people reach it, such as `https://shop.example.org`: links in mails, and the way back from a provider, begin
   * with it. Required by `passwordReset`, `providers` and `secondFactor.passkeys`.
   */
  readonly publicUrl?: string | undefined
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

export interface SecondFactorSettings {
  /** Whether people may also use passkeys. They belong to the host of `publicUrl`. Default: false. */
  readonly passkeys?: boolean
  /** Whether the administration refuses staff who log in with a password alone. Default: false. */
  readonly requiredForStaff?: boolean
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

/** Throws for the first wrong option. */
export function checkAccountsOptions(options: AccountsOptions): void {
  checkOptionNames('createAccounts()', options, optionNames)
  const { tokens = {}, audit = {}, passwords = {}, secret, apiPath = '' } = options
  if (secret === undefined || secret.length === 0)
    throw new Error('createAccounts(): secret is missing: set it to 32 random characters or more')
  if (apiPath !== '' && !/^\/.*[^/]$/.test(apiPath))
    throw new Error(
      `createAccounts(): apiPath must begin with a slash and not end with one, such as "/api", not ${JSON.stringify(apiPath)}`,
    )
  checkLoginPages(options)
  checkInteger('tokens.lifetime', tokens.lifetime, maxLifetime)
  checkInteger('tokens.maxTokens', tokens.maxTokens, Number.MAX_SAFE_INTEGER)
  checkInteger('audit.retention', audit.retention, maxRetention)
  checkInteger('passwords.minLength', passwords.minLength, maxMinLength)
  if (tokens.kind === 'named' && tokens.forNewUsers)
    throw new Error(
      'createAccounts(): tokens.forNewUsers must be false if tokens.kind is "named", because the new token could not be shown to anyone',
    )
}

// The URL comes from the configuration, because a client may send any Host.
function checkLoginPages(options: AccountsOptions): void {
  const { publicUrl, passwordReset, providers = [], secondFactor, loginPath, authentication = ['session'] } = options
  if (passwordReset !== undefined) checkPasswordReset(passwordReset)
  checkProviders(providers)
  const option =
    passwordReset !== undefined
      ? 'passwordReset'
      : providers.length > 0
        ? 'providers'
        : secondFactor?.passkeys
          ? 'secondFactor.passkeys'
          : undefined
  const { protocol } = URL.parse(publicUrl ?? '') ?? {}
  if (publicUrl === undefined ? option !== undefined : protocol !== 'http:' && protocol !== 'https:')
    throw new Error(
      `createAccounts(): publicUrl is ${JSON.stringify(publicUrl) ?? 'missing'}: set it to the URL of the server, such as "https://shop.example.org"`,
    )
  const refusal = secondFactor?.passkeys ? refusePublicUrl(publicUrl!) : undefined
  if (refusal !== undefined)
    throw new Error(`createAccounts(): secondFactor.passkeys does not work with publicUrl ${publicUrl}: ${refusal}`)
  const shown = option ?? (secondFactor && 'secondFactor')
  if (shown !== undefined && (loginPath === null || !authentication.includes('session')))
    throw new Error(
      `createAccounts(): ${shown} needs the login pages: set loginPath, and name "session" in authentication`,
    )
}

// A value outside these bounds would otherwise expire every token, or delete every audit event.
function checkInteger(option: string, value: number | null | undefined, maximum: number): void {
  if (value === null || value === undefined) return
  if (!Number.isInteger(value) || value < 1 || value > maximum)
    throw new Error(`createAccounts(): ${option} is ${value}: use a whole number from 1 to ${maximum}`)
}

/** Days: a hundred years, so that each expiry is a valid date. */
const maxRetention = 36_500

/** Characters: more than anyone types. */
const maxMinLength = 128

const optionNames: OptionNames<AccountsOptions> = {
  database: true,
  secret: true,
  authentication: true,
  tokens: true,
  sessions: true,
  passwords: true,
  passwordReset: true,
  providers: true,
  secondFactor: true,
  loginThrottle: true,
  rateStore: true,
  remoteUser: true,
  trustedOrigins: true,
  audit: true,
  afterUserCreated: true,
  loginPath: true,
  tokenPath: true,
  apiPath: true,
  publicUrl: true,
  pages: true,
  clock: true,
}
