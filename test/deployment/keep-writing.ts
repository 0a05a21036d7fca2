// Writes continuously until it is stopped, and records the acknowledged writes.

import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from '../support/client.ts'

export interface Writing {
  /** The names of the groups whose creation got 201, in order. */
  readonly acknowledged: readonly string[]
  /** Other responses, and connection errors. */
  readonly failures: readonly string[]
  /** Resolves once this many writes are acknowledged; rejects if writing ends earlier. */
  until(count: number): Promise<void>
  /** Stops, and resolves once no request is in flight. */
  stop(): Promise<void>
}

/** Creates groups one after the other, with a pause of this many milliseconds in between. */
export function keepWriting(client: Pick<Client, 'post'>, token: string, pause = 0): Writing {
  const acknowledged: string[] = []
  const failures: string[] = []
  const waiting: { readonly count: number; readonly resolve: () => void }[] = []
  let isOver = false
  const write = async (name: string) => {
    const { status, text } = await client.post('/directory/groups/', { token, json: { name } })
    if (status === 201) acknowledged.push(name)
    else failures.push(`${status} ${text}`)
  }
  const writing = (async () => {
    for (let index = 1; !isOver && failures.length < 20; index++) {
      await write(`group ${index}`).catch(error => failures.push(String(error)))
      for (const { count, resolve } of waiting) if (acknowledged.length >= count) resolve()
      await delay(pause)
    }
  })()
  return {
    acknowledged,
    failures,
    until: count =>
      Promise.race([
        new Promise<void>(resolve => waiting.push({ count, resolve })),
        writing.then(() => Promise.reject(new Error(`writing ended: ${failures.join('; ')}`))),
      ]),
    stop() {
      isOver = true
      return writing
    },
  }
}
