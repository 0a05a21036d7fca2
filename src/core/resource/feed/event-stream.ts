// Streams that stay open. They end when the client leaves, when it does not read, and when the server stops.

import { Readable } from 'node:stream'
import type { RawServerBase } from 'fastify'

/** Milliseconds after which a client that reads nothing is dropped. */
const patience = 60_000

const openStreams = new WeakMap<RawServerBase, Set<AbortController>>()

/** Creates a stream of the texts of `write`, whose signal aborts when the stream is closed. */
export function createEventStream(
  server: RawServerBase,
  write: (signal: AbortSignal) => AsyncGenerator<string>,
): Readable {
  const controller = new AbortController()
  const stream = Readable.from(
    watch(write(controller.signal), () => stream.destroy()),
    {
      objectMode: false,
      highWaterMark: 1,
    },
  )
  const streams = openStreams.get(server) ?? new Set()
  openStreams.set(server, streams.add(controller))
  stream.once('close', () => {
    streams.delete(controller)
    controller.abort()
  })
  return stream
}

/** Ends the open streams of a server, so that it can stop. */
export function endEventStreams(server: RawServerBase): void {
  for (const controller of openStreams.get(server) ?? []) controller.abort()
}

async function* watch(texts: AsyncGenerator<string>, drop: () => void): AsyncGenerator<string> {
  for await (const text of texts) {
    const timer = setTimeout(drop, patience).unref()
    yield text
    clearTimeout(timer)
  }
}
