// Login and logout in the browser (END-LOGIN-p1, AUTH-GAP-b2). Both always require a CSRF token (AUTH-SCH-4), even from
// anonymous callers, so that a page of another site cannot log a user in or out.

import type { FastifyRequest } from 'fastify'
import {
  type ApiResponse,
  type Csrf,
  csrfCookie,
  formatCookie,
  formParser,
  type HandlerContext,
  htmlDocumentRenderer,
  jsonParser,
  multipartParser,
  readFields,
  toOwnPath,
  ValidationError,
  type ViewOptions,
} from '#core'
import {
  type KeptForm,
  keptFormPage,
  keptLimits,
  type LoginForm,
  type LoginOptions,
  loginForm,
  type PageFrame,
  pageHeaders,
  readKeptForm,
} from '#pages'
import { defineAccountEvent } from '../audit/account-events.ts'
import { endSession, findNext, readNext, readText, redirect } from '../login-request.ts'
import { type LoginThrottle, unguarded } from '../login-throttle.ts'
import { accountMessages } from '../messages.ts'
import { type CodeForm, CodeNeeded, codeForm, type SecondStep } from '../second-factor/second-step.ts'
import type { Sessions } from '../sessions.ts'
import type { Users } from '../users.ts'
import { describeLogin, describeLogout, describePage, loginFields } from './describe-login.ts'

export interface LoginViewOptions {
  readonly users: Users
  readonly sessions: Sessions
  readonly csrf: Csrf
  /** Renders the HTML document around the form. */
  readonly frame: PageFrame
  /** The login throttle; default: none. */
  readonly guard?: LoginThrottle['guard']
  /** Links below the form; default: none. */
  readonly links?: NonNullable<LoginOptions['formLinks']>
  /** Asks for a code after the password; default: no. */
  readonly secondStep?: SecondStep | undefined
}

const limit = 64 * 1024
// A login form may keep another form, of whose bytes each can be encoded as three.
const keptLimit = { limit: limit + 3 * keptLimits.size, maxFields: keptLimits.fields + 10 }

const sharedOptions = {
  permissions: [],
  throttles: [],
  parsers: [formParser({ limit }), multipartParser({ limit }), jsonParser({ limit })],
  renderers: [htmlDocumentRenderer],
  // Error responses carry these headers too, in every format.
  headers: pageHeaders,
} satisfies Partial<ViewOptions>

/**
 * `GET` shows the form; `POST` checks the credentials, starts a session and redirects to `next`.
 *
 * @example
 * const frame = createPageFrame({ title: 'Shop' })
 * const views = {
 *   '/login/': loginView({ users, sessions, csrf, frame, guard: loginThrottle.guard }),
 *   '/logout/': logoutView({ sessions, csrf }),
 * }
 */
export function loginView(options: LoginViewOptions): ViewOptions {
  const { csrf, secondStep } = options
  return {
    ...sharedOptions,
    parsers: [formParser(keptLimit), multipartParser(keptLimit), jsonParser({ limit })],
    name: 'Log in',
    operations: { GET: describePage, POST: describeLogin },
    openapi: { tags: ['accounts'] },
    // The guard logs each attempt, successful or not.
    auditEvent: null,
    handlers: {
      GET: context => renderPage(options, context, { username: '', errors: [] }),
      POST(context) {
        const { request, baseUrl, requestBody } = context
        csrf.check(request, baseUrl)?.(requestBody)
        const sealed = readText(requestBody, 'login')
        return sealed === undefined || secondStep === undefined
          ? checkPassword(options, context)
          : checkCode({ ...options, secondStep }, context, sealed)
      },
    },
  }
}

