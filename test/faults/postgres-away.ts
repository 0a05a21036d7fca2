// PostgreSQL goes away under load and comes back: shut down, killed, unreachable because a proxy accepts connections
// but forwards no bytes, and suspended with SIGSTOP. Then the service gets SIGTERM while the server does not respond.
// This test has failed with each of these defects: no time limit for statements (`query_timeout` in
// src/core/database/postgres/postgres-pool.ts) or for new connections (`connectionTimeoutMillis`), and connections that
// are reused after a timeout (`release` there).

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import { defineFault } from './fault.ts'
import { type Answer, type HttpClient, openClient } from './support/http.ts'
import { compare, countAcknowledged, createLedger, type Ledger } from './support/ledger.ts'
import { within } from './support/machine.ts'
import { startOwnPostgres } from './support/postgres.ts'
import { formatProbe, startProbe } from './support/probe.ts'
import { type FaultService, startService } from './support/service.ts'
import { until } from './support/until.ts'
import { createUsers } from './support/users.ts'

/** Milliseconds. The service waits 5 s for a connection. */
const bounds = { answer: 8000, recovery: 8000, alive: 1000 }
const callers = 8

/** Milliseconds: how long PostgreSQL is stopped and how long it is silent, and the statement timeout of the service. */
interface Times {
  readonly away: number
  readonly silence: number
  readonly statement: number
}

const silentSettings = ({ statement }: Times) => ({
  connectionTimeout: 1000,
  lockTimeout: 1000,
  statementTimeout: statement,
})

/**
 * Milliseconds. A request waits for a connection and for the first statement, to whose timeout the service adds a second
 * (docs/postgresql.md). The silence lasts longer than that.
 */
const maxSilentAnswer = ({ statement }: Times): number => 1000 + statement + 1000 + 3000
/** Milliseconds in which the process has to reject the waiting requests and exit. */
const maxSilentEnd = 15_000

/** One way in which PostgreSQL goes away and comes back. */
interface Absence {
  readonly name: string
  readonly go: () => Promise<void> | void
  readonly come: () => Promise<void> | void
  /** The duration in milliseconds. */
  readonly lasts: number
}

interface Setting {
  readonly service: FaultService
  readonly client: HttpClient
  readonly token: string
  readonly ledger: Ledger
  /** The maximum response time in milliseconds. */
  readonly longest: number
}

export default defineFault({
  name: 'PostgreSQL is stopped or silent, and comes back',
  promise:
    'Meanwhile requests get 503 with `Retry-After` within the timeouts, and the process is alive but not ready; the same process recovers within seconds, and every acknowledged write is stored.',
  scale: {
    full: { away: 4000, silence: 10_000, statement: 3000 },
    short: { away: 1500, silence: 5000, statement: 1500 },
  },
  async run(times: Times) {
    const { away } = times
    const postgres = await startOwnPostgres()
    const [token] = await createUsers(postgres.url, { username: 'author', superuser: true })
    const proxy = await startTcpProxy(postgres.url)
    const findings = [
      await checkAbsences(postgres.url, token!, bounds.answer, {}, [
        { name: 'stopped', go: postgres.stop, come: postgres.start, lasts: away },
        { name: 'killed', go: postgres.kill, come: postgres.start, lasts: away },
      ]),
      await checkAbsences(proxy.through(postgres.url), token!, maxSilentAnswer(times), silentSettings(times), [
        { name: 'silent, no bytes forwarded', go: proxy.freeze, come: proxy.heal, lasts: times.silence },
        {
          name: 'silent, its processes stopped',
          go: () => postgres.signalAll('SIGSTOP'),
          come: () => postgres.signalAll('SIGCONT'),
          lasts: times.silence,
        },
      ]),
      await stopWhileSilent(proxy, postgres.url, token!, times),
    ]
    await proxy.close()
    await postgres.stop()
    return findings.join('; ')
  },
})

/** Runs all absences one after the other against the same service process. */
async function checkAbsences(
  url: string,
  token: string,
  longest: number,
  settings: Readonly<Record<string, number>>,
  absences: readonly Absence[],
): Promise<string> {
  const service = await startService({ databaseUrl: url, config: { postgres: settings } })
  const client = openClient(service.origin, { timeout: longest })
  const setting: Setting = { service, client, token, longest, ledger: createLedger() }
  const findings: string[] = []
  for (const absence of absences) findings.push(`${absence.name}: ${await checkAbsence(setting, absence)}`)
  const { ledger } = setting
  await compare(ledger.entries, client, token, url)
  assert.ok(service.isRunning())
  assert.doesNotMatch(service.output(), /unhandled|rejection/i)
  client.close()
  const { code } = await service.stop()
  assert.equal(code, 0)
  return `${findings.join('; ')}; ${countAcknowledged(ledger)} acknowledged writes all stored`
}

