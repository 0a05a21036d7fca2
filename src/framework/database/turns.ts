import { ServiceUnavailable } from '../errors/exceptions.ts'

/** How many tasks may wait behind the one that runs, and how long each, in milliseconds. */
export interface TurnBounds {
  readonly maxWaiting: number
  readonly timeout: number
}

/**
 * Runs tasks of one key one after the other: each begins when those before it have ended, however they ended. Rejects
 * with ServiceUnavailable where too many wait already, or when the turn does not come in time; the task never begins.
 */
export type Turns<Key> = <Result>(key: Key, task: () => Promise<Result>, bounds?: TurnBounds) => Promise<Result>

const usual: TurnBounds = { maxWaiting: 500, timeout: 5000 }

/** For a task that has to run some time. */
export const unboundedTurn: TurnBounds = { maxWaiting: Number.POSITIVE_INFINITY, timeout: 0 }

export function createTurns<Key>(defaults: TurnBounds = usual): Turns<Key> {
  // Who waits for the key; there is a list while a task of it runs.
  const lines = new Map<Key, (() => void)[]>()
  const end = (key: Key) => {
    const next = lines.get(key)!.shift()
    if (next === undefined) lines.delete(key)
    else next()
  }
  return async (key, task, bounds = defaults) => {
    const line = lines.get(key)
    if (line === undefined) lines.set(key, [])
    else await turn(line, bounds)
    try {
      return await task()
    } finally {
      end(key)
    }
  }
}

function turn(line: (() => void)[], { maxWaiting, timeout }: TurnBounds): Promise<void> {
  if (line.length >= maxWaiting) return Promise.reject(new ServiceUnavailable())
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const timer = timeout > 0 ? setTimeout(leave, timeout) : undefined
  const enter = () => {
    clearTimeout(timer)
    resolve()
  }
  line.push(enter)
  return promise

  function leave() {
    line.splice(line.indexOf(enter), 1)
    reject(new ServiceUnavailable())
  }
}