async function checkPassword(options: LoginViewOptions, context: HandlerContext): Promise<ApiResponse> {
  const { users, guard = unguarded, secondStep } = options
  const { request, requestBody } = context
  const submitted = readText(requestBody, 'username') ?? ''
  const credentials = await readCredentials(context)
  if ('errors' in credentials) return renderPage(options, context, { username: submitted, errors: credentials.errors })
  const { username, password } = credentials
  const verify = async () => {
    const login = await users.login(username, password)
    if (login === undefined) return undefined
    if ((await secondStep?.check(login, readText(requestBody, 'code'))) === false) return undefined
    return startSession(options, request, login.user.id, login.passwordHash)
  }
  try {
    const session = await guard(request, username, verify)
    if (session === undefined) return renderPage(options, context, { username: submitted, errors: [], isWrong: true })
    return respond(options, context, session)
  } catch (error) {
    if (error instanceof CodeNeeded) return renderCodePage(options, context, { sealed: error.sealed, isWrong: false })
    throw error
  }
}

async function checkCode(
  options: LoginViewOptions & { readonly secondStep: SecondStep },
  context: HandlerContext,
  sealed: string,
): Promise<ApiResponse> {
  const { secondStep, guard = unguarded } = options
  const { request, requestBody } = context
  const step = secondStep.open(sealed)
  if (step === undefined) return renderPage(options, context, { username: '', errors: [], isExpired: true })
  const session = await guard(request, step.username, async () => {
    const passwordHash = await secondStep.finish(step, readText(requestBody, 'code') ?? '')
    return passwordHash && startSession(options, request, step.userId, passwordHash)
  })
  return session ? respond(options, context, session) : renderCodePage(options, context, { sealed, isWrong: true })
}

async function startSession(
  { sessions, csrf }: LoginViewOptions,
  request: FastifyRequest,
  userId: number,
  passwordHash: string,
): Promise<string | undefined> {
  const id = await sessions.start(userId, passwordHash)
  if (id !== undefined) await endSession(request, { sessions, csrf })
  return id
}

async function renderPage(
  { csrf, frame, links: formLinks = [] }: LoginViewOptions,
  context: HandlerContext,
  page: SubmittedLogin,
): Promise<ApiResponse> {
  const next = toOwnPath(readNext(context), context.baseUrl)
  const { token, setCookie } = csrf.issue(context.request, context.baseUrl)
  const kept = readKeptForm(context.requestBody, context.baseUrl)
  const { body, headers } = await frame(context, words => {
    const links = formLinks.map(link => ({ ...link, text: words.text(link.text) }))
    const errors = [
      ...page.errors,
      ...(page.isWrong ? [words('page.wrong_credentials')] : []),
      ...(page.isExpired ? [words.text(accountMessages('factor.expired'))] : []),
    ]
    return {
      heading: words('page.log_in'),
      ...(errors.length > 0 && { notice: words('page.error') }),
      mainHtml: loginForm({ action: undefined, username: page.username, errors, next, token, kept, links }, words),
    }
  })
  return { status: 200, headers: { ...headers, ...(setCookie && { 'set-cookie': [setCookie] }) }, body }
}

async function renderCodePage(
  { csrf, frame }: LoginViewOptions,
  context: HandlerContext,
  page: Pick<CodeForm, 'sealed' | 'isWrong'>,
): Promise<ApiResponse> {
  const next = toOwnPath(readNext(context), context.baseUrl)
  const { token, setCookie } = csrf.issue(context.request, context.baseUrl)
  const kept = readKeptForm(context.requestBody, context.baseUrl)
  const { body, headers } = await frame(context, words => ({
    heading: words('page.log_in'),
    ...(page.isWrong && { notice: words('page.error') }),
    mainHtml: codeForm({ ...page, token, next, kept }, words),
  }))
  return { status: 200, headers: { ...headers, ...(setCookie && { 'set-cookie': [setCookie] }) }, body }
}

async function respond(options: LoginViewOptions, context: HandlerContext, id: string): Promise<ApiResponse> {
  const { baseUrl } = context
  const kept = readKeptForm(context.requestBody, baseUrl)
  if (kept !== undefined) return renderKeptForm(options, context, kept, id)
  return redirect(context, [formatSession(id, options, baseUrl), options.csrf.renew(id, baseUrl)])
}

