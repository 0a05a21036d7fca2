import { availableParallelism } from 'node:os'
import { ServiceUnavailable } from '../../../framework/errors/exceptions.ts'
import { createTaskQueue, QueueFull, QueueTimeout } from '../../../framework/task-queue.ts'
import { timeSlices } from '../../../framework/time-slices.ts'
import { formatDocument, normalizeLineEnds, plainCode, type SnippetSource } from './document.ts'
import { createThread, DeadlineError, type Thread } from './thread.ts'

/** Makes the pages of snippets off the main thread; never fails because of what a snippet contains. */
export interface Highlighter {
  /**
   * The page of a snippet (`RES-SNIP-r8`). Its code is plain text when it is above the bounds, and plain text
   * without the style's colours when it waits for a thread or takes longer than it may, or crashes its thread.
   *
   * @throws {HighlighterBusy} when as many snippets wait as may, and where code too long to be highlighted could not
   * become a page in time: that is too much work for any other thread
   */
  highlight(snippet: SnippetSource): Promise<string>
  /** What it has done so far. */
  stats(): HighlighterStats
  /** Ends all threads; what is under way and whatever comes later is answered in plain text. */
  close(): Promise<void>
}

/** Numbers of snippets. */
export interface HighlighterStats {
  /** Those that wait for a thread now. */
  readonly waiting: number
  readonly highlighted: number
  /** Plain text because they were above the bounds. */
  readonly plain: number
  /** Not highlighted because a time was over. */
  readonly late: number
  /** Not highlighted because their thread ended. */
  readonly failed: number
}

export interface HighlighterOptions {
  /** Worker threads at most; by default one, or two where there are three processors or more. */
  readonly threads?: number
  /** Milliseconds a snippet may take once a thread has begun with it; 2000. */
  readonly deadline?: number
  /** UTF-16 units of code that may wait for a thread, where the shortest counts as 4096; 16 Mi. */
  readonly maxQueue?: number
  /** Milliseconds a snippet may wait for a thread; 5000. */
  readonly maxWait?: number
  /** UTF-16 units of the longest line that is highlighted; 5000. */
  readonly maxLineLength?: number
  /** UTF-16 units of the longest code that is highlighted; 100 000. */
  readonly maxCode?: number
  /** Milliseconds without a snippet after which a thread is ended; 60 000. */
  readonly idle?: number
  /** MiB of heap a thread may take; 256. */
  readonly memory?: number
  /** Told why a snippet below the bounds came back in plain text. */
  readonly onFailure?: (error: unknown) => void
}

/** Too many snippets wait to be highlighted: 503, come back later. */
export class HighlighterBusy extends ServiceUnavailable {
  static override message = 'Too many snippets wait to be highlighted. Try again later.'
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
 * Starts no thread until the first snippet comes.
 *
 * @throws {RangeError} when there is to be no thread
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
  if (!(settings.threads >= 1)) throw new RangeError('createHighlighter: `threads` must be at least 1.')
  const threads = Array.from({ length: settings.threads }, () =>
    createThread<SnippetSource, string>(workerUrl, settings),
  )
  const queue = createTaskQueue({
    running: settings.threads,
    maxWaiting: settings.maxQueue,
    timeout: settings.maxWait,
  })
  // The last thread given back is the first taken, so that little work keeps few threads alive.
  const idle = [...threads]
  const render = async (snippet: SnippetSource) => {
    const thread = idle.pop()!
    const [task, deadline] = taskOf(snippet, settings)
    const page = await thread.run(task, deadline).finally(() => idle.push(thread))
    done[task === snippet ? 'highlighted' : 'plain'] += 1
    return page
  }
  const done = { highlighted: 0, plain: 0, late: 0, failed: 0 }

  async function highlight(snippet: SnippetSource): Promise<string> {
    try {
      return await queue.run(() => render(snippet), { size: Math.max(snippet.code.length, 4096) })
    } catch (raised) {
      if (raised instanceof QueueFull) throw new HighlighterBusy()
      const error =
        raised instanceof QueueTimeout ? new DeadlineError(`no thread was free for ${settings.maxWait} ms`) : raised
      done[error instanceof DeadlineError ? 'late' : 'failed'] += 1
      settings.onFailure?.(error)
      if (snippet.code.length > settings.maxCode) throw new HighlighterBusy()
      return plainDocument(snippet)
    }
  }

  const stats = () => ({ waiting: queue.waiting(), ...done })
  return { highlight, stats, close: () => closeAll(threads) }
}

const workerUrl = new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url)

/** Milliseconds for a UTF-16 unit of plain text: twenty times what it takes. */
const textTime = 0.01

// Even as text it is the thread's work: a page for 1 MiB takes up to half a second. Nothing in a text makes it take
// longer, so that only a busy machine can be in the way.
function taskOf(snippet: SnippetSource, settings: typeof defaults): [task: SnippetSource, deadline: number] {
  const { deadline } = settings
  if (!isAboveBounds(snippet.code, settings)) return [snippet, deadline]
  return [{ ...snippet, language: 'text' }, Math.max(deadline, textTime * snippet.code.length)]
}

function isAboveBounds(code: string, { maxCode, maxLineLength }: typeof defaults): boolean {
  if (code.length > maxCode) return true
  return normalizeLineEnds(code)
    .split('\n')
    .some(line => line.length > maxLineLength)
}

// Many that have waited too long have done so at the same moment, and each takes the main thread some milliseconds.
const plainDocument = async (snippet: SnippetSource): Promise<string> =>
  timeSlices.run(() => formatDocument(snippet, plainCode(snippet.code)))

async function closeAll(threads: readonly Thread<SnippetSource, string>[]): Promise<void> {
  await Promise.all(threads.map(thread => thread.close()))
}
