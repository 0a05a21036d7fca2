// How much the machine delays what runs on it. Other programs use the processors too, so a response may take longer
// than the service needs for it, and must not break a promise. A thread sleeps for two milliseconds again and again,
// and notes how late it wakes. Faults subtract this delay from each time that they compare with a bound.

import { once } from 'node:events'
import { getEnvironmentData, setEnvironmentData, Worker } from 'node:worker_threads'

/**
 * Places in the shared memory. In nanoseconds: how late the thread has been in all, when it has to wake, and how late it
 * has been at most. And the share of the last ten seconds in which it was late.
 */
export const [total, due, longest, recent] = [0, 1, 2, 3]
const places = 4

/**
 * A thread that computes is delayed more than one that sleeps. Measured: it got 22 % of a processor while the sleeping
 * thread was late for 25 % of the time, and 3 % while that was late for 80 %. The fourth power is between the two.
 */
const power = 4

const key = 'the delay of the machine'
let start = performance.now()

/** Starts the thread. The workers that are started later read its counters too; without it, no delay is known. */
export async function watchMachine(): Promise<void> {
  const buffer = new SharedArrayBuffer(places * BigInt64Array.BYTES_PER_ELEMENT)
  const thread = new Worker(new URL('machine-thread.ts', import.meta.url), { workerData: buffer })
  await once(thread, 'message')
  thread.unref()
  setEnvironmentData(key, buffer)
  start = performance.now()
}

/** How late the sleeping thread has been: in all and at most, in milliseconds, and as a share of the last ten seconds. */
interface Lateness {
  readonly sum: number
  readonly most: number
  readonly share: number
}

function readLateness(): Lateness {
  const buffer = getEnvironmentData(key) as SharedArrayBuffer | undefined
  if (buffer === undefined) return { sum: 0, most: 0, share: 0 }
  const counters = new BigInt64Array(buffer)
  // The thread may be late at this moment.
  const late = Math.max(0, Number(process.hrtime.bigint() - Atomics.load(counters, due)))
  const [sum, most] = [total, longest].map(place => Number(Atomics.load(counters, place)))
  return { sum: (sum! + late) / 1e6, most: Math.max(most!, late) / 1e6, share: new Float64Array(buffer)[recent]! }
}

/** Returns a function that returns the milliseconds since now, without the delay of the machine. */
export function startStopwatch(): () => number {
  const [began, before] = [performance.now(), readLateness().sum]
  return () => {
    const [time, { sum, share }] = [performance.now() - began, readLateness()]
    return time * computeSpeed(Math.max((sum - before) / Math.max(time, 1), share))
  }
}

/**
 * Returns the speed of a thread that computes, from 0 to 1, from the share of the time in which the sleeping thread was
 * late. A short time does not tell how busy the machine is, so the last ten seconds count too.
 */
export const computeSpeed = (share: number): number => (1 - Math.min(1, share)) ** power

/**
 * Calls `onLate` when this many milliseconds have passed without the delay of the machine. Returns a function that
 * cancels the call.
 */
export function startDeadline(bound: number, onLate: () => void, passed = startStopwatch()): () => void {
  const look = () => {
    const left = bound - passed()
    if (left <= 0) return onLate()
    timer = setTimeout(look, left)
  }
  let timer = setTimeout(look, bound)
  return () => clearTimeout(timer)
}

/** Resolves as `result` does; rejects after this many milliseconds without the delay of the machine. */
export async function within<Result>(bound: number, what: string, result: Promise<Result>): Promise<Result> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const cancel = startDeadline(bound, () => reject(new Error(`not within ${bound} ms: ${what}`)))
  return Promise.race([result, late]).finally(cancel)
}

/** The speed of a thread that computes since `watchMachine`, from 0 to 1. */
export const readSpeed = (): number => computeSpeed(readLateness().sum / (performance.now() - start))

/** Describes how busy the machine has been since `watchMachine`. */
export function formatDelay(): string {
  const { sum, most } = readLateness()
  const seconds = (milliseconds: number) => (milliseconds / 1000).toFixed(1)
  const time = seconds(performance.now() - start)
  return `a sleeping thread was late for ${seconds(sum)} of ${time} s, at most for ${most.toFixed(0)} ms at once, so bounds of time were ${(1 / readSpeed()).toFixed(1)} times as long`
}
