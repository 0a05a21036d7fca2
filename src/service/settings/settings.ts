// Reads all settings into one typed, validated, frozen object. Flags override environment variables, which override the
// config file, which overrides the defaults. The first invalid setting is an error at start, whose message names it.

import * as z from 'zod'
import {
  type AfterUserCreated,
  type AuditListener,
  type PasswordResetSettings,
  type ProviderSettings,
  type SchemeName,
  schemeNames,
  type User,
} from '#accounts'
import { type Caller, type DocumentOptions, type ExceptionHandler, type LanguageOptions, localHosts } from '#core'
import type { BrowsableOptions } from '#pages'
import { anyFunction, corsSchema, headerFieldsSchema, list, logLevel, origin, proxy } from '#server'
import type { ConfiguredProfile, Profile } from '../profile.ts'
import { postgresSchema, replicaUrl } from './database-settings.ts'
import { formatIssue, type GivenValues } from './format-issue.ts'
import { limitsSchema } from './limits.ts'
import { checkProfileNames, listFixedPaths, mountProfiles, readProfiles } from './profiles.ts'
import { schemes } from './schemes-setting.ts'
import {
  databaseUrl,
  days,
  hostPattern,
  integer,
  parseBoolean,
  parseInteger,
  path,
  port,
  publicUrl,
  rate,
  remoteUser,
  secondFactor,
  seconds,
  secret,
  throttles,
} from './setting-schemas.ts'
import { SettingsError } from './settings-error.ts'

export { SettingsError }

/** The default value of `authentication`. */
const defaultSchemeNames: readonly SchemeName[] = ['token', 'session', 'basic']

/** The settings of a config file, with their defaults. */
export const settingsSchema = z.strictObject({
  databaseUrl: databaseUrl.default('sqlite:data/resource-api.db'),
  databaseReplicaUrls: list(replicaUrl).default([]),
  postgres: postgresSchema.prefault({}),
  secretKey: secret.optional(),
  secretKeyFallbacks: list(secret).default([]),
  host: z.string().min(1, 'must not be empty').default('127.0.0.1'),
  port: z.preprocess(parseInteger, port).default(8000),
  workers: z.preprocess(parseInteger, integer(1, 256)).default(1),
  metricsHost: z.string().min(1, 'must not be empty').default('127.0.0.1'),
  metricsPort: z.preprocess(parseInteger, port.nullable()).default(null),
  // `readProfiles` checks them.
  profiles: z.custom<readonly Profile[]>().optional(),
  mounts: z.record(z.string(), path).default({}),
  demo: z.custom<DemoData>().optional(),
  publicUrl: publicUrl.optional(),
  allowedHosts: list(hostPattern).optional(),
  trustedProxies: list(proxy).default([]),
  authentication: list(z.enum(schemeNames, `must be one or more of ${schemeNames.join(', ')}`))
    .nullable()
    .default([...defaultSchemeNames]),
  remoteUser: remoteUser.optional(),
  loginPath: path.nullable().default('/api-auth/'),
  sessionLifetime: seconds(60).default(14 * 24 * 60 * 60),
  sessionIdleTime: seconds(120).optional(),
  passwordMinLength: integer(1, 128).default(8),
  // `createAccounts` checks them.
  passwordReset: z.custom<PasswordResetSettings>().optional(),
  providers: z.custom<readonly ProviderSettings[]>().default([]),
  secondFactor: secondFactor.optional(),
  trustedOrigins: list(origin).default([]),
  cors: corsSchema.prefault({}),
  headers: headerFieldsSchema.default({}),
  schemes: schemes.default([]),
  anonymous: z.custom<Caller>().optional(),
  tokenPath: path.default('/api-token-auth/'),
  tokenKeyword: z
    .string()
    .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be one word')
    .default('Token'),
  tokens: z.enum(['single', 'named'], 'must be single or named').default('single'),
  tokenPrefix: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9]{0,19}_$/, 'must be letters and digits with "_" at the end')
    .default('rapi_'),
  tokenLifetime: seconds(1).nullable().default(null),
  adminPath: path.nullable().default('/admin/'),
  limits: limitsSchema.prefault({}),
  throttles: throttles.prefault({}),
  loginThrottle: z
    .strictObject({ perAccount: rate.default('10/5 minutes'), perAddress: rate.default('100/hour') })
    .prefault({}),
  // `createApi` checks it.
  openapi: z.custom<DocumentOptions | false>().optional(),
  compression: z.preprocess(parseBoolean, z.boolean('must be true or false')).default(false),
  formatParam: z.string().min(1, 'must not be empty').nullable().default('format'),
  logLevel: logLevel.default('info'),
  logFormat: z.enum(['json', 'text'], 'must be json or text').optional(),
  accessLog: z.preprocess(parseBoolean, z.boolean('must be true or false')).optional(),
  production: z.boolean('must be true or false').default(false),
  afterUserCreated: anyFunction<AfterUserCreated>().optional(),
  tokenForNewUsers: z.boolean('must be true or false').default(false),
  tokenResponse: anyFunction<(user: User) => Readonly<Record<string, unknown>>>().optional(),
  exceptionHandler: anyFunction<ExceptionHandler>().optional(),
  // `createApi` checks them.
  messages: z.custom<NonNullable<LanguageOptions['messages']>>().optional(),
  languages: z.custom<NonNullable<LanguageOptions['languages']>>().optional(),
  catalogues: z.custom<NonNullable<LanguageOptions['catalogues']>>().default([]),
  onAudit: anyFunction<AuditListener>().optional(),
  auditRetention: days.nullable().default(90),
  pages: z.custom<Partial<BrowsableOptions>>().optional(),
  nonFieldErrorsKey: z.string().min(1, 'must not be empty').default('non_field_errors'),
})

