// Login in the browser (END-LOGIN-p1, AUTH-GAP-b2). It always requires a CSRF token (AUTH-SCH-4), even from anonymous callers, so that
// a page of another site cannot log a user in.

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
  toOwnPath,
  type ViewOptions,
} from '#core'
import {
  type FramedPage,
  type KeptForm,
  keptFormPage,
  keptLimits,
  type LoginForm,
  type LoginOptions,
  loginForm,
  loginInputs,
  type PageFrame,
  pageHeaders,
  readKeptForm,
  type Words,
} from '#pages'
import { endSession, findNext, readNext, readText, redirect } from '../login-request.ts'
import { type LoginThrottle, unguarded } from '../login-throttle.ts'
import { accountMessages } from '../messages.ts'
import { type CodeForm, codeForm } from '../second-factor/code-form.ts'
import { passkeyForm } from '../second-factor/passkey-form.ts'
import { CodeNeeded, type SecondStep } from '../second-factor/second-step.ts'
import { type PasskeyAnswer, PasskeyRefused } from '../second-factor/webauthn.ts'
import type { Sessions } from '../sessions.ts'
import type { Users } from '../users.ts'
import { describeLogin, describePage } from './describe-login.ts'
import { readCredentials } from './read-credentials.ts'

export interface LoginViewOptions {
  readonly users: Users
  readonly sessions: Sessions
  readonly csrf: Csrf
  /** Renders the HTML document around the form. */
  readonly frame: PageFrame
  /** The login throttle; default: none. */
  readonly guard?: LoginThrottle['guard']
  /** The throttle of logins with a passkey alone, and the guard that records them, which needs the account. Default: none. */
  readonly passkeyGuards?: Readonly<Record<'throttle' | 'record', LoginThrottle['guard']>>
  /** Links below the form; default: none. */
  readonly links?: NonNullable<LoginOptions['formLinks']>
  /** Asks for a code after the password; default: no. */
  readonly secondStep?: SecondStep | undefined
}

const limit = 64 * 1024
// A login form may keep another form, of whose bytes each can be encoded as three.
const keptLimit = { limit: limit + 3 * keptLimits.size, maxFields: keptLimits.fields + 10 }

/** The options that the login and the logout share. */
export const loginPolicies = {
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
    ...loginPolicies,
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
        if (secondStep === undefined) return checkPassword(options, context)
        const sealed = readText(requestBody, 'login')
        if (sealed !== undefined) return checkCode({ ...options, secondStep }, context, sealed)
        const answer = readPasskey(requestBody, secondStep)
        return answer ? checkPasskey(options, context, secondStep, answer) : checkPassword(options, context)
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
    if (!(error instanceof CodeNeeded)) throw error
    const { sealed, userId } = error
    return renderCodePage({ ...options, secondStep: secondStep! }, context, { sealed, userId, wrong: undefined })
  }
}

type WithSecondStep = LoginViewOptions & { readonly secondStep: SecondStep }

async function checkCode(options: WithSecondStep, context: HandlerContext, sealed: string): Promise<ApiResponse> {
  const { secondStep, guard = unguarded } = options
  const { request, requestBody } = context
  const step = secondStep.open(sealed)
  if (step === undefined) return renderPage(options, context, { username: '', errors: [], isExpired: true })
  const answer = readPasskey(requestBody, secondStep)
  const verify = async () => {
    const passwordHash = await secondStep.finish(step, answer ?? readText(requestBody, 'code') ?? '')
    return passwordHash && startSession(options, request, step.userId, passwordHash)
  }
  const session = await guard(request, step.username, () => acceptPasskey(request, verify))
  if (session) return respond(options, context, session)
  return renderCodePage(options, context, {
    sealed,
    userId: step.userId,
    wrong: answer === undefined ? 'code' : 'passkey',
  })
}

// The login with a passkey alone.
async function checkPasskey(
  options: LoginViewOptions,
  context: HandlerContext,
  { passkeys }: SecondStep,
  answer: PasskeyAnswer,
): Promise<ApiResponse> {
  const { throttle, record } = options.passkeyGuards ?? { throttle: unguarded, record: unguarded }
  const { request } = context
  let userId: number | undefined
  const verify = async () => {
    userId = await passkeys!.verify(answer)
    return startSession(options, request, userId)
  }
  // The throttle counts these logins together, because the account is not known yet. No username has a space.
  const session = await throttle(request, 'passkey alone', () => acceptPasskey(request, verify))
  const user = userId === undefined ? undefined : await options.users.findById(userId)
  await record(request, user?.username ?? '', async () => session)
  if (session !== undefined) return respond(options, context, session)
  return renderPage(options, context, { username: '', errors: [], isWrongPasskey: true })
}

