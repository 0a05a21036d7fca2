import { Worker } from 'node:worker_threads'

/**
 * A worker thread that runs one task at a time. It starts with the first task, is terminated when a task exceeds its
 * deadline or when it is idle, and starts again with the next task.
 *
 * Piscina does not fit: its `maxQueue` does not count tasks with an abort signal, such tasks never settle if the only
 * thread is aborted (with `minThreads: 0`, which is needed to free the memory of an idle pool), and it does not report
 * when a task starts, so a deadline cannot start then.
 */
export interface Thread<Task, Result> {
  /**
   * Runs the task. The deadline is in milliseconds from when a ready thread starts the task. Rejects with DeadlineError
   * if the task exceeds it, and with an Error if the thread crashes or is closed.
   */
  run(task: Task, deadline: number): Promise<Result>
  /** Terminates the thread; rejects the current task and all later ones. */
  close(): Promise<void>
}

export interface ThreadOptions {
  /** Milliseconds without a task after which the thread is terminated. */
  readonly idle: number
  /** Maximum heap size in MiB. */
  readonly memory: number
}

/** A task exceeded its deadline or its maximum waiting time. */
export class DeadlineError extends Error {}

/** The module at `url` must post one message when it is ready, and one result for each task. */
export function createThread<Task, Result>(url: URL, options: ThreadOptions): Thread<Task, Result> {
  let worker: Promise<Worker> | undefined
  let idleTimer: NodeJS.Timeout | undefined
  let closed = false

  async function run(task: Task, deadline: number): Promise<Result> {
    if (closed) throw new Error('the thread is closed')
    clearTimeout(idleTimer)
    worker ??= start(Math.max(minStartTime, deadline))
    try {
      return (await runTask(await worker, task, deadline)) as Result
    } catch (error) {
      await stop()
      throw error
    } finally {
      idleTimer = setTimeout(stop, options.idle).unref()
    }
  }

  function start(timeout: number): Promise<Worker> {
    const startedWorker = startWorker(url, options.memory, timeout)
    const clearWorker = () => {
      if (worker === startedWorker) worker = undefined
    }
    startedWorker.then(started => started.once('exit', clearWorker), clearWorker)
    return startedWorker
  }

  async function stop(): Promise<void> {
    const stoppedWorker = worker
    worker = undefined
    await stoppedWorker?.then(
      started => started.terminate(),
      () => undefined,
    )
  }

  async function close(): Promise<void> {
    closed = true
    clearTimeout(idleTimer)
    await stop()
  }

  return { run, close }
}

/** The milliseconds that a thread has to start, even if the deadline of its first task is shorter. */
const minStartTime = 10_000

async function startWorker(url: URL, memory: number, timeout: number): Promise<Worker> {
  const worker = new Worker(url, { execArgv: [], resourceLimits: { maxOldGenerationSizeMb: memory } })
  // Without a listener, an error between two tasks would crash the process; `exit` follows the error.
  worker.on('error', () => undefined)
  try {
    await waitForMessage(worker, timeout)
    worker.unref()
    return worker
  } catch (error) {
    await worker.terminate()
    throw error
  }
}

async function runTask(worker: Worker, task: unknown, deadline: number): Promise<unknown> {
  worker.ref()
  worker.postMessage(task)
  const result = await waitForMessage(worker, deadline)
  worker.unref()
  return result
}

function waitForMessage(worker: Worker, timeout: number): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const onTimeout = () => reject(new DeadlineError(`the thread did not respond within ${timeout} ms`))
  const onExit = () => reject(new Error('the thread ended'))
  const timer = setTimeout(onTimeout, timeout)
  worker.once('message', resolve).once('error', reject).once('exit', onExit)
  return promise.finally(() => {
    clearTimeout(timer)
    worker.off('message', resolve).off('error', reject).off('exit', onExit)
  })
}
