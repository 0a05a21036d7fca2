// SIGTERM under load: every request that was sent before gets its response, and the process exits.
//
// This test has failed with a process that does not wait for requests in flight or slow readers (`drain` in
// src/server/drain.ts).

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { defineFault } from './fault.ts'
import { openClient } from './support/http.ts'
import { compare, countAcknowledged, createLedger, type Ledger } from './support/ledger.ts'
import { within } from './support/machine.ts'
import { startOwnPostgres } from './support/postgres.ts'
import { type FaultService, newFolder, startService } from './support/service.ts'
import { openTrackedClient, type TrackedClient } from './support/tracked.ts'
import { until } from './support/until.ts'
import { createUsers } from './support/users.ts'

/** Milliseconds that the slow upload and the slow reader pause after the signal. */
const slowness = 1500
/** The maximum number of milliseconds from the last response to the exit. */
const maxExitTime = 5000
/** Seconds in which the service waits for requests; a busy machine needs long for them. */
const stopTime = 300
const [writerCount, readerCount, visitorCount, idleCount] = [8, 8, 4, 30]
const bigSnippets = { count: 24, size: 500_000 }

interface Setting {
  readonly databaseUrl: string
  readonly token: string
  readonly ledger: Ledger
  readonly workers: number
}

export default defineFault({
  name: 'SIGTERM under load',
  promise:
    'Every request that was sent before the signal gets its response, including a slow upload and a slow reader; then the process exits with 0 within seconds, even if clients keep connections open.',
  scale: { full: { rounds: 3 }, short: { rounds: 1 } },
  async run({ rounds }) {
    const postgres = await startOwnPostgres()
    const onSqlite = { databaseUrl: `sqlite:${await newFolder()}/service.db`, workers: 1 }
    const findings = [`SQLite: ${await terminate(onSqlite, rounds)}`]
    const onPostgres = { databaseUrl: postgres.url, workers: 1 }
    findings.push(`PostgreSQL: ${await terminate(onPostgres, rounds)}`)
    findings.push(`PostgreSQL, two workers: ${await terminate({ databaseUrl: postgres.url, workers: 2 }, rounds)}`)
    await postgres.stop()
    return `${rounds} ${rounds === 1 ? 'round' : 'rounds'} each. ${findings.join('; ')}`
  },
})

async function terminate(
  { databaseUrl, workers }: Pick<Setting, 'databaseUrl' | 'workers'>,
  rounds: number,
): Promise<string> {
  const [token] = await createUsers(databaseUrl, { username: `author-${randomUUID()}`, superuser: true })
  const setting: Setting = { databaseUrl, workers, token: token!, ledger: createLedger() }
  const tally = { pending: 0, exitTime: 0 }
  for (let round = 0; round < rounds; round++) {
    const { pending, exitTime } = await terminateOnce(setting, round === 0)
    tally.pending += pending
    tally.exitTime = Math.max(tally.exitTime, exitTime)
  }
  await compareAll(setting)
  assert.ok(tally.pending >= rounds, `only ${tally.pending} requests had no response yet at the signal`)
  return `${tally.pending} requests were in flight and all got a response, ${countAcknowledged(setting.ledger)} acknowledged writes are all stored, exited at most ${tally.exitTime.toFixed(0)} ms after the last response`
}

async function terminateOnce(setting: Setting, isFirst: boolean) {
  const service = await start(setting)
  if (isFirst) await createBigSnippets(service, setting)
  const idle = await openIdle(service)
  const upload = await beginUpload(service, setting)
  const reader = await beginReading(service, setting)
  const load = startLoad(service, setting)
  await until('the load runs', () => load.answered() > 100, { pause: 5 })
  // At the signal, some new connections still wait to be accepted.
  const newest = sendFromNewConnections(service)
  await newest.sent
  const signalTime = performance.now()
  service.signal('SIGTERM')
  await delay(slowness)
  assert.ok(service.isRunning(), 'it did not wait for a slow upload and a slow reader')
  assert.equal(await upload.finish(), 201, 'the slow upload')
  await reader.finish()
  const answered = performance.now()
  const { code, signal, stderr } = await within(maxExitTime, 'the process ends', service.ended)
  const exitTime = performance.now() - answered
  await load.ended
  await newest.ended
  assert.deepEqual([code, signal], [0, null], stderr.slice(-500))
  assert.doesNotMatch(stderr, /unhandled|rejection/i)
  const pending = checkAnswers([...load.clients, newest.client], signalTime)
  for (const socket of idle) socket.destroy()
  assert.ok(await isRefused(service), 'new connections are refused')
  return { pending, exitTime }
}

const start = ({ databaseUrl, workers }: Setting): Promise<FaultService> =>
  startService({
    databaseUrl,
    args: ['--workers', String(workers)],
    config: { limits: { stopTime } },
  })

