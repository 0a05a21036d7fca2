// The function by which SQLite finds regular expressions: `matches_pattern(text, pattern)`.

import type { SQLOutputValue } from 'node:sqlite'
import { memoize } from '../../base/bounded-map.ts'
import { ServiceUnavailable } from '../../errors/exceptions.ts'
import { frameworkMessages } from '../../messages/english.ts'
import { createMatcher } from '../patterns/create-matcher.ts'
import { parsePattern } from '../patterns/parse-pattern.ts'

const maxPatterns = 20
/** How long a statement may search for patterns, in milliseconds. Nothing else runs meanwhile, and Node cannot end a statement of SQLite. */
const maxTime = 2000

/** Creates the function of a connection. Throws ServiceUnavailable in a statement that searches for too long. */
export function createMatchFunction(now: () => number = performance.now.bind(performance)) {
  const findMatcher = memoize(pattern => createMatcher(parsePattern(pattern, false)), { maxEntries: maxPatterns })
  let end: number | undefined
  return (text: SQLOutputValue, pattern: SQLOutputValue): number | null => {
    if (typeof text !== 'string' || typeof pattern !== 'string') return null
    const time = now()
    if (end === undefined) {
      end = time + maxTime
      // A statement runs without a pause, so its time is over when the program goes on.
      queueMicrotask(() => {
        end = undefined
      })
    }
    if (time > end) throw new ServiceUnavailable(1, frameworkMessages('statement_timeout'))
    return Number(findMatcher(pattern)(text))
  }
}
