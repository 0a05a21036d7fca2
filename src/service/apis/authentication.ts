// Creates the authentication schemes in the order of the settings, and the login views if session authentication is
// used.

import {
  type Accounts,
  type ApiOptions,
  basicScheme,
  type Csrf,
  createCsrf,
  defaultSchemes,
  type RemoteUserOptions,
  remoteUserHeader,
  remoteUserScheme,
  sessionScheme,
  tokenScheme,
  type ViewOptions,
} from 'resource-api'
import { createRemoteUsers, deriveSecrets, loginView, logoutView } from 'resource-api/accounts'
import { createPageFrame, type Scheme } from 'resource-api/extend'
import { type Audit, createAuditedGuard } from '../audit/audit.ts'
import { formatHomePath } from '../pages/home.ts'
import type { Services } from '../services.ts'
import { listServiceSecrets } from '../settings/secret-key.ts'
import type { SchemeName } from '../settings/settings.ts'

export interface Authentication {
  /** Options for every API of the service. */
  readonly options: Pick<ApiOptions, 'accounts' | 'authentication'>
  /** The login views by path; empty without session authentication. */
  readonly views: Readonly<Record<string, ViewOptions>>
  readonly csrf: Csrf
}

export function createAuthentication(services: Services, audit: Audit): Authentication {
  const { settings, users, sessions, loginThrottle } = services
  const { authentication: names, schemes: customSchemes, trustedOrigins } = settings
  const csrf = createCsrf({ secret: deriveSecrets(listServiceSecrets(settings), 'csrf'), trustedOrigins })
  const remote = createRemoteUserOptions(services, csrf)
  const accounts: Accounts = {
    verify: (username, password, request) =>
      loginThrottle.guard(request, username, () => users.verify(username, password)),
    findSession: remote?.findSession ?? sessions.find,
    csrf,
  }
  const configuredSchemes = names?.map(name => createScheme(name, services, accounts, remote))
  // Without a setting, the default schemes of the framework apply (AUTH-GEN-3).
  const hasSetting = configuredSchemes !== undefined || customSchemes.length > 0
  return {
    options: {
      accounts,
      ...(hasSetting && { authentication: [...(configuredSchemes ?? defaultSchemes(accounts)), ...customSchemes] }),
    },
    views: configuredSchemes === undefined || names?.includes('session') ? createLoginViews(services, csrf, audit) : {},
    csrf,
  }
}

function createScheme(
  name: SchemeName,
  { settings, tokens }: Services,
  { verify, findSession, csrf }: Accounts,
  remote: RemoteUserOptions | undefined,
): Scheme {
  const schemes: Record<SchemeName, () => Scheme> = {
    token: () => tokenScheme({ find: tokens.find, keyword: settings.tokenKeyword }),
    session: () => sessionScheme({ find: findSession, csrf }),
    basic: () => basicScheme({ verify }),
    // readSettings ensures that remoteUser is set if remote-user is listed.
    'remote-user': () => remoteUserScheme(remote!),
  }
  return schemes[name]()
}

// With remote-user, a session is valid only while the web server identifies the same user.
function createRemoteUserOptions({ settings, database, users, sessions }: Services, { sessionCookie }: Csrf) {
  const { remoteUser, authentication } = settings
  if (remoteUser === undefined || !authentication?.includes('remote-user')) return undefined
  const { header, proxies, createUsers } = remoteUser
  const identify = remoteUser.identify ?? remoteUserHeader({ header: header!, proxies })
  const remoteUsers = createRemoteUsers({ database, users, sessions, sessionCookie, identify, createUsers })
  return { ...remoteUsers, identify, varyOn: header === undefined ? [] : [header.toLowerCase()] }
}

function createLoginViews(
  { settings, users, sessions, loginThrottle }: Services,
  csrf: Csrf,
  audit: Audit,
): Authentication['views'] {
  const { loginPath } = settings
  if (loginPath === null) return {}
  return {
    [`${loginPath}login/`]: loginView({
      users,
      sessions,
      csrf,
      frame: createPageFrame({ home: formatHomePath(settings), ...settings.pages }),
      guard: createAuditedGuard(loginThrottle.guard, audit, 'login'),
    }),
    [`${loginPath}logout/`]: logoutView({ sessions, csrf }),
  }
}
