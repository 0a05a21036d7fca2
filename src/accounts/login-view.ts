// Login and logout in the browser (END-LOGIN-p1, AUTH-GAP-b2). Both always require a CSRF token (AUTH-SCH-4), even from
// anonymous callers, so that a page of another site cannot log a user in or out.

import type { FastifyRequest } from 'fastify'
import {
  type ApiResponse,
  type Csrf,
  csrfCookie,
  type DescribeOperation,
  describeTakenObject,
  draftText,
  errorDescriptions,
  formatCookie,
  formParser,
  type HandlerContext,
  htmlDocumentRenderer,
  jsonParser,
  multipartParser,
  type RequestBody,
  readCookie,
  readFields,
  text,
  toOwnPath,
  toRootPath,
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
import { defineAccountEvent } from './audit/account-events.ts'
import type { LoginThrottle } from './login-throttle.ts'
import { accountMessages } from './messages.ts'
import type { Sessions } from './sessions.ts'
import type { User } from './user.ts'
import type { Users } from './users.ts'

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
}

const fields = { username: text({ label: 'Username' }), password: text({ trim: false, label: 'Password' }) }
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
export function loginView({
  users,
  sessions,
  csrf,
  frame,
  guard = (_request, _name, verify) => verify(),
  links: formLinks = [],
}: LoginViewOptions): ViewOptions {
  const renderPage = async (context: HandlerContext, page: SubmittedLogin): Promise<ApiResponse> => {
    const next = toOwnPath(readNext(context), context.baseUrl)
    const { token, setCookie } = csrf.issue(context.request, context.baseUrl)
    const kept = readKeptForm(context.requestBody, context.baseUrl)
    const { body, headers } = await frame(context, words => {
      const links = formLinks.map(link => ({ ...link, text: words.text(link.text) }))
      const errors = [...page.errors, ...(page.isWrong ? [words('page.wrong_credentials')] : [])]
      return {
        heading: words('page.log_in'),
        ...(errors.length > 0 && { notice: words('page.error') }),
        mainHtml: loginForm({ action: undefined, username: page.username, errors, next, token, kept, links }, words),
      }
    })
    return { status: 200, headers: { ...headers, ...(setCookie && { 'set-cookie': [setCookie] }) }, body }
  }
  const logIn = async (request: FastifyRequest, username: string, password: string) => {
    const login = await users.login(username, password)
    const id = login && (await sessions.start(login.user.id, login.passwordHash))
    if (id === undefined) return undefined
    await endSession(request, { sessions, csrf })
    return { id, user: login!.user }
  }
  // The page is that of the new session, which the cookies of the request do not have yet.
  const renderKeptForm = async (context: HandlerContext, kept: KeptForm, { id, user }: StartedSession) => {
    const { baseUrl } = context
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
    return { status: 200, headers: { ...headers, 'set-cookie': [formatSession(id, baseUrl), setCookie!] }, body }
  }
  const formatSession = (value: string, baseUrl: string) =>
    formatCookie({ name: csrf.sessionCookie, value, maxAge: sessions.lifetime, httpOnly: true }, baseUrl)
  return {
    ...sharedOptions,
    parsers: [formParser(keptLimit), multipartParser(keptLimit), jsonParser({ limit })],
    name: 'Log in',
    operations: { GET: describePage, POST: describeLogin },
    openapi: { tags: ['accounts'] },
    // The guard logs each attempt, successful or not.
    auditEvent: null,
    handlers: {
      GET: context => renderPage(context, { username: '', errors: [] }),
      POST: async context => {
        const { request, baseUrl, requestBody } = context
        csrf.check(request, baseUrl)?.(requestBody)
        const submitted = readText(requestBody, 'username') ?? ''
        const credentials = await readCredentials(context)
        if ('errors' in credentials) return renderPage(context, { username: submitted, errors: credentials.errors })
        const { username, password } = credentials
        const started = await guard(request, username, () => logIn(request, username, password))
        if (started === undefined) return renderPage(context, { username: submitted, errors: [], isWrong: true })
        const kept = readKeptForm(requestBody, baseUrl)
        if (kept !== undefined) return renderKeptForm(context, kept, started)
        const { id } = started
        return redirect(context, [formatSession(id, baseUrl), csrf.renew(id, baseUrl)])
      },
    },
  }
}

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

