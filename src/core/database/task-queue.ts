// A queue decides how many tasks run at once, how many may wait and for how long, and which are rejected. Tasks start
// in order of arrival.

import { ServiceUnavailable } from '../errors/exceptions.ts'

/** Limits on waiting. */
export interface WaitBounds {
  /** The maximum sum of the sizes of waiting tasks; the default size of a task is 1. */
  readonly maxWaiting: number
  /** Milliseconds that a task may wait for its turn; default: no limit. */
  readonly timeout?: number
}

export interface QueueBounds extends WaitBounds {
  /** The number of tasks that run at the same time; default 1. */
  readonly maxRunning?: number
}

export interface TaskOptions {
  readonly size?: number
  /** Limits for this task, instead of the queue's. */
  readonly bounds?: WaitBounds
}

export interface TaskQueue {
  /**
   * Runs the task when its turn comes, and settles as the task does. Rejects without starting the task: with {@link
   * QueueFull} if `maxWaiting` is exceeded, with {@link QueueTimeout} if the task waited too long.
   */
  run<Result>(task: () => Promise<Result>, options?: TaskOptions): Promise<Result>
  /** The number of waiting tasks. */
  waiting(): number
}

/** Too many tasks are waiting: 503. */
export class QueueFull extends ServiceUnavailable {}

/** The task waited too long for its turn: 503. */
export class QueueTimeout extends ServiceUnavailable {}

/** Limits for a task that must run eventually. */
export const unlimitedWait: WaitBounds = { maxWaiting: Number.POSITIVE_INFINITY }

/** Throws a RangeError if a bound is out of range. */
export function createTaskQueue(defaults: QueueBounds): TaskQueue {
  checkBounds(defaults)
  const waiting = new Set<Waiting>()
  let waitingSize = 0
  let freeSlots = defaults.maxRunning ?? 1

  const waitForTurn = ({ size = 1, bounds = defaults }: TaskOptions): Promise<void> => {
    if (waitingSize + size > bounds.maxWaiting) return Promise.reject(new QueueFull())
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const { timeout } = bounds
    const entry: Waiting = { size, start: resolve, timer: undefined }
    const expire = () => {
      remove(entry)
      reject(new QueueTimeout())
    }
    if (timeout !== undefined) entry.timer = setTimeout(expire, timeout)
    waiting.add(entry)
    waitingSize += size
    return promise
  }
  const remove = (entry: Waiting) => {
    waiting.delete(entry)
    waitingSize -= entry.size
    clearTimeout(entry.timer)
  }
  // The slot passes directly to the next waiting task, so a new task cannot overtake it.
  const releaseSlot = () => {
    const [next] = waiting
    if (next === undefined) freeSlots += 1
    else {
      remove(next)
      next.start()
    }
  }
  return {
    async run(task, options = {}) {
      if (freeSlots > 0) freeSlots -= 1
      else await waitForTurn(options)
      try {
        return await task()
      } finally {
        releaseSlot()
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

/** Runs a task in the queue of this key. */
export type KeyedQueues<Key> = <Result>(key: Key, task: () => Promise<Result>, options?: TaskOptions) => Promise<Result>

/** Creates a queue per key. A queue exists only while it has running or waiting tasks. */
export function createKeyedQueues<Key>(bounds: QueueBounds): KeyedQueues<Key> {
  checkBounds(bounds)
  const queues = new Map<Key, { readonly queue: TaskQueue; tasks: number }>()
  return async (key, task, options) => {
    const existing = queues.get(key)
    const keyed = existing ?? { queue: createTaskQueue(bounds), tasks: 0 }
    if (existing === undefined) queues.set(key, keyed)
    keyed.tasks += 1
    try {
      return await keyed.queue.run(task, options)
    } finally {
      keyed.tasks -= 1
      if (keyed.tasks === 0) queues.delete(key)
    }
  }
}

function checkBounds({ maxRunning: running = 1, maxWaiting, timeout = 0 }: QueueBounds): void {
  checkBound('maxRunning', running, 1)
  checkBound('maxWaiting', maxWaiting, 0)
  checkBound('timeout', timeout, 0)
}

function checkBound(name: keyof QueueBounds, value: number, minimum: number): void {
  if (value >= minimum && (Number.isSafeInteger(value) || value === Number.POSITIVE_INFINITY)) return
  throw new RangeError(`The queue's "${name}" is ${value}; give a whole number, ${minimum} or more.`)
}
