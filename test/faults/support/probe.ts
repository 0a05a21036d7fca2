// A client that runs during the fault and measures response times. It requests a few paths one by one, on a separate
// thread, so that the work of the test does not affect the times.

import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

export interface ProbeOptions {
  readonly origin: string
  /** The expected statuses by path; another status is a failure. */
  readonly paths: Readonly<Record<string, readonly number[]>>
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** Milliseconds between a response and the next request; default 10. */
  readonly pause?: number
  /** As for `openClient`; an aborted request is a failure. */
  readonly timeout?: number
}

/** In milliseconds. */
interface Times {
  readonly mean: number
  readonly median: number
  readonly p99: number
  readonly max: number
}

export interface ProbeResult extends Times {
  readonly count: number
  /** Without the delay of the machine, to compare with bounds. */
  readonly judged: Times
  /** The number of responses by path and status, such as `/healthz 200`. */
  readonly answers: Readonly<Record<string, number>>
  /** The first ten unexpected or missing responses. */
  readonly failures: readonly string[]
}

export interface Probe {
  /** Returns the results since the start or the previous call. */
  results(): Promise<ProbeResult>
  /** Returns the results, and stops the probe. */
  stop(): Promise<ProbeResult>
}

export async function startProbe(options: ProbeOptions): Promise<Probe> {
  const worker = new Worker(new URL('./probe-thread.ts', import.meta.url), { workerData: options })
  await once(worker, 'message')
  const results = async () => {
    const answered = once(worker, 'message')
    worker.postMessage('results')
    return summary((await answered)[0] as Seen)
  }
  return {
    results,
    async stop() {
      const last = await results()
      await worker.terminate()
      return last
    },
  }
}

/** The message of the thread. */
export interface Seen {
  readonly times: readonly number[]
  readonly judgedTimes: readonly number[]
  readonly answers: Readonly<Record<string, number>>
  readonly failures: readonly string[]
}

/** Returns the percentile of the times, with `part` from 0 to 1; NaN if there are no times. */
export function percentile(times: readonly number[], part: number): number {
  const sorted = times.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN
}

export const formatProbe = ({ count, median, p99, max, judged }: ProbeResult): string =>
  `${count} responses, median ${median.toFixed(1)} ms, p99 ${p99.toFixed(0)} ms, longest ${max.toFixed(0)} ms (${judged.p99.toFixed(0)} and ${judged.max.toFixed(0)} ms without the delay of the machine)`

const summarize = (times: readonly number[]): Times => ({
  mean: times.reduce((sum, time) => sum + time, 0) / times.length,
  median: percentile(times, 0.5),
  p99: percentile(times, 0.99),
  max: percentile(times, 1),
})

const summary = ({ times, judgedTimes, ...seen }: Seen): ProbeResult => ({
  ...seen,
  ...summarize(times),
  count: times.length,
  judged: summarize(judgedTimes),
})
