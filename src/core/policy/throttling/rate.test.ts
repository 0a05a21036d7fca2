import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseRate } from './rate.ts'

test('LIM-THR-p1: a rate is a number and a period, in words or abbreviations', () => {
  for (const [texts, per, period] of [
    [['10/second', '10/seconds', '10/sec', '10/s'], 'second', 1000],
    [['10/minute', '10/minutes', '10/min', '10/m'], 'minute', 60_000],
    [['10/hour', '10/hours', '10/h'], 'hour', 3_600_000],
    [['10/day', '10/days', '10/d'], 'day', 86_400_000],
    [['10/5 minutes', '10/5minutes', '10/5m', '10/5 min'], '5minutes', 300_000],
    [['10/1 day'], 'day', 86_400_000],
  ] as const)
    for (const text of texts) assert.deepEqual(parseRate(text), { limit: 10, period, per }, text)
})

test('a malformed rate throws an error that says what to write', () => {
  for (const text of [
    '',
    '10',
    '/minute',
    '0/day',
    '-1/day',
    '1.5/day',
    '10/0 days',
    '10/week',
    '10/M',
    '10/ m',
    ' 10/m',
    '10/m\n',
    '1e9/day',
    '9999999999/day',
  ])
    assert.throws(() => parseRate(text), {
      message: `"${text}" is not a rate: write a number, a slash, and second, minute, hour or day, such as 10/minute or 10/5 minutes`,
    })
})
