import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createErrorPrinter } from './log-error.ts'
import { loggableError } from './loggable-error.ts'

const error = (message: string) => ({ ...loggableError(new Error(message)), message, stack: `Error: ${message}` })

test('five errors per second are printed, and the next one reports the number of those that were not', () => {
  const texts: string[] = []
  let now = 0
  const print = createErrorPrinter({ write: text => texts.push(text), now: () => now })
  for (let number = 1; number <= 12; number++) print(`GET /${number}`, error('x'))
  assert.deepEqual(
    texts,
    [1, 2, 3, 4, 5].map(number => `GET /${number}\n  Error: x`),
  )
  now = 999
  print('GET /13', error('x'))
  assert.equal(texts.length, 5)
  now = 1000
  print('GET /14', error('x'))
  print('GET /15', error('x'))
  assert.deepEqual(texts.slice(5), ['(8 more errors were not printed)\nGET /14\n  Error: x', 'GET /15\n  Error: x'])
})
