// The keys of an OpenID Connect provider: rotation, outages, and providers that lie.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import type { ServerResponse } from 'node:http'
import { after, before, suite, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { authenticated } from 'resource-api'
import { type JwtOptions, jwtScheme } from 'resource-api/jwt'
import {
  createSigningKey,
  discoveryPath,
  type KeyServer,
  keysPath,
  type Reply,
  type SigningKey,
  startKeyServer,
} from '../support/key-server.ts'
import { startApi, type TestApi } from '../support/own-api.ts'
import { patience, withinLimits } from '../support/patience.ts'

const audience = 'https://api.example.org'
const unavailable = { detail: 'Token cannot be verified at present.' }
const invalid = { detail: 'Invalid token.' }

let first: SigningKey
let second: SigningKey

before(async () => {
  ;[first, second] = await Promise.all([createSigningKey('ES256', 'first'), createSigningKey('ES256', 'second')])
})

interface Setup extends TestApi {
  readonly provider: KeyServer
  readonly lines: string[]
  /** The requests for keys so far. */
  keyRequests(): number
  /** Lets time pass. */
  wait(seconds: number): void
  /** Sends a token of this key. */
  send(key: SigningKey, header?: object): ReturnType<TestApi['client']['get']>
}

/** Starts a provider that publishes the first key, and an API that trusts it. */
async function setUp(options: Partial<JwtOptions> = {}): Promise<Setup> {
  const provider = await startKeyServer([first.publicJwk])
  let time = Date.parse('2030-01-01T12:00:00Z')
  const lines: string[] = []
  const scheme = jwtScheme({ issuer: provider.issuer, audience, clock: () => new Date(time), ...options })
  const handlers = { GET: () => ({ status: 200, body: {} }) }
  const views = { '/notes/': { name: 'Notes', permissions: [authenticated], handlers } }
  const api = await startApi({ authentication: [scheme], views }, { log: line => lines.push(line) })
  return {
    ...api,
    provider,
    lines,
    keyRequests: () => provider.requests.filter(path => path === keysPath).length,
    wait: seconds => {
      time += 1000 * seconds
    },
    async send(key, header = {}) {
      const now = Math.floor(time / 1000)
      const token = await new SignJWT({ iss: provider.issuer, aud: audience, sub: 'ann', exp: now + 60 })
        .setProtectedHeader({ alg: key.alg, kid: key.kid, ...header })
        .sign(key.privateKey)
      return api.client.get('/notes/', { headers: { authorization: `Bearer ${token}` } })
    },
    async stop() {
      await api.stop()
      await provider.stop()
    },
  }
}

const countErrors = (lines: readonly string[]) => lines.filter(line => JSON.parse(line).level === 50).length

/** How often the log says that an outage is over. */
const countRecoveries = (lines: readonly string[]) =>
  lines.filter(line => line.includes('could be fetched again')).length

test('keys are fetched once, with the first token', async context => {
  const api = await setUp()
  context.after(api.stop)
  assert.deepEqual(api.provider.requests, [])
  const responses = await Promise.all(Array.from({ length: 20 }, () => api.send(first)))
  assert.deepEqual([...new Set(responses.map(({ status }) => status))], [200])
  assert.deepEqual(api.provider.requests, [discoveryPath, keysPath])
})

test('with jwksUri there is no discovery', async context => {
  const other = await startKeyServer([second.publicJwk])
  context.after(other.stop)
  const api = await setUp({ jwksUri: other.issuer + keysPath })
  context.after(api.stop)
  assert.equal((await api.send(second)).status, 200)
  assert.equal((await api.send(first)).status, 401)
  assert.deepEqual(api.provider.requests, [])
})

test('a rotated key is fetched when a token names it', async context => {
  const api = await setUp()
  context.after(api.stop)
  assert.equal((await api.send(first)).status, 200)
  api.provider.reply(keysPath, { keys: [first.publicJwk, second.publicJwk] })
  assert.deepEqual((await api.send(second)).json(), invalid)
  assert.equal(api.keyRequests(), 1, 'the cooldown of the first fetch still lasts')
  api.wait(31)
  assert.equal((await api.send(second)).status, 200)
  assert.equal((await api.send(first)).status, 200)
  api.provider.reply(keysPath, { keys: [second.publicJwk] })
  api.wait(601)
  assert.equal((await api.send(second)).status, 200)
  while ((await api.send(first)).status !== 401) await new Promise(resolve => setImmediate(resolve))
  assert.equal(api.keyRequests(), 3)
})

test('tokens with unknown keys cause one fetch per cooldown, even if the clock is set back', async context => {
  const api = await setUp({ keys: { cooldown: 60 } })
  context.after(api.stop)
  const attack = async () => {
    const kids = Array.from({ length: 30 }, (_, index) => `unknown-${index}`)
    const responses = await Promise.all(kids.map(kid => api.send(first, { kid })))
    for (const response of responses) assert.deepEqual([response.status, response.json()], [401, invalid])
  }
  await api.send(first)
  for (const [seconds, requests] of [
    [0, 1],
    [59, 1],
    [2, 2],
    [59, 2],
    [2, 3],
    [-3600, 4],
    [10, 4],
  ] as const) {
    api.wait(seconds)
    await attack()
    assert.equal(api.keyRequests(), requests, `after ${seconds} seconds`)
  }
})

test('a cached key is used while the provider does not respond', async context => {
  const api = await setUp()
  context.after(api.stop)
  assert.equal((await api.send(first)).status, 200)
  const { promise: held, resolve: hold } = Promise.withResolvers<ServerResponse>()
  api.provider.reply(keysPath, hold)
  api.wait(601)
  assert.equal((await api.send(first)).status, 200)
  const response = await held
  assert.equal((await api.send(first)).status, 200)
  response.end(JSON.stringify({ keys: [second.publicJwk] }))
  while ((await api.send(second)).status !== 200) await new Promise(resolve => setImmediate(resolve))
  assert.equal((await api.send(first)).status, 401)
})

test('if the provider is down at start, tokens are refused until it is up, and the log says so once', async context => {
  const api = await setUp()
  context.after(api.stop)
  await api.provider.stop()
  for (let attempt = 0; attempt < 3; attempt++) {
    const response = await api.send(first)
    assert.deepEqual([response.status, response.json()], [401, unavailable])
    assert.match(response.headers['www-authenticate']!, /^Bearer realm="api", error="invalid_token", /)
    api.wait(6)
  }
  assert.equal(countErrors(api.lines), 1)
  assert.match(api.lines.join(''), /ECONNREFUSED/)
  await api.provider.restart()
  assert.equal((await api.send(first)).status, 200)
  assert.equal(countErrors(api.lines), 1)
  assert.equal(countRecoveries(api.lines), 1)
})

test('if the provider goes down later, its keys go on working, and each outage is logged once', async context => {
  const api = await setUp()
  context.after(api.stop)
  assert.equal((await api.send(first)).status, 200)
  for (const outages of [1, 2]) {
    await api.provider.stop()
    for (let hour = 0; hour < 5; hour++) {
      api.wait(3600)
      assert.equal((await api.send(first)).status, 200)
      assert.deepEqual((await api.send(second)).json(), invalid)
    }
    assert.equal(countErrors(api.lines), outages)
    await api.provider.restart()
    while (countRecoveries(api.lines) < outages) {
      api.wait(3600)
      assert.equal((await api.send(first)).status, 200)
    }
  }
})

test('a provider that does not finish its response counts as down', context =>
  withinLimits(0.5, seconds => checkHangingProvider(context, seconds)))

async function checkHangingProvider(context: TestContext, timeout: number) {
  const api = await setUp({ keys: { timeout, cooldown: 1 } })
  context.after(api.stop)
  const { issuer } = api.provider
  for (const hang of [() => undefined, (response: ServerResponse) => void response.writeHead(200).write('{')]) {
    api.provider.reply(discoveryPath, hang)
    assert.deepEqual((await api.send(first)).json(), unavailable)
    api.wait(6)
  }
  api.provider.reply(discoveryPath, { issuer, jwks_uri: issuer + keysPath })
  assert.equal((await api.send(first)).status, 200)
  api.provider.reply(keysPath, () => undefined)
  api.wait(601)
  assert.deepEqual((await api.send(second)).json(), invalid)
  assert.equal((await api.send(first)).status, 200)
}

suite('a provider that lies', () => {
  let privateKey: object
  before(async () => {
    privateKey = await exportJWK((await generateKeyPair('ES256', { extractable: true })).privateKey)
  })

  const write =
    (status: number, headers: Record<string, string>, body: string | Buffer = ''): Reply =>
    response =>
      void response.writeHead(status, headers).end(body)

  const validKeys = () => JSON.stringify({ keys: [second.publicJwk] })

  /** Replies that must not be used as keys; `origin` is the issuer. */
  const badDocuments = (origin: string): readonly Reply[] => [
    write(500, {}, validKeys()),
    write(404, {}),
    write(204, {}),
    write(302, { location: `${origin}/elsewhere` }),
    write(301, { location: keysPath }),
    write(200, { 'content-type': 'text/html' }, '<h1>Login</h1>'),
    write(200, {}, ''),
    write(200, {}, 'null'),
    write(200, {}, '7'),
    write(200, {}, '[]'),
    write(200, {}, '{"keys":'),
    write(200, {}, Buffer.from([0x22, 0xff, 0x22])),
    write(200, {}, `{"keys":${'['.repeat(100_000)}${']'.repeat(100_000)}}`),
    write(200, {}, validKeys() + ' '.repeat(300_000)),
    write(200, { 'content-encoding': 'gzip' }, gzipSync(validKeys() + ' '.repeat(50_000_000))),
    response => void response.writeHead(200, { 'content-length': 100 }).write('{', () => response.destroy()),
    response => response.destroy(),
  ]

  const badKeys = (): readonly Reply[] => [
    { keys: [] },
    { keys: null },
    { keys: { first: first.publicJwk } },
    { keys: [null, 7, 'x', []] },
    { keys: [{ kty: 'oct', k: 'c2VjcmV0', kid: 'first' }] },
    { keys: [{ ...first.publicJwk, use: 'enc' }] },
    { keys: [{ ...privateKey, kid: 'first' }] },
  ]

  const badMetadata = (origin: string): readonly Reply[] => [
    { issuer: 'https://login.example.org', jwks_uri: origin + keysPath },
    { issuer: `${origin}/`, jwks_uri: origin + keysPath },
    { jwks_uri: origin + keysPath },
    { issuer: [origin], jwks_uri: origin + keysPath },
    { issuer: origin },
    { issuer: origin, jwks_uri: 7 },
    { issuer: origin, jwks_uri: 'keys' },
    { issuer: origin, jwks_uri: 'http://keys.example.org/keys' },
    { issuer: origin, jwks_uri: 'file:///etc/passwd' },
    { issuer: origin, jwks_uri: `data:application/json,${encodeURIComponent(validKeys())}` },
  ]

  let api: Setup
  before(async () => {
    api = await setUp({ keys: { cooldown: 1 } })
  })
  after(() => api.stop())

  const replies = (): readonly (readonly [string, Reply])[] => {
    const { issuer } = api.provider
    return [
      ...[...badDocuments(issuer), ...badKeys()].map(reply => [keysPath, reply] as const),
      ...[...badDocuments(issuer), ...badMetadata(issuer)].map(reply => [discoveryPath, reply] as const),
    ]
  }

  const restore = () => {
    api.provider.reply(keysPath, { keys: [first.publicJwk] })
    api.provider.reply(discoveryPath, { issuer: api.provider.issuer, jwks_uri: api.provider.issuer + keysPath })
  }

  test('before there are keys, every token is refused', async () => {
    for (const [path, reply] of replies()) {
      restore()
      api.provider.reply(path, reply)
      api.wait(6)
      const response = await api.send(first)
      assert.deepEqual(
        [response.status, response.json()],
        [401, unavailable],
        `${path} ${JSON.stringify(reply) ?? reply}`,
      )
    }
    assert.equal(countErrors(api.lines), 1)
    assert.ok(!api.provider.requests.includes('/elsewhere'))
  })

  test('afterwards, the present keys stay', async () => {
    restore()
    api.wait(6)
    assert.equal((await api.send(first)).status, 200)
    for (const [path, reply] of replies()) {
      restore()
      api.provider.reply(path, reply)
      api.wait(601)
      assert.deepEqual((await api.send(second)).json(), invalid)
      assert.equal((await api.send(first)).status, 200, `${path} ${JSON.stringify(reply) ?? reply}`)
    }
    assert.equal(countErrors(api.lines), 2)
    restore()
  })

  test('keys that cannot verify anything refuse only their tokens', async () => {
    const { provider } = api
    const weak = { kty: 'RSA', n: 'AQAB', e: 'AQAB', kid: 'weak', alg: 'RS256' }
    const broken = { kty: 'EC', crv: 'P-256', x: '!', y: {}, kid: 'broken' }
    const twice = { ...second.publicJwk, kid: 'twice' }
    provider.reply(keysPath, { keys: [weak, broken, twice, twice, first.publicJwk] })
    api.wait(601)
    await api.send(second)
    const rsa = await createSigningKey('RS256', 'weak')
    for (const [key, kid] of [
      [rsa, 'weak'],
      [second, 'broken'],
      [second, 'twice'],
    ] as const) {
      const response = await api.send(key, { kid })
      assert.deepEqual([response.status, response.json()], [401, invalid], kid)
    }
    assert.equal((await api.send(first)).status, 200)
  })
})

const example = `
import { createServer } from 'node:http'
import Fastify from 'fastify'
import { createApi } from 'resource-api'
import { jwtScheme } from 'resource-api/jwt'
const provider = createServer((request, response) => response.writeHead(500).end()).listen(0, '127.0.0.1')
await new Promise(resolve => provider.once('listening', resolve))
const issuer = 'http://127.0.0.1:' + provider.address().port
const authentication = [jwtScheme({ issuer, audience: 'api' })]
const app = Fastify()
await app.register(createApi({ authentication, views: { '/x/': { name: 'X', handlers: { GET: () => ({ status: 200 }) } } } }))
const { statusCode } = await app.inject({ url: '/x/', headers: { authorization: 'Bearer eyJhbGciOiJFUzI1NiJ9.e30.AAAA' } })
await app.close()
provider.close()
console.log(statusCode)
`

const run = (program: string) =>
  promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    timeout: patience,
  })

test('a closed application keeps no handle open: the process ends', async () => {
  assert.equal((await run(example)).stdout, '401\n')
})

test('without jose, the import fails and names the package', async () => {
  const program = `
    import { registerHooks } from 'node:module'
    registerHooks({ resolve: (name, context, next) => next(name === 'jose' ? 'not-installed' : name, context) })
    await import('resource-api/jwt')`
  await assert.rejects(run(program), /resource-api\/jwt needs the package jose: npm install jose@6/)
})
