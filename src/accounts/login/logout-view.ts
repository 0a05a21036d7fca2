// Logout in the browser (AUTH-GAP-b2). It always requires a CSRF token (AUTH-SCH-4), so that a page of another site cannot log a user out.

import type { FastifyRequest } from 'fastify'
import { csrfCookie, formatCookie, type ViewOptions } from '#core'
import { defineAccountEvent } from '../audit/account-events.ts'
import { endSession, readNext, redirect } from '../login-request.ts'
import { describeLogout } from './describe-login.ts'
import { type LoginViewOptions, loginPolicies } from './login-view.ts'

interface LogoutOptions {
  /** The path to go to instead of `next`; undefined for `next`. */
  readonly findNextPath?: ((request: FastifyRequest) => string | undefined) | undefined
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
    ...loginPolicies,
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
