/** The reporter of `node --test`: sends each finished test to the process that started this one. */
import type { EventData } from 'node:test'
import { inspect } from 'node:util'

/** A finished test or suite. */
export interface FinishedTest {
  readonly name: string
  /** Unique in its process. */
  readonly id: number | undefined
  readonly parentId: number | undefined
  /** The file that called `test`: often a support file. */
  readonly file: string | undefined
  readonly line: number | undefined
  readonly isSuite: boolean
  /** `ignored`: skipped or todo. */
  readonly outcome: 'passed' | 'failed' | 'ignored'
  /** Why the test itself failed; undefined if only a test in it did. */
  readonly error: string | undefined
}

type TestEvent = (EventData.TestPass | EventData.TestFail) & {
  // The types do not know them yet.
  readonly testId?: number
  readonly parentId?: number
}

export default async function* sendTests(
  events: AsyncIterable<{ readonly type: string; readonly data: TestEvent }>,
): AsyncGenerator<string> {
  for await (const { type, data } of events)
    if (type === 'test:pass' || type === 'test:fail') await send(describe(data, type === 'test:pass'))
  // A reporter has to write something.
  yield ''
}

const send = (finished: FinishedTest): Promise<void> =>
  new Promise((resolve, reject) =>
    process.send!(finished, (error: Error | null) => (error ? reject(error) : resolve())),
  )

function describe(event: TestEvent, hasPassed: boolean): FinishedTest {
  const { name, testId, parentId, file, line, details } = event
  const isIgnored = isMarked(event.skip) || isMarked(event.todo)
  const outcome = isIgnored ? 'ignored' : hasPassed ? 'passed' : 'failed'
  const error = outcome === 'failed' ? formatError((details as EventData.TestFail['details']).error) : undefined
  return { name, id: testId, parentId, file, line, isSuite: details.type === 'suite', outcome, error }
}

// With a reason, the mark is a string, which may be empty.
const isMarked = (mark: string | boolean | undefined): boolean => mark !== undefined && mark !== false

function formatError(error: Error & { readonly failureType?: string }): string | undefined {
  if (error.failureType === 'subtestsFailed') return undefined
  return inspect(error.cause instanceof Error ? error.cause : error)
}
