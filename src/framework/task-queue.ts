// Decides how many tasks run at once, how much may wait for its turn and how long, and what is refused. Tasks start in
// the order in which they came.

import { ServiceUnavailable } from './errors/exceptions.ts'

/** How much may wait, and how long. */
export interface WaitBounds {
  /** The sizes of the waiting tasks, together; a task that does not name its size counts as 1. */
  readonly maxWaiting: number
  /** Milliseconds that a task waits for its turn; default: without end. */
  readonly timeout?: number
}

export interface QueueBounds extends WaitBounds {
  /** Tasks that run at the same time; default 1. */
  readonly running?: number
}

export interface TaskOptions {
  readonly size?: number
  /** The bounds of this one task, instead of those of the queue. */
  readonly bounds?: WaitBounds
}

export interface TaskQueue {
  /**
   * Runs the task when its turn comes, and settles as it does. Rejects without starting the task: with
   * {@link QueueFull} when too much waits already, with {@link QueueTimeout} when the turn does not come in time.
   */
  run<Result>(task: () => Promise<Result>, options?: TaskOptions): Promise<Result>
  /** How many tasks wait for their turn. */
  waiting(): number
}

/** Too much waits already: 503. */
export class QueueFull extends ServiceUnavailable {}

/** The turn did not come in time: 503. */
export class QueueTimeout extends ServiceUnavailable {}

/** For a task that has to run some time. */
export const unbounded: WaitBounds = { maxWaiting: Number.POSITIVE_INFINITY }

/** Throws a RangeError where a bound is not a number in its range. */
export function createTaskQueue(defaults: QueueBounds): TaskQueue {
  checkBounds(defaults)
  const waiting = new Set<Waiting>()
  let waitingSize = 0
  let free = defaults.running ?? 1

  const enter = ({ size = 1, bounds = defaults }: TaskOptions): Promise<void> => {
    if (waitingSize + size > bounds.maxWaiting) return Promise.reject(new QueueFull())
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const { timeout } = bounds
    const entry: Waiting = { size, start: resolve, timer: undefined }
    const leave = () => {
      remove(entry)
      reject(new QueueTimeout())
    }
    if (timeout !== undefined) entry.timer = setTimeout(leave, timeout)
    waiting.add(entry)
    waitingSize += size
    return promise
  }
  const remove = (entry: Waiting) => {
    waiting.delete(entry)
    waitingSize -= entry.size
    clearTimeout(entry.timer)
  }
  // The place passes straight to the next in line, so that a newcomer cannot overtake it.
  const passOn = () => {
    const [next] = waiting
    if (next === undefined) free += 1
    else {
      remove(next)
      next.start()
    }
  }
  return {
    async run(task, options = {}) {
      if (free > 0) free -= 1
      else await enter(options)
      try {
        return await task()
      } finally {
        passOn()
      }
    },
    waiting: () => waiting.size,
  }
}

interface Waiting {
  readonly size: number
  readonly start: () => void
  timer: NodeJS.Timeout | undefined
}

/** Runs a task in the queue of its key. */
export type KeyedQueues<Key> = <Result>(key: Key, task: () => Promise<Result>, options?: TaskOptions) => Promise<Result>

/** A queue for each key, which exists while a task of it runs or waits. */
export function createKeyedQueues<Key>(bounds: QueueBounds): KeyedQueues<Key> {
  checkBounds(bounds)
  const queues = new Map<Key, { readonly queue: TaskQueue; tasks: number }>()
  return async (key, task, options) => {
    const known = queues.get(key)
    const own = known ?? { queue: createTaskQueue(bounds), tasks: 0 }
    if (known === undefined) queues.set(key, own)
    own.tasks += 1
    try {
      return await own.queue.run(task, options)
    } finally {
      own.tasks -= 1
      if (own.tasks === 0) queues.delete(key)
    }
  }
}

function checkBounds({ running = 1, maxWaiting, timeout = 0 }: QueueBounds): void {
  checkBound('running', running, 1)
  checkBound('maxWaiting', maxWaiting, 0)
  checkBound('timeout', timeout, 0)
}

function checkBound(name: keyof QueueBounds, value: number, least: number): void {
  if (value >= least && (Number.isSafeInteger(value) || value === Number.POSITIVE_INFINITY)) return
  throw new RangeError(`The queue's "${name}" is ${value}; give a whole number, ${least} or more.`)
}
