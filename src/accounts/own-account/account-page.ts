// The policies of the views of the caller's own account, and the document around the content of their pages. The pages work without
// a script.

import { html } from 'ghtml'
import {
  type ApiResponse,
  type Csrf,
  type Database,
  type Fields,
  formParser,
  type HandlerContext,
  htmlDocumentRenderer,
  jsonParser,
  type MessageText,
  multipartParser,
  type Permission,
  readFields,
  type ValidationError,
  type ViewOptions,
} from '#core'
import { type FramedPage, type PageFrame, pageHeaders, tokenInput, type Words } from '#pages'
import type { LoginThrottle } from '../login-throttle.ts'
import type { PasswordRules } from '../passwords/password-rules.ts'
import type { Sessions } from '../sessions.ts'
import type { TokenIssuer, TokenKind } from '../tokens/token-issuer.ts'
import { findAccountId } from '../user.ts'
import type { Users } from '../users.ts'

export interface OwnAccountOptions {
  readonly database: Database
  readonly users: Users
  readonly sessions: Sessions
  readonly tokens: TokenIssuer
  readonly tokenKind: TokenKind
  readonly passwordRules: PasswordRules
  readonly csrf: Csrf
  /** Renders the HTML document around a page. */
  readonly frame: PageFrame
  /** The login throttle, which counts wrong passwords. */
  readonly guard: LoginThrottle['guard']
}

const limit = 64 * 1024

// Callers whom an application's own scheme identifies may have no account.
const ownAccount: Permission = {
  authenticated: 'always',
  allows: ({ user }) => findAccountId(user) !== null,
}

/** The options that all views of the own account share. */
export const sharedOptions = {
  permissions: [ownAccount],
  parsers: [formParser({ limit }), multipartParser({ limit }), jsonParser({ limit })],
  renderers: [htmlDocumentRenderer],
  headers: pageHeaders,
  // They are pages for people; programs have the administration and the token endpoint.
  openapi: false,
} satisfies Partial<ViewOptions>

/** The caller's account. */
export const findOwnId = ({ user }: HandlerContext): number => findAccountId(user)!

/** Reads the fields of a body. Rejects with ValidationError. */
export const readBody = async (
  fields: Fields,
  { requestBody, baseUrl }: HandlerContext,
): Promise<Readonly<Record<string, unknown>>> =>
  readFields(fields, requestBody, { context: { baseUrl, route: () => undefined } })

/** Responds with a page. `create` gets the words of the caller's language and the hidden field of forms. */
export async function showPage(
  { csrf, frame }: Pick<OwnAccountOptions, 'csrf' | 'frame'>,
  context: HandlerContext,
  create: (words: Words, hiddenHtml: string) => FramedPage,
  status = 200,
): Promise<ApiResponse> {
  const { token, setCookie } = csrf.issue(context.request, context.baseUrl)
  const { body, headers } = await frame(context, words => create(words, tokenInput(token)))
  return { status, headers: { ...headers, ...(setCookie && { 'set-cookie': [setCookie] }) }, body }
}

/** Redirects to a page of the own account. */
export const redirectTo = (location: string): ApiResponse => ({ status: 303, headers: { location } })

/** The errors of a form as a list; empty without errors. */
export function errorList(errors: ValidationError['errors'] | undefined, words: Words): string {
  const lines = errors === undefined ? [] : listTexts(errors, words)
  if (lines.length === 0) return ''
  return html`<div class="notice errors" id="errors" role="alert"><ul>!${lines.map(line => html`<li>${line}</li>`)}</ul></div>
`
}

function listTexts(errors: ValidationError['errors'], words: Words): readonly string[] {
  if (Array.isArray(errors)) return errors.flatMap(error => listTexts(error, words))
  if (typeof Object(errors).message === 'string') return [words.text(errors as unknown as MessageText)]
  return Object.values(errors).flatMap(error => listTexts(error as ValidationError['errors'], words))
}
