// Who did what, from where, and with what outcome: one line for each event that an operator may have to account for.
// A line names users, tokens by nothing but their owner, and paths without their query: never a secret.

import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import { accountEvents } from '../../accounts/audit-events.ts'
import type { LoginThrottle } from '../../accounts/login-throttle.ts'
import type { Identity } from '../../framework/authentication/identity.ts'
import {
  AuthenticationFailed,
  NotAuthenticated,
  PermissionDenied,
  Throttled,
} from '../../framework/errors/exceptions.ts'
import { isSafe } from '../../framework/permissions/permission.ts'
import type { AuditedAs, Observation } from '../../framework/view.ts'
import { snippetEvent } from '../../profiles/snippets/snippet-event.ts'
import { pathOf } from '../logging/access-log.ts'

export const auditedEvents = [
  ...accountEvents,
  snippetEvent,
  'authentication',
  'permission denied',
  'throttled',
  'object created',
  'object changed',
  'object deleted',
] as const
export type AuditedEvent = (typeof auditedEvents)[number]

export const outcomes = ['success', 'failure'] as const

/** One line. */
export interface AuditEvent {
  readonly event: AuditedEvent
  readonly outcome: (typeof outcomes)[number]
  /** Who did it: the caller's name, or the one that was given; null where nobody is known. */
  readonly user: string | null
  /** The client's address; null on the command line. */
  readonly address: string | null
  /** What was asked for: method and path, or the command. */
  readonly target: string
  /** Where it was asked for. */
  readonly source: 'request' | 'command line'
  /** The id that the answer has as `X-Request-Id`; undefined on the command line. */
  readonly requestId?: string
  /** The status of the answer; undefined on the command line, and before there is one. */
  readonly status?: number
}

export type Audit = (event: AuditEvent) => void

/** One line in the log for each event, whatever the log's level; and whoever else is to be told. */
export function createAudit(log: FastifyBaseLogger, ...subscribers: readonly (Audit | undefined)[]): Audit {
  const lines = log.level === 'silent' ? undefined : log.child({}, { level: 'info' })
  return event => {
    lines?.info({ audit: event }, event.event)
    for (const tell of subscribers) tell?.(event)
  }
}

/** What a request says of itself. */
export const auditedRequest = (
  request: FastifyRequest,
): Pick<AuditEvent, 'address' | 'target' | 'source' | 'requestId'> => ({
  address: request.ip,
  target: `${request.method} ${pathOf(request)}`,
  source: 'request',
  requestId: request.id,
})

/** Who is told of what is done on the command line. Its own output is for people and programs, and has no such lines. */
interface CommandListeners {
  readonly settings: { readonly onAudit?: Audit | undefined }
  readonly auditLog: { readonly note: Audit } | undefined
}

/**
 * Tells of a command that was done, such as `token ann`. Whoever may run it has the database and the secret: nobody is
 * asked for a name.
 */
export function auditCommand({ settings, auditLog }: CommandListeners, event: AuditedEvent, target: string): void {
  const done: AuditEvent = { event, outcome: 'success', user: null, address: null, target, source: 'command line' }
  settings.onAudit?.(done)
  auditLog?.note(done)
}

/** A guard of passwords that tells of what came of them. */
export const auditGuard =
  (guard: LoginThrottle['guard'], audit: Audit, event: 'login' | 'token made'): LoginThrottle['guard'] =>
  async (request, username, verify) => {
    const found = await guard(request, username, verify)
    const outcome = found === undefined ? 'failure' : 'success'
    // The views have the whole request.
    audit({ event, outcome, user: username.slice(0, 150), ...auditedRequest(request as FastifyRequest) })
    return found
  }

/** Tells of refusals, and of what has changed. */
export function auditAnswers(audit: Audit) {
  return ({ request, auditEvent, user, status, error }: Observation): void => {
    const event =
      refusedEvent(error, request) ?? (isChange(request, status) ? changeEvent(request.method, auditEvent) : undefined)
    if (event === undefined) return
    const outcome = error === undefined ? 'success' : 'failure'
    audit({ event, outcome, user: nameOf(user), ...auditedRequest(request), status })
  }
}

function refusedEvent(error: unknown, request: FastifyRequest): AuditedEvent | undefined {
  if (error instanceof AuthenticationFailed) return 'authentication'
  // Strangers who only look are asked to log in all day long: that is nobody's deed, and would fill the log.
  if (error instanceof NotAuthenticated) return isSafe(request.method) ? undefined : 'permission denied'
  if (error instanceof PermissionDenied) return 'permission denied'
  return error instanceof Throttled ? 'throttled' : undefined
}

const isChange = ({ method }: FastifyRequest, status: number): boolean => !isSafe(method) && status < 400

const byMethod: Readonly<Record<string, AuditedEvent>> = { POST: 'object created', DELETE: 'object deleted' }

// The view says what a change is; a view that says nothing has a general event.
function changeEvent(method: string, declared: AuditedAs | undefined): AuditedEvent | undefined {
  const event = typeof declared === 'object' && declared !== null ? declared[method] : declared
  if (event === null) return undefined
  return auditedEvents.find(known => known === event) ?? byMethod[method] ?? 'object changed'
}

const nameOf = (user: Identity | undefined): string | null => (user?.isAuthenticated ? user.username : null)
