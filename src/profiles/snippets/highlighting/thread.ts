import { Worker } from 'node:worker_threads'

/**
 * One worker thread that does one task at a time: started when first needed, killed when a task takes too long
 * or when it has been idle, replaced at the next task.
 *
 * Our own and not Piscina's, whose tasks with an abort signal are not counted by `maxQueue`, wait for ever when
 * the only thread is aborted (with `minThreads: 0`, which an idle pool needs to give its memory back), and do
 * not tell when they begin, which is when the deadline must begin.
 */
export interface Thread<Task, Answer> {
  /**
   * Rejects when the task takes longer than the deadline, in milliseconds from when a thread that is ready begins with
   * it, the thread crashes or it is closed.
   */
  run(task: Task, deadline: number): Promise<Answer>
  /** Ends the thread; what it is doing and all later tasks are rejected. */
  close(): Promise<void>
}

export interface ThreadOptions {
  /** Milliseconds without a task after which the thread is ended. */
  readonly idle: number
  /** MiB of heap the thread may take. */
  readonly memory: number
}

/** A task took longer than the deadline, or waited longer than it may. */
export class DeadlineError extends Error {}

/** The module at `url` posts one message when it is ready, and then one for each task it is sent. */
export function createThread<Task, Answer>(url: URL, options: ThreadOptions): Thread<Task, Answer> {
  let worker: Promise<Worker> | undefined
  let idleTimer: NodeJS.Timeout | undefined
  let closed = false

  async function run(task: Task, deadline: number): Promise<Answer> {
    if (closed) throw new Error('the thread is closed')
    clearTimeout(idleTimer)
    worker ??= start()
    try {
      return (await answerOf(await worker, task, deadline)) as Answer
    } catch (error) {
      await stop()
      throw error
    } finally {
      idleTimer = setTimeout(stop, options.idle).unref()
    }
  }

  function start(): Promise<Worker> {
    const starting = startWorker(url, options.memory)
    const forget = () => {
      if (worker === starting) worker = undefined
    }
    starting.then(started => started.once('exit', forget), forget)
    return starting
  }

  async function stop(): Promise<void> {
    const stopping = worker
    worker = undefined
    await stopping?.then(
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

const startLimit = 10_000

async function startWorker(url: URL, memory: number): Promise<Worker> {
  const worker = new Worker(url, { execArgv: [], resourceLimits: { maxOldGenerationSizeMb: memory } })
  // Between tasks nobody else listens, and an error nobody hears ends the process; `exit` follows it.
  worker.on('error', () => undefined)
  try {
    await messageOf(worker, startLimit)
    worker.unref()
    return worker
  } catch (error) {
    await worker.terminate()
    throw error
  }
}

async function answerOf(worker: Worker, task: unknown, deadline: number): Promise<unknown> {
  worker.ref()
  worker.postMessage(task)
  const answer = await messageOf(worker, deadline)
  worker.unref()
  return answer
}

function messageOf(worker: Worker, limit: number): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const late = () => reject(new DeadlineError(`the thread did not answer in ${limit} ms`))
  const ended = () => reject(new Error('the thread ended'))
  const timer = setTimeout(late, limit)
  worker.once('message', resolve).once('error', reject).once('exit', ended)
  return promise.finally(() => {
    clearTimeout(timer)
    worker.off('message', resolve).off('error', reject).off('exit', ended)
  })
}