// The page is that of the new session, which the cookies of the request do not have yet.
async function renderKeptForm(
  options: LoginViewOptions,
  context: HandlerContext,
  kept: KeptForm,
  id: string,
): Promise<ApiResponse> {
  const { csrf, frame, sessions } = options
  const { baseUrl } = context
  const user = (await sessions.find(id)) ?? context.user
  const withCookies = (cookie: string): FastifyRequest =>
    Object.create(context.request, { headers: { value: { ...context.request.headers, cookie } } })
  const session = `${csrf.sessionCookie}=${id}`
  const { token, setCookie } = csrf.issue(withCookies(session), baseUrl)
  const request = withCookies(`${session}; ${csrfCookie}=${token}`)
  const next = findNext(context)
  const { body, headers } = await frame({ ...context, request, user, auth: null }, words => ({
    heading: words('page.kept_heading'),
    mainHtml: keptFormPage(kept, { token, next }, words),
  }))
  return { status: 200, headers: { ...headers, 'set-cookie': [formatSession(id, options, baseUrl), setCookie!] }, body }
}

const formatSession = (value: string, { csrf, sessions }: LoginViewOptions, baseUrl: string): string =>
  formatCookie({ name: csrf.sessionCookie, value, maxAge: sessions.lifetime, httpOnly: true }, baseUrl)

/**
 * Ends the session; accepts only `POST`, so that a link cannot log a user out. It redirects to `next` or the root, and responds with
 * 204 to JSON without `next`.
 */
export function logoutView({
  sessions,
  csrf,
  findNextPath = () => undefined,
}: Pick<LoginViewOptions, 'sessions' | 'csrf'> & LogoutOptions): ViewOptions {
  return {
    ...sharedOptions,
    name: 'Log out',
    operations: { POST: describeLogout },
    openapi: { tags: ['accounts'] },
    auditEvent: defineAccountEvent('logout'),
    handlers: {
      POST: async context => {
        const { request, baseUrl, requestBody } = context
        csrf.check(request, baseUrl)?.(requestBody)
        await endSession(request, { sessions, csrf })
        const session = formatCookie({ name: csrf.sessionCookie, value: '', maxAge: 0, httpOnly: true }, baseUrl)
        const token = formatCookie({ name: csrfCookie, value: '', maxAge: 0, httpOnly: false }, baseUrl)
        const cookies = [session, token]
        // A program does not show the page to which a form leads.
        const isOfProgram = requestBody.kind === 'data' && readNext(context) === undefined
        return isOfProgram
          ? { status: 204, headers: { 'set-cookie': cookies } }
          : redirect(context, cookies, findNextPath(request))
      },
    },
  }
}

interface LogoutOptions {
  /** The path to go to instead of `next`; undefined for `next`. */
  readonly findNextPath?: ((request: FastifyRequest) => string | undefined) | undefined
}

interface SubmittedLogin extends Pick<LoginForm, 'username' | 'errors'> {
  /** Whether no user has these credentials. */
  readonly isWrong?: boolean
  /** Whether the second step came too late. */
  readonly isExpired?: boolean
}

type Credentials = { readonly username: string; readonly password: string }

async function readCredentials({
  requestBody,
  baseUrl,
}: HandlerContext): Promise<Credentials | { readonly errors: readonly string[] }> {
  try {
    const values = await readFields(loginFields, requestBody, { context: { baseUrl, route: () => undefined } })
    return values as Credentials
  } catch (error) {
    if (error instanceof ValidationError) return { errors: formatErrors(error) }
    throw error
  }
}

function formatErrors({ detail }: ValidationError): readonly string[] {
  if (Array.isArray(detail)) return detail.map(String)
  return Object.entries(detail).map(
    ([name, messages]) => `${loginFields[name as keyof typeof loginFields].label}: ${messages}`,
  )
}
