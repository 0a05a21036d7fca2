// Clients that create, change and delete without a pause: snippets, which are rows of one table, and users with groups,
// which are rows of two.

import { randomInt, randomUUID } from 'node:crypto'
import { type Answer, type HttpClient, openClient } from './http.ts'
import type { Entry, Ledger } from './ledger.ts'

export interface WritersOptions {
  /** The origins of the services; the writers share them out among each other. */
  readonly origins: readonly string[]
  /** The key of a superuser's token. */
  readonly token: string
  readonly ledger: Ledger
  /** How many write at once; default 8. */
  readonly count?: number
  /** Milliseconds that each waits for an answer; default 10,000. */
  readonly timeout?: number
  /** Called before each write. */
  readonly beforeWrite?: (entry: Entry) => Promise<void>
  /** Called after each success, before the same writer goes on. */
  readonly onSuccess?: (entry: Entry, answer: Answer) => Promise<void>
}

export interface Writers {
  /** Resolves once no writer is at work: each ends at its first write without a success, or when it is told to. */
  readonly ended: Promise<void>
  /** Has every writer end after the write that it waits for. */
  stop(): Promise<void>
}

/** Makes five groups and has the writers begin. */
export async function startWriters(options: WritersOptions): Promise<Writers> {
  const { origins, token, ledger, count = 8, timeout, beforeWrite, onSuccess } = options
  let isStopped = false
  const clients = origins.map(origin => openClient(origin, timeout === undefined ? {} : { timeout }))
  const groups = await makeGroups(clients[0]!, token)
  const work = async (number: number) => {
    const client = clients[number % clients.length]!
    const own: Entry[] = []
    while (!isStopped) {
      const { entry, body } = nextWrite(ledger, own, groups)
      await beforeWrite?.(entry)
      const answer = await ledger.write(client, token, entry, body)
      if (answer === undefined || answer.status >= 300) return
      if (body === null) own.splice(own.indexOf(entry), 1)
      await onSuccess?.(entry, answer)
    }
  }
  const ended = Promise.all(Array.from({ length: count }, (_, number) => work(number))).then(() => {
    for (const client of clients) client.close()
  })
  // Whoever waits for the end is told of a failure.
  ended.catch(() => undefined)
  return {
    ended,
    stop() {
      isStopped = true
      return ended
    },
  }
}

async function makeGroups(client: HttpClient, token: string): Promise<readonly string[]> {
  const names = Array.from({ length: 5 }, () => `group ${randomUUID()}`)
  const answers = await Promise.all(
    names.map(name => client.ask('POST', '/directory/groups/', { token, json: { name } })),
  )
  return answers.map(answer => {
    if (answer.status !== 201) throw new Error(`no group was made: ${answer.status} ${answer.text}`)
    return (answer.json() as { url: string }).url
  })
}

// Each writer changes what it has made itself, so that it knows what was there before.
function nextWrite(
  ledger: Ledger,
  own: Entry[],
  groups: readonly string[],
): { readonly entry: Entry; readonly body: Readonly<Record<string, unknown>> | null } {
  const roll = randomInt(100)
  if (own.length < 3 || roll < 40) {
    const entry = ledger.add(randomInt(2) === 0 ? 'users' : 'snippets', randomUUID())
    own.push(entry)
    return { entry, body: bodyOf(entry, groups) }
  }
  const entry = own[randomInt(own.length)]!
  return { entry, body: roll < 75 ? bodyOf(entry, groups) : null }
}

function bodyOf({ kind, name }: Entry, groups: readonly string[]): Readonly<Record<string, unknown>> {
  if (kind === 'users')
    return {
      username: name,
      email: `${randomUUID()}@example.com`,
      groups: groups.filter(() => randomInt(2) === 0),
    }
  const lines = Array.from({ length: randomInt(1, 60) }, () => `print("${randomUUID()} — ünïcode")`)
  return { title: name, code: lines.join('\n'), linenos: randomInt(2) === 0, language: 'python', style: 'friendly' }
}
