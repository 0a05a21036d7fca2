/** Runs the test files that it gets as arguments, one after the other, and sends each finished test to the process that started this one. */
import { type AsyncHook, createHook } from 'node:async_hooks'
import { type EventData, run } from 'node:test'
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

// The runner observes each promise, so that it can tell to which test an error belongs that nothing caught. That takes more than a tenth
// of the processor time. Here it observes only timers, sockets and the like: such an error still fails the run, and is printed below, but
// not always with the name of its test. A Node without this option observes promises as before.
function observeNoPromises(): void {
  const hooks = Object.getPrototypeOf(createHook({})) as AsyncHook
  const { enable } = hooks
  hooks.enable = function (this: AsyncHook) {
    const option = Object.getOwnPropertySymbols(this).find(({ description }) => description === 'kNoPromiseHook')
    return enable.call(option === undefined ? this : Object.assign(this, { [option]: true }))
  }
  process.on('unhandledRejection', error => console.error(error))
  process.on('uncaughtExceptionMonitor', error => console.error(error))
}

observeNoPromises()
for await (const { type, data } of run({ files: process.argv.slice(2), isolation: 'none' })) {
  if (type === 'test:pass' || type === 'test:fail') await send(describe(data, type === 'test:pass'))
  if (type === 'test:summary' && !data.success) process.exitCode = 1
}
// Tests may leave something open that would keep the process from ending.
process.exit()
