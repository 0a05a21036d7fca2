// The metrics of serve for Prometheus, on a separate port.

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { suite, type TestContext, test } from 'node:test'
import { connectTo } from '../support/client.ts'
import { formatConfig, formatJsonConfig } from '../support/config-file.ts'
import { eventually } from '../support/patience.ts'
import { openConnection } from '../support/raw-http.ts'
import { password } from '../support/service.ts'
import { type CommandLine, commandLine, databases } from './command-line.ts'

const secretKey = 's'.repeat(40)

suite('metrics', { concurrency: true }, () => {
  test('requests by route, rejections, logins and highlighting are counted, and the port serves nothing of the API', async context => {
    const cli = await commandLine(context)
    // High limits, so that a busy machine does not cause rejections.
    const config = formatConfig(
      'profiles: [directory(), snippets({ highlightingTime: 60_000, highlightingWait: 60_000 })]',
    )
    await writeFile(join(cli.folder, 'resource-api.config.ts'), config)
    const { metricsUrl, origin, read } = await start(context, cli, { THROTTLE_ANON: '3/day' })
    await cli.run(['createuser', 'ann'], { input: password, environment: { SECRET_KEY: secretKey } })
    const client = connectTo(origin)
    const { token } = (await client.post('/api-token-auth/', { json: { username: 'ann', password } })).json()
    await client.post('/api-token-auth/', { json: { username: 'ann', password: 'wrong' } })
    const { id } = (await client.post('/snippet/snippets/', { token, json: { code: 'x = 1' } })).json()
    await client.get(`/snippet/snippets/${id}/highlight/`, { token, headers: { accept: 'text/html' } })
    for (const path of ['/snippet/', '/snippet/', '/snippet/', '/snippet/', '/never%00/heard', '/of/this?a=b'])
      await client.get(path)
    await client.request('PROPFIND', '/snippet/', { token })
    client.close()

    const numbers = await read()
    const has = (line: string) => assert.ok(numbers.split('\n').includes(line), `${line}\n${numbers}`)
    has('http_requests_total{method="POST",route="/api-token-auth/",status="200"} 1')
    has('http_requests_total{method="POST",route="/snippet/snippets/",status="201"} 1')
    has('http_requests_total{method="GET",route="/snippet/snippets/:key/highlight/",status="200"} 1')
    has('http_requests_total{method="GET",route="/snippet/",status="429"} 1')
    has('http_requests_total{method="GET",route="/*",status="404"} 2')
    has('http_requests_total{method="other",route="/snippet/*",status="405"} 1')
    has('http_request_duration_seconds_count{route="/snippet/"} 4')
    has('audit_events_total{event="token made",outcome="failure"} 1')
    has('throttled_requests_total{view="Api Root"} 1')
    has('highlighted_snippets_total{outcome="highlighted"} 1')
    has('highlighting_waiting 0')
    has('overload_refusals_total 0')
    assert.match(numbers, /^nodejs_eventloop_lag_p99_seconds /m)
    assert.match(numbers, /^process_resident_memory_bytes \d/m)
    assert.doesNotMatch(numbers, /never|heard|PROPFIND|ann|database_connections/)

    const statusOf = async (url: string, method = 'GET') => (await fetch(url, { method })).status
    assert.equal(await statusOf(new URL('/', metricsUrl).href), 404)
    assert.equal(await statusOf(metricsUrl, 'POST'), 405)
    const taken = await cli.run(['serve'], {
      environment: { SECRET_KEY: secretKey, PORT: '0', METRICS_PORT: new URL(metricsUrl).port },
    })
    assert.equal(taken.code, 1)
    assert.match(taken.stderr, /^resource-api: METRICS_PORT: \d+ is in use by another program; choose another$/m)
  })

  test('the port of the metrics has the limits and the host checks of the service', async context => {
    const cli = await commandLine(context)
    const config = { limits: { requestTime: 1 }, metricsHost: 'localhost', allowedHosts: ['metrics.example.org'] }
    await writeFile(join(cli.folder, 'resource-api.config.ts'), formatJsonConfig(config))
    for (const WORKERS of ['1', '2']) {
      const { metricsUrl } = await start(context, cli, { WORKERS })
      const send = (head: string) => exchange(Number(new URL(metricsUrl).port), head)
      for (const host of ['localhost', 'metrics.example.org:9464'])
        assert.match(
          await send(`GET /metrics HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`),
          /^HTTP\/1\.1 200 /,
        )
      const rejectedHeaders = [
        'Host: evil.example',
        'Host: localhost\r\nHost: evil.example',
        'Host: a b',
        'X-Forwarded-Host: localhost\r\nHost: evil.example',
      ]
      for (const lines of rejectedHeaders) {
        const response = await send(`GET /metrics HTTP/1.1\r\n${lines}\r\nConnection: close\r\n\r\n`)
        assert.match(response, /^HTTP\/1\.1 400 /, lines)
        assert.doesNotMatch(response, /process_/)
      }
      // Headers that do not end: the connection is closed after limits.requestTime.
      assert.match(await send('GET /metrics HTTP/1.1\r\nHost: localhost\r\nX-Slow: '), /^(?:HTTP\/1\.1 408 |$)/)
      assert.match(await send(`GET /metrics HTTP/1.1\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`), /^HTTP\/1\.1 431 /)
    }
  })

  for (const WORKERS of ['1', '2'])
    test(`the port of the metrics has the probes too, with --workers ${WORKERS}`, async context => {
      const cli = await commandLine(context)
      await writeFile(join(cli.folder, 'resource-api.config.ts'), formatJsonConfig({ limits: { stopTime: 600 } }))
      const { service, metricsUrl, origin } = await start(context, cli, { WORKERS })
      const probe = async (path: string) => {
        const response = await fetch(new URL(path, metricsUrl))
        return [response.status, (await response.json()) as { readonly failed?: string }] as const
      }
      for (const path of ['/healthz', '/readyz']) assert.deepEqual(await probe(path), [200, { status: 'ok' }])
      const slow = openConnection(origin)
      slow.send('POST /api-token-auth/ HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n')
      slow.send('Content-Length: 2\r\nExpect: 100-continue\r\n\r\n')
      await slow.receive(/100 Continue/)
      const stopped = service.stop()
      await eventually(async () => (await probe('/readyz'))[0] === 503, 'the service is not ready')
      assert.equal((await probe('/readyz'))[1].failed, WORKERS === '1' ? 'stopping' : 'workers')
      assert.equal((await probe('/healthz'))[0], 200)
      slow.send('{}')
      assert.match(await slow.receiveLast(), /^HTTP\/1.1 400 /)
      assert.equal((await stopped).code, 0)
    })

  test('the first process returns the sums over its workers, and the number of connections to PostgreSQL', async context => {
    const cli = await commandLine(context)
    const DATABASE_URL = await databases.PostgreSQL!(context, cli)
    const { origin, read } = await start(context, cli, { WORKERS: '2', DATABASE_URL })
    // Each request uses a new connection, and the workers get connections in turn.
    for (let times = 0; times < 6; times++)
      await fetch(`${origin}/snippet/users/`, { headers: { connection: 'close' } })
    const numbers = await read()
    assert.match(numbers, /^http_requests_total\{method="GET",route="\/snippet\/users\/",status="200"\} 6$/m)
    assert.match(numbers, /^database_connections\{state="most"\} 20$/m)
    assert.match(numbers, /^database_connections\{state="idle"\} [2-9]\d*$/m)
  })
})

async function start(context: TestContext, cli: CommandLine, settings: Readonly<Record<string, string>>) {
  const environment = { SECRET_KEY: secretKey, PORT: '0', METRICS_PORT: '0', LOG_LEVEL: 'silent', ...settings }
  const service = cli.start(['serve'], { environment })
  const [, origin] = await service.until(/^Listening on (http:\S+)$/m)
  const [, metricsUrl] = await service.until(/^Metrics on (http:\S+)$/m)
  context.after(() => service.stop())
  const read = async () => {
    const response = await fetch(metricsUrl!)
    assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
    return response.text()
  }
  return { service, origin: origin!, metricsUrl: metricsUrl!, read }
}

/** Writes bytes on a new connection, and returns everything that is received until it is closed. */
async function exchange(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1')
  socket.on('error', () => undefined).write(bytes)
  let text = ''
  socket.on('data', chunk => {
    text += chunk
  })
  await new Promise<void>(resolve => socket.once('close', () => resolve()))
  return text
}
