// What `check --deploy` looks for: every setting that is right on a developer's machine and wrong, or at least worth a
// second look, where strangers reach the service. Each problem is one sentence that names the setting and says the fix.

import { BlockList } from 'node:net'
import { parseRate } from '../../framework/throttling/rate.ts'
import { fixedFields } from '../http/header-fields.ts'
import type { Environment } from './environment.ts'
import { limitsSchema } from './limits.ts'
import type { Settings } from './settings.ts'

type Check = (settings: Settings, surroundings: Environment) => readonly string[]

/** The problems in the order in which they matter; none for a service that may go out. */
export const deploymentProblems: Check = (settings, surroundings) =>
  checks.flatMap(check => check(settings, surroundings))

/** The subset that `serve` warns of in production. */
export function unsafeSettings({ authentication, publicUrl, allowedHosts }: Settings): readonly string[] {
  const isPlain = !publicUrl?.startsWith('https:')
  return [
    // AUTH-SCH-1, AUTH-SCH-2
    ...(isPlain
      ? ['PUBLIC_URL: passwords, tokens and sessions need HTTPS in production: set the https address of the service']
      : []),
    ...(authentication?.includes('basic')
      ? ['AUTHENTICATION: basic is for testing: leave it out, and let clients use tokens']
      : []),
    ...(allowedHosts.includes('*')
      ? ['ALLOWED_HOSTS: "*" lets anybody choose the links of answers: name the hosts']
      : []),
  ]
}

const when = (isUnsafe: boolean, problem: string): readonly string[] => (isUnsafe ? [problem] : [])

const checks: readonly Check[] = [
  unsafeSettings,
  ({ production }) =>
    when(!production, 'NODE_ENV: is not production, which refuses what is only for development: set it to production'),
  secretProblems,
  databaseProblems,
  addressProblems,
  proxyProblems,
  originProblems,
  headerProblems,
  rateProblems,
  lifetimeProblems,
  logProblems,
  limitProblems,
  surroundingProblems,
]

function secretProblems(
  { secretKey, secretKeyFallbacks }: Settings,
  { developmentSecret }: Environment,
): readonly string[] {
  const fix = 'set 32 random bytes, such as those of: openssl rand -base64 32'
  if (secretKey === undefined || secretKey === developmentSecret)
    return [`SECRET_KEY: is the one that development made: ${fix}`]
  return [
    ...when(isWeakSecret(secretKey), `SECRET_KEY: can be guessed: ${fix}`),
    ...when(
      secretKeyFallbacks.some(isWeakSecret),
      'SECRET_KEY_FALLBACKS: one of them can be guessed: run "resource-api rotate-secret", and take it out',
    ),
  ]
}

const fewestBits = 100
const placeholder = /secret|insecure|password|change.?me|example|default|development|12345678|qwerty|abcdefgh/i
const repetition = /^(.{1,16})\1+$/

/**
 * Could somebody guess it? A secret of few different characters, or one that a person wrote to be replaced. Bits are
 * those of Shannon's entropy of its characters: 32 random bytes in base64 have about 210, as have 32 random words.
 */
export function isWeakSecret(secret: string): boolean {
  const counts = Map.groupBy(secret, character => character)
  const bits = [...counts.values()].reduce((sum, { length }) => sum + length * Math.log2(secret.length / length), 0)
  return bits < fewestBits || placeholder.test(secret) || repetition.test(secret)
}

function databaseProblems({ databaseUrl, databaseReplicaUrls }: Settings): readonly string[] {
  const problem = (name: string) =>
    `${name}: passwords and data cross the network in the clear: add ?sslmode=verify-full to its URL`
  return [
    ...when(isPlainPostgres(databaseUrl), problem('DATABASE_URL')),
    ...when(databaseReplicaUrls.some(isPlainPostgres), problem('DATABASE_REPLICA_URLS')),
  ]
}

function isPlainPostgres(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || !url.protocol.startsWith('postgres')) return false
  const { hostname, searchParams } = url
  const host = searchParams.get('host') ?? decodeURIComponent(hostname)
  const isEncrypted = /^(?:require|verify-ca|verify-full)$/.test(searchParams.get('sslmode') ?? '')
  return !isEncrypted && searchParams.get('ssl') !== 'true' && host !== '' && !host.startsWith('/') && !isLoopback(host)
}

function addressProblems({ host, trustedProxies, metricsHost, metricsPort }: Settings): readonly string[] {
  return [
    ...when(
      !isLoopback(host) && trustedProxies.length === 0,
      `HOST: ${host} takes plain HTTP from the network: listen on 127.0.0.1 behind a proxy that speaks HTTPS, or name the proxy in TRUSTED_PROXIES`,
    ),
    ...when(
      metricsPort !== null && !isLoopback(metricsHost),
      `METRICS_HOST: ${metricsHost} shows the metrics to the network: listen on 127.0.0.1, or on an address that only the collector reaches`,
    ),
  ]
}