// Checks that every request that was completely sent before the signal got a response. Returns how many were still
// waiting.
function checkAnswers(clients: readonly TrackedClient[], signalTime: number): number {
  const before = clients.flatMap(({ requests }) => requests).filter(({ sentAt = signalTime }) => sentAt < signalTime)
  for (const { method, path, sentAt, outcome } of before) {
    const what = `${method} ${path}, sent ${(signalTime - sentAt!).toFixed(1)} ms before the signal`
    assert.ok(outcome !== undefined, `${what}: nothing came`)
    assert.ok(!(outcome instanceof Error), `${what}: ${outcome}`)
    assert.ok(outcome.status < 500, `${what}: ${outcome.status} ${outcome.text}`)
  }
  return before.filter(({ endedAt }) => endedAt! > signalTime).length
}

async function compareAll(setting: Setting): Promise<void> {
  const service = await start({ ...setting, workers: 1 })
  const client = openClient(service.origin)
  await compare(setting.ledger.entries, client, setting.token, setting.databaseUrl)
  client.close()
  await service.stop()
}

interface Load {
  readonly clients: readonly TrackedClient[]
  answered(): number
  /** Resolves when all callers have stopped; each stops at its first request without a response. */
  readonly ended: Promise<unknown>
}

function startLoad({ origin }: FaultService, { token, ledger }: Setting): Load {
  const [writing, reading, visiting] = [true, true, false].map(keepAlive => openTrackedClient(origin, { keepAlive }))
  const write = async () => {
    const entry = ledger.add('snippets', randomUUID())
    return ledger.write(writing!, token, entry, {
      title: entry.name,
      code: `print("${entry.name}")`,
      language: 'python',
    })
  }
  const read = (client: TrackedClient) => client.get('/directory/users/', { token }).catch(() => undefined)
  const callers = [
    ...Array.from({ length: writerCount }, () => repeat(write)),
    ...Array.from({ length: readerCount }, () => repeat(() => read(reading!))),
    ...Array.from({ length: visitorCount }, () => repeat(() => read(visiting!))),
  ]
  const clients = [writing!, reading!, visiting!]
  const answered = () => clients.flatMap(({ requests }) => requests).filter(({ endedAt }) => endedAt).length
  return { clients, answered, ended: Promise.all(callers) }
}

async function repeat(ask: () => Promise<{ readonly status: number } | undefined>): Promise<void> {
  while ((await ask()) !== undefined);
}

function sendFromNewConnections({ origin }: FaultService) {
  const client = openTrackedClient(origin, { keepAlive: false })
  const asked = Array.from({ length: 10 }, () => client.get('/healthz').catch(() => undefined))
  const isSent = () => client.requests.every(({ sentAt, outcome }) => sentAt !== undefined || outcome !== undefined)
  return { client, sent: until('new connections have sent', isSent, { pause: 0 }), ended: Promise.all(asked) }
}

// Opens idle connections: two thirds have been used, and a third has sent nothing.
async function openIdle({ origin, port }: FaultService): Promise<readonly Socket[]> {
  const sockets = Array.from({ length: idleCount }, () => connect(port, '127.0.0.1').on('error', () => undefined))
  await Promise.all(sockets.map(socket => once(socket, 'connect')))
  const used = sockets.filter((_, number) => number % 3 > 0)
  for (const socket of used) socket.write(`GET /healthz HTTP/1.1\r\nHost: ${new URL(origin).host}\r\n\r\n`)
  await Promise.all(used.map(socket => once(socket, 'data')))
  return sockets
}

async function beginUpload({ origin }: FaultService, { token }: Setting) {
  const body = JSON.stringify({ title: 'slow', code: 'x = 1\n'.repeat(10_000), language: 'python' })
  const headers = { authorization: `Token ${token}`, 'content-type': 'application/json', 'content-length': body.length }
  const request = httpRequest(`${origin}/snippet/snippets/`, { method: 'POST', headers, agent: false })
  const answered = once(request, 'response')
  answered.catch(() => undefined)
  const half = body.length / 2
  await new Promise(sent => request.write(body.slice(0, half), sent))
  return {
    async finish(): Promise<number> {
      request.end(body.slice(half))
      const [response] = (await answered) as [IncomingMessage]
      response.resume()
      return response.statusCode!
    },
  }
}

// The list is larger than the socket buffers.
async function beginReading({ origin }: FaultService, { token }: Setting) {
  const request = httpRequest(`${origin}/snippet/snippets/`, { agent: false }).end()
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return {
    async finish(): Promise<void> {
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk as Buffer)
      const list: readonly { readonly title: string }[] = JSON.parse(Buffer.concat(chunks).toString())
      assert.equal(list.filter(({ title }) => title === token).length, bigSnippets.count)
    },
  }
}

async function createBigSnippets({ origin }: FaultService, { token }: Setting): Promise<void> {
  const client = openClient(origin)
  for (let number = 0; number < bigSnippets.count; number++) {
    // The title distinguishes them from the snippets of another run on the same database.
    const json = { title: token, code: 'x'.repeat(bigSnippets.size), language: 'text' }
    assert.equal((await client.ask('POST', '/snippet/snippets/', { token, json })).status, 201)
  }
  client.close()
}

async function isRefused({ port }: FaultService): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const refused = await once(socket, 'connect').then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'ECONNREFUSED',
  )
  socket.destroy()
  return refused
}
