import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { createEventStream, endEventStreams } from './event-stream.ts'

const aMinute = 60_000

test('a client that reads nothing for a minute is dropped', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let signal: AbortSignal | undefined
  const stream = createEventStream(createServer(), async function* (given) {
    signal = given
    for (;;) yield 'text'
  })
  // The first text is in the stream, and nobody takes it.
  await once(stream, 'readable')
  t.mock.timers.tick(aMinute - 1)
  assert.equal(stream.destroyed, false)
  t.mock.timers.tick(1)
  await once(stream, 'close')
  assert.equal(signal?.aborted, true)
})

test('a client that reads stays until the server stops', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const server = createServer()
  const read: string[] = []
  const stream = createEventStream(server, async function* (signal) {
    yield 'first'
    t.mock.timers.tick(aMinute)
    yield 'second'
    if (!signal.aborted) await once(signal, 'abort')
    yield 'last'
  })
  stream.on('data', (chunk: Buffer) => {
    read.push(String(chunk))
    if (read.length === 2) endEventStreams(server)
  })
  await once(stream, 'end')
  assert.deepEqual(read, ['first', 'second', 'last'])
})
