// serve with several workers, also when a worker dies.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { suite, type TestContext, test } from 'node:test'
import { connectTo } from '../support/client.ts'
import { formatConfig } from '../support/config-file.ts'
import { eventually } from '../support/patience.ts'
import { commandLine, databases } from './command-line.ts'
import { childrenOf, isAlive } from './processes.ts'

const environment = { SECRET_KEY: 's'.repeat(40), PORT: '0', LOG_LEVEL: 'silent', WORKERS: '2' }
const listening = /^Listening on (http:\S+)$/gm

suite('workers', { concurrency: true }, () => {
  for (const [name, formatUrl] of Object.entries(databases)) {
    test(`workers share one service on ${name}; a killed worker is replaced`, async context => {
      const cli = await commandLine(context)
      const options = { environment: { ...environment, DATABASE_URL: await formatUrl(context, cli) } }
      const service = cli.start(['serve'], options)
      const [, origin] = await service.until(new RegExp(listening))
      const workers = await childrenOf(service.pid)
      assert.equal(workers.length, 2)

      // The workers get connections in turn.
      const clients = [connectTo(origin!), connectTo(origin!)]
      const responses = await Promise.all(clients.map(client => client.get('/snippet/users/')))
      assert.deepEqual(
        responses.map(({ status }) => status),
        [200, 200],
      )
      const senders = responses.map(({ headers }) => headers['x-request-id']!.replace(/\d+$/, ''))
      assert.notEqual(senders[0], senders[1], 'two processes have responded')
      for (const client of clients) client.close()

      process.kill(workers[0]!, 'SIGKILL')
      await service.until(/^worker \d+ exited \(SIGKILL\): its replacement starts/m)
      await eventually(async () => (await childrenOf(service.pid)).length === 2, 'two workers')
      const { status } = await fetch(`${origin}/readyz`)
      assert.equal(status, 200)
      const { code, stderr } = await service.stop()
      assert.equal(code, 0, stderr)
      assert.equal(stderr.match(listening)?.length, 1, stderr)
      assert.ok(!workers.some(isAlive))
    })
  }

  test('workers exit when the first process is killed', async context => {
    const cli = await commandLine(context)
    const service = cli.start(['serve'], { environment })
    await service.until(new RegExp(listening))
    const workers = await childrenOf(service.pid)
    assert.equal(workers.length, 2)
    process.kill(service.pid, 'SIGKILL')
    await eventually(() => !workers.some(isAlive), 'no worker is left')
  })

  test('a worker that repeatedly exits early is not replaced; readiness, metrics and messages report it, and the others continue', async context => {
    const { service, origin } = await startWithDyingWorkers(context, { METRICS_PORT: '0' })
    const [, metricsUrl] = await service.until(/^Metrics on (http:\S+)$/m)
    const ready = async () => (await fetch(`${origin}/readyz`)).text()
    const degraded = { status: 'degraded', detail: '1 of 2 workers failed and are not replaced.' }
    await eventually(async () => (await ready()) !== '{"status":"ok"}', 'the worker knows the state of the pool')
    assert.deepEqual(JSON.parse(await ready()), degraded)
    assert.equal((await fetch(`${origin}/readyz`)).status, 200)
    const numbers = await (await fetch(metricsUrl!)).text()
    for (const [state, workers] of Object.entries({ wanted: 2, connected: 1, failed: 1 }))
      assert.match(numbers, new RegExp(`^service_workers\\{state="${state}"\\} ${workers}$`, 'm'))
    assert.match(numbers, /^http_requests_total\{method="GET",route="\/readyz",status="200"\} \d+$/m)

    const { code, stderr } = await service.stop()
    assert.equal(code, 0, stderr)
    const pauses = [...stderr.matchAll(/^worker \d+ exited \(7\): its replacement starts in (\d+) ms$/gm)]
    assert.deepEqual(
      pauses.map(([, pause]) => pause),
      ['100', '200', '400', '800'],
    )
    assert.match(
      stderr,
      /^worker: exited early 5 times in a row, the last time with 7; it is not replaced, 1 of 2 workers remain$/m,
    )
  })

  test('when all workers have failed, the command exits with 1 and an error', async context => {
    const { service } = await startWithDyingWorkers(context)
    process.kill((await childrenOf(service.pid))[0]!, 'SIGKILL')
    const { code, stderr } = await service.ended
    assert.equal(code, 1, stderr)
    assert.equal(
      stderr.trim().split('\n').at(-1),
      'resource-api: workers: all have failed: each exited early 5 times in a row, the last one with 7; the lines above show why',
    )
  })

  test('an error at start is reported once: a port in use, an invalid number of workers', async context => {
    const cli = await commandLine(context)
    const other = createServer().listen(0, '127.0.0.1')
    context.after(() => other.close())
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const taken = await cli.run(['serve', '--port', String(port)], { environment })
    assert.deepEqual(
      [taken.code, taken.stderr],
      [1, `resource-api: PORT: ${port} is in use by another program; choose another with --port\n`],
    )
    const none = await cli.run(['serve', '--workers', '0'], { environment })
    assert.deepEqual([none.code, none.stderr], [1, 'resource-api: --workers: must be 1 or more, not "0"\n'])
  })
})

/** Starts two workers. The first keeps running, and all later ones exit while they start. */
async function startWithDyingWorkers(context: TestContext, variables: Readonly<Record<string, string>> = {}) {
  const cli = await commandLine(context)
  await writeFile(
    join(cli.folder, 'resource-api.config.ts'),
    formatConfig(
      '',
      "import cluster from 'node:cluster'\nif (cluster.isWorker && cluster.worker.id > 1) process.exit(7)",
    ),
  )
  const service = cli.start(['serve'], { environment: { ...environment, ...variables } })
  await service.until(/is not replaced/)
  const [, origin] = await service.until(new RegExp(listening))
  return { service, origin: origin! }
}
