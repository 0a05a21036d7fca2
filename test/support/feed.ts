// Reads a feed as a client of another kind would, message by message.

import assert from 'node:assert/strict'

export interface FeedMessage {
  readonly event: string
  readonly key?: unknown
  readonly object?: Readonly<Record<string, unknown>>
}

export interface Feed {
  readonly contentType: string | null
  /** The next message; rejects if the connection has ended. */
  next(): Promise<FeedMessage>
  /** The messages up to one of this event. */
  until(event: string): Promise<readonly FeedMessage[]>
  /** Resolves when the server has ended the feed, to the beginning of a message that was cut off. */
  ended(): Promise<string>
  lastId(): string
  close(): void
}

/** Opens a feed. */
export async function openFeed(url: string, headers: Record<string, string>): Promise<Feed> {
  const controller = new AbortController()
  const response = await fetch(url, { headers, signal: controller.signal })
  assert.equal(response.status, 200, url)
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  let id = ''
  const readMessage = async (): Promise<string | undefined> => {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end >= 0) {
        const message = text.slice(0, end)
        text = text.slice(end + 2)
        if (!message.startsWith(':')) return message
        continue
      }
      const { done, value } = await reader.read()
      if (done) return undefined
      text += value
    }
  }
  const next = async (): Promise<FeedMessage> => {
    const lines = new Map((await readMessage())!.split('\n').map(line => line.split(/: (.*)/s) as [string, string]))
    id = lines.get('id') ?? id
    return { event: lines.get('event')!, ...JSON.parse(lines.get('data')!) }
  }
  return {
    contentType: response.headers.get('content-type'),
    next,
    async until(event) {
      const messages: FeedMessage[] = []
      do messages.push(await next())
      while (messages.at(-1)!.event !== event)
      return messages
    },
    async ended() {
      while ((await readMessage()) !== undefined);
      return text
    },
    lastId: () => id,
    close: () => controller.abort(),
  }
}