const describePage: DescribeOperation = () => ({
  id: 'getLoginPage',
  summary: accountMessages('openapi.show_login'),
  parameters: [
    {
      name: 'next',
      in: 'query',
      description: draftText(accountMessages('openapi.next_after')),
      schema: { type: 'string' },
    },
  ],
  responses: { 200: { description: accountMessages('openapi.page'), schema: {} } },
})

const csrfFields = {
  csrfmiddlewaretoken: text({
    required: false,
    help: accountMessages('openapi.csrf_token'),
  }),
  next: text({ required: false, help: accountMessages('openapi.next') }),
}

const describeLogin: DescribeOperation = context => {
  const schema = describeTakenObject({ ...fields, ...csrfFields }, { method: 'POST' }, context)
  return {
    id: 'logIn',
    summary: accountMessages('openapi.log_in'),
    body: { required: true, schema, form: schema },
    responses: {
      200: { description: accountMessages('openapi.login_errors'), schema: {} },
      302: { description: accountMessages('openapi.session_begun'), headers: ['Location'] },
    },
    errors: { statuses: { 429: errorDescriptions[429] }, usesDatabase: true },
  }
}

const describeLogout: DescribeOperation = context => {
  const schema = describeTakenObject(csrfFields, { method: 'POST' }, context)
  return {
    id: 'logOut',
    summary: accountMessages('openapi.log_out'),
    body: { required: false, schema, form: schema },
    responses: {
      204: { description: accountMessages('openapi.session_ended_json') },
      302: { description: accountMessages('openapi.session_ended'), headers: ['Location'] },
    },
    errors: { usesDatabase: true },
  }
}

interface SubmittedLogin extends Pick<LoginForm, 'username' | 'errors'> {
  /** Whether no user has these credentials. */
  readonly isWrong?: boolean
}

interface StartedSession {
  readonly id: string
  readonly user: User
}

type Credentials = { readonly username: string; readonly password: string }

async function readCredentials({
  requestBody,
  baseUrl,
}: HandlerContext): Promise<Credentials | { readonly errors: readonly string[] }> {
  try {
    const values = await readFields(fields, requestBody, { context: { baseUrl, route: () => undefined } })
    return values as Credentials
  } catch (error) {
    if (error instanceof ValidationError) return { errors: formatErrors(error) }
    throw error
  }
}

function formatErrors({ detail }: ValidationError): readonly string[] {
  if (Array.isArray(detail)) return detail.map(String)
  return Object.entries(detail).map(([name, messages]) => `${fields[name as keyof typeof fields].label}: ${messages}`)
}

export async function endSession(
  request: FastifyRequest,
  { sessions, csrf }: Pick<LoginViewOptions, 'sessions' | 'csrf'>,
): Promise<void> {
  const id = readCookie(request, csrf.sessionCookie)
  if (id !== undefined) await sessions.end(id)
}

function redirect(context: HandlerContext, cookies: string[], path = findNext(context)): ApiResponse {
  return { status: 302, headers: { location: path, 'set-cookie': cookies } }
}

const findNext = (context: HandlerContext): string =>
  toOwnPath(readNext(context), context.baseUrl) ?? toRootPath(context.baseUrl)

const readNext = ({ request, requestBody }: HandlerContext): unknown =>
  readText(requestBody, 'next') ?? (request.query as Readonly<Record<string, unknown>>).next

/** The raw text of one field of the request body. */
function readText(body: RequestBody, name: string): string | undefined {
  if (body.kind === 'form') return body.form.get(name) ?? undefined
  if (body.kind !== 'data') return undefined
  const value = Object(body.data)[name]
  return typeof value === 'string' ? value : undefined
}
