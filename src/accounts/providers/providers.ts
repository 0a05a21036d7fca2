// The login with OpenID Connect providers: its views, and the buttons of the login page.

import type { FastifyRequest } from 'fastify'
import { type Database, readCookie, type ViewOptions } from '#core'
import type { LoginOptions } from '#pages'
import type { Secrets } from '../encryption.ts'
import { accountMessages } from '../messages.ts'
import { createUsedOnce } from '../used-once.ts'
import type { Users } from '../users.ts'
import { ownProviders } from './own-providers.ts'
import { createProviderAccounts } from './provider-accounts.ts'
import { createProviderClient } from './provider-client.ts'
import { createProviderFlows } from './provider-flow.ts'
import type { ProviderSettings } from './provider-settings.ts'
import { type ProviderViewsOptions, providerCookie, providerViews } from './provider-views.ts'

export interface ProvidersOptions {
  readonly providers: readonly ProviderSettings[]
  readonly database: Database
  readonly users: Users
  readonly secrets: Secrets
  readonly clock: () => Date
  readonly publicUrl: string
  /** The path of the login pages from the root of the server. */
  readonly path: string
}

type ViewParts = Pick<ProviderViewsOptions, 'csrf' | 'frame' | 'sessions' | 'loginThrottle' | 'audit'>

export interface Providers {
  readonly formLinks: NonNullable<LoginOptions['formLinks']>
  readonly links: NonNullable<LoginOptions['links']>
  /** The page after the logout of this browser; undefined if it did not log in with a provider. */
  findLogoutPath(request: FastifyRequest): string | undefined
  /** The views by path below the API. */
  views(prefix: string, parts: ViewParts): Readonly<Record<string, ViewOptions>>
}

export function createProviders(options: ProvidersOptions): Providers {
  const { providers, path, secrets, clock, database } = options
  const { origin } = new URL(options.publicUrl)
  const own = `${path}providers/`
  const flows = createProviderFlows(secrets, clock)
  const accounts = createProviderAccounts(options)
  const usedOnce = createUsedOnce(database, clock)
  const shared = {
    flows,
    accounts,
    database,
    usedOnce,
    paths: { login: `${path}login/`, own },
    loginUrl: `${origin}${path}login/`,
  }
  const known = providers.map(provider => ({
    provider,
    client: createProviderClient(provider, `${origin}${own}${provider.name}/callback/`, clock),
  }))
  return {
    formLinks: providers.map(({ name, title = name }) => ({
      text: accountMessages('provider.log_in', { name: title }),
      href: `${own}${name}/login/`,
      isButton: true,
    })),
    links: [{ text: accountMessages('provider.heading'), href: own }],
    findLogoutPath(request) {
      const name = readCookie(request, providerCookie)
      return providers.some(provider => provider.name === name) ? `${own}${name}/logout/` : undefined
    },
    views: (prefix, parts) => ({
      [`${prefix}providers/`]: ownProviders({ ...parts, database, providers, flows, path: own }),
      ...Object.fromEntries(
        known.flatMap(one =>
          Object.entries(providerViews({ ...parts, ...shared, ...one })).map(
            ([end, view]) => [`${prefix}providers/${one.provider.name}/${end}`, view] as const,
          ),
        ),
      ),
    }),
  }
}
