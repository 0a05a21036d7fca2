// The metrics of a server for Prometheus. The values of labels come from the program, not from clients, so their number
// is bounded: declared routes, HTTP methods and statuses, view names.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod'
import { observeApis, type PoolState, Throttled } from '#core'
import { definePlugin } from '../plugin.ts'
import { createMetricsRegistry, type MetricsRegistry } from './registry.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Reads the metrics, and adds further ones (plugin `metrics`). */
    readonly metrics: MetricsRegistry
  }
}

/** In seconds: from one millisecond to more than the statement timeout. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

const schema = z.strictObject({
  /** The database whose connections are counted. */
  database: z
    .custom<{ readonly pool?: (() => PoolState) | undefined }>(
      value => typeof value === 'object' && value !== null,
      'must be a database, such as openDatabase(url)',
    )
    .optional(),
  /** The log output whose dropped lines are counted. */
  log: z
    .custom<{ readonly dropped: number }>(
      value => typeof (value as { dropped?: unknown } | null)?.dropped === 'number',
      'must be a log output, such as createLogOutput()',
    )
    .optional(),
})

/**
 * Counts responses, throttled requests and refusals, and adds `app.metrics`. Needs the package @prometheus-io/client. The
 * plugin `metricsEndpoint` serves the metrics.
 *
 * @example
 * await app.register(metrics, { database })
 * const orders = app.metrics.counter({ name: 'orders_total', help: 'Orders', labels: ['country'] })
 * orders.add({ country: 'ch' })
 */
export const metrics = definePlugin('metrics', schema, async (app, { database, log }) => {
  const registry = await createMetricsRegistry()
  app.decorate('metrics', registry)
  countResponses(app, registry)
  countThrottled(app, registry)
  // Plugins that are registered later may add the counter.
  app.addHook('onReady', done => {
    if (app.hasDecorator('overload')) countRefusals(app, registry)
    done()
  })
  if (database?.pool !== undefined) addPool(database.pool, registry)
  if (log !== undefined) addDroppedLines(log, registry)
})

function countResponses(app: FastifyInstance, registry: MetricsRegistry): void {
  const requests = registry.counter({
    name: 'http_requests_total',
    help: 'Requests that got a response',
    labels: ['method', 'route', 'status'],
  })
  const durations = registry.histogram({
    name: 'http_request_duration_seconds',
    help: 'Seconds from the request headers to the last byte of the response',
    labels: ['route'],
    buckets,
  })
  app.addHook('onResponse', ({ method, routeOptions }: FastifyRequest, reply: FastifyReply, done) => {
    // A URL that cannot be decoded has no route.
    const route = routeOptions.url ?? 'none'
    requests.add({ method: knownMethods.has(method) ? method : 'other', route, status: reply.statusCode })
    durations.observe(reply.elapsedTime / 1000, { route })
    done()
  })
}

function countThrottled(app: FastifyInstance, registry: MetricsRegistry): void {
  const throttled = registry.counter({
    name: 'throttled_requests_total',
    help: 'Requests rejected by a throttle or by the login throttle, by view',
    labels: ['view'],
  })
  observeApis(app, ({ viewId, error }) => {
    if (error instanceof Throttled) throttled.add({ view: viewId })
  })
}

// These requests are rejected before Fastify receives them, so the counter of responses does not include them.
const countRefusals = ({ overload }: FastifyInstance, registry: MetricsRegistry) =>
  registry.counter({
    name: 'overload_refusals_total',
    help: 'Requests rejected with 503 because the process was overloaded',
    collect: () => overload.refused,
  })

const addPool = (pool: () => PoolState, registry: MetricsRegistry) =>
  registry.gauge({
    name: 'database_connections',
    help: 'Database connections by state, requests that wait for one (waiting), and the pool size (most)',
    labels: ['state'],
    collect() {
      const { size, open, idle, waiting } = pool()
      return Object.entries({ busy: open - idle, idle, waiting, most: size }).map(([state, value]) => ({
        labels: { state },
        value,
      }))
    },
  })

const addDroppedLines = (log: { readonly dropped: number }, registry: MetricsRegistry) =>
  registry.counter({
    name: 'log_lines_dropped_total',
    help: 'Log lines that were dropped because the log could not be written, for example on a full disk',
    collect: () => log.dropped,
  })
