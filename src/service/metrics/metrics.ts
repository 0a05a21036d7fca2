// Metrics of the service for Prometheus. Every label has few values, whatever clients send: routes as they
// are declared, methods and statuses of HTTP, events of the audit, names of views.

import cluster from 'node:cluster'
import { ClusterRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../../framework/database/database.ts'
import { Throttled } from '../../framework/errors/exceptions.ts'
import type { Observation } from '../../framework/view.ts'
import type { Highlighter } from '../../profiles/snippets/highlighting/highlighter.ts'
import type { Audit } from '../audit/audit.ts'
import type { LogOutput } from '../logging/log-output.ts'

export interface Metrics {
  /** In Prometheus' text format, of this process. */
  read(): Promise<string>
  /** Counts all answers of a server; to be called before its routes are added. */
  follow(app: FastifyInstance): void
  /** For the observers of APIs. */
  readonly observe: (observation: Observation) => void
  /** For the subscribers of the audit. */
  readonly audit: Audit
}

export interface MetricsSources {
  readonly database: Database
  readonly highlighter: Highlighter
  readonly log: Pick<LogOutput, 'dropped'>
}

/** In seconds: an answer takes from less than a millisecond to the longest that a statement may take. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

const usualMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Begins to count. In a worker, the first process can read the numbers from now on. */
export function createMetrics({ database, highlighter, log }: MetricsSources): Metrics {
  const registry = new Registry()
  const registers = [registry]
  if (cluster.isWorker) tellFirstProcess(registers)
  collectDefaultMetrics({ register: registry })
  if (database.pool !== undefined) addPool(database.pool, registers)
  addHighlighting(highlighter, registers)
  addDroppedLines(log, registers)
  const throttled = new Counter({
    name: 'throttled_requests_total',
    help: 'Requests that a throttle or the login throttle rejected, by view',
    labelNames: ['view'],
    registers,
  })
  const events = new Counter({
    name: 'audit_events_total',
    help: 'Events of the audit, such as failed logins',
    labelNames: ['event', 'outcome'],
    registers,
  })
  return {
    read: () => registry.metrics(),
    follow: requestCounter(registers),
    observe({ viewId, error }) {
      if (error instanceof Throttled) throttled.inc({ view: viewId })
    },
    audit: ({ event, outcome }) => events.inc({ event, outcome }),
  }
}

// The first process asks through the channel between them.
function tellFirstProcess(registers: Registry[]): void {
  ClusterRegistry.setRegistries(registers)
  new ClusterRegistry()
}

function requestCounter(registers: Registry[]): Metrics['follow'] {
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'Answered requests',
    labelNames: ['method', 'route', 'status'],
    registers,
  })
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'From the head of a request to the last byte of its answer',
    labelNames: ['route'],
    buckets,
    registers,
  })
  const count = ({ method, routeOptions }: FastifyRequest, reply: FastifyReply, done: () => void) => {
    // A URL that cannot be decoded has no route.
    const route = routeOptions.url ?? 'none'
    requests.inc({ method: usualMethods.has(method) ? method : 'other', route, status: reply.statusCode })
    durations.observe({ route }, reply.elapsedTime / 1000)
    done()
  }
  return app => {
    app.addHook('onResponse', count)
    addOverload(app, registers)
  }
}

// These requests are refused before Fastify sees them, so the counter above does not include them.
function addOverload({ overload }: FastifyInstance, registers: Registry[]): void {
  new Counter({
    name: 'overload_refusals_total',
    help: 'Requests refused with 503 because the process could not have answered them in time',
    registers,
    collect() {
      this.reset()
      this.inc(overload.refused)
    },
  })
}

function addPool(pool: NonNullable<Database['pool']>, registers: Registry[]): void {
  new Gauge({
    name: 'database_connections',
    help: 'Connections to the database by state, the requests that wait for one, and the most there may be',
    labelNames: ['state'],
    registers,
    collect() {
      const { size, open, idle, waiting } = pool()
      for (const [state, value] of Object.entries({ busy: open - idle, idle, waiting, most: size }))
        this.set({ state }, value)
    },
  })
}

function addDroppedLines(log: MetricsSources['log'], registers: Registry[]): void {
  new Counter({
    name: 'log_lines_dropped_total',
    help: 'Lines of the log that were dropped because it could not be written, such as on a full disk',
    registers,
    collect() {
      this.reset()
      this.inc(log.dropped)
    },
  })
}

function addHighlighting(highlighter: Highlighter, registers: Registry[]): void {
  new Gauge({
    name: 'highlighting_waiting',
    help: 'Snippets that wait for a thread',
    registers,
    collect() {
      this.set(highlighter.stats().waiting)
    },
  })
  new Counter({
    name: 'highlighted_snippets_total',
    help: 'Snippets by outcome: highlighted, plain (above the bounds), late (at the deadline) or failed, both then plain',
    labelNames: ['outcome'],
    registers,
    collect() {
      const { highlighted, plain, late, failed } = highlighter.stats()
      this.reset()
      for (const [outcome, value] of Object.entries({ highlighted, plain, late, failed })) this.inc({ outcome }, value)
    },
  })
}
