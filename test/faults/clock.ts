// The clock jumps a day ahead and a day back while the service runs. Only the service process sees the changed time;
// the service never uses the time of a database. This test has failed with each of these defects: throttle windows that
// survive a jump back (`hasEnded` in src/core/policy/throttling/database-store.ts), and sessions that never expire
// (`createdAfter` and `lastUsedAfter` in src/accounts/sessions.ts).

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { openBrowser } from '../support/browser.ts'
import { type Client, connectTo, type RequestOptions, type TestResponse } from '../support/client.ts'
import { defineFault } from './fault.ts'
import { startWithClock } from './support/clock.ts'
import { openClient } from './support/http.ts'
import { newFolder } from './support/service.ts'
import { createUsers, password } from './support/users.ts'

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]
/** In milliseconds, equal to the settings below. */
const lifetimes = { session: 2 * hour, token: 2 * hour, rate: hour, login: 5 * minute }
const environment = { THROTTLE_ANON: '3/hour', TRUSTED_PROXIES: '127.0.0.1' }
const config = { sessionLifetime: 7200, tokens: 'named', loginThrottle: { perAccount: '3/5 minutes' } }

/** The maximum response time in milliseconds, without the delay of the machine. */
const maxResponseTime = 5000
/** A throttled client waits at most one period and this many milliseconds. */
const grace = 2 * minute

export default defineFault({
  name: 'clock jumps by a day, ahead and back',
  promise:
    'Requests succeed; sessions and tokens expire, and no throttled client waits longer than the period of the rate.',
  // It has no rounds, so it is always the same.
  scale: { full: {}, short: {} },
  async run() {
    const databaseUrl = `sqlite:${await newFolder()}/service.db`
    const [token] = await createUsers(databaseUrl, { username: 'ann', superuser: true })
    const service = await startWithClock({ databaseUrl, config, environment })
    const jump = service.setClock
    const steady = probe(service.origin, token!)
    await jumpAhead(service.origin, jump)
    const waits = await jumpBack(service.origin, jump)
    const { answers, slowest, titles } = await steady.stop()
    await assertListed(service.origin, titles)
    assert.equal((await service.stop()).code, 0)
    return `${answers} reads and writes before, during and after 6 jumps on keep-alive connections, all 2xx, the slowest ${slowest.toFixed(0)} ms; sessions, tokens and rates expired with the jump ahead; after the jump back, a client with an exhausted hourly rate waited ${waits.rate} s, of five minutes ${waits.login} s, and a session and a token from the day ahead expired one lifetime after that day; every object is listed once`
  },
})

type Jump = (ahead: number) => Promise<void>

async function jumpAhead(origin: string, jump: Jump): Promise<void> {
  const before = await openVisit(origin)
  await before.exhaust()
  await jump(day)
  assert.deepEqual(await before.statuses(), { session: 401, token: 401, rate: 200, login: 200 }, 'after a jump ahead')
  const after = await openVisit(origin)
  assert.deepEqual(
    await after.statuses(),
    { session: 200, token: 200, rate: 200, login: 200 },
    'created after the jump',
  )
}

// Returns the longest waits in seconds.
async function jumpBack(origin: string, jump: Jump): Promise<{ readonly rate: number; readonly login: number }> {
  const visit = await openVisit(origin)
  await visit.exhaust()
  await jump(0)
  const { session, token } = await visit.statuses()
  assert.deepEqual([session, token], [200, 200], 'a session and a token from the day ahead are valid')
  const waits = await visit.waits()
  assert.ok(waits.rate <= (lifetimes.rate + grace) / 1000, `after the jump back a rate is used up for ${waits.rate} s`)
  assert.ok(
    waits.login <= (lifetimes.login + grace) / 1000,
    `after the jump back no login succeeds for ${waits.login} s`,
  )
  await jump(-day)
  const early = await openVisit(origin)
  assert.deepEqual(await early.statuses(), { session: 200, token: 200, rate: 200, login: 200 }, 'created a day back')
  await jump(lifetimes.rate + grace)
  assert.deepEqual(await early.statuses(), { session: 401, token: 401, rate: 200, login: 200 }, 'a day later')
  const later = await visit.statuses()
  assert.deepEqual([later.rate, later.login], [200, 200], 'a period after the jump back')
  await jump(day + lifetimes.session + minute)
  const last = await visit.statuses()
  assert.deepEqual([last.session, last.token], [401, 401], 'a lifetime after it was made')
  await jump(0)
  return waits
}

