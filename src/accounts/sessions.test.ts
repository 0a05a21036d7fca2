import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSessions, type SessionsOptions } from './sessions.ts'

test('durations that are too short or too long throw at start', () => {
  const assertRefused = (options: Partial<SessionsOptions>, message: string) =>
    assert.throws(() => createSessions(options as SessionsOptions), new RangeError(message))
  assertRefused(
    { lifetime: 59 },
    'createSessions(): lifetime is 59; use a whole number of seconds from 60 to 3155760000',
  )
  assertRefused(
    { lifetime: 1e12 },
    'createSessions(): lifetime is 1000000000000; use a whole number of seconds from 60 to 3155760000',
  )
  assertRefused({ idle: 119 }, 'createSessions(): idle is 119; use a whole number of seconds from 120 to 3155760000')
  assertRefused(
    { idle: 120.5 },
    'createSessions(): idle is 120.5; use a whole number of seconds from 120 to 3155760000',
  )
})
