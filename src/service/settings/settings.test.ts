import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSettings, type ServiceOptions, SettingsError } from './settings.ts'

test('flags override the environment, which overrides the config file', () => {
  const file = { port: 1, host: 'file', sessionIdleTime: 300 }
  const environment = { PORT: '2', HOST: 'environment', TOKEN_PATH: '' }
  const settings = readSettings({ flags: { port: '4', host: undefined }, environment, file })
  const { port, host, sessionIdleTime, tokenPath } = settings
  assert.deepEqual(
    { port, host, sessionIdleTime, tokenPath },
    { port: 4, host: 'environment', sessionIdleTime: 300, tokenPath: '/api-token-auth/' },
  )
})

test('lists may be strings with commas, and paths may have slashes or not', () => {
  const { trustedProxies, allowedHosts, tokenPath } = readSettings({
    environment: {
      TRUSTED_PROXIES: '10.0.0.0/8,::1',
      ALLOWED_HOSTS: '.example.org,localhost',
      TOKEN_PATH: 'auth/token',
    },
  })
  assert.deepEqual(trustedProxies, ['10.0.0.0/8', '::1'])
  assert.deepEqual([allowedHosts, tokenPath], [['.example.org', 'localhost'], '/auth/token/'])
})

test('rates of the environment are added to those of the config file', () => {
  const file = { throttles: { user: '1/day', scopes: { token: ['5/minute', '50/day'] } } }
  const { throttles } = readSettings({ file, environment: { THROTTLE_ANON: '60/minute, 1000/day' } })
  assert.deepEqual(throttles, {
    anon: ['60/minute', '1000/day'],
    user: ['1/day'],
    scopes: { token: ['5/minute', '50/day'] },
  })
  for (const [file, message] of [
    [
      { throttles: { scopes: { token: 'often' } } },
      /^throttles \(config file\)\.scopes\.token: must be a rate such as .*, not "often"$/,
    ],
    [{ loginThrottle: { perAccount: '0/day' } }, /^loginThrottle \(config file\)\.perAccount: must be a rate such as/],
    [
      { throttles: { scopes: { users: '1/day' } } },
      /^throttles \(config file\)\.scopes\.users: unknown profile: must be one of token$/,
    ],
  ] as const)
    assert.throws(() => readSettings({ file }), { name: SettingsError.name, message })
})

test('the host of the public URL is allowed', () => {
  const { allowedHosts } = readSettings({ environment: { PUBLIC_URL: 'https://api.example.org/v1' } })
  assert.ok(allowedHosts.includes('api.example.org'))
})

