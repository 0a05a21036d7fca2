// Finds the user who is logged in, for the account menu and the forms of a page.

import { readCookie } from '#core'
import type { BrowsableOptions } from '../page/browsable-options.ts'
import type { Account } from '../page/browsable-page.ts'
import type { PageContext } from '../page/page-context.ts'
import { pageUrl } from '../page/page-url.ts'
import { findSavedViewList } from '../saved-views/saved-views.ts'
import { needsLogin } from './error-message.ts'

export interface LoginState {
  readonly account: Account | undefined
  /** The `Set-Cookie` header of a new CSRF token; undefined if the caller has one already, or needs none. */
  readonly setCookie: string | undefined
}

/** Reads the state. A view of an API that does not authenticate by session cannot tell whether the caller has a session. */
export function readLoginState(context: PageContext, login: BrowsableOptions['login']): LoginState {
  const { frameContext, view, words } = context
  const schemes = view.authentication.length > 0 ? view.authentication : view.apiAuthentication
  const usesSessions = schemes.some(({ varyOn }) => varyOn.includes('cookie'))
  const baseUrl = frameContext?.baseUrl ?? findBaseUrl(context)
  if (login === undefined || baseUrl === undefined || !usesSessions) return { account: undefined, setCookie: undefined }
  const user = frameContext?.user
  const { request } = context
  // A caller who is identified without a session cannot log out, and needs no CSRF token, because other sites cannot
  // send such credentials. The login form needs one.
  const hasSession = user?.isAuthenticated === true && readCookie(request, login.csrf.sessionCookie) !== undefined
  const issued = hasSession || needsLogin(context) ? login.csrf.issue(request, baseUrl) : undefined
  const saved = findSavedViewList(view)
  const account = {
    username: user?.isAuthenticated ? user.username : undefined,
    loginUrl: login.loginPath,
    logoutUrl: login.logoutPath,
    token: issued?.token,
    returnUrl: pageUrl(context),
    links: [
      ...(login.links ?? []).map(({ text, href }) => ({ text: words.text(text), href })),
      ...(saved === undefined ? [] : [{ text: words('page.my_views'), href: saved.href }]),
    ],
    formLinks: (login.formLinks ?? []).map(link => ({ ...link, text: words.text(link.text) })),
  }
  return { account, setCookie: issued?.setCookie }
}

// Callers with wrong credentials have no context.
function findBaseUrl(context: PageContext): string | undefined {
  return needsLogin(context) ? context.view.baseUrl(context.request) : undefined
}
