// Clients that continuously create, change and delete snippets, which are rows of one table, and users with groups,
// which are rows of two tables.

import { randomInt, randomUUID } from 'node:crypto'
import { type Answer, type HttpClient, openClient } from './http.ts'
import type { Entry, Ledger } from './ledger.ts'

export interface WritersOptions {
  /** The origins of the services; the writers are distributed among them. */
  readonly origins: readonly string[]
  /** The token of a superuser. */
  readonly token: string
  readonly ledger: Ledger
  /** The number of writers; default 8. */
  readonly count?: number
  /** Called before each write. */
  readonly beforeWrite?: (entry: Entry) => Promise<void>
  /** Called after each successful write, before the next write of the same writer. */
  readonly onSuccess?: (entry: Entry, answer: Answer) => Promise<void>
}

export interface Writers {
  /** Resolves when all writers have stopped. A writer stops at its first failed write, or after `stop` was called. */
  readonly ended: Promise<void>
  /** Stops every writer after its current write. */
  stop(): Promise<void>
}

/** Creates five groups and starts the writers. */
export async function startWriters(options: WritersOptions): Promise<Writers> {
  const { origins, token, ledger, count = 8, beforeWrite, onSuccess } = options
  let isStopped = false
  const clients = origins.map(origin => openClient(origin))
  const groups = await createGroups(clients[0]!, token)
  const work = async (number: number) => {
    const client = clients[number % clients.length]!
    const ownEntries: Entry[] = []
    while (!isStopped) {
      const { entry, body } = nextWrite(ledger, ownEntries, groups)
      await beforeWrite?.(entry)
      const answer = await ledger.write(client, token, entry, body)
      if (answer === undefined || answer.status >= 300) return
      if (body === null) ownEntries.splice(ownEntries.indexOf(entry), 1)
      await onSuccess?.(entry, answer)
    }
  }
  const ended = Promise.all(Array.from({ length: count }, (_, number) => work(number))).then(() => {
    for (const client of clients) client.close()
  })
  // Prevents an unhandled rejection; a caller that awaits `ended` still gets the error.
  ended.catch(() => undefined)
  return {
    ended,
    stop() {
      isStopped = true
      return ended
    },
  }
}

async function createGroups(client: HttpClient, token: string): Promise<readonly string[]> {
  const names = Array.from({ length: 5 }, () => `group ${randomUUID()}`)
  const answers = await Promise.all(
    names.map(name => client.ask('POST', '/directory/groups/', { token, json: { name } })),
  )
  return answers.map(answer => {
    if (answer.status !== 201) throw new Error(`the group was not created: ${answer.status} ${answer.text}`)
    return (answer.json() as { url: string }).url
  })
}

// Each writer changes only its own entries, so that it knows their state.
function nextWrite(
  ledger: Ledger,
  ownEntries: Entry[],
  groups: readonly string[],
): { readonly entry: Entry; readonly body: Readonly<Record<string, unknown>> | null } {
  const roll = randomInt(100)
  if (ownEntries.length < 3 || roll < 40) {
    const entry = ledger.add(randomInt(2) === 0 ? 'users' : 'snippets', randomUUID())
    ownEntries.push(entry)
    return { entry, body: createBody(entry, groups) }
  }
  const entry = ownEntries[randomInt(ownEntries.length)]!
  return { entry, body: roll < 75 ? createBody(entry, groups) : null }
}

const languages = ['css', 'javascript', 'json', 'python', 'ruby', 'sql']

function createBody({ kind, name }: Entry, groups: readonly string[]): Readonly<Record<string, unknown>> {
  if (kind === 'users')
    return {
      username: name,
      email: `${randomUUID()}@example.com`,
      // Tables show up to three.
      groups: groups.filter(() => randomInt(2) === 0).slice(0, 3),
    }
  const lines = Array.from({ length: randomInt(1, 60) }, () => `print("${randomUUID()} — ünïcode")`)
  const language = languages[randomInt(languages.length)]!
  return { title: name, code: lines.join('\n'), linenos: randomInt(2) === 0, language, style: 'friendly' }
}
