// Two processes serve one SQLite file, and clients write to and read from both continuously. Objects, lists, counts and
// pages are cached, so they are read before and after each write.
//
// This test has failed with each of these defects: pages that are never invalidated
// (src/core/resource/query/page-cache.ts), counts that are never refreshed (`version` of the SQLite dialect as a
// constant), tables of pages that are cached only by their name (src/pages/html/html-cache.ts), and a reading transaction
// that stays open across turns (`setImmediate(end)` in src/core/database/sqlite/sqlite.ts).

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { defineFault } from './fault.ts'
import { checkFile } from './support/check-file.ts'
import { type HttpClient, openClient } from './support/http.ts'
import { compare, countAcknowledged, createLedger, type Entry, runConcurrently } from './support/ledger.ts'
import { assertFound, assertPage, readList } from './support/lists.ts'
import { type FaultService, newFolder, startService } from './support/service.ts'
import { until } from './support/until.ts'
import { createUsers } from './support/users.ts'
import { startWriters } from './support/writers.ts'

const rate = { limit: 200, asked: 600 }

export default defineFault({
  name: 'two processes on one SQLite file',
  promise:
    'No write is lost, no request fails, each process shows at once what the other has acknowledged, in objects, lists, counts and pages, and throttles are exact across both.',
  // Rounds in which one process writes and both are read, without other requests; then seconds of load.
  scale: { full: { turns: 24, seconds: 12 }, short: { turns: 6, seconds: 4 } },
  async run({ turns, seconds }) {
    const file = `${await newFolder()}/service.db`
    const databaseUrl = `sqlite:${file}`
    const [token] = await createUsers(databaseUrl, { username: 'admin', superuser: true })
    // With the same public URL, both processes return the same bytes.
    const environment = { THROTTLE_ANON: `${rate.limit}/hour`, PUBLIC_URL: 'http://service.example' }
    // Both processes start at the same time on a new file.
    const services = await Promise.all([1, 2].map(() => startService({ databaseUrl, environment })))
    const turnsFinding = await takeTurns(services, token!, turns)
    const load = await writeToBoth(services, token!, databaseUrl, seconds)
    await checkRates(services)
    for (const service of services) assert.equal((await service.stop()).code, 0)
    checkFile(file)
    return `${turnsFinding}; ${load}; of ${rate.asked} anonymous requests to both at once, ${rate.limit} were allowed by a rate of ${rate.limit}; \`integrity_check\` clean`
  },
})

// Without other requests, the expected lists and counts are known exactly.
async function takeTurns(services: readonly FaultService[], token: string, turns: number): Promise<string> {
  const clients = services.map(({ origin }) => openClient(origin))
  const [users, snippets]: [string[], string[]] = [[], []]
  const write = async (round: number, ...request: Parameters<HttpClient['ask']>) => {
    const answer = await clients[round % 2]!.ask(...request)
    assert.ok(answer.status < 300, `${request[0]} ${request[1]}: ${answer.status} ${answer.text}`)
    for (const client of clients) await assertLists(client, token, users, snippets)
    return answer
  }
  for (let round = 0; round < turns; round++) {
    const [username, title] = [randomUUID(), randomUUID()]
    users.unshift(username)
    const { headers } = await write(round, 'POST', '/directory/users/', { token, json: { username, groups: [] } })
    snippets.push(title)
    await write(round, 'POST', '/snippet/snippets/', { token, json: { title, code: 'x' } })
    if (round % 3 > 0) continue
    users.shift()
    await write(round + 1, 'DELETE', new URL(headers.location!).pathname, { token })
  }
  for (const client of clients) client.close()
  return `${turns} rounds in which one process wrote and both showed it at once in every list, count and page`
}