function proxyProblems({ publicUrl, host, trustedProxies, remoteUser }: Settings): readonly string[] {
  const isBehindProxy = publicUrl?.startsWith('https:') && isLoopback(host)
  return [
    ...when(
      Boolean(isBehindProxy) && trustedProxies.length === 0,
      'TRUSTED_PROXIES: all clients have the address of the proxy that speaks HTTPS, and share their throttles and failed logins: name it, such as 127.0.0.1',
    ),
    ...when(
      trustedProxies.some(isEverybody),
      'TRUSTED_PROXIES: lets every client choose its address and scheme: name the machines in front',
    ),
    ...when(
      remoteUser?.proxies.some(isEverybody) ?? false,
      'remoteUser.proxies: lets every client be anybody: name the machines that log users in',
    ),
  ]
}

function originProblems({ cors, trustedOrigins }: Settings): readonly string[] {
  const isPlain = (origin: string) => origin.startsWith('http:')
  return [
    ...when(cors.origins.includes('*'), 'CORS_ORIGINS: "*" lets the pages of any site ask: name the origins'),
    ...when(
      cors.origins.some(isPlain),
      'CORS_ORIGINS: who is on the way can change a page over http: name https origins',
    ),
    ...when(
      trustedOrigins.some(isPlain),
      'TRUSTED_ORIGINS: who is on the way can change a page over http: name https origins',
    ),
  ]
}

const guarding = [
  'x-content-type-options',
  'x-frame-options',
  'content-security-policy',
  'referrer-policy',
  'strict-transport-security',
]

function headerProblems(settings: Settings): readonly string[] {
  const [usual, kept] = [fixedFields({ ...settings, headers: {} }), fixedFields(settings)]
  return guarding
    .filter(name => name in usual && !(name in kept))
    .map(name => `headers: ${name} is left out of the answers: take it out of the setting`)
}

/** Attempts in an hour. */
const [mostPerAccount, mostPerAddress] = [600, 3600]

function rateProblems({ throttles, loginThrottle: { perAccount, perAddress } }: Settings): readonly string[] {
  const perHour = (text: string) => {
    const { limit, period } = parseRate(text)
    return (3_600_000 * limit) / period
  }
  return [
    ...when(
      throttles.anon === undefined,
      'THROTTLE_ANON: strangers may ask without end: set a rate, such as 60/minute',
    ),
    ...when(throttles.user === undefined, 'THROTTLE_USER: users may ask without end: set a rate, such as 600/minute'),
    ...when(
      perHour(perAccount) > mostPerAccount,
      'loginThrottle.perAccount: passwords can be tried out: 10/5 minutes will do',
    ),
    ...when(
      perHour(perAddress) > mostPerAddress,
      'loginThrottle.perAddress: passwords can be tried out: 100/hour will do',
    ),
  ]
}

const longestSession = 90 * 24 * 60 * 60

function lifetimeProblems({ sessionLifetime, sessionIdleTime }: Settings): readonly string[] {
  const unused = sessionIdleTime ?? sessionLifetime
  return when(
    Math.min(sessionLifetime, unused) > longestSession,
    'sessionLifetime: a stolen session is good for months: two weeks (1209600) will do, or set sessionIdleTime',
  )
}

function logProblems({ auditRetention, logLevel }: Settings): readonly string[] {
  return [
    ...when(
      auditRetention === null,
      'auditRetention: nobody can look up who did what: set the days to keep it, such as 90',
    ),
    ...when(
      logLevel === 'silent' || logLevel === 'fatal',
      `LOG_LEVEL: ${logLevel} keeps quiet about failures: set info, or warn`,
    ),
  ]
}

const [defaults, mostTimes] = [limitsSchema.parse({}), 10]
const usualCodeLimit = 1024 * 1024

function limitProblems({ limits, codeLimit }: Settings): readonly string[] {
  const far = (Object.keys(defaults) as (keyof typeof defaults)[]).filter(
    name => limits[name] > mostTimes * defaults[name],
  )
  const problem = (name: string, usual: number) =>
    `${name}: is more than ${mostTimes} times its default, and lets a client take up much: stay near ${usual}`
  return [
    ...far.map(name => problem(`limits.${name}`, defaults[name])),
    ...when(codeLimit > mostTimes * usualCodeLimit, problem('codeLimit', usualCodeLimit)),
  ]
}

function surroundingProblems(_settings: Settings, { isRoot, exposedFiles }: Environment): readonly string[] {
  return [
    ...exposedFiles.map(file => `${file}: other users of this machine may read it: chmod o-rwx ${file}`),
    ...when(isRoot, 'user: the process may do anything on this machine: run it as a user of its own'),
  ]
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8)
loopback.addAddress('::1', 'ipv6')

function isLoopback(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, '')
  return /^(?:.+\.)?localhost$/i.test(host) || loopback.check(address, address.includes(':') ? 'ipv6' : 'ipv4')
}

// A network this large is not a private one.
const isEverybody = (proxy: string): boolean => /\/[0-7]$/.test(proxy)
