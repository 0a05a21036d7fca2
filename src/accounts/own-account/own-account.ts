// The pages of the caller's own account, behind the account menu: tokens, sessions and the password.

import type { ViewOptions } from '#core'
import { type LoginOptions, pageMessages } from '#pages'
import type { OwnAccountOptions } from './account-page.ts'
import { ownPassword } from './own-password.ts'
import { endOwnSessions, ownSessions } from './own-sessions.ts'
import { ownTokensPage, revokeOwnToken } from './own-tokens-page.ts'

/** The links of the account menu; `path`: the path of the pages from the root of the server. */
export const ownAccountLinks = (path: string): NonNullable<LoginOptions['links']> => [
  { text: pageMessages('page.my_tokens'), href: `${path}tokens/` },
  { text: pageMessages('page.my_sessions'), href: `${path}sessions/` },
  { text: pageMessages('page.my_password'), href: `${path}password/` },
]

/** The views by path below the API; `path`: their path from the root of the server, `prefix`: that below the API. */
export const ownAccountViews = (
  options: OwnAccountOptions,
  { path, prefix }: { readonly path: string; readonly prefix: string },
): Readonly<Record<string, ViewOptions>> => ({
  [`${prefix}tokens/`]: ownTokensPage(options, `${path}tokens/revoke/`),
  [`${prefix}tokens/revoke/`]: revokeOwnToken(options, `${path}tokens/`),
  [`${prefix}sessions/`]: ownSessions(options, `${path}sessions/end/`),
  [`${prefix}sessions/end/`]: endOwnSessions(options, `${path}sessions/`),
  [`${prefix}password/`]: ownPassword(options),
})
