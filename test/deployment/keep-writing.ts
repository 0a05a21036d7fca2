// Writes that go on until they are told to stop, and what of them has been acknowledged.

import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from '../support/client.ts'

export interface Writing {
  /** The names of the groups whose creation was answered with 201, in that order. */
  readonly acknowledged: readonly string[]
  /** What was answered else, or why nothing was. */
  readonly failures: readonly string[]
  /** Resolves once so many are acknowledged; rejects where writing ends before. */
  until(count: number): Promise<void>
  /** Resolves once nothing is under way. */
  stop(): Promise<void>
}

/** Makes one group after the other, with a pause of so many milliseconds between. */
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
