// Several processes that answer on one port. The first process starts them, replaces those that die, and ends them; it
// accepts the connections and hands them out in turn (node:cluster). It answers no request itself.

import cluster, { type Worker } from 'node:cluster'
import { setTimeout as delay } from 'node:timers/promises'
import { CommandError } from '../commands/error-messages.ts'
import type { Address } from '../http/listen.ts'
import { keepConnections } from './connection-handoff.ts'
import { passAcceptQueue } from './drain.ts'
import { closingTime } from './running-service.ts'
import { stopSignal } from './stop-signal.ts'
import { type PoolMessage, stopMessage, type WorkerPool } from './worker-messages.ts'
import { createWorkerSlots, mostFailures } from './worker-slots.ts'

export interface WorkersOptions {
  readonly count: number
  /** Seconds in which a worker has to answer what has been sent. */
  readonly stopTime: number
  /** Called once, when all of them listen. */
  readonly onListening: (address: Address) => void
  /** Called whenever a worker will not be replaced any more. */
  readonly onFailure: (pool: WorkerPool) => void
}

/** A worker gets so many seconds more than it gives itself; then it is killed. */
const margin = 2

/**
 * Runs workers until this process is told to stop. A worker that dies early again and again is not replaced any more;
 * throws CommandError when none is left. If the first worker cannot start, it has said why: the exit code is 1, and no
 * other worker is started.
 */
export async function runWorkers({ count, stopTime, onListening, onFailure }: WorkersOptions): Promise<void> {
  const { listening, expect } = followListening(count, onListening)
  // They would end by themselves, but not while they are busy.
  process.on('exit', killAll)
  const fork = () => startWorker(listening)
  const first = fork()
  await Promise.race([happens(first, 'listening'), happens(first, 'exit')])
  if (first.isDead()) {
    process.exitCode = 1
    return
  }
  const stopped = stopSignal()
  const tell = (worker: Worker, workerPool: WorkerPool) => worker.send({ workerPool } satisfies PoolMessage)
  const onChange = (pool: WorkerPool) => {
    onFailure(pool)
    expect(pool.wanted - pool.failed)
    for (const worker of listening.keys()) tell(worker, pool)
  }
  const slots = createWorkerSlots(first, { count, fork, onChange })
  cluster.on('listening', worker => void (slots.pool.failed > 0 && tell(worker, slots.pool)))
  const failed = slots.allFailed.then(reason => {
    throw new CommandError(
      `workers: none is left: each ended early ${mostFailures} times in a row, the last with ${reason}; the lines above say why`,
    )
  })
  try {
    await Promise.race([stopped, failed])
  } finally {
    slots.end()
    await stopAll(listening, stopTime + closingTime + margin)
  }
}

interface Listening {
  /** The workers that listen, and where. */
  readonly listening: ReadonlyMap<Worker, Address>
  /** Fewer workers than before are waited for until the listener is called. */
  expect(count: number): void
}

function followListening(count: number, onListening: WorkersOptions['onListening']): Listening {
  const listening = new Map<Worker, Address>()
  let [expected, isTold] = [count, false]
  const tell = () => {
    const [address] = listening.values()
    if (isTold || address === undefined || listening.size < expected) return
    isTold = true
    onListening(address)
  }
  cluster.on('listening', (worker, { address: host, port }) => {
    listening.set(worker, { host, port })
    tell()
  })
  cluster.on('exit', worker => void listening.delete(worker))
  return {
    listening,
    expect(fewer) {
      expected = fewer
      tell()
    },
  }
}

function startWorker(listening: ReadonlyMap<Worker, Address>): Worker {
  // An error of starting the worker, or of sending to it, shows when it ends.
  const worker = cluster.fork().on('error', () => undefined)
  keepConnections(worker, () => [...listening.keys()].some(other => other !== worker && other.isConnected()))
  return worker
}

// A worker that does not listen yet has nothing to finish.
async function stopAll(listening: ReadonlyMap<Worker, Address>, seconds: number): Promise<void> {
  const [address] = listening.values()
  if (address !== undefined) await passAcceptQueue(address)
  const ends = alive().map(worker => happens(worker, 'exit'))
  for (const worker of alive()) {
    if (listening.has(worker)) worker.send(stopMessage)
    else worker.process.kill('SIGKILL')
  }
  await Promise.race([Promise.all(ends), delay(1000 * seconds, undefined, { ref: false })])
  killAll()
}

const alive = (): Worker[] => Object.values(cluster.workers ?? {}).filter(worker => worker !== undefined)

function killAll(): void {
  for (const worker of alive()) worker.process.kill('SIGKILL')
}

const happens = (worker: Worker, event: 'listening' | 'exit'): Promise<void> =>
  new Promise(resolve => worker.once(event, () => resolve()))
