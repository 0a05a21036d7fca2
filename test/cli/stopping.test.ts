// How serve ends: nothing that was sent before the signal is lost, and nothing holds it up.

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { suite, type TestContext, test } from 'node:test'
import { openConnection } from '../support/raw-http.ts'
import { openAsking } from './asking-connection.ts'
import { type CommandLine, commandLine, type Running } from './command-line.ts'
import { childrenOf, eventually } from './processes.ts'

const environment = { SECRET_KEY: 's'.repeat(40), PORT: '0', LOG_LEVEL: 'silent' }
const list = '/snippet/snippets/'
// The database is asked for it, and the answer says its length.
const path = `${list}1/`

interface Started {
  readonly service: Running
  readonly origin: string
}

async function start(cli: CommandLine, ...flags: string[]): Promise<Started> {
  const service = cli.start(['serve', ...flags], { environment })
  const [, origin] = await service.until(/^Listening on (http:\S+)$/m)
  return { service, origin: origin! }
}

const openMany = (count: number, origin: string, target = path) =>
  Promise.all(Array.from({ length: count }, () => openAsking(origin, target)))

// Each command is a process of its own, so the tests need not wait for each other.
suite('stopping', { concurrency: true }, () => {
  for (const workers of ['1', '2']) {
    test(`every request that was written before the signal is answered, with --workers ${workers}`, context =>
      losesNothing(context, workers))
  }

  test('a request under way is waited for, idle connections are not; meanwhile the service is not ready', async context => {
    const { service, origin } = await start(await commandLine(context))
    const [kept, unused] = await Promise.all([openMany(10, origin), openMany(10, origin)])
    for (const connection of kept) connection.ask()
    await eventually(() => kept.every(({ answered }) => answered === 1), 'answers')
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
    }, 'the service says that it is not ready')
    const other = await fetch(`${origin}${list}`)
    assert.deepEqual([other.status, other.headers.get('connection')], [200, 'close'])
    const [late] = await openMany(1, origin)
    late!.ask(3)
    await late!.closed
    assert.deepEqual([late!.answered, late!.closing], [3, 1])
    const sent = performance.now()
    slow.send(body)
    assert.match(await slow.receiveLast(), /^HTTP\/1.1 400 .*connection: close\r\n.*Unable to log in/is)
    assert.equal((await ending).code, 0)
    assert.ok(performance.now() - sent < 5000, 'well below the bound for requests')
    await Promise.all([...kept, ...unused].map(({ closed }) => closed))
  })

  test('what takes longer than it may is cut', async context => {
    const cli = await commandLine(context)
    const config = join(cli.folder, 'resource-api.config.ts')
    await writeFile(config, 'export default { limits: { stopTime: 1 } }')
    const { service, origin } = await start(cli)
    const slow = openConnection(origin)
    slow.send('POST /api-token-auth/ HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n')
    slow.send('Content-Length: 5\r\nExpect: 100-continue\r\n\r\n')
    await slow.receive(/100 Continue/)
    const asked = performance.now()
    const { code } = await service.stop()
    const seconds = (performance.now() - asked) / 1000
    assert.equal(code, 0)
    assert.equal(await slow.receiveLast(), '')
    assert.ok(seconds >= 1 && seconds < 5, `it took ${seconds} seconds`)
  })

  test('a second signal ends it at once', async context => {
    const { service, origin } = await start(await commandLine(context))
    const slow = openConnection(origin)
    slow.send('POST /api-token-auth/ HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n')
    slow.send('Content-Length: 5\r\nExpect: 100-continue\r\n\r\n')
    await slow.receive(/100 Continue/)
    void service.stop('SIGTERM')
    await service.until(/^SIGTERM: stopping$/m)
    assert.equal((await service.stop('SIGINT')).code, 130)
  })

  test('a client that reads slowly gets its whole answer', async context => {
    const cli = await commandLine(context)
    const code = 'x'.repeat(1024 * 1024)
    const file = join(cli.folder, 'data.json')
    const snippets = Array.from({ length: 16 }, () => ({ owner: 'ann', code }))
    await writeFile(file, JSON.stringify({ users: [{ username: 'ann' }], snippets }))
    const loaded = await cli.run(['loaddata', file], { environment })
    assert.equal(loaded.code, 0, loaded.stderr)
    await writeFile(
      join(cli.folder, 'resource-api.config.ts'),
      `import { pageNumber } from ${JSON.stringify(new URL('../../src/framework/index.ts', import.meta.url))}
       export default { snippetPagination: pageNumber({ pageSize: 100 }) }`,
    )
    const { service, origin } = await start(cli)
    const { hostname, port } = new URL(origin)
    const socket = connect(Number(port), hostname)
    socket.write(`GET ${list} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    let length = 0
    await new Promise<void>(resolve => socket.once('readable', resolve))
    const ending = service.stop()
    await service.until(/^SIGTERM: stopping$/m)
    for await (const chunk of socket) length += chunk.length
    assert.ok(length > 16 * code.length, `${length} bytes came`)
    assert.equal((await ending).code, 0)
  })
})

// Some connections ask without a pause. Then the processes stand still, while requests are written on connections that
// are kept, several at once, and on new ones, which nobody has accepted yet.
async function losesNothing(context: TestContext, workers: string): Promise<void> {
  const { service, origin } = await start(await commandLine(context), '--workers', workers)
  // Probes are answered at once, before what comes behind them is looked at.
  const [asking, kept, probing] = await Promise.all([
    openMany(20, origin),
    openMany(10, origin),
    openMany(10, origin, '/healthz'),
  ])
  for (const connection of asking) connection.keepAsking()
  for (const connection of [...kept, ...probing]) connection.ask()
  await eventually(() => asking.every(({ answered }) => answered >= 5), 'five answers on each connection')
  await eventually(() => [...kept, ...probing].every(({ answered }) => answered === 1), 'answers')

  const workerIds = await childrenOf(service.pid)
  const processes = [service.pid, ...workerIds]
  for (const pid of processes) process.kill(pid, 'SIGSTOP')
  for (const connection of [...kept, ...probing]) connection.ask(3)
  const fresh = await openMany(40, origin)
  for (const connection of fresh) connection.ask(2)
  const all = [...asking, ...kept, ...probing, ...fresh]
  const before = all.map(({ written }) => written)
  // As a terminal and systemd do, the signal goes to all processes.
  for (const pid of workerIds) process.kill(pid, 'SIGTERM')
  const ending = service.stop()
  for (const pid of processes) process.kill(pid, 'SIGCONT')

  assert.equal((await ending).code, 0)
  await Promise.all(all.map(({ closed }) => closed))
  for (const [index, { answered }] of all.entries())
    assert.ok(answered >= before[index]!, `${answered} of ${before[index]} on connection ${index}`)
  assert.ok(
    asking.some(({ closing }) => closing === 1),
    'an answer says that the connection is closed',
  )
}
