import { createBoundedMap } from '../bounded-map.ts'

/** Each message is told once in so many milliseconds: every request may meet the same failure. */
const silence = 10_000
const mostMessages = 100

/** Tells `onError` of an error, unless it was told of one with the same message a moment ago. */
export function quietReporter(onError: ((error: Error) => void) | undefined): (error: Error) => void {
  const told = createBoundedMap<string, number>({ most: mostMessages })
  return error => {
    const now = performance.now()
    if (now - (told.get(error.message) ?? Number.NEGATIVE_INFINITY) < silence) return
    told.set(error.message, now)
    onError?.(error)
  }
}
