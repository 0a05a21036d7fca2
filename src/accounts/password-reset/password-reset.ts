// The reset of forgotten passwords: its views, its job, and the link on the login page.

import type { Database, RateStore, ViewOptions } from '#core'
import type { BrowsableOptions } from '#pages'
import type { Secrets } from '../encryption.ts'
import { accountMessages } from '../messages.ts'
import { forgotView } from './forgot-view.ts'
import type { PasswordResetSettings } from './password-reset-settings.ts'
import { createResetJob, type ResetJob } from './reset-job.ts'
import { createResetLinks } from './reset-links.ts'
import { type ResetViewOptions, resetView } from './reset-view.ts'

export interface PasswordResetOptions extends PasswordResetSettings {
  readonly database: Database
  readonly secrets: Secrets
  readonly rateStore: RateStore
  readonly clock: () => Date
  readonly publicUrl: string
  /** The path of the login pages from the root of the server. */
  readonly path: string
}

export interface PasswordReset {
  readonly job: ResetJob
  readonly formLink: NonNullable<NonNullable<BrowsableOptions['login']>['formLinks']>[number]
  /** The views by path below the API. */
  views(prefix: string, options: Omit<ResetViewOptions, 'links' | 'paths'>): Readonly<Record<string, ViewOptions>>
}

export function createPasswordReset(options: PasswordResetOptions): PasswordReset {
  const { path, lifetime = 3600, perAddress = '20/hour', rateStore } = options
  const links = createResetLinks({ ...options, lifetime })
  const paths = { reset: `${path}reset/`, forgot: `${path}forgot/`, login: `${path}login/` }
  const pageUrl = new URL(options.publicUrl).origin + paths.reset
  const job = createResetJob({ ...options, links, lifetime, pageUrl })
  return {
    job,
    formLink: { text: accountMessages('reset.link'), href: paths.forgot },
    views: (prefix, parts) => ({
      [`${prefix}forgot/`]: forgotView({ ...parts, job, rateStore, perAddress }),
      [`${prefix}reset/`]: resetView({ ...parts, links, paths }),
    }),
  }
}
