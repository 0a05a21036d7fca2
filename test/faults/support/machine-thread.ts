// The worker thread of `machine.ts`. It only sleeps, and notes how late it wakes.

import { parentPort, workerData } from 'node:worker_threads'
import { due, longest, recent, total } from './machine.ts'

/** Milliseconds of each sleep. */
const pause = 2
/**
 * Nanoseconds. A thread that waits for one time slice of another thread is less late; the service and the test share
 * the processors in this way.
 */
const tolerance = 4_000_000n
/** The nanoseconds over which the recent share is an average. */
const period = 10e9

const buffer = workerData as SharedArrayBuffer
const [counters, shares] = [new BigInt64Array(buffer), new Float64Array(buffer)]
const sleeper = new Int32Array(new SharedArrayBuffer(4))

function plan(): bigint {
  const moment = process.hrtime.bigint() + BigInt(pause) * 1_000_000n
  Atomics.store(counters, due, moment)
  return moment
}

let [planned, woken] = [plan(), process.hrtime.bigint()]
parentPort!.postMessage('ready')
for (;;) {
  Atomics.wait(sleeper, 0, 0, pause)
  const now = process.hrtime.bigint()
  const late = now - planned < tolerance ? 0n : now - planned
  const passed = Number(now - woken)
  const weight = 1 - Math.exp(-passed / period)
  shares[recent]! += weight * (Number(late) / passed - shares[recent]!)
  woken = now
  planned = plan()
  Atomics.add(counters, total, late)
  if (late > counters[longest]!) Atomics.store(counters, longest, late)
}
