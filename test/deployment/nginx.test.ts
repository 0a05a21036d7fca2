// Runs the service behind a real nginx with deploy/nginx.conf.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, suite, type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { TLSSocket } from 'node:tls'
import { type CommandLine, commandLine, type Running } from '../cli/command-line.ts'
import type { Client } from '../support/client.ts'
import { formatConfig } from '../support/config-file.ts'
import { eventually } from '../support/patience.ts'
import { keepWriting } from './keep-writing.ts'
import { host, type NginxProxy, startNginx, whyNoNginx } from './nginx-proxy.ts'

/** The service's connection limit, which is lower than the number of slow clients. */
const connections = 4
const slowClients = 12
/** Milliseconds between requests while processes are restarted. */
const pause = 10
const listPath = '/snippet/users/'
const key = '0123456789abcdef0123456789abcdef01234567'

// The scheme prints each request that reaches the service.
const config = formatConfig(`
  limits: { connections: ${connections} },
  throttles: { scopes: { token: ['3/hour'] } },
  profiles: [directory(), snippets({ pagination: pageNumber({ pageSize: 100 }) })],
  authentication: ['token', 'remote-user'],
  remoteUser: { header: 'Remote-User', proxies: ['127.0.0.1'] },
  schemes: [{ name: 'seen', varyOn: [], authenticate(request) {
    const { rawHeaders, socket } = request.raw
    process.stdout.write(JSON.stringify({ seen: request.id, port: socket.remotePort, rawHeaders }) + '\\n')
    return { outcome: 'skip' }
  } }],
`)
const environment = {
  SECRET_KEY: 'r4Tq0hJ8sWb2nYcV6rXzT4mLpDfGaE1uRi9oQt7y',
  PUBLIC_URL: `https://${host}`,
  TRUSTED_PROXIES: '127.0.0.1',
  LOG_FORMAT: 'json',
}

