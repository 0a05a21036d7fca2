import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { profile } from '../profile.ts'
import { isWeakSecret, listDeploymentProblems, listUnsafeSettings } from './deployment-checks.ts'
import { type Environment, readEnvironment } from './environment.ts'
import { readSettings, type ServiceOptions } from './settings.ts'

const secretKey = 'kq0hJ8sWb2nYcV6rXzT4mLpDfGaE1uRi9oQt7yZx'
const cleanEnvironment: Environment = { isRoot: false, exposedFiles: [], developmentSecret: undefined }

/** Settings without problems. */
const safeSettings: ServiceOptions = {
  production: true,
  secretKey,
  authentication: ['token', 'session'],
  publicUrl: 'https://api.example.org/',
  trustedProxies: ['127.0.0.1'],
  throttles: { anon: '60/minute', user: '600/minute' },
}

const problems = (changes: ServiceOptions, environment: Partial<Environment> = {}): readonly string[] =>
  listDeploymentProblems(readSettings({ file: { ...safeSettings, ...changes } }), {
    ...cleanEnvironment,
    ...environment,
  })

/** Lists the settings with problems, and asserts the form `SETTING: problem: fix`. */
function listSettings(changes: ServiceOptions, environment: Partial<Environment> = {}): readonly string[] {
  return problems(changes, environment).map(problem => {
    assert.match(problem, /^\S+: .+: .+$/)
    assert.doesNotMatch(problem, /\n|kq0hJ8sWb2|hunter2/)
    return problem.split(':')[0]!
  })
}

const shop = profile('shop', { deploymentProblems: () => ['orders: are never deleted: set their lifetime'] })

test('a safe deployment has no problems', () => {
  assert.deepEqual(listSettings({}), [])
  assert.deepEqual(listSettings({ host: '0.0.0.0', trustedProxies: ['10.0.0.0/8'] }), [])
  assert.deepEqual(listSettings({ cors: { origins: 'https://app.example.org', credentials: true } }), [])
  assert.deepEqual(listSettings({ metricsPort: 9100, headers: { 'permissions-policy': 'camera=()' } }), [])
  assert.deepEqual(listSettings({ sessionLifetime: 400 * 86_400, sessionIdleTime: 86_400 }), [])
})

test('each unsafe setting is listed', () => {
  for (const [setting, changes] of [
    ['PUBLIC_URL', { publicUrl: 'http://api.example.org/' }],
    ['AUTHENTICATION', { authentication: ['token', 'basic'] }],
    ['ALLOWED_HOSTS', { allowedHosts: ['*'] }],
    ['NODE_ENV', { production: false }],
    ['SECRET_KEY', { secretKey: 'x'.repeat(64) }],
    ['SECRET_KEY', { secretKey: 'change-me-kq0hJ8sWb2nYcV6rXzT4mLpDfGaE1uRi9o' }],
    ['SECRET_KEY_FALLBACKS', { secretKeyFallbacks: ['x'.repeat(64)] }],
    ['HOST', { host: '0.0.0.0', trustedProxies: [] }],
    ['HOST', { host: '::', trustedProxies: [] }],
    ['HOST', { host: '192.0.2.1', trustedProxies: [] }],
    ['METRICS_HOST', { metricsPort: 9100, metricsHost: '0.0.0.0' }],
    ['TRUSTED_PROXIES', { trustedProxies: [] }],
    ['TRUSTED_PROXIES', { trustedProxies: ['0.0.0.0/0'] }],
    ['TRUSTED_PROXIES', { trustedProxies: ['::/0'] }],
    ['remoteUser.proxies', { remoteUser: { header: 'Remote-User', proxies: ['0.0.0.0/0'] } }],
    ['CORS_ORIGINS', { cors: { origins: '*' } }],
    ['CORS_ORIGINS', { cors: { origins: 'http://app.example.org' } }],
    ['TRUSTED_ORIGINS', { trustedOrigins: ['http://app.example.org'] }],
    ['headers', { headers: { 'X-Frame-Options': null } }],
    ['headers', { headers: { 'strict-transport-security': null } }],
    ['THROTTLE_ANON', { throttles: { user: '600/minute' } }],
    ['THROTTLE_USER', { throttles: { anon: '60/minute' } }],
    ['loginThrottle.perAccount', { loginThrottle: { perAccount: '1000/minute' } }],
    ['loginThrottle.perAddress', { loginThrottle: { perAddress: '100/second' } }],
    ['sessionLifetime', { sessionLifetime: 91 * 86_400 }],
    ['auditRetention', { auditRetention: null }],
    ['LOG_LEVEL', { logLevel: 'silent' }],
    ['limits.bodySize', { limits: { bodySize: 100_000_000 } }],
    ['limits.requestTime', { limits: { requestTime: 3600 } }],
    ['shop.orders', { profiles: [shop] }],
  ] as const satisfies readonly (readonly [string, ServiceOptions])[])
    assert.deepEqual(listSettings(changes), [setting], JSON.stringify(changes))
})

