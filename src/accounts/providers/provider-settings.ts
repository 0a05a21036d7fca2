import { type MaybePromise, parseSecureUrl } from '#core'

/** The claims of a provider about a person: those of the ID token and of the userinfo endpoint. */
export interface ProviderClaims extends Readonly<Record<string, unknown>> {
  /** The issuer, which is the provider. */
  readonly iss: string
  /** The subject: the key of the person at the provider. */
  readonly sub: string
}

/** The account of a person who may log in. */
export interface ProviderAccount {
  /** The username and the email address of a new account. An account that exists keeps its own. */
  readonly username: string
  readonly email?: string | undefined
  /** The names of all groups of the account, set at each login; those that do not exist are left out. Default: the groups stay. */
  readonly groups?: readonly string[] | undefined
  /** Whether the account is staff, set at each login. Default: it stays. */
  readonly isStaff?: boolean | undefined
}

export interface ProviderSettings {
  /** Lower-case letters, digits and hyphens. It is part of the URLs. */
  readonly name: string
  /** The name that people see; default: `name`. */
  readonly title?: string
  /** An https URL, as in the provider's `/.well-known/openid-configuration`. */
  readonly issuer: string
  readonly clientId: string
  /** Default: none, for a public client. */
  readonly clientSecret?: string | undefined
  /** Default `openid`, `profile` and `email`. */
  readonly scopes?: readonly string[]
  /** Further parameters of the request, such as `{ prompt: 'select_account' }`. */
  readonly parameters?: Readonly<Record<string, string>>
  /** Decides at each login who may log in: returns the account, or null to refuse. */
  readonly account: (claims: ProviderClaims) => MaybePromise<ProviderAccount | null>
}

/** Throws for the first wrong setting. */
export function checkProviders(providers: readonly Partial<ProviderSettings>[]): void {
  const names = new Set<string>()
  for (const { name = '', issuer = '', clientId, account, scopes = ['openid'] } of providers) {
    const where = `createAccounts(): the provider ${JSON.stringify(name)}`
    if (!/^[a-z][a-z0-9-]{0,49}$/.test(name))
      throw new Error(`${where}: name must be lower-case letters, digits and hyphens`)
    if (names.has(name)) throw new Error(`${where} is listed twice: give each a name of its own`)
    names.add(name)
    if (parseSecureUrl(issuer) === undefined)
      throw new Error(
        `${where}: issuer is ${JSON.stringify(issuer)}: give an https URL (http is allowed for localhost)`,
      )
    if (!clientId) throw new Error(`${where}: clientId is missing: give the one that the provider shows`)
    if (!scopes.includes('openid')) throw new Error(`${where}: scopes must contain "openid"`)
    if (typeof account !== 'function')
      throw new Error(
        `${where}: account is missing: give a function that returns { username } for the claims of a person, or null to refuse`,
      )
  }
}
