// Reads the requests of the login and the logout, ends a session, and creates the redirect after both.

import type { FastifyRequest } from 'fastify'
import {
  type ApiResponse,
  type Csrf,
  type HandlerContext,
  type RequestBody,
  readCookie,
  toOwnPath,
  toRootPath,
} from '#core'
import type { Sessions } from './sessions.ts'

export async function endSession(
  request: FastifyRequest,
  { sessions, csrf }: { readonly sessions: Sessions; readonly csrf: Csrf },
): Promise<void> {
  const id = readCookie(request, csrf.sessionCookie)
  if (id !== undefined) await sessions.end(id)
}

export function redirect(context: HandlerContext, cookies: string[], path = findNext(context)): ApiResponse {
  return { status: 302, headers: { location: path, 'set-cookie': cookies } }
}

export const findNext = (context: HandlerContext): string =>
  toOwnPath(readNext(context), context.baseUrl) ?? toRootPath(context.baseUrl)

export const readNext = ({ request, requestBody }: HandlerContext): unknown =>
  readText(requestBody, 'next') ?? (request.query as Readonly<Record<string, unknown>>).next

/** The raw text of one field of the request body. */
export function readText(body: RequestBody, name: string): string | undefined {
  if (body.kind === 'form') return body.form.get(name) ?? undefined
  if (body.kind !== 'data') return undefined
  const value = Object(body.data)[name]
  return typeof value === 'string' ? value : undefined
}
