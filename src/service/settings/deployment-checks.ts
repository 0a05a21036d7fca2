// The checks of `check --deploy`: settings that are fine in development, but unsafe or questionable in production. Each
// problem has the form `SETTING: problem: fix`.

import { BlockList } from 'node:net'
import { parseRate } from '#core'
import { resolveHeaderFields } from '#server'
import type { Environment } from './environment.ts'
import { headerSettings } from './header-settings.ts'
import { limitsSchema } from './limits.ts'
import type { Settings } from './settings.ts'

type Check = (settings: Settings, environment: Environment) => readonly string[]

/** Lists the problems, the most important first; empty if the settings are safe for production. */
export const listDeploymentProblems: Check = (settings, environment) =>
  checks.flatMap(check => check(settings, environment))

/** Lists the problems that `serve` prints as warnings in production. */
export function listUnsafeSettings({ authentication, publicUrl, allowedHosts }: Settings): readonly string[] {
  const isPlain = !publicUrl?.startsWith('https:')
  return [
    // AUTH-SCH-1, AUTH-SCH-2
    ...(isPlain
      ? ['PUBLIC_URL: passwords, tokens and sessions need HTTPS in production: set the https URL of the service']
      : []),
    ...(authentication?.includes('basic')
      ? ['AUTHENTICATION: basic is for testing: remove it, and let clients use tokens']
      : []),
    ...(allowedHosts.includes('*')
      ? ['ALLOWED_HOSTS: "*" lets clients choose the host of links in responses: list the hosts']
      : []),
  ]
}

const problemIf = (isUnsafe: boolean, problem: string): readonly string[] => (isUnsafe ? [problem] : [])

const checks: readonly Check[] = [
  listUnsafeSettings,
  ({ production }) =>
    problemIf(
      !production,
      'NODE_ENV: is not "production", so settings for development are accepted: set it to production',
    ),
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
  environmentProblems,
]

function secretProblems(
  { secretKey, secretKeyFallbacks }: Settings,
  { developmentSecret }: Environment,
): readonly string[] {
  const fix = 'set 32 random bytes, for example with: openssl rand -base64 32'
  if (secretKey === undefined || secretKey === developmentSecret)
    return [`SECRET_KEY: is the secret that was generated for development: ${fix}`]
  return [
    ...problemIf(isWeakSecret(secretKey), `SECRET_KEY: can be guessed: ${fix}`),
    ...problemIf(
      secretKeyFallbacks.some(isWeakSecret),
      'SECRET_KEY_FALLBACKS: one of them can be guessed: run "resource-api rotate-secret", and remove it',
    ),
  ]
}

const minBits = 100
const placeholder = /secret|insecure|password|change.?me|example|default|development|12345678|qwerty|abcdefgh/i
const repetition = /^(.{1,16})\1+$/

/**
 * Returns true if a secret could be guessed: it has few different characters, is repetitive, or looks like a
 * placeholder. The bits are the Shannon entropy of its characters: 32 random bytes in base64 have about 210.
 */
export function isWeakSecret(secret: string): boolean {
  const counts = Map.groupBy(secret, character => character)
  const bits = [...counts.values()].reduce((sum, { length }) => sum + length * Math.log2(secret.length / length), 0)
  return bits < minBits || placeholder.test(secret) || repetition.test(secret)
}

function databaseProblems({ databaseUrl, databaseReplicaUrls }: Settings): readonly string[] {
  const problem = (name: string) =>
    `${name}: passwords and data are sent over the network unencrypted: add ?sslmode=verify-full to the URL`
  return [
    ...problemIf(isUnencryptedPostgres(databaseUrl), problem('DATABASE_URL')),
    ...problemIf(databaseReplicaUrls.some(isUnencryptedPostgres), problem('DATABASE_REPLICA_URLS')),
  ]
}

function isUnencryptedPostgres(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || !url.protocol.startsWith('postgres')) return false
  const { hostname, searchParams } = url
  const host = searchParams.get('host') ?? decodeURIComponent(hostname)
  const isEncrypted = /^(?:require|verify-ca|verify-full)$/.test(searchParams.get('sslmode') ?? '')
  return !isEncrypted && searchParams.get('ssl') !== 'true' && host !== '' && !host.startsWith('/') && !isLoopback(host)
}

function addressProblems({ host, trustedProxies, metricsHost, metricsPort }: Settings): readonly string[] {
  return [
    ...problemIf(
      !isLoopback(host) && trustedProxies.length === 0,
      `HOST: ${host} accepts unencrypted HTTP from the network: listen on 127.0.0.1 behind an HTTPS proxy, or list the proxy in TRUSTED_PROXIES`,
    ),
    ...problemIf(
      metricsPort !== null && !isLoopback(metricsHost),
      `METRICS_HOST: ${metricsHost} exposes the metrics to the network: listen on 127.0.0.1, or on an address that only the collector can reach`,
    ),
  ]
}

