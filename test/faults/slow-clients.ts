// Clients that send or read a byte now and then, or nothing, and stay.
//
// It fails with: no time limit for requests (`requestTimeout` and `headersTimeout` of service/server.ts), for idle connections
// or for answers that nobody takes (`endStalled`); with an event loop that is blocked for three seconds whenever a
// connection is ended, which the 99th percentile does not show; and with sockets that are kept after their end.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { defineFault } from './fault.ts'
import { openClient } from './support/http.ts'
import { insideArgs, lookInside } from './support/inside.ts'
import { megabytes, watchProcess } from './support/memory.ts'
import { formatProbe, startProbe } from './support/probe.ts'
import { openDescriptors, stillOpen } from './support/process.ts'
import { type FaultService, newFolder, startService } from './support/service.ts'
import { until } from './support/until.ts'
import { createUsers } from './support/users.ts'

/** Seconds, small so that this takes less than a minute. */
const limits = { requestTime: 5, idleTime: 4, stallTime: 2 }
/** Milliseconds beyond a bound: Node looks at its connections now and then, and this machine may be busy. */
const slack = 6000
type End = 'sending' | 'idle' | 'stalled'
const ends: Readonly<Record<End, number>> = {
  sending: 1250 * limits.requestTime + slack,
  idle: 1000 * limits.idleTime + 1000 + slack,
  stalled: 2500 * limits.stallTime + slack,
}
const waves = 3
/**
 * Milliseconds for the callers beside them, bytes. `stalled` is far above what a busy machine adds, and far below the
 * time of a caller that waits until slow connections are ended.
 */
const most = { p99: 250, stalled: 1500, memory: 1_000_000_000, growth: 3_000_000 }
/** Answers to the callers beside them: fewer mean that they have waited instead. */
const fewestAnswers = 300
const bigSnippets = { count: 120, size: 100_000 }

interface Target {
  readonly service: FaultService
  readonly token: string
}

/** Clients of one kind: what they send, and what they get before they are cut off. */
interface Kind {
  readonly name: string
  readonly count: number
  /** Sent at once. */
  readonly bytes: (target: Target) => string
  /** Goes on with a byte each second. */
  readonly trickles?: boolean
  /** Says that no more will come. */
  readonly halfCloses?: boolean
  /** The bound that ends them. */
  readonly end: End
  readonly answer: RegExp
}

const get = (path: string) => (target: Target) => `GET ${path} HTTP/1.1\r\n${fields(target)}\r\n`
const unfinished = (target: Target) => `GET /directory/users/ HTTP/1.1\r\n${fields(target)}X-Slow: `
const slowBody = (target: Target) =>
  `POST /snippet/snippets/ HTTP/1.1\r\n${fields(target)}Content-Type: application/json\r\nContent-Length: 5000\r\n\r\n{"title": "`
const fields = ({ service, token }: Target) =>
  `Host: ${new URL(service.origin).host}\r\nAuthorization: Token ${token}\r\n`

const kinds: readonly Kind[] = [
  {
    name: 'slow headers',
    count: 200,
    bytes: unfinished,
    trickles: true,
    end: 'sending',
    answer: /^HTTP\/1.1 408 /,
  },
  { name: 'slow bodies', count: 100, bytes: slowBody, trickles: true, end: 'sending', answer: /^HTTP\/1.1 408 / },
  { name: 'silent', count: 100, bytes: () => '', end: 'sending', answer: /^(?:HTTP\/1.1 408 |$)/ },
  {
    name: 'half-closed',
    count: 50,
    bytes: unfinished,
    halfCloses: true,
    end: 'sending',
    answer: /^(?:HTTP\/1.1 400 |$)/,
  },
  { name: 'idle', count: 100, bytes: get('/healthz'), end: 'idle', answer: /^HTTP\/1.1 200 / },
]
/** They read nothing at all, so that only the service itself can tell when it has ended them. */
const readers = { list: 20, page: 60 }
const total = kinds.reduce((sum, { count }) => sum + count, readers.list + readers.page)