/** Rows to load into an empty database, in the form of a data file. */
export type DemoData = Readonly<Record<string, readonly object[]>>

/** The settings of a config file. All of them are optional. An interface, so that declaration files name it instead of its types. */
export interface ServiceOptions extends z.input<typeof settingsSchema> {}

/** All settings, validated. Outside production, `secretKey` may be undefined until it is generated. */
export type Settings = Readonly<
  Omit<z.output<typeof settingsSchema>, 'allowedHosts' | 'accessLog' | 'logFormat' | 'profiles'>
> & {
  /** The profiles to serve, with the paths at which they are mounted. */
  readonly profiles: readonly ConfiguredProfile[]
  /** All profiles of the config file. Their tables exist, although other processes may serve them. */
  readonly configuredProfiles: readonly ConfiguredProfile[]
  readonly allowedHosts: readonly string[]
  readonly accessLog: boolean
  readonly logFormat: 'json' | 'text'
}

/** Settings with a secret, configured or generated. */
export type ReadySettings = Settings & { readonly secretKey: string }

/** The setting of each environment variable. */
export const variables = {
  DATABASE_URL: 'databaseUrl',
  DATABASE_REPLICA_URLS: 'databaseReplicaUrls',
  DATABASE_POOL_SIZE: 'postgres.poolSize',
  DATABASE_POOLER: 'postgres.pooler',
  SECRET_KEY: 'secretKey',
  SECRET_KEY_FALLBACKS: 'secretKeyFallbacks',
  HOST: 'host',
  PORT: 'port',
  WORKERS: 'workers',
  METRICS_HOST: 'metricsHost',
  METRICS_PORT: 'metricsPort',
  PROFILES: 'profiles',
  PUBLIC_URL: 'publicUrl',
  ALLOWED_HOSTS: 'allowedHosts',
  TRUSTED_PROXIES: 'trustedProxies',
  AUTHENTICATION: 'authentication',
  LOGIN_PATH: 'loginPath',
  TRUSTED_ORIGINS: 'trustedOrigins',
  CORS_ORIGINS: 'cors.origins',
  COMPRESSION: 'compression',
  TOKEN_PATH: 'tokenPath',
  LOG_LEVEL: 'logLevel',
  LOG_FORMAT: 'logFormat',
  ACCESS_LOG: 'accessLog',
  THROTTLE_ANON: 'throttles.anon',
  THROTTLE_USER: 'throttles.user',
} as const satisfies Readonly<
  Record<
    string,
    keyof ServiceOptions | 'cors.origins' | `postgres.${'poolSize' | 'pooler'}` | `throttles.${'anon' | 'user'}`
  >
>

/** Returns the options unchanged. With it, a config file is type-checked. */
export const defineService = (options: ServiceOptions): ServiceOptions => options

export interface SettingsSources {
  /** The flags by setting; a flag that was not used is undefined. */
  readonly flags?: Readonly<Record<string, unknown>>
  readonly environment?: Readonly<Record<string, string | undefined>>
  readonly file?: ServiceOptions
  /** True: the profiles have the defaults of the demonstration. */
  readonly isDemo?: boolean
}

