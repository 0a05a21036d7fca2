import { availableParallelism } from 'node:os'
import { ServiceUnavailable } from '../../../framework/errors/exceptions.ts'
import { formatDocument, normalizeLineEnds, plainCode, type SnippetSource } from './document.ts'
import { createThread, type Thread } from './thread.ts'

/** Makes the pages of snippets off the main thread; never fails because of what a snippet contains. */
export interface Highlighter {
  /**
   * The page of a snippet (`RES-SNIP-r8`). Its code is plain text when it is above the bounds, and plain text
   * without the style's colours when it takes longer than the deadline or crashes its thread.
   *
   * @throws {HighlighterBusy} when as many snippets wait as may
   */
  highlight(snippet: SnippetSource): Promise<string>
  /** Ends all threads; what is under way and whatever comes later is answered in plain text. */
  close(): Promise<void>
}

export interface HighlighterOptions {
  /** Worker threads at most; by default one, or two where there are three processors or more. */
  readonly threads?: number
  /** Milliseconds a snippet may take once a thread has begun with it; 2000. */
  readonly deadline?: number
  /** UTF-16 units of code that may wait for a thread, where the shortest counts as 4096; 16 Mi. */
  readonly maxQueue?: number
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
  const turns = createTurns(threads, settings.maxQueue)

  async function highlight(snippet: SnippetSource): Promise<string> {
    const thread = await turns.take(Math.max(snippet.code.length, 4096))
    try {
      return await thread.run(withinBounds(snippet, settings))
    } catch (error) {
      settings.onFailure?.(error)
      return plainDocument(snippet)
    } finally {
      turns.giveBack(thread)
    }
  }

  return { highlight, close: () => closeAll(threads) }
}

const workerUrl = new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url)

// Even as text it is the thread's work: a page for 1 MiB takes up to a quarter of a second.
function withinBounds(snippet: SnippetSource, bounds: typeof defaults): SnippetSource {
  return isAboveBounds(snippet.code, bounds) ? { ...snippet, language: 'text' } : snippet
}

function isAboveBounds(code: string, { maxCode, maxLineLength }: typeof defaults): boolean {
  if (code.length > maxCode) return true
  return normalizeLineEnds(code)
    .split('\n')
    .some(line => line.length > maxLineLength)
}

function plainDocument(snippet: SnippetSource): string {
  return formatDocument(snippet, plainCode(snippet.code))
}

// The last thread given back is the first taken, so that little work keeps few threads alive.
function createTurns<Taken>(free: readonly Taken[], maxQueue: number) {
  const idle = [...free]
  const waiting: { readonly size: number; readonly take: (taken: Taken) => void }[] = []
  let waitingSize = 0

  async function take(size: number): Promise<Taken> {
    const taken = idle.pop()
    if (taken !== undefined) return taken
    if (waiting.length > 0 && waitingSize + size > maxQueue) throw new HighlighterBusy()
    waitingSize += size
    return new Promise(resolve => waiting.push({ size, take: resolve }))
  }

  function giveBack(taken: Taken): void {
    const next = waiting.shift()
    if (next === undefined) return void idle.push(taken)
    waitingSize -= next.size
    next.take(taken)
  }

  return { take, giveBack }
}

async function closeAll(threads: readonly Thread<SnippetSource, string>[]): Promise<void> {
  await Promise.all(threads.map(thread => thread.close()))
}
