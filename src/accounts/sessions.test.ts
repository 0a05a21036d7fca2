import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSessions, type SessionsOptions } from './sessions.ts'

test('times that are too short are refused at once', () => {
  const refusal = (options: Partial<SessionsOptions>, message: string) =>
    assert.throws(() => createSessions(options as SessionsOptions), new RangeError(message))
  refusal({ lifetime: 59 }, 'createSessions(): lifetime is 59; give a whole number of seconds, 60 to 3155760000')
  refusal(
    { lifetime: 1e12 },
    'createSessions(): lifetime is 1000000000000; give a whole number of seconds, 60 to 3155760000',
  )
  refusal({ idle: 119 }, 'createSessions(): idle is 119; give a whole number of seconds, 120 to 3155760000')
  refusal({ idle: 120.5 }, 'createSessions(): idle is 120.5; give a whole number of seconds, 120 to 3155760000')
})