export default defineFault({
  name: 'slow headers, slow bodies, slow readers',
  promise:
    'Each connection is ended at its bound, whoever is merely slow gets an answer, others are answered as quickly as ever, and nothing is held on to.',
  async run() {
    const databaseUrl = `sqlite:${await newFolder()}/service.db`
    const [token] = await createUsers(databaseUrl, { username: 'admin', superuser: true })
    const service = await startService({
      databaseUrl,
      config: { limits },
      nodeArgs: insideArgs,
    })
    const target = { service, token: token! }
    await makeBigSnippets(target)
    const paths = { '/directory/users/': [200], '/snippet/snippets/1/': [200], '/healthz': [200] }
    const probe = await startProbe({ origin: service.origin, paths, headers: { authorization: `Token ${token}` } })
    const watch = watchProcess(service.pid)
    const start = await holding(watch)
    const heaps: number[] = []
    const ended = { sending: 0, idle: 0, stalled: 0 }
    for (let wave = 0; wave < waves; wave++) {
      const times = await wash(target, start.descriptors)
      for (const kind of Object.keys(ended) as End[]) ended[kind] = Math.max(ended[kind], times[kind])
      heaps.push((await lookInside(service)).heapUsed)
    }
    const peak = Math.max(...watch.samples.map(({ memory }) => memory))
    const seen = await probe.stop()
    watch.stop()
    assert.deepEqual(seen.failures, [])
    assert.doesNotMatch(service.output(), /unhandled/i)
    const seconds = Object.values(ended).map(time => (time / 1000).toFixed(1))
    const finding = `${waves} times ${total} connections, the last of them ended after ${seconds.join(', ')} s (sending, idle, reading nothing) where ${limits.requestTime}, ${limits.idleTime} and ${limits.stallTime} s are set and ${Object.values(
      ends,
    )
      .map(end => end / 1000)
      .join(
        ', ',
      )} s allowed; beside them ${formatProbe(seen)}; descriptors ${start.descriptors} before and after; the heap holds ${heaps.map(megabytes).join(', ')} afterwards; memory ${megabytes(start.memory)} before, at most ${megabytes(peak)}`
    assert.ok(seen.p99 < most.p99, `others wait: ${finding}`)
    assert.ok(
      seen.max < most.stalled + seen.ownDelay,
      `one of the others waits for ${seen.max.toFixed(0)} ms: ${finding}`,
    )
    assert.ok(seen.count > fewestAnswers, `few answers: ${finding}`)
    assert.ok(peak < most.memory, finding)
    assert.ok(heaps.at(-1)! < heaps[0]! + most.growth, `the heap grows: ${finding}`)
    await service.stop()
    return finding
  },
})

async function holding({ samples }: ReturnType<typeof watchProcess>) {
  return until('a first look at the process', () => samples.at(-1))
}

// All kinds at once; a client that is slow within the bounds is served meanwhile. Answers the milliseconds until the last of
// each kind was ended.
async function wash(target: Target, descriptors: number): Promise<Readonly<Record<End, number>>> {
  const { service } = target
  const start = performance.now()
  const stalled = [
    ...openReaders(target, readers.list, '/snippet/snippets/', 'application/json'),
    ...openReaders(target, readers.page, '/directory/users/', 'text/html'),
  ]
  const steady = [readSlowly(target), sendSlowly(target)]
  const areEnded = watchStalled(target, stalled, start)
  const [stalledTime, ...ended] = await Promise.all([areEnded, ...kinds.map(kind => endure(target, kind))])
  await Promise.all(steady)
  // One is ended after the other, and the probe's and the slow clients' own connections come and go.
  const within = Math.max(...Object.values(ends)) - (performance.now() - start)
  const areFew = async () => (await openDescriptors(service.pid)) <= descriptors
  await until('the service has closed what is not read', areFew, { within: Math.max(Math.round(within), 1000) })
  for (const socket of [...stalled, ...ended.flatMap(({ sockets }) => sockets)]) socket.destroy()
  const longest = (end: End) =>
    Math.max(...ended.filter((_, index) => kinds[index]!.end === end).map(({ time }) => time))
  return { sending: longest('sending'), idle: longest('idle'), stalled: stalledTime }
}

