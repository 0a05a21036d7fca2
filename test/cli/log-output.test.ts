// Requests succeed even if the log cannot be written.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { constants } from 'node:fs'
import { open, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { type Client, connectTo } from '../support/client.ts'
import { formatJsonConfig } from '../support/config-file.ts'
import { eventually } from '../support/patience.ts'
import { type CommandLine, commandLine, type Running } from './command-line.ts'

const environment = { SECRET_KEY: 's'.repeat(40), PORT: '0', METRICS_PORT: '0', LOG_FORMAT: 'json' }
/** A request for this path writes a line of about the same length to the access log. */
const longPath = `/nothing/${'x'.repeat(12_000)}/`

suite('log output', { concurrency: true, skip: process.platform !== 'linux' }, () => {
  for (const workers of ['1', '2'])
    test(`with a full disk for the log, requests succeed, lost lines are counted, and SIGTERM ends ${workers} workers`, async context => {
      const { service, client, dropped } = await start(context, { device: '/dev/full', workers })
      for (let times = 0; times < 120 * Number(workers); times++) assert.equal((await client.get(longPath)).status, 404)
      assert.ok((await dropped()) > 10)
      const { code, stderr } = await service.stop()
      assert.equal(code, 0, stderr)
      assert.match(stderr, /^log: \d+ lines were lost because the log could not be written \(ENOSPC\)$/m)
    })

  test('if the reader of the log has closed the pipe, the log is dropped without an error', async context => {
    const { service, client, dropped } = await start(context, {})
    service.closeOutput()
    for (let times = 0; times < 120; times++) assert.equal((await client.get(longPath)).status, 404)
    assert.ok((await dropped()) > 10)
    const { code, stderr } = await service.stop()
    assert.equal(code, 0, stderr)
    assert.doesNotMatch(stderr, /log:|EPIPE/)
  })

  test('a hanging reader of the log does not block requests; afterwards each line is complete or counted as lost', async context => {
    const cli = await createPatientCommandLine(context)
    const fifo = join(cli.folder, 'log')
    await promisify(execFile)('mkfifo', [fifo])
    const pipe = await open(fifo, constants.O_RDWR | constants.O_NONBLOCK)
    context.after(() => pipe.close())
    const service = cli.start(['serve'], { environment, output: pipe.fd })
    const client = await connectClient(context, service)
    const requests = 200
    for (let times = 0; times < requests; times++) assert.equal((await client.get(longPath)).status, 404)

    let text = ''
    const buffer = Buffer.alloc(64 * 1024)
    const readMore = () =>
      pipe.read(buffer).then(
        ({ bytesRead }) => {
          text += buffer.toString('utf8', 0, bytesRead)
          return true
        },
        () => false,
      )
    let lost: string | undefined
    const reported = service
      .until(/^log: (\d+) lines were lost because the log could not be written \(EAGAIN\)$/m)
      .then(([, lines]) => {
        lost = lines
      })
    await eventually(async () => {
      while (await readMore());
      return lost !== undefined
    }, 'the log continues')
    await reported
    await eventually(async () => !(await readMore()), 'the whole log is read')
    const lines = text
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    assert.equal(lines.filter(({ msg }) => msg === 'request').length + Number(lost), requests)
    assert.equal((await service.stop()).code, 0)
  })

  test('SIGTERM ends a service while the reader of its log hangs', async context => {
    const cli = await createPatientCommandLine(context)
    const fifo = join(cli.folder, 'log')
    await promisify(execFile)('mkfifo', [fifo])
    const pipe = await open(fifo, constants.O_RDWR | constants.O_NONBLOCK)
    context.after(() => pipe.close())
    const service = cli.start(['serve'], { environment, output: pipe.fd })
    const client = await connectClient(context, service)
    for (let times = 0; times < 120; times++) assert.equal((await client.get(longPath)).status, 404)
    const { code, stderr } = await service.stop()
    assert.equal(code, 0, stderr)
    assert.match(stderr, /^log: \d+ lines were lost/m)
  })

  test('when the disk has space again, the log continues with complete lines, and standard error reports the lost ones', async context => {
    const cli = await createPatientCommandLine(context)
    const path = join(cli.folder, 'log')
    const file = await open(path, 'a')
    context.after(() => file.close())
    const service = cli.start(['serve'], { environment, output: file.fd })
    const client = await connectClient(context, service)
    const setSpace = (bytes: number | 'unlimited') =>
      promisify(execFile)('prlimit', ['--pid', String(service.pid), `--fsize=${bytes}:unlimited`])
    const space = 1024 * 1024
    await setSpace(space)
    const requests = 250
    for (let times = 0; times < requests; times++) assert.equal((await client.get(longPath)).status, 404)
    assert.equal((await file.stat()).size, space)
    await setSpace('unlimited')
    const [, lost] = await service.until(/^log: (\d+) lines were lost because the log could not be written \(EFBIG\)$/m)
    await client.get('/after/')
    assert.equal((await service.stop()).code, 0)
    const lines = (await readFile(path, 'utf8'))
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    const paths = lines.filter(({ msg }) => msg === 'request').map(line => line.path)
    assert.equal(paths.length + Number(lost), requests + 1)
    assert.equal(paths.at(-1), '/after/')
  })

  test('a closed pipe is no error for a command, but a full disk is', async context => {
    const cli = await createPatientCommandLine(context)
    await cli.run(['createuser', 'ann'], { input: 'correct horse battery staple', environment })
    const gone = cli.start(['token', 'ann'], { environment })
    gone.closeOutput()
    assert.deepEqual(await gone.ended, { code: 0, stdout: '', stderr: '' })
    const full = await open('/dev/full', 'w')
    context.after(() => full.close())
    const refused = await cli.run(['token', 'ann'], { environment, output: full.fd })
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /^resource-api: standard output cannot be written \(ENOSPC\)/)
  })
})

async function start(context: TestContext, { device, workers = '1' }: { device?: string; workers?: string }) {
  const cli = await createPatientCommandLine(context)
  const file = device === undefined ? undefined : await open(device, 'w')
  context.after(() => file?.close())
  const options = { environment: { ...environment, WORKERS: workers }, ...(file && { output: file.fd }) }
  const service = cli.start(['serve'], options)
  const client = await connectClient(context, service)
  const [, metricsUrl] = await service.until(/^Metrics on (http:\S+)$/m)
  const dropped = async () =>
    Number(/^log_lines_dropped_total (\d+)$/m.exec(await (await fetch(metricsUrl!)).text())?.[1])
  return { service, client, dropped }
}

/** Creates a command line whose service never rejects requests because of overload. */
async function createPatientCommandLine(context: TestContext): Promise<CommandLine> {
  const cli = await commandLine(context)
  const config = { limits: { overloadDelay: 60_000 } }
  await writeFile(join(cli.folder, 'resource-api.config.ts'), formatJsonConfig(config))
  return cli
}

async function connectClient(context: TestContext, service: Running): Promise<Client> {
  const [, origin] = await service.until(/^Listening on (http:\S+)$/m)
  const client = connectTo(origin!)
  context.after(() => client.close())
  return client
}