// Requests that wait for the server are rejected in time, and then the process exits without waiting for the server.
async function stopWhileSilent(proxy: TcpProxy, url: string, token: string, times: Times): Promise<string> {
  const databaseUrl = proxy.through(url)
  const service = await startService({ databaseUrl, config: { postgres: silentSettings(times) } })
  const client = openClient(service.origin, { timeout: maxSilentAnswer(times) })
  const read = () => client.get('/directory/users/', { token })
  const before = await Promise.all(Array.from({ length: callers }, read))
  assert.ok(before.every(({ status }) => status === 200))
  proxy.freeze()
  const answered = Promise.all(Array.from({ length: callers }, read))
  await until('all wait for the server', async () => (await client.get('/readyz')).status === 503)
  const start = performance.now()
  service.signal('SIGTERM')
  const ended = within(maxSilentEnd, 'the process ends', service.ended)
  for (const answer of await answered) checkUnavailable(answer)
  assert.equal((await ended).code, 0, 'the exit code')
  client.close()
  proxy.heal()
  return `SIGTERM while the server was silent: exited after ${(performance.now() - start).toFixed(0)} ms with 0`
}

async function checkAbsence(setting: Setting, { go, come, lasts }: Absence): Promise<string> {
  const { service } = setting
  const { pid } = service
  await until('it is ready', async () => (await setting.client.get('/readyz')).status === 200)
  const load = startLoad(setting)
  const probe = await startProbe({ origin: service.origin, paths: { '/healthz': [200] }, timeout: setting.longest })
  await until('the load runs', () => load.counts()['200'] && load.counts()['201'])
  await go()
  await until('it is not ready', async () => (await setting.client.get('/readyz')).status === 503)
  const before = load.counts()['503'] ?? 0
  await delay(lasts)
  await checkRefusal(setting)
  const areRefused = () => (load.counts()['503'] ?? 0) - before >= callers
  await until('as many requests as there are callers are rejected', areRefused, { within: bounds.answer })
  await come()
  const back = performance.now()
  const answers = load.counts()
  const more = (status: string) => (load.counts()[status] ?? 0) > (answers[status] ?? 0) + callers
  const isBack = async () => (await setting.client.get('/readyz')).status === 200 && more('200') && more('201')
  await until('it reads, writes and is ready again', isBack, { within: bounds.recovery, pause: 10 })
  const recovery = performance.now() - back
  const { longest, counts } = await load.stop()
  const alive = await probe.stop()
  assert.deepEqual(alive.failures, [])
  assert.ok(service.isRunning() && service.pid === pid)
  const finding = `responses ${format(counts)}, the slowest after ${longest.toFixed(0)} ms; recovered ${recovery.toFixed(0)} ms after PostgreSQL was back; /healthz: ${formatProbe(alive)}`
  assert.ok(alive.judged.p99 < bounds.alive, finding)
  return finding
}

// Requests that need the database get a JSON error with Retry-After; other requests succeed.
async function checkRefusal({ client, token }: Setting): Promise<void> {
  const json = { title: 'refused', code: 'x' }
  const refused = await Promise.all([
    client.get('/snippet/snippets/'),
    client.get('/directory/users/', { token }),
    client.ask('POST', '/snippet/snippets/', { token, json }),
    client.ask('POST', '/api-token-auth/', { json: { username: 'author', password: 'wrong' } }),
  ])
  for (const answer of refused) checkUnavailable(answer)
  const readiness = await client.get('/readyz')
  assert.equal(readiness.status, 503)
  assert.equal(typeof readiness.json(), 'object')
  assert.equal((await client.get('/')).status, 200)
  assert.equal((await client.get('/directory/users/')).status, 401)
}

function checkUnavailable({ status, headers, text, json }: Answer): void {
  assert.equal(status, 503, text)
  assert.match(headers['retry-after'] ?? '', /^\d+$/)
  assert.match(headers['content-type'] ?? '', /^application\/json/)
  assert.equal(typeof json().detail, 'string')
}

/**
 * Starts readers and writers that send the next request after each response; a request without a response is a failure.
 */
function startLoad({ client, token, ledger, longest: most }: Setting) {
  const counts: Record<string, number> = {}
  let [isStopped, longest] = [false, 0]
  const failures: Error[] = []
  const note = (answer: Answer) => {
    counts[answer.status] = (counts[answer.status] ?? 0) + 1
    longest = Math.max(longest, answer.milliseconds)
    if (answer.status === 503) checkUnavailable(answer)
    else assert.ok(answer.status < 300, `${answer.status} ${answer.text}`)
  }
  const read = async () => note(await client.get('/directory/users/', { token }))
  const write = async () => {
    const entry = ledger.add('snippets', randomUUID())
    const body = { title: entry.name, code: `print("${entry.name}")`, language: 'python' }
    const answer = await ledger.write(client, token, entry, body)
    if (answer === undefined) throw new Error(`a write had no answer within ${most} ms`)
    note(answer)
  }
  const call = async (ask: () => Promise<void>) => {
    while (!isStopped && failures.length === 0) {
      await ask().catch(error => failures.push(error as Error))
      // A rejected request is repeated almost at once, as an impatient client does.
      await delay(5)
    }
  }
  const ended = Promise.all(Array.from({ length: callers }, (_, number) => call(number % 2 === 0 ? read : write)))
  const check = () => {
    if (failures.length > 0) throw failures[0]
  }
  return {
    counts() {
      check()
      return { ...counts }
    },
    async stop() {
      isStopped = true
      await ended
      check()
      return { counts, longest }
    },
  }
}

const format = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([status, count]) => `${count} × ${status}`)
    .join(', ')