// Answers the milliseconds until the service has ended them all; none of them reads, so that only the kernel can tell.
async function watchStalled({ service }: Target, sockets: readonly Socket[], start: number): Promise<number> {
  await Promise.all(sockets.map(socket => once(socket, 'connect')))
  const ports = sockets.map(({ localPort }) => localPort!)
  const areEnded = async () => (await stillOpen(service.port, ports)).length === 0
  const what = `${ports.length} connections that read nothing are ended`
  await until(what, areEnded, { within: ends.stalled, pause: 100 })
  return performance.now() - start
}

// Answers the connections. Throws where one is not ended within its bound, or gets another answer.
async function endure(
  target: Target,
  { name, count, bytes, trickles, halfCloses, end, answer }: Kind,
): Promise<{ readonly sockets: readonly Socket[]; readonly time: number }> {
  const start = performance.now()
  const sockets = Array.from({ length: count }, () => open(target))
  const texts = sockets.map(() => '')
  for (const [number, socket] of sockets.entries()) {
    socket.setEncoding('latin1').on('data', text => {
      texts[number] = texts[number]! + text
    })
    socket.write(bytes(target))
    if (halfCloses) socket.end()
  }
  const timer = setInterval(() => {
    if (trickles) for (const socket of sockets) if (socket.writable) socket.write('x')
  }, 1000)
  // None closes its own side, so that the service has to.
  const isEnded = () => sockets.every(({ readableEnded, closed }) => readableEnded || closed)
  await until(`${name}: all ${count} are ended`, isEnded, { within: ends[end] }).finally(() => clearInterval(timer))
  const time = performance.now() - start
  for (const text of texts) assert.match(text, answer, name)
  return { sockets, time }
}

function openReaders(target: Target, count: number, path: string, accept: string): readonly Socket[] {
  return Array.from({ length: count }, () => {
    const socket = open(target)
    socket.write(`GET ${path} HTTP/1.1\r\n${fields(target)}Accept: ${accept}\r\n\r\n`)
    return socket.pause()
  })
}

function open({ service }: Target): Socket {
  return connect({ port: service.port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => undefined)
}

// About 2 MB a second: longer than any bound, without a pause that reaches one.
async function readSlowly({ service }: Target): Promise<void> {
  const request = httpRequest(`${service.origin}/snippet/snippets/`, { agent: false }).end()
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  assert.equal(response.statusCode, 200)
  const chunks: Buffer[] = []
  for await (const chunk of response) {
    chunks.push(chunk)
    await delay((chunk as Buffer).length / 2000)
  }
  const list: readonly unknown[] = JSON.parse(Buffer.concat(chunks).toString())
  assert.ok(list.length >= bigSnippets.count, 'a slow reader gets the whole list')
}

async function sendSlowly({ service, token }: Target): Promise<void> {
  const body = JSON.stringify({ title: 'slow', code: 'x = 1', language: 'python' })
  const headers = { authorization: `Token ${token}`, 'content-type': 'application/json', 'content-length': body.length }
  const request = httpRequest(`${service.origin}/snippet/snippets/`, { method: 'POST', headers, agent: false })
  const answered = once(request, 'response')
  for (const byte of body) {
    request.write(byte)
    await delay((600 * limits.requestTime) / body.length)
  }
  request.end()
  const [response] = (await answered) as [IncomingMessage]
  assert.equal(response.resume().statusCode, 201, 'a slow sender within the bound')
}

async function makeBigSnippets({ service, token }: Target): Promise<void> {
  const client = openClient(service.origin)
  for (let number = 0; number < bigSnippets.count; number++) {
    const json = { title: 'big', code: 'x'.repeat(bigSnippets.size), language: 'text' }
    assert.equal((await client.ask('POST', '/snippet/snippets/', { token, json })).status, 201)
  }
  client.close()
}
