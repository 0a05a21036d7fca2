// serve with several workers, also when a worker dies.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { connectTo } from '../support/client.ts'
import { commandLine, databases } from './command-line.ts'
import { childrenOf, eventually, isAlive } from './processes.ts'

const environment = { SECRET_KEY: 's'.repeat(40), PORT: '0', LOG_LEVEL: 'silent', WORKERS: '2' }
const listening = /^Listening on (http:\S+)$/gm

suite('workers', { concurrency: true }, () => {
  for (const [name, urlOf] of Object.entries(databases)) {
    test(`workers share one service on ${name}; a killed worker is replaced`, async context => {
      const cli = await commandLine(context)
      const options = { environment: { ...environment, DATABASE_URL: await urlOf(context, cli) } }
      const service = cli.start(['serve'], options)
      const [, origin] = await service.until(new RegExp(listening))
      const workers = await childrenOf(service.pid)
      assert.equal(workers.length, 2)

      // The workers get connections in turn.
      const clients = [connectTo(origin!), connectTo(origin!)]
      const answers = await Promise.all(clients.map(client => client.get('/snippet/users/')))
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200],
      )
      const senders = answers.map(({ headers }) => headers['x-request-id']!.replace(/\d+$/, ''))
      assert.notEqual(senders[0], senders[1], 'two processes have responded')
      for (const client of clients) client.close()

      process.kill(workers[0]!, 'SIGKILL')
      await service.until(/^worker \d+ ended \(SIGKILL\): another one starts/m)
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

  test('if workers die repeatedly, the command exits with a message', async context => {
    const cli = await commandLine(context)
    // The first worker starts; the following ones die during their start.
    await writeFile(
      join(cli.folder, 'resource-api.config.ts'),
      `import cluster from 'node:cluster'
       if (cluster.isWorker && cluster.worker.id > 1) process.exit(7)
       export default {}`,
    )
    const { code, stderr } = await cli.run(['serve'], { environment })
    assert.equal(code, 1, stderr)
    const lines = stderr.trim().split('\n')
    const pauses = lines.map(line => /^worker \d+ ended \(7\): another one starts in (\d+) ms$/.exec(line)?.[1])
    assert.deepEqual(pauses.slice(0, -1), ['100', '200', '400', '800'])
    assert.equal(
      lines.at(-1),
      'resource-api: workers: 5 in a row died at once, the last with 7; what they said stands above',
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
      [1, `resource-api: PORT: ${port} is taken by another program; choose another with --port\n`],
    )
    const none = await cli.run(['serve', '--workers', '0'], { environment })
    assert.deepEqual([none.code, none.stderr], [1, 'resource-api: --workers: must be 1 or more, not "0"\n'])
  })
})
