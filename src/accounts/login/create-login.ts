// The pages on which people log in and out, those of their own account, and those that reset a forgotten password.

import type { RateStore, ViewOptions } from '#core'
import type { Job } from '#jobs'
import { type BrowsableOptions, createPageFrame } from '#pages'
import type { AccountsOptions } from '../accounts-options.ts'
import type { Audit } from '../audit/audit.ts'
import type { Secrets } from '../encryption.ts'
import { type LoginThrottle, unguarded } from '../login-throttle.ts'
import { accountMessages } from '../messages.ts'
import type { OwnAccountOptions } from '../own-account/account-page.ts'
import { ownAccountLinks, ownAccountViews } from '../own-account/own-account.ts'
import { createPasswordReset } from '../password-reset/password-reset.ts'
import { createProviders } from '../providers/providers.ts'
import type { SchemeName } from '../schemes.ts'
import { type OwnSecondFactorOptions, ownSecondFactor } from '../second-factor/own-second-factor.ts'
import { createPasskeys } from '../second-factor/passkeys.ts'
import type { SecondFactors } from '../second-factor/second-factors.ts'
import { createSecondStep } from '../second-factor/second-step.ts'
import { loginView } from './login-view.ts'
import { logoutView } from './logout-view.ts'

export interface LoginOptions
  extends Pick<
    AccountsOptions,
    'loginPath' | 'apiPath' | 'pages' | 'publicUrl' | 'passwordReset' | 'providers' | 'secondFactor' | 'clock'
  > {
  readonly authentication: readonly SchemeName[]
  readonly secrets: Secrets
}

export interface LoginParts extends Omit<OwnAccountOptions, 'frame' | 'guard'> {
  readonly loginThrottle: LoginThrottle
  readonly rateStore: RateStore
  readonly audit: Audit
  /** Undefined: a login asks for no code. */
  readonly secondFactors: SecondFactors | undefined
}

export interface CreatedLogin {
  /** The option `login` of `browsable`; undefined without login views. */
  readonly login: BrowsableOptions['login']
  readonly loginViews: Readonly<Record<string, ViewOptions>>
  readonly jobs: readonly Job[]
}

export function createLogin(options: LoginOptions, parts: LoginParts): CreatedLogin {
  const { loginPath = '/api-auth/', apiPath = '', pages = {}, authentication } = options
  if (loginPath === null || !authentication.includes('session')) return { login: undefined, loginViews: {}, jobs: [] }
  const { users, sessions, csrf, loginThrottle, audit } = parts
  const path = `${apiPath}${loginPath}`
  const reset = createReset(options, parts, path)
  const providers = createLoginProviders(options, parts, path)
  const formLinks = [...(reset === undefined ? [] : [reset.formLink]), ...(providers?.formLinks ?? [])]
  const factor = createSecondFactorPages(options, parts, path)
  const links = [...ownAccountLinks(path), ...(factor?.links ?? []), ...(providers?.links ?? [])]
  const login = { loginPath: `${path}login/`, logoutPath: `${path}logout/`, csrf, links, formLinks }
  const frame = createPageFrame({ ...pages, login })
  const guard = audit.guard(loginThrottle.guard, 'login')
  return {
    login,
    loginViews: {
      ...ownAccountViews({ ...parts, guard: loginThrottle.guard, frame }, { path, prefix: loginPath }),
      [`${loginPath}login/`]: loginView({
        ...{ users, sessions, csrf, frame, guard, links: formLinks },
        secondStep: factor?.secondStep,
        passkeyGuards: { throttle: loginThrottle.guard, record: audit.guard(unguarded, 'login') },
      }),
      [`${loginPath}logout/`]: logoutView({ sessions, csrf, findNextPath: providers?.findLogoutPath }),
      ...reset?.views(loginPath, { ...parts, frame, guard: audit.guard }),
      ...factor?.views(loginPath, { ...parts, frame, guard: loginThrottle.guard }),
      ...providers?.views(loginPath, { ...parts, frame }),
    },
    jobs: reset === undefined ? [] : [reset.job as unknown as Job],
  }
}

function createReset(
  { passwordReset, publicUrl, secrets, clock = () => new Date() }: LoginOptions,
  { database, rateStore }: LoginParts,
  path: string,
) {
  if (passwordReset === undefined) return undefined
  return createPasswordReset({ ...passwordReset, publicUrl: publicUrl!, database, rateStore, secrets, clock, path })
}

function createLoginProviders(
  { providers = [], publicUrl, secrets, clock = () => new Date() }: LoginOptions,
  { database, users }: LoginParts,
  path: string,
) {
  if (providers.length === 0) return undefined
  return createProviders({ providers, publicUrl: publicUrl!, database, users, secrets, clock, path })
}

function createSecondFactorPages(
  { secrets, pages, publicUrl, secondFactor, clock = () => new Date() }: LoginOptions,
  { database, secondFactors: factors }: LoginParts,
  path: string,
) {
  if (factors === undefined) return undefined
  const site = pages?.title ?? 'Resource API'
  const shared = { database, secrets, clock }
  const passkeys = secondFactor?.passkeys ? createPasskeys({ ...shared, publicUrl: publicUrl!, site }) : undefined
  return {
    links: [{ text: accountMessages('factor.heading'), href: `${path}second-factor/` }],
    secondStep: createSecondStep({ ...shared, factors, passkeys }),
    views: (prefix: string, options: Omit<OwnSecondFactorOptions, 'factors' | 'passkeys' | 'secrets' | 'site'>) => ({
      [`${prefix}second-factor/`]: ownSecondFactor({ ...options, factors, passkeys, secrets, site }),
    }),
  }
}