/** `users` are the usernames, newest first, without the first user; `snippets` are the titles, oldest first. */
async function assertLists(
  client: HttpClient,
  token: string,
  users: readonly string[],
  snippets: readonly string[],
): Promise<void> {
  const when = `after a write, asked of ${client.origin}`
  const wanted = [...users, 'admin']
  for (let page = 1; page <= Math.ceil(wanted.length / 10); page++) {
    const path = `/directory/users/?page=${page}`
    const names = wanted.slice(10 * (page - 1), 10 * page)
    const { count, results } = await readList(client, token, path)
    assert.equal(count, wanted.length, `the count of ${path} ${when}`)
    assert.deepEqual(
      results.map(({ username }) => username),
      names,
      `${path} ${when}`,
    )
    const table = await assertPage(client, token, path, { count, rows: names.length }, when)
    for (const name of names) assert.ok(table.includes(name), `${name} in the HTML of ${path} ${when}`)
  }
  const titles = (await client.get('/snippet/snippets/', { token })).json() as readonly { readonly title: string }[]
  assert.deepEqual(
    titles.map(({ title }) => title),
    snippets,
    `/snippet/snippets/ ${when}`,
  )
  const { count } = await readList(client, token, '/admin/snippets/')
  assert.equal(count, snippets.length, `the count of /admin/snippets/ ${when}`)
}

async function writeToBoth(
  services: readonly FaultService[],
  token: string,
  databaseUrl: string,
  seconds: number,
): Promise<string> {
  const ledger = createLedger()
  const times: number[] = []
  const origins = services.map(({ origin }) => origin)
  const clients = origins.map(origin => openClient(origin))
  let seen = 0
  const writers = await startWriters({
    origins,
    token,
    ledger,
    // Fills the caches of both processes with the state before the write.
    async beforeWrite(entry) {
      await Promise.all(
        clients.map(async client => {
          if (entry.path !== undefined) await client.get(entry.path, { token })
          await assertFound(client, token, entry, 'before its write')
        }),
      )
    },
    async onSuccess(entry, { milliseconds }) {
      times.push(milliseconds)
      // Both processes are checked, because the process that wrote caches results too.
      await Promise.all(clients.map(client => assertVisible(client, token, entry)))
      seen++
    },
  })
  await Promise.race([delay(1000 * seconds), writers.ended])
  // A busy machine takes longer for the first change and the first deletion.
  const statuses = () => [...ledger.answers.keys()].toSorted()
  await until('every kind of write, or one that fails', () => statuses().length >= 3)
  await writers.stop()
  assert.deepEqual(statuses(), ['200', '201', '204'], 'every write succeeds')
  await compare(ledger.entries, clients[0]!, token, databaseUrl)
  for (const client of clients) client.close()
  const slowest = times.toSorted((one, other) => one - other)
  const percentile = slowest[Math.floor(0.99 * slowest.length)]!
  return `in ${seconds} s ${countAcknowledged(ledger)} writes by 8 connections, all with 2xx, all stored, ${seen} of them read from both processes directly after the response, as objects, in lists and on pages; the slowest took ${slowest.at(-1)!.toFixed(0)} ms, 99 % less than ${percentile.toFixed(0)} ms`
}

async function assertVisible(client: HttpClient, token: string, entry: Entry): Promise<void> {
  const { path, body } = entry
  const { status, text } = await client.get(path!, { token })
  assert.equal(status, body === undefined ? 404 : 200, `${path} right after its write`)
  if (body !== undefined) assert.equal(text, body)
  await assertFound(client, token, entry, 'right after its write')
}

async function checkRates(services: readonly FaultService[]): Promise<void> {
  const clients = services.map(({ origin }) => openClient(origin))
  const statuses = new Map<number, number>()
  const numbers = Array.from({ length: rate.asked }, (_, number) => number)
  await runConcurrently(numbers, 16, async number => {
    const { status } = await clients[number % 2]!.get('/snippet/')
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  })
  for (const client of clients) client.close()
  assert.deepEqual(
    Object.fromEntries(statuses),
    { 200: rate.limit, 429: rate.asked - rate.limit },
    'the rate allows exactly its limit',
  )
}
