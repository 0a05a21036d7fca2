// The authentication schemes of accounts, by name.

import {
  basicScheme,
  type Csrf,
  type DefaultSchemeOptions,
  type Identify,
  type RemoteUserOptions,
  remoteUserHeader,
  remoteUserScheme,
  type Scheme,
  sessionScheme,
  tokenScheme,
} from '#core'
import type { LoginThrottle } from './login-throttle.ts'
import { createRemoteUsers } from './remote-users.ts'
import type { SecondFactors } from './second-factor/second-factors.ts'
import type { Sessions } from './sessions.ts'
import type { TokenStore } from './tokens/single-tokens.ts'
import type { User } from './user.ts'
import type { Users } from './users.ts'

export const schemeNames = ['token', 'session', 'basic', 'remote-user'] as const
export type SchemeName = (typeof schemeNames)[number]

/** The name of the user whom the web server authenticated: in a header field, or found by a function. */
export interface RemoteUserSettings {
  /** The name of the header field; set either this or `identify`. */
  readonly header?: string | undefined
  /** The addresses and networks of the proxies that may set the header field. */
  readonly proxies?: readonly string[]
  readonly identify?: Identify | undefined
  /** Whether a user is created for an unknown identity. Default: true. */
  readonly createUsers?: boolean
}

export interface SchemesOptions {
  readonly users: Users
  readonly tokens: TokenStore
  readonly sessions: Sessions
  readonly csrf: Csrf
  readonly loginThrottle: LoginThrottle
  /** The keyword of `Authorization: Token …`; default `Token`. */
  readonly keyword?: string | undefined
  /** Required by the scheme `remote-user`. */
  readonly remoteUser?: RemoteUserSettings | undefined
  /** The scheme `basic` refuses accounts with a second factor, because it has no room for a code. */
  readonly secondFactors?: Pick<SecondFactors, 'find'> | undefined
}

/**
 * Creates the schemes with these names, in this order; the first one decides how callers are refused (AUTH-GEN-5).
 *
 * @example
 * const parts = { users, tokens, sessions, csrf, loginThrottle }
 * await app.register(createApi({ database, resources, authentication: createSchemes(['token', 'session'], parts) }))
 */
export function createSchemes(names: readonly SchemeName[], options: SchemesOptions): readonly Scheme<User>[] {
  const remote = names.includes('remote-user') ? createRemoteUser(options) : undefined
  const { verify, findSession, csrf } = createLogin(options, remote)
  const schemes: Readonly<Record<SchemeName, () => Scheme<User>>> = {
    token: () => tokenScheme({ find: options.tokens.find, ...(options.keyword && { keyword: options.keyword }) }),
    session: () => sessionScheme({ find: findSession, csrf }),
    basic: () => basicScheme({ verify }),
    'remote-user': () => remoteUserScheme(remote!),
  }
  return names.map(name => {
    if (!Object.hasOwn(schemes, name))
      throw new Error(`there is no scheme "${name}": the schemes are ${Object.keys(schemes).join(', ')}`)
    return schemes[name]()
  })
}

const createLogin = (
  { users, sessions, loginThrottle, csrf, secondFactors }: SchemesOptions,
  remote: (RemoteUserOptions<User> & Partial<Pick<DefaultSchemeOptions<User>, 'findSession'>>) | undefined,
): DefaultSchemeOptions<User> => ({
  verify: (username, password, request) =>
    loginThrottle.guard(request, username, async () => {
      const user = await users.verify(username, password)
      return user && (await secondFactors?.find(user.id)) === undefined ? user : undefined
    }),
  findSession: remote?.findSession ?? sessions.find,
  csrf,
})

// With remote-user, a session is valid only while the web server identifies the same user.
function createRemoteUser({ users, sessions, csrf, remoteUser }: SchemesOptions) {
  if (remoteUser === undefined)
    throw new Error('the scheme "remote-user" needs the option "remoteUser", such as { header, proxies }')
  const { header, proxies = [], createUsers = true } = remoteUser
  if ((header === undefined) === (remoteUser.identify === undefined))
    throw new Error('the option "remoteUser" must have either "header" or "identify"')
  const identify = remoteUser.identify ?? remoteUserHeader({ header: header!, proxies })
  const { sessionCookie } = csrf
  const remoteUsers = createRemoteUsers({ users, sessions, sessionCookie, identify, createUsers })
  return {
    ...remoteUsers,
    identify,
    varyOn: header === undefined ? [] : [header.toLowerCase()],
  }
}
