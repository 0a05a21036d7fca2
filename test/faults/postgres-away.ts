// PostgreSQL stops under load and comes back: once told to, once killed.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { defineFault } from './fault.ts'
import { type Answer, type HttpClient, openClient } from './support/http.ts'
import { acknowledged, compare, createLedger, type Ledger } from './support/ledger.ts'
import { type OwnPostgres, startOwnPostgres } from './support/postgres.ts'
import { formatProbe, startProbe } from './support/probe.ts'
import { type FaultService, startService } from './support/service.ts'
import { until } from './support/until.ts'
import { createUsers } from './support/users.ts'

/** Milliseconds that PostgreSQL stays away, beyond the time that it takes to go and to come. */
const away = 4000
/** Milliseconds. The service waits 5 s for a connection, and the machine may be busy. */
const bounds = { answer: 8000, recovery: 8000, alive: 1000 }
const callers = 8

interface Setting {
  readonly postgres: OwnPostgres
  readonly service: FaultService
  readonly client: HttpClient
  readonly token: string
  readonly ledger: Ledger
}

export default defineFault({
  name: 'PostgreSQL is away and comes back',
  promise:
    'Meanwhile 503 with `Retry-After`, alive and not ready; nothing waits longer than it may; the same process answers again within seconds, and every acknowledged write is there.',
  async run() {
    const postgres = await startOwnPostgres()
    const [token] = await createUsers(postgres.url, { username: 'author', superuser: true })
    const service = await startService({ databaseUrl: postgres.url })
    const client = openClient(service.origin, { timeout: bounds.answer })
    const setting: Setting = { postgres, service, client, token: token!, ledger: createLedger() }
    const findings = [
      `stopped: ${await goAndComeBack(setting, postgres.stop)}`,
      `killed: ${await goAndComeBack(setting, postgres.kill)}`,
    ]
    const { ledger } = setting
    await compare(ledger.entries, client, token!, postgres.url)
    assert.ok(service.isRunning())
    assert.doesNotMatch(service.output(), /unhandled|rejection/i)
    client.close()
    const { code } = await service.stop()
    assert.equal(code, 0)
    await postgres.stop()
    findings.push(`${acknowledged(ledger)} acknowledged writes all there`)
    return findings.join('; ')
  },
})

async function goAndComeBack(setting: Setting, go: () => Promise<void>): Promise<string> {
  const { postgres, service } = setting
  const { pid } = service
  await until('it is ready', async () => (await setting.client.get('/readyz')).status === 200)
  const load = startLoad(setting)
  const probe = await startProbe({ origin: service.origin, paths: { '/healthz': [200] }, timeout: bounds.answer })
  await until('the load runs', () => load.counts()['200'] && load.counts()['201'])
  await go()
  await until('it is not ready', async () => (await setting.client.get('/readyz')).status === 503)
  const before = load.counts()['503'] ?? 0
  await delay(away)
  await checkRefusal(setting)
  const refused = (load.counts()['503'] ?? 0) - before
  assert.ok(refused >= callers, `only ${refused} requests were refused in ${away} ms`)
  await postgres.start()
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
  const finding = `answers ${format(counts)}, the longest after ${longest.toFixed(0)} ms; again as before ${recovery.toFixed(0)} ms after it was back; /healthz: ${formatProbe(alive)}`
  assert.ok(alive.p99 < bounds.alive, finding)
  return finding
}

// What needs the database says so in JSON, and when to come back; what does not answers as ever.
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

/** Readers and writers, who come again as soon as they have an answer; without one they break the promise. */
function startLoad({ client, token, ledger }: Setting) {
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
    if (answer === undefined) throw new Error(`a write had no answer within ${bounds.answer} ms`)
    note(answer)
  }
  const call = async (ask: () => Promise<void>) => {
    while (!isStopped && failures.length === 0) {
      await ask().catch(error => failures.push(error as Error))
      // As soon as a busy client would: a refusal that comes at once is asked for again at once.
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