/** Reads and validates the settings. Throws SettingsError for the first invalid one. */
export function readSettings(sources: SettingsSources): Settings {
  const { flags = {}, environment = {}, file = {}, isDemo = false } = sources
  const { values, sourceNames } = readValues({ flags, environment, file })
  // `jitless`, because generating code for the schema takes longer than one validation.
  const result = settingsSchema.safeParse(values, { jitless: true })
  if (!result.success) throw new SettingsError(formatIssue(settingsSchema, result.error, { values, sourceNames }))
  const settings = result.data
  checkCombinations(settings)
  const profiles = readProfiles({
    configured: file.profiles,
    selected: findSelection(flags.profiles, environment.PROFILES),
    serviceVariables: Object.keys(variables),
    environment,
    isDemo,
  })
  checkProfileNames(sourceNames.get('mounts') ?? 'mounts', settings.mounts, profiles.configured)
  const scopesName = `${sourceNames.get('throttles') ?? 'throttles'}.scopes`
  checkProfileNames(scopesName, settings.throttles.scopes, profiles.configured, ['token'])
  return Object.freeze({
    ...settings,
    profiles: mountProfiles(profiles.served, settings.mounts, listFixedPaths(settings)),
    configuredProfiles: profiles.configured,
    allowedHosts: settings.allowedHosts ?? defaultHosts(settings.publicUrl),
    accessLog: settings.accessLog ?? true,
    logFormat: settings.logFormat ?? (settings.production ? 'json' : 'text'),
  })
}

function readValues({
  flags,
  environment,
  file,
}: Required<Pick<SettingsSources, 'flags' | 'environment' | 'file'>>): GivenValues {
  const sourceNames = new Map<string, string>(Object.keys(file).map(key => [key, `${key} (config file)`]))
  const values: Record<string, unknown> = {
    ...file,
    production: file.production ?? environment.NODE_ENV === 'production',
  }
  for (const [variable, path] of Object.entries(variables)) {
    const value = environment[variable]
    if (value === undefined || value === '' || path === 'profiles') continue
    const [key, part] = path.split('.') as [string, string?]
    values[key] = part === undefined ? value : { ...(values[key] as object), [part]: value }
    sourceNames.set(path, variable)
  }
  for (const [key, value] of Object.entries(flags)) {
    if (value === undefined || key === 'profiles') continue
    values[key] = value
    sourceNames.set(key, `--${key.replace('databaseUrl', 'database')}`)
  }
  return { values, sourceNames }
}

/** Throws SettingsError if two settings contradict each other. */
function checkCombinations(settings: z.output<typeof settingsSchema>): void {
  if (settings.production && settings.secretKey === undefined)
    throw new SettingsError('SECRET_KEY: must be set when NODE_ENV is production (32 random characters or more)')
  if (settings.authentication?.includes('remote-user') && settings.remoteUser === undefined)
    throw new SettingsError('remoteUser: must be set when authentication contains remote-user')
  if (settings.databaseReplicaUrls.length > 0 && settings.databaseUrl.startsWith('sqlite:'))
    throw new SettingsError('DATABASE_REPLICA_URLS: must not be set if the database is SQLite')
  if (settings.workers > 1 && settings.databaseUrl === 'sqlite::memory:')
    throw new SettingsError('WORKERS: must be 1 if the database is in memory: each process would have its own')
  if (settings.tokens === 'named' && settings.tokenForNewUsers)
    throw new SettingsError(
      'tokenForNewUsers: must be false if tokens is "named", because the new token could not be shown to anyone',
    )
}

/**
 * Throws SettingsError if the service needs its public URL in production, and does not have it. Commands that neither serve nor
 * run jobs do not need it.
 */
export function checkPublicUrl(
  settings: Pick<Settings, 'production' | 'publicUrl' | 'passwordReset' | 'providers' | 'secondFactor'>,
): void {
  const { production, publicUrl: url, passwordReset, providers, secondFactor: factor } = settings
  if (production && url === undefined && (passwordReset || providers.length > 0 || factor?.passkeys))
    throw new SettingsError(
      'PUBLIC_URL: must be set if passwordReset, providers or secondFactor.passkeys are, because they depend on it',
    )
}

const findSelection = (flag: unknown, variable: string | undefined) => {
  if (flag !== undefined) return { source: '--profile', names: flag }
  return variable ? { source: 'PROFILES', names: variable } : undefined
}

function defaultHosts(url: string | undefined): readonly string[] {
  return url === undefined ? localHosts : [...localHosts, new URL(url).hostname]
}
