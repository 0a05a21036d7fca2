import { ServiceUnavailable } from '../framework/errors/exceptions.ts'

/**
 * Decides how much costly work runs at once, how much may wait for its turn, and what is turned away.
 * Tasks start in the order in which they came.
 */
export interface BoundedQueue {
  /**
   * Runs the task when its turn comes and settles as it does.
   * Rejects with {@link QueueFull}, without starting the task, when nobody more may wait.
   */
  run<result>(task: () => Promise<result>): Promise<result>
}

export interface QueueBounds {
  /** Tasks at work at the same time, at least 1; default 2. */
  running: number
  /** Tasks waiting for their turn beyond those; default 100. */
  waiting: number
}

/** The service is too busy for one more task; the request may be repeated later (429 or 503). */
export class QueueFull extends Error {
  override name = 'QueueFull'
}

/** Throws a RangeError when a bound is not a whole number in its range. */
export function createBoundedQueue({ running = 2, waiting = 100 }: Partial<QueueBounds> = {}): BoundedQueue {
  checkBound('running', running, 1)
  checkBound('waiting', waiting, 0)
  const turns: (() => void)[] = []
  let free = running

  async function takeSlot() {
    if (free > 0) free -= 1
    else if (turns.length < waiting) await new Promise<void>(resolve => turns.push(resolve))
    else throw new QueueFull(`${running} tasks are running and ${waiting} are waiting.`)
  }

  // The slot passes straight to the next in line, so that a newcomer cannot overtake it.
  function passSlotOn() {
    const next = turns.shift()
    if (next) next()
    else free += 1
  }

  return {
    async run(task) {
      await takeSlot()
      try {
        return await task()
      } finally {
        passSlotOn()
      }
    },
  }
}

/** Settles as the work does; a queue that is full is the service's to answer (503). */
export async function unavailableWhenFull<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof QueueFull ? new ServiceUnavailable() : error
  }
}

function checkBound(name: keyof QueueBounds, value: number, least: number) {
  if (Number.isSafeInteger(value) && value >= least) return
  throw new RangeError(`The queue's "${name}" is ${value}; give a whole number, ${least} or more.`)
}
