// Several processes that answer on one port. The first one starts them, replaces those that die, and ends them; it
// accepts the connections and hands them out in turn (node:cluster). It answers no request itself.

import cluster, { type Worker } from 'node:cluster'
import { setTimeout as delay } from 'node:timers/promises'
import { CommandError } from '../commands/error-messages.ts'
import { warn } from '../logging/standard-streams.ts'
import { passAcceptQueue } from './drain.ts'
import { type Address, closingTime } from './running-service.ts'
import { stopSignal } from './stop-signal.ts'

export interface WorkersOptions {
  readonly count: number
  /** Seconds in which a worker has to answer what has been sent. */
  readonly stopTime: number
  /** Called once, when all of them answer. */
  readonly onListening: (address: Address) => void
}

/** What the first process tells a worker. */
export const stopMessage = 'stop'

/** A worker that has not answered, or not for longer than this, has died at once; in milliseconds. */
const soon = 5000
/** The pause before such a one is replaced, in milliseconds; each further one doubles it. */
const firstPause = 100
/** So many in a row are no accident. */
const mostFailures = 5
/** Seconds more than a worker gives itself, before it is killed. */
const margin = 2

/**
 * Runs workers until this process is told to stop. Throws CommandError when they die again and again. Where the first
 * one does not start, it has said why: then the exit code is 1, and nobody else is started.
 */
export async function runWorkers({ count, stopTime, onListening }: WorkersOptions): Promise<void> {
  const answering = followAnswering(count, onListening)
  // They would end by themselves, but not while they are busy.
  process.on('exit', killAll)
  const first = fork()
  await Promise.race([happens(first, 'listening'), happens(first, 'exit')])
  if (first.isDead()) {
    process.exitCode = 1
    return
  }
  const asked = stopSignal()
  const { failed, end } = keepAlive(first, count)
  try {
    await Promise.race([asked, failed])
  } finally {
    end()
    await stopAll(answering, stopTime + closingTime + margin)
  }
}

function followAnswering(count: number, onListening: WorkersOptions['onListening']): ReadonlyMap<Worker, Address> {
  const answering = new Map<Worker, Address>()
  let isTold = false
  cluster.on('listening', (worker, { address: host, port }) => {
    answering.set(worker, { host, port })
    if (isTold || answering.size < count) return
    isTold = true
    onListening({ host, port })
  })
  cluster.on('exit', worker => void answering.delete(worker))
  return answering
}

/** Starts the others, and one in the place of each that ends, until `end` is called or it is of no use. */
function keepAlive(first: Worker, count: number): { readonly failed: Promise<never>; readonly end: () => void } {
  const { promise: failed, reject } = Promise.withResolvers<never>()
  let [failures, isEnding] = [0, false]
  const start = () => {
    if (!isEnding) watch(fork())
  }
  const watch = (worker: Worker) => {
    let began = worker === first ? performance.now() : Number.POSITIVE_INFINITY
    worker.once('listening', () => {
      began = performance.now()
    })
    worker.once('exit', (code, signal) => {
      if (isEnding) return
      failures = performance.now() - began < soon ? failures + 1 : 0
      if (failures === mostFailures) return reject(new CommandError(givenUp(signal ?? code)))
      const pause = failures === 0 ? 0 : firstPause * 2 ** (failures - 1)
      warn(`worker ${worker.process.pid} ended (${signal ?? code}): another one starts in ${pause} ms`)
      setTimeout(start, pause)
    })
  }
  watch(first)
  for (let number = 1; number < count; number++) start()
  return {
    failed,
    end() {
      isEnding = true
    },
  }
}

const givenUp = (last: string | number): string =>
  `workers: ${mostFailures} in a row died at once, the last with ${last}; what they said stands above`

// Whoever does not answer yet has nothing to finish.
async function stopAll(answering: ReadonlyMap<Worker, Address>, seconds: number): Promise<void> {
  const [address] = answering.values()
  if (address !== undefined) await passAcceptQueue(address)
  const ends = alive().map(worker => happens(worker, 'exit'))
  for (const worker of alive()) {
    if (answering.has(worker)) worker.send(stopMessage)
    else worker.process.kill('SIGKILL')
  }
  await Promise.race([Promise.all(ends), delay(1000 * seconds, undefined, { ref: false })])
  killAll()
}

// What cannot be sent to a worker, or started, shows when it ends.
const fork = (): Worker => cluster.fork().on('error', () => undefined)

const alive = (): Worker[] => Object.values(cluster.workers ?? {}).filter(worker => worker !== undefined)

function killAll(): void {
  for (const worker of alive()) worker.process.kill('SIGKILL')
}

const happens = (worker: Worker, event: 'listening' | 'exit'): Promise<void> =>
  new Promise(resolve => worker.once(event, () => resolve()))
