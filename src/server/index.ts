// The entry point 'resource-api/server': what a server needs that is reachable from the Internet. Each part is a Fastify
// plugin, except the options of the server itself.

export { cors, corsSchema } from './cors.ts'
export { type Drain, type DrainOptions, drain, waitForAcceptQueue } from './drain.ts'
export { headerFields, headerFieldsSchema, resolveHeaderFields } from './header-fields.ts'
export { type HealthOptions, health, type ProbeChecks } from './health/health.ts'
export { createReadiness, type Readiness, type ReadinessOptions, type Unreadiness } from './health/readiness.ts'
export { type Address, listen } from './listen.ts'
export { type AccessLine, accessLog, readPath } from './logging/access-log.ts'
export { createLogOutput, type LogOutput, type LogStream } from './logging/log-output.ts'
export { logLevel } from './logging/logger.ts'
export { createTextLog, type TextLogOptions } from './logging/text-log.ts'
export { metrics } from './metrics/metrics.ts'
export { metricsEndpoint } from './metrics/metrics-endpoint.ts'
export {
  type Counter,
  checkMetricsClient,
  type Gauge,
  type Histogram,
  type HistogramOptions,
  type Labels,
  type MetricOptions,
  type MetricsRegistry,
  type Sample,
} from './metrics/registry.ts'
export { anyFunction, headerName, list, origin, positiveInteger, proxy } from './options.ts'
export { type Overload, overloadGuard } from './overload-guard.ts'
export { requestIds } from './request-ids.ts'
export { schemaCompilers } from './schema-compilers.ts'
export { type ServerOptions, serverLimitsSchema, serverOptions } from './server-options.ts'
export { stalledConnections } from './stalled-connections.ts'
export { type StopReason, stopSignal } from './stop-signal.ts'
