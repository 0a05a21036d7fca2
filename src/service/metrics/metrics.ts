// The metrics of the service for Prometheus. The values of labels come from the program, not from clients, so their
// number is bounded: declared routes, HTTP methods and statuses, audit events, view names.

import cluster from 'node:cluster'
import { ClusterRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Database, type Observation, Throttled } from 'resource-api'
import type { AuditListener } from 'resource-api/accounts'
import type { Highlighter } from 'resource-api/snippets'
import type { LogOutput } from '../logging/log-output.ts'

export interface Metrics {
  /** Returns the metrics of this process in the Prometheus text format. */
  read(): Promise<string>
  /** Counts all responses of a server. Call it before routes are added. */
  countResponses(app: FastifyInstance): void
  /** Counts throttled requests: an observer for APIs. */
  readonly observe: (observation: Observation) => void
  /** Counts audit events: a subscriber of the audit. */
  readonly audit: AuditListener
}

export interface MetricsSources {
  readonly database: Database
  readonly highlighter: Highlighter
  readonly log: Pick<LogOutput, 'dropped'>
}

/** In seconds: from one millisecond to more than the statement timeout. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Creates the metrics and starts counting. The first process can read the metrics of a worker from now on. */
export function createMetrics({ database, highlighter, log }: MetricsSources): Metrics {
  const registry = new Registry()
  const registers = [registry]
  if (cluster.isWorker) shareWithFirstProcess(registers)
  collectDefaultMetrics({ register: registry })
  if (database.pool !== undefined) addPool(database.pool, registers)
  addHighlighting(highlighter, registers)
  addDroppedLines(log, registers)
  const throttled = new Counter({
    name: 'throttled_requests_total',
    help: 'Requests rejected by a throttle or by the login throttle, by view',
    labelNames: ['view'],
    registers,
  })
  const events = new Counter({
    name: 'audit_events_total',
    help: 'Audit events, such as failed logins',
    labelNames: ['event', 'outcome'],
    registers,
  })
  return {
    read: () => registry.metrics(),
    countResponses: createResponseCounter(registers),
    observe({ viewId, error }) {
      if (error instanceof Throttled) throttled.inc({ view: viewId })
    },
    audit: ({ event, outcome }) => events.inc({ event, outcome }),
  }
}

// The first process requests the metrics through the IPC channel.
function shareWithFirstProcess(registers: Registry[]): void {
  ClusterRegistry.setRegistries(registers)
  new ClusterRegistry()
}

function createResponseCounter(registers: Registry[]): Metrics['countResponses'] {
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'Requests that got a response',
    labelNames: ['method', 'route', 'status'],
    registers,
  })
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Seconds from the request headers to the last byte of the response',
    labelNames: ['route'],
    buckets,
    registers,
  })
  const count = ({ method, routeOptions }: FastifyRequest, reply: FastifyReply, done: () => void) => {
    // A URL that cannot be decoded has no route.
    const route = routeOptions.url ?? 'none'
    requests.inc({ method: knownMethods.has(method) ? method : 'other', route, status: reply.statusCode })
    durations.observe({ route }, reply.elapsedTime / 1000)
    done()
  }
  return app => {
    app.addHook('onResponse', count)
    addOverloadRefusals(app, registers)
  }
}

// These requests are rejected before Fastify receives them, so the counter above does not include them.
function addOverloadRefusals({ overload }: FastifyInstance, registers: Registry[]): void {
  new Counter({
    name: 'overload_refusals_total',
    help: 'Requests rejected with 503 because the process was overloaded',
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
    help: 'Database connections by state, requests that wait for one (waiting), and the pool size (most)',
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
    help: 'Log lines that were dropped because the log could not be written, for example on a full disk',
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
    help: 'Snippets that wait for a highlighting thread',
    registers,
    collect() {
      this.set(highlighter.stats().waiting)
    },
  })
  new Counter({
    name: 'highlighted_snippets_total',
    help: 'Snippets by outcome: highlighted, plain (too long), late (deadline exceeded) or failed; the last three are shown as plain text',
    labelNames: ['outcome'],
    registers,
    collect() {
      const { highlighted, plain, late, failed } = highlighter.stats()
      this.reset()
      for (const [outcome, value] of Object.entries({ highlighted, plain, late, failed })) this.inc({ outcome }, value)
    },
  })
}
