// Stopping serve: no request that was sent before the signal is lost, and nothing delays the exit.

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { suite, type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { formatConfig } from '../support/config-file.ts'
import { eventually, patience } from '../support/patience.ts'
import { openConnection } from '../support/raw-http.ts'
import { type CommandLine, commandLine, type Running } from './command-line.ts'
import { openKeepAlive } from './keep-alive-connection.ts'
import { childrenOf } from './processes.ts'

const environment = { SECRET_KEY: 's'.repeat(40), PORT: '0', LOG_LEVEL: 'silent' }
const list = '/snippet/snippets/'
// This path queries the database, and its response has a Content-Length.
const path = `${list}1/`

interface Started {
  readonly service: Running
  readonly origin: string
}

interface ServeOptions {
  readonly flags?: readonly string[]
  readonly limits?: object
  /** Further settings of the config file. */
  readonly settings?: string
}

// A busy machine does not reach these limits, in seconds; `overloadDelay` is in milliseconds.
const longer = (2 * patience) / 1000
const patientLimits = { stopTime: longer, requestTime: longer, overloadDelay: 2 * patience }

const writeConfig = ({ folder }: CommandLine, { limits, settings = '' }: ServeOptions): Promise<void> =>
  writeFile(
    join(folder, 'resource-api.config.ts'),
    formatConfig(`limits: ${JSON.stringify({ ...patientLimits, ...limits })}, ${settings}`),
  )

async function start(cli: CommandLine, options: ServeOptions = {}): Promise<Started> {
  const { flags = [] } = options
  await writeConfig(cli, options)
  const service = cli.start(['serve', ...flags], { environment })
  const [, origin] = await service.until(/^Listening on (http:\S+)$/m)
  return { service, origin: origin! }
}

const openMany = (count: number, origin: string, target = path) =>
  Promise.all(Array.from({ length: count }, () => openKeepAlive(origin, target)))

// Each command is a separate process, so the tests can run concurrently.
suite('stopping', { concurrency: true }, () => {
  for (const workers of ['1', '2']) {
    test(`every request that was written before the signal gets its response, with --workers ${workers}`, context =>
      checkNothingIsLost(context, workers))
  }

  test('connections that wait while the workers are busy for seconds get their responses', async context => {
    const { service, origin } = await start(await commandLine(context), { flags: ['--workers', '2'] })
    const workerIds = await childrenOf(service.pid)
    for (const pid of workerIds) process.kill(pid, 'SIGSTOP')
    const waiting = await openMany(20, origin)
    for (const connection of waiting) connection.send(2)
    const ending = service.stop()
    await service.until(/^SIGTERM: stopping$/m)
    // The first process must not stop workers that have not accepted all connections yet.
    await delay(1500)
    for (const pid of workerIds) process.kill(pid, 'SIGCONT')
    assert.equal((await ending).code, 0)
    await Promise.all(waiting.map(({ closed }) => closed))
    assert.deepEqual(
      waiting.map(({ received }) => received),
      waiting.map(() => 2),
    )
  })

  test('serve waits for requests in flight, but not for idle connections; meanwhile it is not ready', async context => {
    const { service, origin } = await start(await commandLine(context))
    const [kept, unused] = await Promise.all([openMany(10, origin), openMany(10, origin)])
    for (const connection of kept) connection.send()
    await eventually(() => kept.every(({ received }) => received === 1), 'responses')
    const body = 'username=ann&password=x'
    const slow = openConnection(origin)
    slow.send(
      `POST /api-token-auth/ HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n`,
    )
    slow.send(`Content-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`)
    await slow.receive(/100 Continue/)
    const ending = service.stop()
    await service.until(/^SIGTERM: stopping$/m)
    await eventually(async () => {
      const { status, headers } = await fetch(`${origin}/readyz`)
      return status === 503 && headers.get('connection') === 'close'
    }, 'the service is not ready')
    const other = await fetch(`${origin}${list}`)
    assert.deepEqual([other.status, other.headers.get('connection')], [200, 'close'])
    const [late] = await openMany(1, origin)
    late!.send(3)
    await late!.closed
    assert.deepEqual([late!.received, late!.closing], [3, 1])
    const sent = performance.now()
    slow.send(body)
    assert.match(await slow.receiveLast(), /^HTTP\/1.1 400 .*connection: close\r\n.*Unable to log in/is)
    assert.equal((await ending).code, 0)
    assert.ok(performance.now() - sent < patience, 'below the time limit of requests')
    await Promise.all([...kept, ...unused].map(({ closed }) => closed))
  })

  test('requests that exceed the stop time are aborted', async context => {
    const { service, origin } = await start(await commandLine(context), { limits: { stopTime: 1 } })
    const slow = openConnection(origin)
    slow.send('POST /api-token-auth/ HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n')
    slow.send('Content-Length: 5\r\nExpect: 100-continue\r\n\r\n')
    await slow.receive(/100 Continue/)
    const signalled = performance.now()
    const { code } = await service.stop()
    const seconds = (performance.now() - signalled) / 1000
    assert.equal(code, 0)
    assert.equal(await slow.receiveLast(), '')
    assert.ok(seconds >= 1 && 1000 * seconds < patience, `it took ${seconds} seconds`)
  })

  test('a second signal ends the process at once', async context => {
    const { service, origin } = await start(await commandLine(context))
    const slow = openConnection(origin)
    slow.send('POST /api-token-auth/ HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n')
    slow.send('Content-Length: 5\r\nExpect: 100-continue\r\n\r\n')
    await slow.receive(/100 Continue/)
    void service.stop('SIGTERM')
    await service.until(/^SIGTERM: stopping$/m)
    assert.equal((await service.stop('SIGINT')).code, 130)
  })

  test('a client that reads slowly gets its whole response', async context => {
    const cli = await commandLine(context)
    const code = 'x'.repeat(1024 * 1024)
    const file = join(cli.folder, 'data.json')
    const snippets = Array.from({ length: 16 }, () => ({ owner: 'ann', code }))
    await writeFile(file, JSON.stringify({ users: [{ username: 'ann' }], snippets }))
    const profile = 'snippets({ pagination: pageNumber({ pageSize: 100 }), highlightingWait: 3_600_000 })'
    const settings = `profiles: [directory(), ${profile}]`
    await writeConfig(cli, { settings })
    const loaded = await cli.run(['loaddata', file], { environment })
    assert.equal(loaded.code, 0, loaded.stderr)
    const { service, origin } = await start(cli, { settings })
    const { hostname, port } = new URL(origin)
    const socket = connect(Number(port), hostname)
    socket.write(`GET ${list} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    let length = 0
    await new Promise<void>(resolve => socket.once('readable', resolve))
    const ending = service.stop()
    await service.until(/^SIGTERM: stopping$/m)
    for await (const chunk of socket) length += chunk.length
    assert.ok(length > 16 * code.length, `received ${length} bytes`)
    assert.equal((await ending).code, 0)
  })
})

// Some connections send requests continuously. Then the processes are paused, while requests are written on keep-alive
// connections, several at once, and on new connections that have not been accepted yet.
async function checkNothingIsLost(context: TestContext, workers: string): Promise<void> {
  const { service, origin } = await start(await commandLine(context), { flags: ['--workers', workers] })
  // Probes get their response at once, before the requests behind them are read.
  const [busy, kept, probing] = await Promise.all([
    openMany(20, origin),
    openMany(10, origin),
    openMany(10, origin, '/healthz'),
  ])
  for (const connection of busy) connection.sendContinuously()
  for (const connection of [...kept, ...probing]) connection.send()
  await eventually(() => busy.every(({ received }) => received >= 5), 'five responses on each connection')
  await eventually(() => [...kept, ...probing].every(({ received }) => received === 1), 'responses')

  const workerIds = await childrenOf(service.pid)
  const processes = [service.pid, ...workerIds]
  for (const pid of processes) process.kill(pid, 'SIGSTOP')
  for (const connection of [...kept, ...probing]) connection.send(3)
  const fresh = await openMany(40, origin)
  for (const connection of fresh) connection.send(2)
  const all = [...busy, ...kept, ...probing, ...fresh]
  const before = all.map(({ written }) => written)
  // The signal goes to all processes, as from a terminal or systemd.
  for (const pid of workerIds) process.kill(pid, 'SIGTERM')
  const ending = service.stop()
  for (const pid of processes) process.kill(pid, 'SIGCONT')

  assert.equal((await ending).code, 0)
  await Promise.all(all.map(({ closed }) => closed))
  for (const [index, { received }] of all.entries())
    assert.ok(received >= before[index]!, `${received} of ${before[index]} on connection ${index}`)
  assert.ok(
    busy.some(({ closing }) => closing === 1),
    'a response has `Connection: close`',
  )
}
