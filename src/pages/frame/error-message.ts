// The heading of an error page, one sentence about it, and the next step.

import { html } from 'ghtml'
import {
  AuthenticationFailed,
  type HeaderFields,
  isSafe,
  MethodNotAllowed,
  NotAuthenticated,
  NotFound,
  nearestName,
  PermissionDenied,
} from '#core'
import { type KeptForm, unsentMessage } from '../gateway/kept-form.ts'
import type { Account, PageLink } from '../page/browsable-page.ts'
import type { PageContext } from '../page/page-context.ts'
import { formatHeading } from '../page/page-title.ts'
import { pagePath, pageUrl } from '../page/page-url.ts'
import { listErrors, toLines } from '../values/value-texts.ts'
import { loginForm } from './login-form.ts'
import type { Rail } from './rail.ts'

/** The parts of the page from which the message of an error is made. */
export interface ErrorParts {
  readonly context: PageContext
  readonly headers: HeaderFields
  readonly account: Account | undefined
  readonly breadcrumbs: readonly PageLink[]
  readonly rail: Rail | undefined
  readonly find: { readonly href: string } | undefined
  /** Whether the page has a form that creates the object which does not exist. */
  readonly isCreatable: boolean
  /** The form that was rejected because its sender has to log in. */
  readonly unsent: KeptForm | 'lost' | undefined
}

export interface ErrorMessage {
  readonly heading: string
  readonly html: string
}

/**
 * The message of an error page; undefined if the response is not an error, or rejects a form, whose page explains why.
 */
export function createErrorMessage(parts: ErrorParts): ErrorMessage | undefined {
  const { error, status } = parts.context
  if (status < 400) return undefined
  if (parts.account && needsLogin(parts.context)) return loginMessage(parts, parts.account)
  if (status === 401 || status === 403) return forbiddenMessage(parts)
  if (parts.isCreatable) return missingMessage(parts.context)
  if (error instanceof NotFound) return notFoundMessage(parts)
  if (error instanceof MethodNotAllowed && isSafe(parts.context.request.method)) return methodMessage(parts)
  if (status === 429 || status === 503) return waitMessage(parts)
  if (status >= 500) return serverErrorMessage(parts)
  return isSafe(parts.context.request.method) ? badRequestMessage(parts.context) : undefined
}

// The form of the list or of the query is below, with the errors of its values.
function badRequestMessage(context: PageContext): ErrorMessage {
  const { view, status, error, words } = context
  const declared = { ...view.listMetadata?.filters, ...view.descriptions.GET?.query }
  const errors = Object.entries(listErrors(error))
  const isOther = ([name]: (typeof errors)[number]) => !Object.hasOwn(declared, name)
  const others = errors.filter(isOther).flatMap(([name, lines]) => toLines(name === '' ? lines : { [name]: lines }))
  const text = others.length < errors.length ? html`<p>${words('page.check_values')}</p>` : ''
  const isForm = view.listMetadata !== undefined || view.descriptions.GET?.query !== undefined
  return {
    heading: isForm ? formatHeading(context, undefined) : words(status === 400 ? 'page.bad_request' : 'page.failed'),
    html:
      errors.length === 0
        ? ''
        : html`<div class="notice errors" role="alert">!${text}!${others.map(line => html`<p>${line}</p>`)}</div>
`,
  }
}

const missingMessage = (context: PageContext): ErrorMessage => ({
  heading: formatHeading(context, undefined),
  html: html`<p class="lead">${context.words('page.not_created')}</p>
`,
})

/** The reason of a form that was rejected, and that the page does not show again; empty for other pages. `label`: of its action. */
export function refusalNotice({ rejection, words }: PageContext, label: string | undefined): string {
  if (rejection === undefined || rejection.isInForm) return ''
  const { error } = rejection.context
  const lines = Object.entries(listErrors(error)).flatMap(([name, each]) =>
    toLines(name === '' ? each : { [name]: each }),
  )
  const audience = error instanceof PermissionDenied ? error.audience : undefined
  const who = audience === undefined ? [] : [words('page.who_may', { who: words.text(audience) })]
  const { user } = rejection.context.frameContext ?? {}
  const caller =
    error instanceof PermissionDenied && user?.isAuthenticated
      ? [words('page.forbidden_reason', { name: user.username })]
      : []
  const title = label === undefined ? words('page.refused') : words('page.refused_action', { action: label })
  return html`<div class="notice errors" role="alert" tabindex="-1" autofocus><p><b>${title}</b></p>!${[...lines, ...caller, ...who].map(line => html`<p>${line}</p>`)}</div>
`
}

/** Whether the page is the login form. */
export const needsLogin = ({ error, status }: Pick<PageContext, 'error' | 'status'>): boolean =>
  (error instanceof NotAuthenticated || error instanceof AuthenticationFailed) && (status === 401 || status === 403)