function proxyProblems({ publicUrl, host, trustedProxies, remoteUser }: Settings): readonly string[] {
  const isBehindProxy = publicUrl?.startsWith('https:') && isLoopback(host)
  return [
    ...problemIf(
      Boolean(isBehindProxy) && trustedProxies.length === 0,
      'TRUSTED_PROXIES: all clients appear with the address of the HTTPS proxy, so they share throttles and failed logins: list the proxy, such as 127.0.0.1',
    ),
    ...problemIf(
      trustedProxies.some(isTooLarge),
      'TRUSTED_PROXIES: lets every client choose its address and scheme: list only the proxies',
    ),
    ...problemIf(
      remoteUser?.proxies.some(isTooLarge) ?? false,
      'remoteUser.proxies: lets every client authenticate as any user: list only the proxies that authenticate users',
    ),
  ]
}

function originProblems({ cors, trustedOrigins }: Settings): readonly string[] {
  const isPlain = (origin: string) => origin.startsWith('http:')
  return [
    ...problemIf(
      cors.origins.includes('*'),
      'CORS_ORIGINS: "*" lets the pages of every site read responses: list the origins',
    ),
    ...problemIf(
      cors.origins.some(isPlain),
      'CORS_ORIGINS: attackers on the network can change pages that are loaded over http: list https origins',
    ),
    ...problemIf(
      trustedOrigins.some(isPlain),
      'TRUSTED_ORIGINS: attackers on the network can change pages that are loaded over http: list https origins',
    ),
  ]
}

const securityHeaders = [
  'x-content-type-options',
  'x-frame-options',
  'content-security-policy',
  'referrer-policy',
  'strict-transport-security',
]

function headerProblems(settings: Settings): readonly string[] {
  const [defaults, sent] = [{ ...settings, headers: {} }, settings].map(one => resolveHeaderFields(headerSettings(one)))
  return securityHeaders
    .filter(name => name in defaults! && !(name in sent!))
    .map(name => `headers: responses do not have ${name}: remove it from the setting`)
}

/** Failed logins per hour. */
const [maxPerAccount, maxPerAddress] = [600, 3600]

function rateProblems({ throttles, loginThrottle: { perAccount, perAddress } }: Settings): readonly string[] {
  const perHour = (text: string) => {
    const { limit, period } = parseRate(text)
    return (3_600_000 * limit) / period
  }
  return [
    ...problemIf(
      throttles.anon === undefined,
      'THROTTLE_ANON: anonymous clients may send any number of requests: set a rate, such as 60/minute',
    ),
    ...problemIf(
      throttles.user === undefined,
      'THROTTLE_USER: users may send any number of requests: set a rate, such as 600/minute',
    ),
    ...problemIf(
      perHour(perAccount) > maxPerAccount,
      'loginThrottle.perAccount: the rate allows password guessing: set a lower one, such as 10/5 minutes',
    ),
    ...problemIf(
      perHour(perAddress) > maxPerAddress,
      'loginThrottle.perAddress: the rate allows password guessing: set a lower one, such as 100/hour',
    ),
  ]
}

const maxSession = 90 * 24 * 60 * 60

function lifetimeProblems({ sessionLifetime, sessionIdleTime }: Settings): readonly string[] {
  const idleTime = sessionIdleTime ?? sessionLifetime
  return problemIf(
    Math.min(sessionLifetime, idleTime) > maxSession,
    'sessionLifetime: a stolen session is valid for months: set two weeks (1209600), or set sessionIdleTime',
  )
}

function logProblems({ auditRetention, logLevel }: Settings): readonly string[] {
  return [
    ...problemIf(
      auditRetention === null,
      'auditRetention: audit events are not stored: set the number of days to store them, such as 90',
    ),
    ...problemIf(
      logLevel === 'silent' || logLevel === 'fatal',
      `LOG_LEVEL: ${logLevel} hides errors: set info or warn`,
    ),
  ]
}

// `jitless`, because generating code for the schema takes longer than one validation.
const [defaultLimits, maxFactor] = [limitsSchema.parse({}, { jitless: true }), 10]

function limitProblems({ limits, profiles }: Settings): readonly string[] {
  const tooLarge = (Object.keys(defaultLimits) as (keyof typeof defaultLimits)[]).filter(
    name => limits[name] > maxFactor * defaultLimits[name],
  )
  const problem = (name: string, defaultValue: number) =>
    `${name}: is more than ${maxFactor} times its default, so a client can use many resources: set about ${defaultValue}`
  return [
    ...tooLarge.map(name => problem(`limits.${name}`, defaultLimits[name])),
    ...profiles.flatMap(({ deploymentProblems }) => deploymentProblems),
  ]
}

function environmentProblems(_settings: Settings, { isRoot, exposedFiles }: Environment): readonly string[] {
  return [
    ...exposedFiles.map(file => `${file}: other users of this machine can access it: chmod o-rwx ${file}`),
    ...problemIf(isRoot, 'user: the process runs as root: run it as a separate user'),
  ]
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8)
loopback.addAddress('::1', 'ipv6')

function isLoopback(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, '')
  return /^(?:.+\.)?localhost$/i.test(host) || loopback.check(address, address.includes(':') ? 'ipv6' : 'ipv4')
}

// A network with a prefix shorter than 8 bits is too large to be private.
const isTooLarge = (proxy: string): boolean => /\/[0-7]$/.test(proxy)
