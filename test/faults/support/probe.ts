// A caller beside the fault: asks for the same few paths, one after the other, on a thread of its own, so that what the
// fault does in this process is not in its times.

import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

export interface ProbeOptions {
  readonly origin: string
  /** Paths and the statuses that they answer; any other is a failure. */
  readonly paths: Readonly<Record<string, readonly number[]>>
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** Milliseconds between an answer and the next request; default 10. */
  readonly pause?: number
  /** Milliseconds until a request is given up, which is a failure; default 10,000. */
  readonly timeout?: number
}

/** Times are in milliseconds. */
export interface ProbeResult {
  readonly count: number
  readonly median: number
  readonly p99: number
  readonly max: number
  /** The longest that the thread itself was kept waiting beyond its pause: what the machine adds to a time. */
  readonly ownDelay: number
  /** How many answers there were, by path and status: `/healthz 200`. */
  readonly answers: Readonly<Record<string, number>>
  /** Answers that were not expected, or none; the first ten. */
  readonly failures: readonly string[]
}

export interface Probe {
  /** What it has seen since it began, or since it was asked last. */
  results(): Promise<ProbeResult>
  /** The same, and its end. */
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

/** What the thread sends. */
export interface Seen {
  readonly times: readonly number[]
  readonly ownDelay: number
  readonly answers: Readonly<Record<string, number>>
  readonly failures: readonly string[]
}

/** The time that so much of them do not exceed; NaN of none. */
export function percentile(times: readonly number[], part: number): number {
  const sorted = times.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN
}

export const formatProbe = ({ count, median, p99, max }: ProbeResult): string =>
  `${count} answers, median ${median.toFixed(1)} ms, p99 ${p99.toFixed(0)} ms, longest ${max.toFixed(0)} ms`

function summary({ times, ...seen }: Seen): ProbeResult {
  return {
    ...seen,
    count: times.length,
    median: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    max: percentile(times, 1),
  }
}
