// Runs several worker processes on one port. The first process starts, replaces and stops the workers. It accepts the
// connections and distributes them in turn (node:cluster), but serves no requests.

import cluster, { type Worker } from 'node:cluster'
import { setTimeout as delay } from 'node:timers/promises'
import { type Address, waitForAcceptQueue } from '#server'
import { recoverConnections } from './connection-handoff.ts'
import { CommandError } from './error-messages.ts'
import { closingTime } from './running-service.ts'
import { waitForStopSignal } from './stop-signal.ts'
import { type PoolMessage, stopMessage, type WorkerPool } from './worker-messages.ts'
import { createWorkerSlots, maxFailures } from './worker-slots.ts'

export interface WorkersOptions {
  readonly count: number
  /** Seconds that a worker has, once it is told to stop, to respond to the requests that clients have sent. */
  readonly stopTime: number
  /** Called once, when all workers listen. */
  readonly onListening: (address: Address) => void
  /** Called whenever a worker has failed and will not be replaced. */
  readonly onFailure: (pool: WorkerPool) => void
  /** Called with the number of workers that take requests, whenever it changes; with 0 when all are told to stop. */
  readonly onCount: (listening: number) => void
}

/** A worker that has not exited this many seconds after its own time limit is killed. */
const margin = 2

/**
 * Runs workers until a stop signal. A worker that repeatedly exits early is not replaced; throws CommandError when no
 * worker is left. If the first worker cannot start, it has printed the error: the exit code is 1, and no other worker
 * is started.
 */
export async function runWorkers(options: WorkersOptions): Promise<void> {
  const { count, stopTime, onFailure } = options
  const { listening, expect, announceStop } = followListening(options)
  // Workers exit when their parent does, but not while they are busy.
  process.on('exit', killAll)
  const fork = () => startWorker(listening)
  const first = fork()
  await Promise.race([waitFor(first, 'listening'), waitFor(first, 'exit')])
  if (first.isDead()) {
    process.exitCode = 1
    return
  }
  const stopped = waitForStopSignal()
  const sendPool = (worker: Worker, workerPool: WorkerPool) => worker.send({ workerPool } satisfies PoolMessage)
  const onChange = (pool: WorkerPool) => {
    onFailure(pool)
    expect(pool.wanted - pool.failed)
    for (const worker of listening.keys()) sendPool(worker, pool)
  }
  const slots = createWorkerSlots(first, { count, fork, onChange })
  cluster.on('listening', worker => void (slots.pool.failed > 0 && sendPool(worker, slots.pool)))
  const failed = slots.allFailed.then(reason => {
    throw new CommandError(
      `workers: all have failed: each exited early ${maxFailures} times in a row, the last one with ${reason}; the lines above show why`,
    )
  })
  try {
    await Promise.race([stopped, failed])
  } finally {
    slots.end()
    announceStop()
    await stopAll(listening, stopTime)
  }
}

interface Listening {
  /** The workers that listen, with their address. */
  readonly listening: ReadonlyMap<Worker, Address>
  /** Lowers the number of workers that have to listen before `onListening` is called. */
  expect(count: number): void
  /** Reports that no worker takes requests any more. */
  announceStop(): void
}

function followListening({ count, onListening, onCount }: WorkersOptions): Listening {
  const listening = new Map<Worker, Address>()
  let [expected, isCalled, isStopping] = [count, false, false]
  const report = () => onCount(isStopping ? 0 : listening.size)
  const callOnce = () => {
    const [address] = listening.values()
    if (isCalled || address === undefined || listening.size < expected) return
    isCalled = true
    onListening(address)
  }
  cluster.on('listening', (worker, { address: host, port }) => {
    listening.set(worker, { host, port })
    report()
    callOnce()
  })
  cluster.on('exit', worker => {
    listening.delete(worker)
    report()
  })
  return {
    listening,
    expect(count) {
      expected = count
      callOnce()
    },
    announceStop() {
      isStopping = true
      report()
    },
  }
}

function startWorker(listening: ReadonlyMap<Worker, Address>): Worker {
  // If the worker cannot be started, or a message cannot be sent to it, it exits, and its exit is handled elsewhere.
  const worker = cluster.fork().on('error', () => undefined)
  recoverConnections(worker, () => [...listening.keys()].some(other => other !== worker && other.isConnected()))
  return worker
}

// A worker that does not listen yet has no requests to finish, so it is killed.
async function stopAll(listening: ReadonlyMap<Worker, Address>, stopTime: number): Promise<void> {
  const [address] = listening.values()
  if (address !== undefined) await waitForAcceptQueue(address, 1000 * stopTime)
  const exits = listWorkers().map(worker => waitFor(worker, 'exit'))
  for (const worker of listWorkers()) {
    if (listening.has(worker)) worker.send(stopMessage)
    else worker.process.kill('SIGKILL')
  }
  await Promise.race([Promise.all(exits), delay(1000 * (stopTime + closingTime + margin), undefined, { ref: false })])
  killAll()
}

const listWorkers = (): Worker[] => Object.values(cluster.workers ?? {}).filter(worker => worker !== undefined)

function killAll(): void {
  for (const worker of listWorkers()) worker.process.kill('SIGKILL')
}

const waitFor = (worker: Worker, event: 'listening' | 'exit'): Promise<void> =>
  new Promise(resolve => worker.once(event, () => resolve()))
