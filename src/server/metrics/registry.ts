// A registry of metrics for Prometheus. In this layer, only this file uses the package @prometheus-io/client, and only
// when a registry is created.

import cluster from 'node:cluster'

/** Values of labels by name. They must come from the program, not from clients, so that their number is bounded. */
export type Labels = Readonly<Record<string, string | number>>

/** A value, and the labels that distinguish it from the other values of the metric. */
export interface Sample {
  readonly labels: Labels
  readonly value: number
}

export interface MetricOptions {
  /** Such as `orders_total`; with the unit, such as `seconds`. */
  readonly name: string
  readonly help: string
  /** The names of the labels; default: none. */
  readonly labels?: readonly string[]
  /** Called at each scrape: returns the current value, or one per combination of labels. */
  readonly collect?: () => number | readonly Sample[]
}

/** A value that only increases. */
export interface Counter {
  /** Adds `value`, by default 1. */
  add(labels?: Labels, value?: number): void
}

/** A value that increases and decreases. */
export interface Gauge {
  set(value: number, labels?: Labels): void
}

/** The distribution of values, such as durations. */
export interface Histogram {
  observe(value: number, labels?: Labels): void
}

export interface HistogramOptions extends Omit<MetricOptions, 'collect'> {
  /** The upper bounds of the buckets. */
  readonly buckets: readonly number[]
}

/** Where plugins, profiles and applications add their metrics. */
export interface MetricsRegistry {
  counter(options: MetricOptions): Counter
  gauge(options: MetricOptions): Gauge
  histogram(options: HistogramOptions): Histogram
  /** Returns all metrics of this process in the Prometheus text format. */
  read(): Promise<string>
}

type Client = typeof import('@prometheus-io/client')

/** The package that is needed for metrics, as `npm install` takes it. */
const clientPackage = '@prometheus-io/client@0.16.1'

/** Rejects with an error that says how to install @prometheus-io/client if it is missing. */
export async function checkMetricsClient(): Promise<void> {
  await loadMetricsClient()
}

// Not exported, so that the declarations do not need the types of the package.
async function loadMetricsClient(): Promise<Client> {
  try {
    return await import('@prometheus-io/client')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new Error(`metrics need a package that is not installed: npm install ${clientPackage}`, { cause: error })
  }
}

/**
 * Creates a registry with the metrics of the process, such as its memory. In a worker of `node:cluster`, the first
 * process can read the metrics from now on.
 */
export async function createMetricsRegistry(): Promise<MetricsRegistry> {
  const client = await loadMetricsClient()
  const registry = new client.Registry()
  if (cluster.isWorker) shareWithFirstProcess(client, registry)
  client.collectDefaultMetrics({ register: registry })
  const common = ({ name, help, labels = [] }: Omit<MetricOptions, 'collect'>) => ({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
  })
  return {
    counter({ collect, ...options }) {
      const counter = new client.Counter<string>({
        ...common(options),
        ...(collect && {
          collect() {
            this.reset()
            for (const { labels, value } of readSamples(collect)) this.inc(labels, value)
          },
        }),
      })
      return { add: (labels = {}, value = 1) => counter.inc(labels, value) }
    },
    gauge({ collect, ...options }) {
      const gauge = new client.Gauge<string>({
        ...common(options),
        ...(collect && {
          collect() {
            for (const { labels, value } of readSamples(collect)) this.set(labels, value)
          },
        }),
      })
      return { set: (value, labels = {}) => gauge.set(labels, value) }
    },
    histogram({ buckets, ...options }) {
      const histogram = new client.Histogram<string>({ ...common(options), buckets: [...buckets] })
      return { observe: (value, labels = {}) => histogram.observe(labels, value) }
    },
    read: () => registry.metrics(),
  }
}

// The first process requests the metrics through the IPC channel.
function shareWithFirstProcess({ ClusterRegistry }: Client, registry: InstanceType<Client['Registry']>): void {
  ClusterRegistry.setRegistries([registry])
  new ClusterRegistry()
}

function readSamples(collect: NonNullable<MetricOptions['collect']>): readonly Sample[] {
  const collected = collect()
  return typeof collected === 'number' ? [{ labels: {}, value: collected }] : collected
}