test('a connection to PostgreSQL over the network needs TLS', () => {
  const url = (host: string, query = '') => `postgres://user:hunter2@${host}/db${query}`
  const hosts = ['db.example.org', '10.0.0.5:5432', '[2001:db8::1]']
  for (const host of hosts) {
    for (const query of ['', '?sslmode=disable', '?sslmode=prefer', '?sslmode=no-verify'])
      assert.deepEqual(listSettings({ databaseUrl: url(host, query) }), ['DATABASE_URL'], host + query)
    for (const query of ['?sslmode=verify-full', '?sslmode=require', '?ssl=true'])
      assert.deepEqual(listSettings({ databaseUrl: url(host, query) }), [], host + query)
  }
  for (const host of ['localhost', '127.0.0.1:5433', '[::1]', '%2Fvar%2Frun%2Fpostgresql'])
    assert.deepEqual(listSettings({ databaseUrl: url(host) }), [], host)
  assert.deepEqual(listSettings({ databaseUrl: url('', '?host=/var/run/postgresql') }), [])
  const replicas = { databaseUrl: url('localhost'), databaseReplicaUrls: [url('localhost'), url('db.example.org')] }
  assert.deepEqual(listSettings(replicas), ['DATABASE_REPLICA_URLS'])
})

test('guessable secrets are weak, and random secrets are not', () => {
  for (const weak of [
    'x'.repeat(100),
    'ab'.repeat(40),
    'a secret for measurements and nothing else',
    '12345678'.repeat(5),
  ])
    assert.ok(isWeakSecret(weak), weak)
  for (let index = 0; index < 200; index++) {
    const bytes = crypto.getRandomValues(new Uint8Array(32))
    for (const encoding of ['base64url', 'hex'] as const) {
      const secret = Buffer.from(bytes).toString(encoding)
      assert.ok(!isWeakSecret(secret), secret)
    }
  }
})

test('the development secret, the root user and files that all users can read are problems', () => {
  assert.deepEqual(listSettings({}, { developmentSecret: secretKey }), ['SECRET_KEY'])
  assert.deepEqual(listSettings({}, { isRoot: true }), ['user'])
  assert.deepEqual(listSettings({}, { exposedFiles: ['/srv/data/api.db'] }), ['/srv/data/api.db'])
  const { secretKey: _, production: __, ...settingsWithoutSecret } = safeSettings
  const problemsWithoutSecret = listDeploymentProblems(readSettings({ file: settingsWithoutSecret }), cleanEnvironment)
  assert.deepEqual(
    problemsWithoutSecret.map(problem => problem.split(':')[0]),
    ['NODE_ENV', 'SECRET_KEY'],
  )
})

test('readEnvironment finds files that other users can read', { skip: process.platform === 'win32' }, context => {
  const folder = mkdtempSync(join(tmpdir(), 'resource-api-environment-'))
  context.after(() => rmSync(folder, { recursive: true }))
  chmodSync(folder, 0o755)
  const [database, secret] = [join(folder, 'api.db'), join(folder, 'secret-key')]
  const read = () => readEnvironment(readSettings({ file: { ...safeSettings, databaseUrl: `sqlite:${database}` } }))
  assert.deepEqual(read(), { isRoot: process.getuid!() === 0, exposedFiles: [], developmentSecret: undefined })
  writeFileSync(database, '')
  writeFileSync(secret, `${secretKey}\n`)
  chmodSync(database, 0o640)
  chmodSync(secret, 0o600)
  assert.deepEqual(read().exposedFiles, [])
  assert.equal(read().developmentSecret, secretKey)
  chmodSync(database, 0o644)
  chmodSync(secret, 0o604)
  assert.deepEqual(read().exposedFiles, [secret, database])
  // Other users cannot enter the folder.
  chmodSync(folder, 0o700)
  assert.deepEqual(read().exposedFiles, [])
})

const listWarnings = (file: ServiceOptions) =>
  listUnsafeSettings(readSettings({ file })).map(warning => warning.split(':')[0])

test('AUTH-SCH-1: in production, basic and credentials without HTTPS cause warnings', () => {
  assert.deepEqual(listWarnings({ authentication: ['basic'] }), ['PUBLIC_URL', 'AUTHENTICATION'])
  assert.deepEqual(listWarnings({ authentication: ['token'], publicUrl: 'http://api.example.org' }), ['PUBLIC_URL'])
  assert.deepEqual(listWarnings({ authentication: ['token'], publicUrl: 'https://api.example.org' }), [])
})

test('in production, ALLOWED_HOSTS with "*" causes a warning', () => {
  assert.deepEqual(listWarnings({ authentication: ['token'], publicUrl: 'https://a.example', allowedHosts: ['*'] }), [
    'ALLOWED_HOSTS',
  ])
})
