// Two processes serve one SQLite file, and both are written to and read from without a pause.

import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { defineFault } from './fault.ts'
import { checkFile } from './support/check-file.ts'
import { type HttpClient, openClient } from './support/http.ts'
import { acknowledged, compare, createLedger, type Entry, inPortions } from './support/ledger.ts'
import { type FaultService, newFolder, startService } from './support/service.ts'
import { createUsers } from './support/users.ts'
import { startWriters } from './support/writers.ts'

const seconds = 10
const rate = { limit: 200, asked: 600 }

export default defineFault({
  name: 'two processes on one SQLite file',
  promise:
    'Nothing is lost, no request fails, each sees what the other has acknowledged at once, and rates are exact together.',
  async run() {
    const file = `${await newFolder()}/service.db`
    const databaseUrl = `sqlite:${file}`
    const [token] = await createUsers(databaseUrl, { username: 'admin', superuser: true })
    // With one public URL, both answer the same bytes.
    const environment = { THROTTLE_ANON: `${rate.limit}/hour`, PUBLIC_URL: 'http://service.example' }
    // Both at once, on a file that neither has opened yet.
    const services = await Promise.all([1, 2].map(() => startService({ databaseUrl, environment })))
    const load = await writeToBoth(services, token!, databaseUrl)
    await exactRates(services)
    for (const service of services) assert.equal((await service.stop()).code, 0)
    checkFile(file)
    return `${load}; of ${rate.asked} anonymous requests to both at once, ${rate.limit} were allowed by a rate of ${rate.limit}; \`integrity_check\` clean`
  },
})

async function writeToBoth(services: readonly FaultService[], token: string, databaseUrl: string): Promise<string> {
  const ledger = createLedger()
  const times: number[] = []
  const origins = services.map(({ origin }) => origin)
  const clients = origins.map(origin => openClient(origin))
  let seen = 0
  const writers = await startWriters({
    origins,
    token,
    ledger,
    async onSuccess(entry, { milliseconds }) {
      times.push(milliseconds)
      // The one that wrote it among them, which has more to lose: what it keeps of its reads.
      for (const client of clients) await assertSeen(client, token, entry)
      seen++
    },
  })
  await delay(1000 * seconds)
  await writers.stop()
  assert.deepEqual([...ledger.answers.keys()].toSorted(), ['200', '201', '204'], 'every write succeeds')
  await compare(ledger.entries, clients[0]!, token, databaseUrl)
  for (const client of clients) client.close()
  const slowest = times.toSorted((one, other) => one - other)
  const percentile = slowest[Math.floor(0.99 * slowest.length)]!
  return `in ${seconds} s ${acknowledged(ledger)} writes by 8 connections, all answered 2xx, all there, ${seen} of them looked at in both processes directly after the answer; the slowest took ${slowest.at(-1)!.toFixed(0)} ms, 99 % less than ${percentile.toFixed(0)} ms`
}

async function assertSeen(client: HttpClient, token: string, { path, body }: Entry): Promise<void> {
  const { status, text } = await client.get(path!, { token })
  assert.equal(status, body === undefined ? 404 : 200, `${path} right after its write`)
  if (body !== undefined) assert.equal(text, body)
}

async function exactRates(services: readonly FaultService[]): Promise<void> {
  const clients = services.map(({ origin }) => openClient(origin))
  const statuses = new Map<number, number>()
  const numbers = Array.from({ length: rate.asked }, (_, number) => number)
  await inPortions(numbers, 16, async number => {
    const { status } = await clients[number % 2]!.get('/snippet/')
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  })
  for (const client of clients) client.close()
  assert.deepEqual(
    Object.fromEntries(statuses),
    { 200: rate.limit, 429: rate.asked - rate.limit },
    'as many are allowed as the rate says',
  )
}
