// Audit events: who did what, from which address, and with what outcome. An event contains no secrets: a token is
// identified by its owner, and a path has no query string.

import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import {
  type AuditEventOption,
  AuthenticationFailed,
  type Identity,
  isPromise,
  isSafe,
  type MaybePromise,
  NotAuthenticated,
  type Observation,
  PermissionDenied,
  Throttled,
} from '#core'
import type { LoginThrottle } from '../login-throttle.ts'
import { type AccountEvent, accountEvents } from './account-events.ts'

/** The events that are recorded without a declaration. A view may declare others as its `auditEvent`. */
export const builtInEvents = [
  ...accountEvents,
  'authentication',
  'permission denied',
  'throttled',
  'object created',
  'object changed',
  'object deleted',
] as const

export const outcomes = ['success', 'failure'] as const

/** One event, which is one line in the log. */
export interface AuditEvent {
  /** One of `builtInEvents`, or the `auditEvent` of a view. */
  readonly event: string
  readonly outcome: (typeof outcomes)[number]
  /** The caller's username, or the username of a login attempt; null if the caller is anonymous. */
  readonly user: string | null
  /** The client's address; null on the command line. */
  readonly address: string | null
  /** Method and path of the request, or of the action that its handler or a hook called; or the command. */
  readonly target: string
  readonly source: 'request' | 'command line'
  /** The value of the response header `X-Request-Id`; undefined on the command line. */
  readonly requestId?: string
  /** The response status; undefined on the command line, for called actions, and for events before the response. */
  readonly status?: number
  /** True: the audit log has stored the change with its values, in its transaction. */
  readonly isStored?: true
}

/** Called with each event. The response waits for a returned promise. Must neither throw nor reject. */
export type AuditListener = (event: AuditEvent) => MaybePromise<unknown>

export interface Audit {
  /** Records rejected requests and successful changes: the option `observe` of `createApi`. */
  readonly observe: (observation: Observation) => MaybePromise<unknown>
  /** Wraps the guard of the login throttle: records an event for each password check. */
  guard(guard: LoginThrottle['guard'], event: AccountEvent): LoginThrottle['guard']
  /**
   * Records a successful command, such as `token ann`. The event has no user: a person who can run commands has access
   * to the database and the secret, and does not log in.
   */
  recordCommand(event: AccountEvent, target: string): void
  /** Adds a listener, and returns a function that removes it. */
  subscribe(listener: AuditListener): () => void
}

/**
 * Creates the audit. Each event of a request is written to the log of its Fastify server, even if the log level is above
 * `info`, unless it is `silent`; and is passed to the listeners. Events of commands are not logged, because other
 * programs read the output of commands.
 *
 * @example
 * const audit = createAudit(event => console.log(event.event, event.user))
 * await app.register(createApi({ resources: [books], database, observe: audit.observe }))
 */
export function createAudit(...initialListeners: readonly AuditListener[]): Audit {
  const listeners = new Set(initialListeners)
  const notify = (event: AuditEvent): MaybePromise<unknown> => {
    const running = [...listeners].map(listener => listener(event)).filter(isPromise)
    if (running.length > 0) return Promise.all(running)
  }
  const record = (
    request: FastifyRequest,
    event: Omit<AuditEvent, keyof RequestProperties>,
    { target, isStored = false }: { readonly target?: string; readonly isStored?: boolean } = {},
  ) => {
    const complete = { ...event, ...describeRequest(request, target) }
    findLogger(request.server.log)?.info({ audit: complete }, complete.event)
    return notify({ ...complete, ...(isStored && { isStored }) })
  }
  return {
    observe({ request, auditEvent, user: caller, status, error, calls, isReplay, isRecorded }) {
      const event =
        findRejectionEvent(error, request) ??
        (isChange(request, status) && !isReplay ? findChangeEvent(request.method, auditEvent) : undefined)
      if (event === undefined && calls.length === 0) return
      const user = findUsername(caller)
      const recordings = calls.map(call => {
        const event = findChangeEvent(call.method, call.auditEvent)
        const options = { target: `${call.method} ${call.path}`, isStored: call.isRecorded }
        return event === undefined ? undefined : record(request, { event, outcome: 'success', user }, options)
      })
      if (event !== undefined) {
        const outcome = error === undefined ? 'success' : 'failure'
        recordings.push(record(request, { event, outcome, user, status }, { isStored: isRecorded }))
      }
      const running = recordings.filter(isPromise)
      if (running.length > 0) return Promise.all(running)
    },
    guard: (guard, event) => async (request, username, verify) => {
      const user = await guard(request, username, verify)
      const outcome = user === undefined ? 'failure' : 'success'
      // The guard's type requires only a part of the request, but the views pass the whole FastifyRequest.
      await record(request as FastifyRequest, { event, outcome, user: username.slice(0, 150) })
      return user
    },
    recordCommand: (event, target) =>
      void notify({ event, outcome: 'success', user: null, address: null, target, source: 'command line' }),
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/** The properties of an event that come from the request. */
type RequestProperties = Pick<AuditEvent, 'address' | 'target' | 'source' | 'requestId'>

const describeRequest = (
  { ip, method, url, id }: FastifyRequest,
  target = `${method} ${url.split('?', 1)[0]!}`,
): RequestProperties => ({
  address: ip,
  target,
  source: 'request',
  requestId: id,
})

const loggers = new WeakMap<FastifyBaseLogger, FastifyBaseLogger>()

// The logger of audit events; undefined if the server logs nothing.
function findLogger(log: FastifyBaseLogger): FastifyBaseLogger | undefined {
  if (log.level === 'silent') return undefined
  const logger = loggers.get(log) ?? log.child({}, { level: 'info' })
  loggers.set(log, logger)
  return logger
}

function findRejectionEvent(error: unknown, request: FastifyRequest): string | undefined {
  if (error instanceof AuthenticationFailed) return 'authentication'
  // Anonymous GET requests are rejected all the time, for example by crawlers, and would fill the log.
  if (error instanceof NotAuthenticated) return isSafe(request.method) ? undefined : 'permission denied'
  if (error instanceof PermissionDenied) return 'permission denied'
  return error instanceof Throttled ? 'throttled' : undefined
}

const isChange = ({ method }: FastifyRequest, status: number): boolean => !isSafe(method) && status < 400

const eventsByMethod: Readonly<Record<string, string>> = { POST: 'object created', DELETE: 'object deleted' }

/**
 * The event of a successful change; undefined if it is not recorded. A view may declare its event; null means none. For other
 * views, the method determines the event.
 */
export function findChangeEvent(method: string, declared: AuditEventOption | undefined): string | undefined {
  const event = typeof declared === 'object' && declared !== null ? declared[method] : declared
  if (event === null) return undefined
  return event ?? eventsByMethod[method] ?? 'object changed'
}

/** The name of a caller in audit events; null if the caller is anonymous. */
export const findUsername = (user: Identity | undefined): string | null =>
  user?.isAuthenticated ? user.username : null
