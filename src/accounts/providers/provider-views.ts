// The views with which people log in and out at one provider. The login begins with a link, goes to the provider, and comes back to the
// callback; its failures are pages with one sentence.

import { html } from 'ghtml'
import {
  type ApiResponse,
  type Connection,
  type Database,
  formatCookie,
  type HandlerContext,
  jsonRenderer,
  readCookie,
  toOwnPath,
  toRootPath,
  type ViewOptions,
} from '#core'
import type { Audit } from '../audit/audit.ts'
import { endSession, readText } from '../login-request.ts'
import { type LoginThrottle, unguarded } from '../login-throttle.ts'
import { accountMessages } from '../messages.ts'
import { type OwnAccountOptions, redirectTo, sharedOptions, showPage } from '../own-account/account-page.ts'
import { endProviderSessions } from '../sessions.ts'
import type { UsedOnce } from '../used-once.ts'
import { findAccountId } from '../user.ts'
import type { ProviderAccounts, Refusal } from './provider-accounts.ts'
import { explainFailure, type ProviderClient, type ProviderFailure } from './provider-client.ts'
import type { ProviderFlow, ProviderFlows } from './provider-flow.ts'
import type { ProviderClaims, ProviderSettings } from './provider-settings.ts'

export interface ProviderViewsOptions extends Pick<OwnAccountOptions, 'csrf' | 'frame' | 'sessions'> {
  readonly provider: ProviderSettings
  readonly client: ProviderClient
  readonly flows: ProviderFlows
  readonly accounts: ProviderAccounts
  readonly database: Database
  readonly usedOnce: UsedOnce
  readonly loginThrottle: LoginThrottle
  readonly audit: Pick<Audit, 'guard'>
  /** The paths of the login page and of the own page with providers, from the root of the server. */
  readonly paths: { readonly login: string; readonly own: string }
  /** The URL of the login page, for the return from a logout at the provider. */
  readonly loginUrl: string
}

/** The cookie with the name of the provider of a session, for the logout. */
export const providerCookie = 'provider'

const shared = { ...sharedOptions, permissions: [], auditEvent: null } satisfies Partial<ViewOptions>

/** The views by path below the path of the provider. */
export const providerViews = (options: ProviderViewsOptions): Readonly<Record<string, ViewOptions>> => ({
  'login/': { ...shared, name: 'Log in with a provider', handlers: { GET: context => begin(options, context) } },
  'callback/': { ...shared, name: 'Return from a provider', handlers: { GET: context => finish(options, context) } },
  'backchannel-logout/': {
    ...shared,
    name: 'Log out by a provider',
    renderers: [jsonRenderer],
    handlers: { POST: context => acceptLogout(options, context) },
  },
  'logout/': { ...shared, name: 'Log out at a provider', handlers: { GET: context => showLogout(options, context) } },
})

async function begin(options: ProviderViewsOptions, context: HandlerContext): Promise<ApiResponse> {
  const { client, flows, provider, csrf } = options
  const { request, baseUrl } = context
  const query = request.query as Readonly<Record<string, unknown>>
  const link = flows.readLinkToken(query.link, readCookie(request, csrf.sessionCookie) ?? '')
  if (query.link !== undefined && link === null) return fail(options, context, 'failed')
  const next = link === null ? (toOwnPath(query.next, baseUrl) ?? toRootPath(baseUrl)) : options.paths.own
  try {
    const { url, secrets } = await client.begin()
    const cookie = flows.keep({ ...secrets, provider: provider.name, next, link }, baseUrl)
    return { status: 303, headers: { location: url.href, 'set-cookie': [cookie] } }
  } catch (error) {
    logFailure(context, provider, 'could not begin a login with the provider', error)
    return fail(options, context, explainFailure(error))
  }
}

async function finish(options: ProviderViewsOptions, context: HandlerContext): Promise<ApiResponse> {
  const { flows, provider, client } = options
  const { request } = context
  const flow = flows.read(request, provider.name)
  if (flow === undefined) return fail(options, context, 'failed')
  const claims = await askProvider(options, context, {
    account: `provider ${provider.name}`,
    logText: 'could not accept a login with the provider',
    ask: () => client.finish(readQuery(request.url), flow),
  })
  if (typeof claims === 'string') return fail(options, context, claims)
  return flow.link === null ? logIn(options, context, flow, claims) : link(options, context, flow.link, claims)
}

interface Question<Result> {
  /** The login throttle counts failures per address and this name. */
  readonly account: string
  /** The beginning of the message in the log if the provider fails or refuses. */
  readonly logText: string
  readonly ask: () => Promise<Result>
}

async function askProvider<Result extends object>(
  { loginThrottle, provider }: ProviderViewsOptions,
  context: HandlerContext,
  question: Question<Result>,
): Promise<Result | ProviderFailure> {
  let failure = 'failed' as ProviderFailure
  const ask = () =>
    question.ask().catch(error => {
      logFailure(context, provider, question.logText, error)
      failure = explainFailure(error)
      // A provider that is down says nothing about the caller. The throttle counts only an undefined result as a failed login.
      return failure === 'down' ? failure : undefined
    })
  return (await loginThrottle.guard(context.request, question.account, ask)) ?? failure
}

