// Reads the feed of a list: server-sent events. A connection that breaks is opened again, and goes on after the last event.

import type { RequestOptions } from './options.ts'
import { type Connection, send } from './send.ts'

/**
 * A change of a list. `ready` comes first, and `reset` if changes were missed: read the list again then. `visible` and `hidden` say that
 * a changed object has entered or left the list.
 */
export type FeedChange<Key = unknown, Item = unknown> =
  | FeedEvent<'created' | 'changed' | 'visible', { readonly key: Key; readonly object: Item }>
  | FeedEvent<'deleted' | 'hidden', { readonly key: Key }>
  | FeedEvent<'ready' | 'reset', unknown>

// One member for each event, so that a comparison leaves the others.
type FeedEvent<Event extends string, Data> = Event extends string ? { readonly event: Event } & Data : never

/** Milliseconds of silence after which a connection is lost: the server says something every 15 seconds. */
const patience = 45_000
/** Milliseconds before a connection that has ended is opened again. */
const pause = 500
/** How often a connection that cannot be opened is tried again: for about a minute. */
const retries = 8

/** Yields the changes until the caller stops reading, or the signal of the options aborts. Rejects with ClientError. */
export async function* follow(
  connection: Connection,
  path: string,
  query: URLSearchParams,
  options: RequestOptions = {},
): AsyncGenerator<FeedChange> {
  let lastId: string | undefined
  for (let isFirst = true; !options.signal?.aborted; isFirst = false) {
    if (!isFirst) await new Promise(resolve => setTimeout(resolve, pause))
    const headers = { ...options.headers, accept: 'text/event-stream', ...(lastId && { 'last-event-id': lastId }) }
    const request = {
      method: 'GET',
      path,
      query,
      options: { timeout: 0, retries, ...options, headers },
      isStream: true,
    }
    const { data } = await send(connection, request)
    for await (const { id, event, text } of readMessages(data as ReadableStream<Uint8Array>)) {
      lastId = id ?? lastId
      yield { event, ...JSON.parse(text) } as FeedChange
    }
  }
}

interface Message {
  readonly id: string | undefined
  readonly event: string
  readonly text: string
}

async function* readMessages(body: ReadableStream<Uint8Array>): AsyncGenerator<Message> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  try {
    for (;;) {
      const chunk = await readChunk(reader)
      if (chunk === undefined) return
      text += decoder.decode(chunk, { stream: true })
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const message = parseMessage(text.slice(0, end))
        text = text.slice(end + 2)
        if (message !== undefined) yield message
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

// Undefined if the connection has ended or is lost.
async function readChunk(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<undefined>(resolve => {
    timer = setTimeout(() => resolve(undefined), patience)
  })
  try {
    return await Promise.race([reader.read().then(({ value }) => value), silence])
  } catch {
    return undefined
  } finally {
    clearTimeout(timer)
  }
}

function parseMessage(text: string): Message | undefined {
  const fields = new Map(
    text.split('\n').map(line => [line.slice(0, line.indexOf(':')), line.replace(/^[^:]*: ?/, '')]),
  )
  const [event, data] = [fields.get('event'), fields.get('data')]
  return event === undefined || data === undefined ? undefined : { id: fields.get('id'), event, text: data }
}
