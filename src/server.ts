// The public door 'resource-api/server': what a server needs that is reachable from the Internet. Each part is a Fastify
// plugin, except the options of the server itself.

export { cors } from './server/cors.ts'
export { drain } from './server/drain.ts'
export { headerFields } from './server/header-fields.ts'
export { health } from './server/health/health.ts'
export { createReadiness, type Readiness } from './server/health/readiness.ts'
export { listen } from './server/listen.ts'
export { accessLog } from './server/logging/access-log.ts'
export { createTextLog } from './server/logging/text-log.ts'
export { metrics } from './server/metrics/metrics.ts'
export { metricsEndpoint } from './server/metrics/metrics-endpoint.ts'
export type { Counter, Gauge, Histogram, MetricsRegistry } from './server/metrics/registry.ts'
export { overloadGuard } from './server/overload-guard.ts'
export { requestIds } from './server/request-ids.ts'
export { serverOptions } from './server/server-options.ts'
export { stalledConnections } from './server/stalled-connections.ts'
export { stopSignal } from './server/stop-signal.ts'