/** Creates a session and a token, and two addresses: one to exhaust a rate, one to exhaust the failed logins. */
async function openVisit(origin: string) {
  const client = connectTo(origin)
  const browser = openBrowser(from(client, newAddress()))
  await browser.logIn('ann')
  const credentials = { username: 'ann', password }
  const tokenRequest = { ...credentials, name: 'visit', expires_in: lifetimes.token / 1000 }
  const { token } = (await client.post('/api-token-auth/', { ...at(newAddress()), json: tokenRequest })).json()
  const [rateAddress, loginAddress] = [newAddress(), newAddress()]
  const read = () => client.get('/snippet/', at(rateAddress))
  const logIn = (right: boolean) =>
    client.post('/api-token-auth/', {
      ...at(loginAddress),
      json: right ? credentials : { ...credentials, password: 'wrong' },
    })
  return {
    /** Exhausts both limits, so that both return 429. */
    async exhaust() {
      await times(3, read)
      await times(3, () => logIn(false))
      assert.deepEqual([(await read()).status, (await logIn(true)).status], [429, 429])
    },
    async statuses() {
      return {
        session: (await client.get('/directory/users/', { headers: browser.header })).status,
        token: (await client.get('/directory/users/', { token })).status,
        rate: (await read()).status,
        login: (await logIn(true)).status,
      }
    },
    /** The seconds until both return 200. */
    waits: async () => ({ rate: readWait(await read()), login: readWait(await logIn(true)) }),
  }
}

const readWait = ({ status, headers }: TestResponse): number => (status === 429 ? Number(headers['retry-after']) : 0)

const times = async (count: number, ask: () => Promise<unknown>): Promise<void> => {
  for (let number = 0; number < count; number++) await ask()
}

let addresses = 0
const newAddress = (): string => `198.51.100.${++addresses}`
const at = (address: string) => ({ headers: { 'x-forwarded-for': address } })

function from(client: Client, address: string): Client {
  const request = (method: string, url: string, options: RequestOptions = {}) =>
    client.request(method, url, { ...options, headers: { ...options.headers, ...at(address).headers } })
  return { ...client, request, get: (url, options) => request('GET', url, options) }
}

/** Reads and writes continuously on keep-alive connections. */
function probe(origin: string, token: string) {
  const client = openClient(origin, { timeout: maxResponseTime })
  const titles: string[] = []
  let [answers, slowest, isStopped] = [0, 0, false]
  const ask = async (...request: Parameters<typeof client.ask>) => {
    const { status, text, milliseconds, headers } = await client.ask(...request)
    assert.ok(status < 300, `${request[0]} ${request[1]}: ${status} ${text}`)
    answers++
    slowest = Math.max(slowest, milliseconds)
    return headers
  }
  const work = async () => {
    while (!isStopped) {
      const title = randomUUID()
      const json = { title, code: `print("${title}")` }
      const { location } = await ask('POST', '/snippet/snippets/', { token, json })
      titles.push(title)
      await ask('GET', `${new URL(location!).pathname}highlight/`, { token })
      await ask('GET', '/directory/users/', { token })
      await delay(5)
    }
  }
  const working = Promise.all([work(), work()])
  working.catch(() => undefined)
  return {
    async stop() {
      isStopped = true
      await working
      client.close()
      return { answers, slowest, titles }
    },
  }
}

async function assertListed(origin: string, titles: readonly string[]): Promise<void> {
  const client = openClient(origin)
  const { text } = await client.get('/snippet/snippets/', { headers: at(newAddress()).headers })
  const found = JSON.parse(text) as { title: string }[] | { results: { title: string }[] }
  const listed = (Array.isArray(found) ? found : found.results).map(({ title }) => title)
  assert.deepEqual(listed.toSorted(), titles.toSorted())
  client.close()
}