/** The answer of a form with a passkey; undefined without one, or if there are no passkeys. */
function readPasskey(body: HandlerContext['requestBody'], { passkeys }: SecondStep): PasskeyAnswer | undefined {
  const passkey = passkeys && readText(body, 'passkey')
  return passkey === undefined ? undefined : { passkey, challenge: readText(body, 'challenge') ?? '' }
}

/** Undefined if the passkey is refused; the log says why. */
async function acceptPasskey<Result>(
  { log }: FastifyRequest,
  verify: () => Promise<Result | undefined>,
): Promise<Result | undefined> {
  try {
    return await verify()
  } catch (error) {
    if (!(error instanceof PasskeyRefused)) throw error
    log.warn(`login with a passkey: ${error.message}`)
    return undefined
  }
}

async function startSession(
  { sessions, csrf }: LoginViewOptions,
  request: FastifyRequest,
  userId: number,
  passwordHash?: string,
): Promise<string | undefined> {
  const id = await sessions.start(userId, passwordHash)
  if (id !== undefined) await endSession(request, { sessions, csrf })
  return id
}

async function renderPage(
  options: LoginViewOptions,
  context: HandlerContext,
  page: SubmittedLogin,
): Promise<ApiResponse> {
  const passkey = await options.secondStep?.passkeys?.requestUse()
  return renderForm(options, context, (inputs, words) => {
    const links = (options.links ?? []).map(link => ({ ...link, text: words.text(link.text) }))
    const errors = [
      ...page.errors,
      ...(page.isWrong ? [words('page.wrong_credentials')] : []),
      ...(page.isExpired ? [words.text(accountMessages('factor.expired'))] : []),
      ...(page.isWrongPasskey ? [words.text(accountMessages('passkey.wrong'))] : []),
    ]
    const form = loginForm({ action: undefined, username: page.username, errors, links, ...inputs }, words)
    const label = words.text(accountMessages('passkey.log_in'))
    const alone = { purpose: 'get', label, hiddenHtml: loginInputs(inputs) } as const
    return {
      isWrong: errors.length > 0,
      hasPasskey: passkey !== undefined,
      mainHtml: form + (passkey === undefined ? '' : passkeyForm({ ...passkey, ...alone }, words)),
    }
  })
}

async function renderCodePage(
  options: WithSecondStep,
  context: HandlerContext,
  { userId, ...page }: Pick<CodeForm, 'sealed' | 'wrong'> & { readonly userId: number },
): Promise<ApiResponse> {
  const asked = await options.secondStep.ask(userId)
  return renderForm(options, context, (inputs, words) => ({
    isWrong: page.wrong !== undefined,
    hasPasskey: asked.passkey !== undefined,
    mainHtml: codeForm({ ...page, ...asked, ...inputs }, words),
  }))
}

type FormPage = Pick<FramedPage, 'mainHtml' | 'hasPasskey'> & { readonly isWrong: boolean }

/** Renders a page with the inputs that each form of a login has. */
async function renderForm(
  { csrf, frame }: LoginViewOptions,
  context: HandlerContext,
  create: (inputs: Pick<LoginForm, 'token' | 'next' | 'kept'>, words: Words) => FormPage,
): Promise<ApiResponse> {
  const next = toOwnPath(readNext(context), context.baseUrl)
  const { token, setCookie } = csrf.issue(context.request, context.baseUrl)
  const kept = readKeptForm(context.requestBody, context.baseUrl)
  const { body, headers } = await frame(context, words => {
    const { isWrong, ...page } = create({ token, next, kept }, words)
    return { heading: words('page.log_in'), ...(isWrong && { notice: words('page.error') }), ...page }
  })
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

interface SubmittedLogin extends Pick<LoginForm, 'username' | 'errors'> {
  /** Whether no user has these credentials. */
  readonly isWrong?: boolean
  /** Whether the second step came too late. */
  readonly isExpired?: boolean
  /** Whether no account has the passkey. */
  readonly isWrongPasskey?: boolean
}