const invalid: readonly (readonly [environment: Record<string, string>, message: string])[] = [
  [{ PORT: 'abc' }, 'PORT: must be a whole number, not "abc"'],
  [{ PORT: '65536' }, 'PORT: must be 65535 or less, not "65536"'],
  [{ PORT: '80.5' }, 'PORT: must be a whole number, not "80.5"'],
  [
    { AUTHENTICATION: 'token,foo' },
    'AUTHENTICATION: must be one or more of token, session, basic, remote-user, not "token,foo"',
  ],
  [
    { ALLOWED_HOSTS: 'https://example.org' },
    'ALLOWED_HOSTS: must be host names, without scheme or port, not "https://example.org"',
  ],
  [
    { TRUSTED_PROXIES: '10.0.0.0/33' },
    'TRUSTED_PROXIES: must be IP addresses or networks such as 10.0.0.0/8, not "10.0.0.0/33"',
  ],
  [{ TOKEN_PATH: 'a b' }, 'TOKEN_PATH: must be a path of letters, digits and . _ ~ -, not "a b"'],
  // A pattern with nested repetitions would take years for this one.
  [
    { TOKEN_PATH: `${'a'.repeat(80)}!` },
    `TOKEN_PATH: must be a path of letters, digits and . _ ~ -, not "${'a'.repeat(80)}!"`,
  ],
  [{ PUBLIC_URL: 'ftp://x' }, 'PUBLIC_URL: must be an http or https URL, not "ftp://x"'],
  [{ PUBLIC_URL: 'http://x/?a' }, 'PUBLIC_URL: must have no query and no fragment, not "http://x/?a"'],
  [{ LOGIN_PATH: '//evil' }, 'LOGIN_PATH: must be a path of letters, digits and . _ ~ -, not "//evil"'],
  [
    { TRUSTED_ORIGINS: 'https://a.example,null' },
    'TRUSTED_ORIGINS: must be origins such as https://app.example.org, not "https://a.example,null"',
  ],
  [
    { TRUSTED_ORIGINS: 'https://a.example/' },
    'TRUSTED_ORIGINS: must be origins such as https://app.example.org, not "https://a.example/"',
  ],
  [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL: must be a pino log level, not "loud"'],
  [{ THROTTLE_ANON: '60/week' }, 'THROTTLE_ANON: must be a rate such as 60/minute or 10/5 minutes, not "60/week"'],
  [{ THROTTLE_USER: ',' }, 'THROTTLE_USER: must contain at least one rate, not ","'],
]

for (const [environment, message] of invalid) {
  test(`an invalid setting is rejected: ${message}`, () => {
    assert.throws(() => readSettings({ environment }), new SettingsError(message))
  })
}

test('remoteUser needs either a header with proxies or a function', () => {
  const proxies = ['127.0.0.1', '10.0.0.0/8']
  const identify = () => 'ann'
  for (const remoteUser of [
    { header: 'Remote-User', proxies },
    { identify, createUsers: false },
  ])
    assert.deepEqual(readSettings({ file: { remoteUser } }).remoteUser, {
      proxies: [],
      createUsers: true,
      ...remoteUser,
    })
  const assertRejected = (remoteUser: object, message: RegExp) =>
    assert.throws(() => readSettings({ file: { remoteUser } as ServiceOptions }), { name: 'SettingsError', message })
  assertRejected({}, /^remoteUser \(config file\): must have either header or identify/)
  assertRejected(
    { header: 'Remote-User', proxies, identify },
    /^remoteUser \(config file\): must have either header or identify/,
  )
  assertRejected(
    { header: 'Remote-User' },
    /^remoteUser \(config file\)\.proxies: must list the proxies that may set the header/,
  )
  assertRejected({ identify, proxies }, /^remoteUser \(config file\)\.proxies: must list the proxies/)
  assertRejected({ header: 'Remote User', proxies }, /^remoteUser \(config file\)\.header: must be a header name/)
  assertRejected(
    { header: 'Remote-User', proxies: ['proxy'] },
    /^remoteUser \(config file\)\.proxies: must be IP addresses/,
  )
  assertRejected({ identify: 'ann' }, /^remoteUser \(config file\)\.identify: must be a function/)
  assert.throws(
    () => readSettings({ environment: { AUTHENTICATION: 'token,remote-user' } }),
    new SettingsError('remoteUser: must be set when authentication contains remote-user'),
  )
})

test('the error for a secret does not contain its value', () => {
  const assertRejected = (environment: Record<string, string>, message: string) =>
    assert.throws(() => readSettings({ environment }), new SettingsError(message))
  assertRejected({ SECRET_KEY: 'short' }, 'SECRET_KEY: must have 32 characters or more')
  assertRejected({ DATABASE_URL: 'mysql://root:hunter2@db' }, 'DATABASE_URL: must be sqlite:<path> or postgres://…')
})

test('a database in memory serves one process', () => {
  const environment = { DATABASE_URL: 'sqlite::memory:' }
  assert.equal(readSettings({ environment }).databaseUrl, 'sqlite::memory:')
  const message = 'WORKERS: must be 1 if the database is in memory: each process would have its own'
  assert.throws(() => readSettings({ environment: { ...environment, WORKERS: '2' } }), new SettingsError(message))
})

test('production requires SECRET_KEY', () => {
  assert.throws(
    () => readSettings({ environment: { NODE_ENV: 'production' } }),
    new SettingsError('SECRET_KEY: must be set when NODE_ENV is production (32 random characters or more)'),
  )
  const environment = { NODE_ENV: 'production', SECRET_KEY: 's'.repeat(32) }
  assert.equal(readSettings({ environment }).production, true)
})

test('the error for a setting of the config file names the config file', () => {
  const assertRejected = (file: Record<string, unknown>, message: string) =>
    assert.throws(() => readSettings({ file }), new SettingsError(message))
  assertRejected({ auditRetention: 0 }, 'auditRetention (config file): must be 1 or more, not 0')
  assertRejected({ sessionIdleTime: 60 }, 'sessionIdleTime (config file): must be 120 or more, not 60')
  assertRejected(
    { sessionLifetime: 1e12 },
    'sessionLifetime (config file): must be a hundred years or less, not 1000000000000',
  )
  assertRejected({ pageSize: 5 }, 'pageSize (config file): unknown setting')
})
