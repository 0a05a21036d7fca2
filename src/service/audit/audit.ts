// Audit events: who did what, from which address, and with what outcome. An event contains no secrets: a token is
// identified by its owner, and a path has no query string.

import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import {
  type AuditEventOption,
  AuthenticationFailed,
  type Identity,
  isSafe,
  NotAuthenticated,
  type Observation,
  PermissionDenied,
  Throttled,
} from 'resource-api'
import { accountEvents, type LoginThrottle } from 'resource-api/accounts'
import { readPath } from 'resource-api/server'
import { snippetEvent } from 'resource-api/snippets'

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

/** One event, which is one line in the log. */
export interface AuditEvent {
  readonly event: AuditedEvent
  readonly outcome: (typeof outcomes)[number]
  /** The caller's username, or the username of a login attempt; null if the caller is anonymous. */
  readonly user: string | null
  /** The client's address; null on the command line. */
  readonly address: string | null
  /** Method and path of the request, or the command. */
  readonly target: string
  readonly source: 'request' | 'command line'
  /** The value of the response header `X-Request-Id`; undefined on the command line. */
  readonly requestId?: string
  /** The response status; undefined on the command line, and for events before the response, such as logins. */
  readonly status?: number
}

export type Audit = (event: AuditEvent) => void

/**
 * Returns a function that logs each event and passes it to the subscribers. Events are logged even if the log level is
 * above `info`, unless it is `silent`.
 */
export function createAudit(log: FastifyBaseLogger, ...subscribers: readonly (Audit | undefined)[]): Audit {
  const logger = log.level === 'silent' ? undefined : log.child({}, { level: 'info' })
  return event => {
    logger?.info({ audit: event }, event.event)
    for (const notify of subscribers) notify?.(event)
  }
}

/** The properties of an event that come from the request. */
export const describeRequest = (
  request: FastifyRequest,
): Pick<AuditEvent, 'address' | 'target' | 'source' | 'requestId'> => ({
  address: request.ip,
  target: `${request.method} ${readPath(request)}`,
  source: 'request',
  requestId: request.id,
})

/** The subscribers to the events of commands. Commands do not log events, because other programs read their output. */
interface CommandSubscribers {
  readonly settings: { readonly onAudit?: Audit | undefined }
  readonly auditLog: { readonly record: Audit } | undefined
}

/**
 * Records a successful command, such as `token ann`. The event has no user: a person who can run commands has access to
 * the database and the secret, and does not log in.
 */
export function auditCommand({ settings, auditLog }: CommandSubscribers, event: AuditedEvent, target: string): void {
  const commandEvent: AuditEvent = {
    event,
    outcome: 'success',
    user: null,
    address: null,
    target,
    source: 'command line',
  }
  settings.onAudit?.(commandEvent)
  auditLog?.record(commandEvent)
}

/** Wraps the guard of the login throttle: records an event for each password check. */
export const createAuditedGuard =
  (guard: LoginThrottle['guard'], audit: Audit, event: 'login' | 'token made'): LoginThrottle['guard'] =>
  async (request, username, verify) => {
    const user = await guard(request, username, verify)
    const outcome = user === undefined ? 'failure' : 'success'
    // The guard's type requires only a part of the request, but the views pass the whole FastifyRequest.
    audit({ event, outcome, user: username.slice(0, 150), ...describeRequest(request as FastifyRequest) })
    return user
  }

/** Returns an observer that records rejected requests and successful changes. */
export function createAuditObserver(audit: Audit) {
  return ({ request, auditEvent, user, status, error }: Observation): void => {
    const event =
      findRejectionEvent(error, request) ??
      (isChange(request, status) ? findChangeEvent(request.method, auditEvent) : undefined)
    if (event === undefined) return
    const outcome = error === undefined ? 'success' : 'failure'
    audit({ event, outcome, user: findUsername(user), ...describeRequest(request), status })
  }
}

function findRejectionEvent(error: unknown, request: FastifyRequest): AuditedEvent | undefined {
  if (error instanceof AuthenticationFailed) return 'authentication'
  // Anonymous GET requests are rejected all the time, for example by crawlers, and would fill the log.
  if (error instanceof NotAuthenticated) return isSafe(request.method) ? undefined : 'permission denied'
  if (error instanceof PermissionDenied) return 'permission denied'
  return error instanceof Throttled ? 'throttled' : undefined
}

const isChange = ({ method }: FastifyRequest, status: number): boolean => !isSafe(method) && status < 400

const eventsByMethod: Readonly<Record<string, AuditedEvent>> = { POST: 'object created', DELETE: 'object deleted' }

// A view may declare its event; null means none. For other views, the method determines the event.
function findChangeEvent(method: string, declared: AuditEventOption | undefined): AuditedEvent | undefined {
  const event = typeof declared === 'object' && declared !== null ? declared[method] : declared
  if (event === null) return undefined
  return auditedEvents.find(name => name === event) ?? eventsByMethod[method] ?? 'object changed'
}

const findUsername = (user: Identity | undefined): string | null => (user?.isAuthenticated ? user.username : null)