function loginMessage(
  { context, unsent }: ErrorParts,
  { loginUrl, token, returnUrl, formLinks: links }: Account,
): ErrorMessage {
  const { error, words, request } = context
  const reason =
    error instanceof AuthenticationFailed
      ? words('page.login_failed', { detail: String(error.detail) })
      : words('page.login_reason')
  const kept = unsent === 'lost' ? undefined : unsent
  // A write cannot be repeated by a redirect.
  const next = isSafe(request.method) ? returnUrl : pagePath(context)
  return {
    heading: words('page.log_in'),
    html: html`<p class="lead">${unsent === undefined ? reason : unsentMessage(unsent, words)}</p>
!${loginForm({ action: loginUrl, token: token ?? '', next, username: '', errors: [], kept, links }, words)}`,
  }
}

function forbiddenMessage({ context, account }: ErrorParts): ErrorMessage {
  const { words, error, frameContext, request } = context
  const user = frameContext?.user
  const detail = error instanceof Error ? error.message : ''
  const login =
    account &&
    html`<p><a href="${`${account.loginUrl}?next=${encodeURIComponent(account.returnUrl)}`}">${words(user?.isAuthenticated ? 'page.other_user' : 'page.log_in')}</a></p>`
  const audience = error instanceof PermissionDenied ? error.audience : undefined
  return {
    heading: words(isSafe(request.method) ? 'page.forbidden' : 'page.forbidden_method'),
    html: html`<p class="lead">${detail}!${user?.isAuthenticated ? html` ${words('page.forbidden_reason', { name: user.username })}` : ''}</p>
!${audience === undefined ? '' : html`<p>${words('page.who_may', { who: words.text(audience) })}</p>`}!${login ?? ''}`,
  }
}

function notFoundMessage({ context, breadcrumbs, rail, find }: ErrorParts): ErrorMessage {
  const { words } = context
  const path = pagePath(context)
  const above = breadcrumbs.at(-2)
  const nearest = findNearest(path, rail)
  const search =
    find &&
    html`<form class="find" role="search" action="${find.href}" aria-label="${words('page.find')}"><input type="search" name="q" aria-label="${words('page.find')}" maxlength="200"> <button>${words('page.find')}</button></form>`
  return {
    heading: words('page.not_found'),
    html: html`<p class="lead">!${insertCode(words('page.not_found_reason'), path)}</p>
<p class="steps">!${nearest === undefined ? '' : html`<a class="button primary" href="${nearest.href}">${words('page.nearest', { name: nearest.text })}</a> `}!${above === undefined ? '' : html`<a class="button" href="${above.href}">${words('page.up', { name: above.text })}</a>`}</p>
!${search ?? ''}`,
  }
}

const insertCode = (text: string, path: string): string => {
  const [before, after = ''] = text.split('{path}')
  return html`${before}<code>${path}</code>${after}`
}

// The list with the most similar address.
function findNearest(path: string, rail: Rail | undefined): PageLink | undefined {
  const entries = rail?.sections.flatMap(section => section.entries) ?? []
  const href = nearestName(
    path,
    entries.map(entry => entry.href),
  )
  return href === path ? undefined : entries.find(entry => entry.href === href)
}

function methodMessage({ context, headers }: ErrorParts): ErrorMessage {
  const { words, view } = context
  const methods = String(headers.allow ?? '')
    .split(', ')
    .filter(method => method !== 'OPTIONS' && method !== 'HEAD')
    .join(', ')
  return {
    heading: words('page.method', { name: view.name }),
    html: html`<p class="lead">${words('page.method_reason', { methods })}</p>`,
  }
}

function waitMessage({ context, headers }: ErrorParts): ErrorMessage {
  const { words, status } = context
  const heading = words(status === 429 ? 'page.throttled' : 'page.unavailable')
  const seconds = Number(headers['retry-after'])
  const retry = html`<p class="steps"><a class="button primary" href="${pageUrl(context)}">${words('page.try_again')}</a></p>`
  if (!Number.isInteger(seconds)) return { heading, html: retry }
  const time = new Date(Date.now() + seconds * 1000).toISOString().slice(0, 19)
  const text = words('page.throttled_reason', { seconds, time: time.replace('T', ' ') })
  return {
    heading,
    html: html`<p class="lead" role="timer" data-countdown="${seconds}" data-text="${words('page.throttled_reason', { time: time.replace('T', ' ') })}" data-over="${words('page.throttled_over')}">${text}</p>
!${retry}`,
  }
}

function serverErrorMessage({ context }: ErrorParts): ErrorMessage {
  const { words, request } = context
  return {
    heading: words('page.server_error'),
    html: html`<p class="lead">${words('page.server_error_reason')}</p>
<p class="copied-line"><code>${String(request.id)}</code> <button type="button" data-copy data-copied="${words('page.copied')}" data-needs-script hidden>${words('page.copy')}</button></p>
<p class="steps"><a class="button" href="${pageUrl(context)}">${words('page.try_again')}</a></p>`,
  }
}
