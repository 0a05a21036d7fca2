// The page of a reset link, on which people choose a new password. The page moves the token of the link into a cookie, so that neither
// the URL of the page nor a Referer contains it.

import { html } from 'ghtml'
import {
  type ApiResponse,
  type DescribeOperation,
  describeErrors,
  describeTakenObject,
  errorDescriptions,
  formatCookie,
  type HandlerContext,
  htmlDocumentRenderer,
  jsonRenderer,
  readCookie,
  text,
  ValidationError,
  type ViewOptions,
} from '#core'
import type { Words } from '#pages'
import type { Audit } from '../audit/audit.ts'
import { passwordField } from '../fields.ts'
import { unguarded } from '../login-throttle.ts'
import { accountMessages } from '../messages.ts'
import {
  errorList,
  type OwnAccountOptions,
  readBody,
  redirectTo,
  sharedOptions,
  showPage,
} from '../own-account/account-page.ts'
import type { ResetLinks } from './reset-links.ts'

export interface ResetViewOptions extends Pick<OwnAccountOptions, 'csrf' | 'frame' | 'users' | 'passwordRules'> {
  readonly links: ResetLinks
  readonly guard: Audit['guard']
  /** The paths of the pages from the root of the server. */
  readonly paths: { readonly reset: string; readonly forgot: string; readonly login: string }
}

const password = { ...passwordField, required: true }
const formFields = { password, again: text({ trim: false }) }
const programFields = { token: text({ max: 200, trim: false }), password }

/** The cookie with the token, which scripts cannot read. */
const tokenCookie = 'resettoken'
/** In seconds: how long the form can be filled in. */
const cookieAge = 3600

/** `GET` shows the form; `POST` changes the password. It responds with a page to a form, and with 204 to JSON. */
export function resetView(options: ResetViewOptions): ViewOptions {
  const change = createChange(options)
  return {
    ...sharedOptions,
    permissions: [],
    throttles: [],
    renderers: [htmlDocumentRenderer, jsonRenderer],
    name: 'Reset password',
    openapi: { tags: ['accounts'] },
    operations: { POST: describeReset },
    // The guard records who changed the password.
    auditEvent: null,
    handlers: {
      GET: {
        openapi: false,
        handle(context) {
          const { token } = context.request.query as Readonly<Record<string, unknown>>
          if (typeof token !== 'string') return showForm(options, context)
          const moved = redirectTo(options.paths.reset)
          const cookie = formatToken(token.slice(0, maxTokenLength), context)
          return { ...moved, headers: { ...moved.headers, 'set-cookie': [cookie] } }
        },
      },
      POST: context =>
        context.requestBody.kind === 'data' ? changeByProgram(context, change) : changeByForm(options, context, change),
    },
  }
}

const maxTokenLength = 200

const readToken = ({ request }: HandlerContext): string => readCookie(request, tokenCookie) ?? ''

const formatToken = (value: string, { baseUrl }: HandlerContext): string =>
  formatCookie({ name: tokenCookie, value, maxAge: value === '' ? 0 : cookieAge, httpOnly: true }, baseUrl)

async function showForm(
  options: ResetViewOptions,
  context: HandlerContext,
  errors?: ValidationError['errors'],
): Promise<ApiResponse> {
  const account = await options.links.verify(readToken(context))
  const isBad = account === undefined || errors !== undefined
  return showPage(
    options,
    context,
    (words, hiddenHtml) => ({
      heading: words.text(accountMessages('reset.heading')),
      mainHtml:
        account === undefined
          ? deadLink(options.paths.forgot, words)
          : errorList(errors, words) + resetForm(account.user.username, options, words, hiddenHtml),
    }),
    isBad ? 400 : 200,
  )
}

async function changeByProgram(context: HandlerContext, change: ChangePassword): Promise<ApiResponse> {
  const { token, password } = (await readBody(programFields, context)) as Record<keyof typeof programFields, string>
  if (!(await change(context, token, password))) throw new ValidationError({ token: [accountMessages('reset.dead')] })
  return { status: 204 }
}

async function changeByForm(
  options: ResetViewOptions,
  context: HandlerContext,
  change: ChangePassword,
): Promise<ApiResponse> {
  const { request, baseUrl, requestBody } = context
  options.csrf.check(request, baseUrl)?.(requestBody)
  try {
    const values = (await readBody(formFields, context)) as Record<keyof typeof formFields, string>
    if (values.password !== values.again) throw new ValidationError(accountMessages('account.mismatch'))
    if (!(await change(context, readToken(context), values.password))) return await showForm(options, context)
  } catch (error) {
    if (error instanceof ValidationError) return showForm(options, context, error.errors)
    throw error
  }
  const page = await showPage(options, context, words => ({
    heading: words.text(accountMessages('reset.heading')),
    mainHtml: html`<p class="notice" role="status">${words.text(accountMessages('reset.done'))}</p>
<p><a class="button primary" href="${options.paths.login}">${words('page.log_in')}</a></p>`,
  }))
  const cookies = [page.headers?.['set-cookie'] ?? [], formatToken('', context)].flat()
  return { ...page, headers: { ...page.headers, 'set-cookie': cookies } }
}

/** Resolves to whether the token works. Rejects with ValidationError if the password does not follow the rules. */
type ChangePassword = (context: HandlerContext, token: string, password: string) => Promise<boolean>

function createChange({ users, passwordRules, links, guard }: ResetViewOptions): ChangePassword {
  const record = guard(unguarded, 'account changed')
  return async ({ request }, token, chosen) => {
    const account = await links.verify(token)
    if (account === undefined) return false
    const { id, username, email } = account.user
    await passwordRules.check(chosen, { username, email })
    const set = async () => (await users.setPassword(id, chosen, account.passwordHash)) || undefined
    return (await record(request, username, set)) ?? false
  }
}

const deadLink = (
  forgotPath: string,
  { text: toText }: Words,
): string => html`<p class="notice errors" role="alert">${toText(accountMessages('reset.dead'))}</p>
<p><a class="button primary" href="${forgotPath}">${toText(accountMessages('reset.again'))}</a></p>
`

function resetForm(
  username: string,
  { passwordRules: { minLength } }: Pick<ResetViewOptions, 'passwordRules'>,
  { text: toText }: Words,
  hiddenHtml: string,
): string {
  const field = (name: keyof typeof formFields, label: string) => html`<p class="field">
<label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="password" autocomplete="new-password" required>
</p>
`
  return html`<p class="lead">${toText(accountMessages('reset.for', { username }))}</p>
<p>${toText(accountMessages('action.password_rules', { min: minLength }))}</p>
<form class="login" method="post">
!${hiddenHtml}<input type="hidden" name="username" value="${username}" autocomplete="username">
!${field('password', toText(accountMessages('account.new_password')))}!${field('again', toText(accountMessages('account.new_again')))}<p class="send"><button class="primary">${toText(accountMessages('account.change_password'))}</button></p>
</form>
`
}

const describeReset: DescribeOperation = context => {
  const schema = describeTakenObject(programFields, { method: 'POST' }, context)
  const form = describeTakenObject(formFields, { method: 'POST' }, context)
  return {
    id: 'resetPassword',
    summary: accountMessages('account.change_password'),
    body: { required: true, schema, form },
    responses: {
      200: { description: accountMessages('openapi.page'), schema: {} },
      204: { description: accountMessages('reset.done') },
    },
    errors: {
      invalid: [describeErrors(programFields, context, context)],
      statuses: { 429: errorDescriptions[429] },
      usesDatabase: true,
    },
  }
}