async function logIn(
  options: ProviderViewsOptions,
  context: HandlerContext,
  flow: ProviderFlow,
  claims: ProviderClaims,
): Promise<ApiResponse> {
  const { sessions, accounts, audit, provider, csrf } = options
  const { request, baseUrl } = context
  let refusal: Refusal | 'refused' = 'refused'
  const start = async () => {
    const account = await provider.account(claims)
    if (account === null) return undefined
    const found = await accounts.findOrCreate(claims, account)
    if (typeof found === 'number') return sessions.start(found, undefined, toSession(claims))
    refusal = found
    return undefined
  }
  // The audit log names the person as the provider does.
  const guard = audit.guard(unguarded, 'login')
  const session = await guard(request, `${provider.name}:${claims.sub}`, start)
  if (session === undefined) return fail(options, context, refusal)
  await endSession(request, options)
  const cookies = [
    { name: csrf.sessionCookie, value: session, maxAge: sessions.lifetime, httpOnly: true },
    { name: providerCookie, value: provider.name, maxAge: sessions.lifetime, httpOnly: true },
  ].map(cookie => formatCookie(cookie, baseUrl))
  const all = [...cookies, csrf.renew(session, baseUrl), options.flows.end(baseUrl)]
  return { status: 303, headers: { location: flow.next, 'set-cookie': all } }
}

// Only the session that began the linking may end it.
async function link(
  options: ProviderViewsOptions,
  context: HandlerContext,
  userId: number,
  claims: ProviderClaims,
): Promise<ApiResponse> {
  const { accounts, flows, paths, audit } = options
  const linked = findAccountId(context.user) === userId ? await accounts.link(claims, userId) : 'refused'
  if (typeof linked !== 'number') return fail(options, context, linked)
  const guard = audit.guard(unguarded, 'account changed')
  await guard(context.request, context.user.username, async () => linked)
  const back = redirectTo(paths.own)
  return { ...back, headers: { ...back.headers, 'set-cookie': [flows.end(context.baseUrl)] } }
}

const statuses = { down: 503, denied: 403, failed: 400, refused: 403, taken: 403, username: 403, linked: 403 } as const

const sentences = {
  down: 'provider.down',
  denied: 'provider.denied',
  failed: 'provider.failed',
  refused: 'provider.refused',
  taken: 'provider.taken',
  username: 'provider.username',
  linked: 'provider.linked',
} as const

async function fail(
  options: ProviderViewsOptions,
  context: HandlerContext,
  reason: keyof typeof statuses,
): Promise<ApiResponse> {
  const { provider, paths, flows } = options
  const name = provider.title ?? provider.name
  const page = await showPage(
    options,
    context,
    words => ({
      heading: words('page.log_in'),
      mainHtml: html`<p class="notice errors" role="alert">${words.text(accountMessages(sentences[reason], { name }))}</p>
<p><a class="button primary" href="${paths.login}">${words('page.log_in')}</a></p>`,
    }),
    statuses[reason],
  )
  const cookies = [page.headers?.['set-cookie'] ?? [], flows.end(context.baseUrl)].flat()
  return { ...page, headers: { ...page.headers, 'set-cookie': cookies } }
}

const toSession = ({ iss: issuer, sub: subject, sid }: ProviderClaims) => ({
  issuer,
  subject,
  sid: typeof sid === 'string' ? sid : null,
})

// The provider itself calls this, without a browser.
async function acceptLogout(options: ProviderViewsOptions, context: HandlerContext): Promise<ApiResponse> {
  const { provider, client, database, usedOnce, audit } = options
  const { request, requestBody } = context
  const refuse = (status: number, text: string) => ({
    status,
    body: { error: status === 503 ? 'temporarily_unavailable' : 'invalid_request', error_description: text },
  })
  const logout = await askProvider(options, context, {
    account: `logout of ${provider.name}`,
    logText: 'could not accept a logout token of the provider',
    ask: () => client.verifyLogout(readText(requestBody, 'logout_token') ?? ''),
  })
  if (logout === 'down') return refuse(503, 'The keys cannot be fetched.')
  if (typeof logout === 'string') return refuse(400, 'The logout token is invalid.')
  const end = async (connection: Connection) => {
    if (!(await usedOnce.use(`logout ${logout.issuer} ${logout.jti}`, logout.expires, connection))) return undefined
    await endProviderSessions(logout, connection)
    return true
  }
  const record = audit.guard(unguarded, 'session ended')
  const name = `${provider.name}:${logout.subject ?? logout.sid}`
  const isEnded = await record(request, name, () => database.transaction(end))
  return isEnded ? { status: 200, body: {} } : refuse(400, 'The logout token was used before.')
}

// A form cannot lead to another site, because of the content security policy, so a link does.
async function showLogout(options: ProviderViewsOptions, context: HandlerContext): Promise<ApiResponse> {
  const { provider, client, loginUrl, paths } = options
  const name = provider.title ?? provider.name
  const url = await client
    .findLogoutUrl(loginUrl)
    .catch(error => logFailure(context, provider, 'could not find where to log out at the provider', error))
  return showPage(options, context, words => ({
    heading: words.text(accountMessages('provider.logged_out')),
    mainHtml:
      url === undefined
        ? html`<p><a class="button" href="${paths.login}">${words('page.log_in')}</a></p>`
        : html`<p class="lead">${words.text(accountMessages('provider.still_logged_in', { name }))}</p>
<p><a class="button primary" href="${url.href}">${words.text(accountMessages('provider.log_out', { name }))}</a></p>`,
  }))
}

// Without the causes, which may contain tokens.
function logFailure(
  { request }: HandlerContext,
  { name: provider }: ProviderSettings,
  failure: string,
  error: unknown,
): undefined {
  const { message, code, error: reason } = error as Error & { readonly code?: unknown; readonly error?: unknown }
  request.log.warn({ provider, code, reason }, `${failure} ${provider}: ${message}`)
}

const readQuery = (url: string): string => (url.includes('?') ? url.slice(url.indexOf('?')) : '')