suite('nginx', { skip: whyNoNginx() }, () => {
  let cli: CommandLine
  let nginx: NginxProxy
  let services: { readonly running: Running; readonly port: string }[]

  const start = async (port = '0') => {
    const running = cli.start(['serve', '--port', port], { environment })
    const [, chosenPort] = await running.until(/^Listening on http:.*:(\d+)$/m)
    return { running, port: chosenPort! }
  }

  // commandLine cleans up after a test; a suite has to do that itself.
  const cleanups: (() => unknown)[] = []

  before(async () => {
    cli = await commandLine({ after: (work: () => unknown) => cleanups.push(work) } as unknown as TestContext)
    await writeFile(join(cli.folder, 'resource-api.config.ts'), config)
    const snippets = Array.from({ length: 2 }, () => ({ owner: 'ann', code: 'x'.repeat(1024 * 1024) }))
    await writeFile(
      join(cli.folder, 'data.json'),
      JSON.stringify({ users: [{ username: 'ann', token: key }], snippets }),
    )
    const loaded = await cli.run(['loaddata', 'data.json'], { environment })
    assert.equal(loaded.code, 0, loaded.stderr)
    services = await Promise.all([start(), start()])
    nginx = await startNginx(services.map(({ port }) => Number(port)))
  })
  after(async () => {
    await nginx?.stop()
    for (const cleanUp of cleanups) await cleanUp()
  })

  /** Waits for the first matching line in the output of either service, and parses it. */
  const waitForLine = async (pattern: string) => {
    const expression = new RegExp(`^.*${pattern}.*$`, 'm')
    const [line] = await Promise.any(services.map(({ running }) => running.until(expression)))
    return JSON.parse(line)
  }
  const waitForRequest = (id: string): Promise<{ port: number; rawHeaders: readonly string[] }> =>
    waitForLine(`"seen":"${id}"`)
  const postJson: Client['post'] = (path, { json, token } = {}) =>
    nginx.request('POST', path, {
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Token ${token}` }) },
      body: JSON.stringify(json),
    })

  test('links, pages, stylesheets and scripts have public URLs', async () => {
    const headers = { accept: 'text/html' }
    const page = await nginx.request('GET', listPath, { headers })
    assert.match(page.headers['content-type']!, /^text\/html/)
    assert.equal(page.headers['strict-transport-security'], 'max-age=31536000')
    assert.match(page.text, /https:\/\/api\.example\.org\/snippet\/users\//)
    assert.doesNotMatch(page.text, /127\.0\.0\.1|localhost|resource_api/)
    const files = [...page.text.matchAll(/(?:href|src)="([^"]*\/-\/[^"]*)"/g)].map(([, url]) => url!)
    assert.ok(files.length >= 2)
    for (const url of files)
      assert.equal((await nginx.request('GET', new URL(url, `https://${host}`).pathname)).status, 200)
    assert.deepEqual((await nginx.request('GET', '/')).json().snippets, `https://${host}/snippet/`)
    const created = await postJson('/directory/groups/', { token: key, json: { name: 'made' } })
    assert.match(created.json().url, /^https:\/\/api\.example\.org\/directory\/groups\/\d+\/$/)
  })

  test('plain HTTP redirects to HTTPS, and other host names get no response', async () => {
    const response = await fetch(`${nginx.plainOrigin}${listPath}?page=2`, { redirect: 'manual' })
    assert.deepEqual([response.status, response.headers.get('location')], [301, `https://${host}${listPath}?page=2`])
    await assert.rejects(nginx.open('other.example.org'), /unrecognized name/i)
    await assert.rejects(nginx.request('GET', listPath, { headers: { host: 'other.example.org' } }), /socket hang up/)
  })

  test('nginx replaces forwarded headers of the client with its own, and sends each once', async () => {
    const forged = {
      'x-forwarded-for': '203.0.113.9',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'http',
      forwarded: 'for=203.0.113.9;host=evil.example',
      'x-real-ip': '203.0.113.9',
      'x-request-id': 'forged-id',
      'remote-user': 'ann',
      remote_user: 'ann',
    }
    const from = '127.0.0.2'
    const refused = await nginx.request('GET', '/directory/users/?cursor=secret', { headers: forged, from })
    assert.equal(refused.status, 401)
    const id = refused.headers['x-request-id']!
    assert.match(id, /^[0-9a-f]{32}$/)
    const { rawHeaders } = await waitForRequest(id)
    const fields = rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${rawHeaders[index + 1]}`] : []))
    assert.deepEqual(fields.sort(), [
      `Host: ${host}`,
      `X-Forwarded-For: ${from}`,
      `X-Forwarded-Host: ${host}`,
      'X-Forwarded-Proto: https',
      `X-Request-Id: ${id}`,
    ])
    const line = await waitForLine(`"reqId":"${id}".*"msg":"request"`)
    assert.deepEqual([line.address, line.path, line.status], [from, '/directory/users/', 401])
    await eventually(async () => (await nginx.log()).some(entry => entry.id === id), 'nginx logs the request')
    const logged = (await nginx.log()).find(entry => entry.id === id)!
    assert.deepEqual([logged.address, logged.path, logged.status], [from, '/directory/users/', 401])
  })

  test('rates and the audit log use the client addresses', async () => {
    const tryLogin = (from: string, time: number) =>
      nginx.request('POST', '/api-token-auth/', {
        from,
        headers: { 'x-forwarded-for': `203.0.113.${time}`, 'content-type': 'application/json' },
        body: '{"username":"ann","password":"wrong"}',
      })
    const responses = []
    for (let time = 0; time < 4; time++) responses.push(await tryLogin('127.0.0.2', time))
    assert.deepEqual(
      responses.map(({ status }) => status),
      [400, 400, 400, 429],
    )
    assert.equal((await tryLogin('127.0.0.3', 5)).status, 400)
    const id = responses[0]!.headers['x-request-id']!
    const { audit } = await waitForLine(`"audit":.*"requestId":"${id}"`)
    assert.equal(audit.address, '127.0.0.2')
  })

  test('nginx accepts bodies up to the limit of the service, and refuses larger ones with a JSON error', async () => {
    const post = (size: number) =>
      nginx.request('POST', '/snippet/snippets/', {
        headers: { 'content-type': 'application/json' },
        body: Buffer.alloc(size, ' '),
      })
    const [accepted, refused] = [await post(4_194_304), await post(4_194_305)]
    assert.equal(accepted.status, 401)
    assert.deepEqual([refused.status, refused.json()], [413, { detail: 'Request body is too large.' }])
    await eventually(async () => (await nginx.log()).some(({ status }) => status === 413), 'nginx logs the request')
    assert.equal((await nginx.log()).find(({ status }) => status === 413)!.upstream, '')
  })

  test('probes are available only from the loopback address, and metrics are not available', async () => {
    assert.equal((await nginx.request('GET', '/readyz')).text, '{"status":"ok"}')
    const responses = [
      await nginx.request('GET', '/readyz', { from: '127.0.0.2' }),
      await nginx.request('GET', '//healthz', { from: '127.0.0.2' }),
      await nginx.request('GET', '/metrics'),
    ]
    for (const { status, text } of responses)
      assert.deepEqual([status, JSON.parse(text)], [404, { detail: 'Not found.' }])
  })

  test('nginx reuses its connections to the service', async () => {
    const ids = []
    for (let time = 0; time < 5; time++) ids.push((await nginx.request('GET', listPath)).headers['x-request-id']!)
    const ports = await Promise.all(ids.map(async id => (await waitForRequest(id)).port))
    // nginx alternates between the two services, with one connection each.
    assert.ok(new Set(ports).size <= 2, ports.join())
  })

  test('slow clients occupy no connections of the service', async context => {
    const sockets: TLSSocket[] = []
    context.after(() => {
      for (const socket of sockets) socket.destroy()
    })
    const openClient = async (text: string) => {
      const socket = await nginx.open()
      sockets.push(socket)
      socket.write(text.replaceAll('\n', '\r\n'))
      return socket
    }
    for (let client = 0; client < slowClients; client++)
      await openClient(
        `POST /directory/groups/ HTTP/1.1\nHost: ${host}\nAuthorization: Token ${key}\nContent-Type: application/json\nContent-Length: 99\n\n{"na`,
      )
    assert.equal((await nginx.request('GET', listPath)).status, 200)
    // Two megabytes, of which the client reads only the beginning.
    for (let client = 0; client < slowClients; client++) {
      const socket = await openClient(`GET /snippet/snippets/ HTTP/1.1\nHost: ${host}\n\n`)
      const [head] = (await once(socket, 'data')) as [Buffer]
      socket.pause()
      assert.match(head.toString('latin1'), /^HTTP\/1\.1 200 /, `reader ${client}`)
    }
    for (let time = 0; time < 4; time++) assert.equal((await nginx.request('GET', listPath)).status, 200)
  })

  test('a rolling restart of the processes loses no request, and repeats no write', async () => {
    const headers = { authorization: `Token ${key}` }
    const countGroups = async () => (await nginx.request('GET', '/directory/groups/', { headers })).json().count
    const groupsBefore = await countGroups()
    const writing = keepWriting({ post: postJson }, key, pause)
    const readings = { isOver: false, statuses: new Set<number>() }
    const reading = (async () => {
      for (; !readings.isOver; await delay(pause)) readings.statuses.add((await nginx.request('GET', listPath)).status)
    })()
    for (const [index, { running, port }] of services.entries()) {
      await writing.until(writing.acknowledged.length + 5)
      assert.equal((await running.stop()).code, 0)
      await writing.until(writing.acknowledged.length + 5)
      services[index] = await start(port)
    }
    await writing.until(writing.acknowledged.length + 5)
    readings.isOver = true
    await Promise.all([writing.stop(), reading])
    assert.deepEqual(writing.failures, [])
    assert.deepEqual([...readings.statuses], [200])
    assert.equal((await countGroups()) - groupsBefore, writing.acknowledged.length)
  })

  test('if no process responds, nginx returns a JSON error', async () => {
    await Promise.all(services.map(({ running }) => running.stop()))
    const response = await nginx.request('GET', listPath)
    assert.deepEqual([response.status, response.headers['retry-after']], [503, '2'])
    assert.equal(response.json().detail, 'The service is temporarily unavailable. Try again later.')
  })
})
