import { createBoundedMap } from '../base/bounded-map.ts'

/** In milliseconds. Every request may cause the same error, so equal messages are reported once in this time. */
const interval = 10_000
const maxMessages = 100

/** Returns a function that calls `onError`, but not again with the same message within ten seconds. */
export function createErrorReporter(onError: ((error: Error) => void) | undefined): (error: Error) => void {
  const reportTimes = createBoundedMap<string, number>({ maxSize: maxMessages })
  return error => {
    const now = performance.now()
    if (now - (reportTimes.get(error.message) ?? Number.NEGATIVE_INFINITY) < interval) return
    reportTimes.set(error.message, now)
    onError?.(error)
  }
}
