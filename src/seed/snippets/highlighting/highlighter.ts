import { availableParallelism } from 'node:os'
import { ServiceUnavailable } from 'resource-api'
import { createTaskQueue, QueueFull, QueueTimeout, timeSlices } from '#core'
import { formatDocument, normalizeLineEnds, plainCode, type SnippetSource } from './document.ts'
import { createThread, DeadlineError, type Thread } from './thread.ts'

/** Renders the pages of snippets in worker threads. A snippet's content never makes the highlighter fail. */
export interface Highlighter {
  /**
   * Renders the page of a snippet (`RES-SNIP-r8`). The code is plain text in the colours of the style if it exceeds
   * `maxCode` or `maxLineLength`, and plain text in default colours if it exceeds `maxWait` or `deadline` or crashes
   * its thread.
   *
   * @throws {HighlighterBusy} if the queue is full, or if code longer than `maxCode` is not rendered in time: the main
   * thread would take too long to render it
   */
  highlight(snippet: SnippetSource): Promise<string>
  /** Counters since the start. */
  stats(): HighlighterStats
  /** Terminates all threads. Current and later snippets are rendered as plain text. */
  close(): Promise<void>
}

/** Numbers of snippets. */
export interface HighlighterStats {
  /** Currently waiting for a thread. */
  readonly waiting: number
  readonly highlighted: number
  /** Rendered as plain text because the code or a line was too long. */
  readonly plain: number
  /** Not highlighted because `maxWait` or `deadline` passed. */
  readonly late: number
  /** Not highlighted because the thread crashed. */
  readonly failed: number
}

export interface HighlighterOptions {
  /** Maximum number of worker threads. Default: 2 with three or more processors, otherwise 1. */
  readonly threads?: number
  /** Maximum milliseconds from when a thread starts to render a snippet; default 2000. */
  readonly deadline?: number
  /** Maximum UTF-16 units of code in the queue, where each snippet counts as at least 4096; default 16 Mi. */
  readonly maxQueue?: number
  /** Maximum milliseconds that a snippet waits for a thread; default 5000. */
  readonly maxWait?: number
  /** Maximum UTF-16 units of a line that is highlighted; default 5000. */
  readonly maxLineLength?: number
  /** Maximum UTF-16 units of code that is highlighted; default 100,000. */
  readonly maxCode?: number
  /** Milliseconds without a snippet after which a thread is terminated; default 60,000. */
  readonly idle?: number
  /** Maximum heap size of a thread in MiB; default 256. */
  readonly memory?: number
  /** Called with the error if a snippet is not highlighted in time or crashes its thread. */
  readonly onFailure?: (error: unknown) => void
}

/** 503: too many snippets wait to be highlighted. */
export class HighlighterBusy extends ServiceUnavailable {
  static override message = 'Too many snippets are waiting to be highlighted. Try again later.'
}

const defaults = {
  threads: availableParallelism() > 2 ? 2 : 1,
  deadline: 2000,
  maxQueue: 16 * 1024 * 1024,
  maxWait: 5000,
  maxLineLength: 5000,
  maxCode: 100_000,
  idle: 60_000,
  memory: 256,
}

/**
 * Creates a highlighter. The first snippet starts the first thread.
 *
 * @throws {RangeError} if `threads` is less than 1
 *
 * @example
 * ```ts
 * const highlighter = createHighlighter({ deadline: 1000 })
 * const snippet = { code: 'print(1)', language: 'python', style: 'friendly', linenos: true, title: '' }
 * const page = await highlighter.highlight(snippet)
 * await highlighter.close()
 * ```
 */
export function createHighlighter(options: HighlighterOptions = {}): Highlighter {
  const settings = { ...defaults, ...options }
  if (!(settings.threads >= 1)) throw new RangeError('createHighlighter(): threads must be at least 1')
  const threads = Array.from({ length: settings.threads }, () =>
    createThread<SnippetSource, string>(workerUrl, settings),
  )
  const queue = createTaskQueue({
    maxRunning: settings.threads,
    maxWaiting: settings.maxQueue,
    timeout: settings.maxWait,
  })
  // Reuses the most recently used thread, so that under low load the other threads become idle and end.
  const idleThreads = [...threads]
  const render = async (snippet: SnippetSource) => {
    const thread = idleThreads.pop()!
    const [task, deadline] = createTask(snippet, settings)
    const page = await thread.run(task, deadline).finally(() => idleThreads.push(thread))
    counters[task === snippet ? 'highlighted' : 'plain'] += 1
    return page
  }
  const counters = { highlighted: 0, plain: 0, late: 0, failed: 0 }

  async function highlight(snippet: SnippetSource): Promise<string> {
    try {
      return await queue.run(() => render(snippet), { size: Math.max(snippet.code.length, 4096) })
    } catch (raised) {
      if (raised instanceof QueueFull) throw new HighlighterBusy()
      const error =
        raised instanceof QueueTimeout
          ? new DeadlineError(`no thread was available within ${settings.maxWait} ms`)
          : raised
      counters[error instanceof DeadlineError ? 'late' : 'failed'] += 1
      settings.onFailure?.(error)
      if (snippet.code.length > settings.maxCode) throw new HighlighterBusy()
      return plainDocument(snippet)
    }
  }

  const stats = () => ({ waiting: queue.waiting(), ...counters })
  return { highlight, stats, close: () => closeAll(threads) }
}

const workerUrl = new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url)

/** Milliseconds per UTF-16 unit of plain text; twenty times the measured duration. */
const plainTextTime = 0.01

// Plain text is rendered in the thread too, because a page of 1 MiB takes up to half a second. The duration depends
// only on the length, so the deadline is exceeded only on a busy machine.
function createTask(snippet: SnippetSource, settings: typeof defaults): [task: SnippetSource, deadline: number] {
  const { deadline } = settings
  if (!isTooLong(snippet.code, settings)) return [snippet, deadline]
  return [{ ...snippet, language: 'text' }, Math.max(deadline, plainTextTime * snippet.code.length)]
}

function isTooLong(code: string, { maxCode, maxLineLength }: typeof defaults): boolean {
  if (code.length > maxCode) return true
  return normalizeLineEnds(code)
    .split('\n')
    .some(line => line.length > maxLineLength)
}

// Many snippets can exceed `maxWait` at the same time, and each takes the main thread some milliseconds.
const plainDocument = async (snippet: SnippetSource): Promise<string> =>
  timeSlices.run(() => formatDocument(snippet, plainCode(snippet.code)))

async function closeAll(threads: readonly Thread<SnippetSource, string>[]): Promise<void> {
  await Promise.all(threads.map(thread => thread.close()))
}
