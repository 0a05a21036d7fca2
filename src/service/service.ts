// The service: its parts made from the settings, and joined. `openParts` is what the command line works with,
// `createService` adds HTTP.

import { mkdirSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { administration } from '../accounts/admin/administration.ts'
import { createGrantedPermissions, type GrantedPermissions } from '../accounts/granted-permissions.ts'
import { createGroupJoins } from '../accounts/group-joins.ts'
import { createLoginBrake, type LoginBrake } from '../accounts/login-brake.ts'
import { accountMigrations } from '../accounts/migrations.ts'
import { deriveSecret } from '../accounts/sealing.ts'
import { createSessions, type Sessions } from '../accounts/sessions.ts'
import { tokenView } from '../accounts/token-view.ts'
import type { Tokens } from '../accounts/tokens.ts'
import { createUsers, type Users } from '../accounts/users.ts'
import { type ApiOptions, createApi } from '../framework/api.ts'
import type { Database, StatementObserver } from '../framework/database/database.ts'
import { compareMigrations, type MigrationDifference, type Migrations, migrate } from '../framework/database/migrate.ts'
import { openDatabase } from '../framework/database/open.ts'
import { formParser } from '../framework/parsers/form.ts'
import { jsonParser } from '../framework/parsers/json.ts'
import { multipartParser } from '../framework/parsers/multipart.ts'
import type { Parser } from '../framework/parsers/parser.ts'
import { allowAny } from '../framework/permissions/allow-any.ts'
import { jsonRenderer } from '../framework/renderers/json.ts'
import { databaseStore, throttleMigrations } from '../framework/throttling/database-store.ts'
import { enduringStore } from '../framework/throttling/enduring-store.ts'
import type { RateStore } from '../framework/throttling/rate-store.ts'
import type { ViewOptions } from '../framework/view.ts'
import { directory } from '../profiles/directory/directory.ts'
import type { Profile } from '../profiles/profile.ts'
import {
  createHighlighter,
  type Highlighter,
  type HighlighterOptions,
} from '../profiles/snippets/highlighting/highlighter.ts'
import { snippetMigrations } from '../profiles/snippets/migrations.ts'
import { administeredSnippets, type SnippetsOptions, snippetProfile } from '../profiles/snippets/snippets.ts'
import { addAccessLog } from './access-log.ts'
import { type Audit, auditAnswers, auditGuard, createAudit } from './audit.ts'
import { type AuditLog, auditMigrations, createAuditLog } from './audit-log.ts'
import { auditResource } from './audit-resource.ts'
import { authenticationOf } from './authentication.ts'
import { databaseOptions } from './database-settings.ts'
import { addHealth } from './health.ts'
import { homeName } from './home.ts'
import type { Metrics } from './metrics/metrics.ts'
import { pagesOf } from './pages.ts'
import { createReadiness } from './readiness.ts'
import { dataFolder } from './secret-key.ts'
import { createServer } from './server.ts'
import type { ProfileName, Settings } from './settings.ts'
import { openRates, profileThrottles, throttlesOf } from './throttling.ts'
import { openTokens, tokenApi } from './tokens.ts'

/** Settings with the secret that was given or made. */
export type ReadySettings = Settings & { readonly secretKey: string }

/** The parts below HTTP. */
export interface Parts {
  readonly settings: ReadySettings
  readonly database: Database
  readonly users: Users
  readonly tokens: Tokens
  readonly sessions: Sessions
  /** What users have been granted, for policies. */
  readonly granted: GrantedPermissions
  readonly highlighter: Highlighter
  /** The counts of throttles and of failed logins. */
  readonly rateStore: RateStore
  readonly loginBrake: LoginBrake
  /** The audit's events in the database; undefined where none are kept. */
  readonly auditLog: AuditLog | undefined
  /** Brings the tables to the newest form; answers the steps that ran. */
  migrate(): Promise<readonly string[]>
  /** How the tables differ from the newest form. */
  compareMigrations(): Promise<MigrationDifference>
  close(): Promise<void>
}

export interface PartsOptions {
  readonly clock?: () => Date
  /** Called with each SQL statement. */
  readonly observe?: StatementObserver
  readonly onError?: (error: Error) => void
}

/** Opens the database and makes what works on it. */
export function openParts(settings: ReadySettings, options: PartsOptions = {}): Parts {
  const { clock = () => new Date() } = options
  if (settings.databaseUrl.startsWith('sqlite:')) mkdirSync(dataFolder(settings), { recursive: true })
  const database = openDatabase(settings.databaseUrl, { ...options, ...databaseOptions(settings) })
  const rates = openRates(settings.databaseUrl, database, options)
  const counts = databaseStore(rates, { clock, secret: deriveSecret(settings.secretKey, 'rates') })
  const rateStore = enduringStore(counts, { clock })
  const tokens = openTokens(settings, database, clock)
  const users = createUsers({ database, clock, afterUserCreated: afterUserCreated(settings, tokens) })
  const highlighter = createHighlighter(highlightingBounds(settings))
  const { auditRetention: retention } = settings
  const auditLog = retention === null ? undefined : createAuditLog({ database, retention, clock })
  const schemas = schemasOf(database, rates)
  return {
    settings,
    database,
    users,
    tokens,
    sessions: createSessions({ database, clock, lifetime: settings.sessionLifetime, idle: settings.sessionIdleTime }),
    granted: createGrantedPermissions(database),
    highlighter,
    rateStore,
    loginBrake: createLoginBrake({ ...settings.loginBrake, store: rateStore }),
    auditLog,
    async migrate() {
      let applied: readonly string[] = []
      for (const [target, migrations] of schemas) applied = await migrate(target, migrations)
      return applied
    },
    async compareMigrations() {
      const all = await Promise.all(schemas.map(([target, migrations]) => compareMigrations(target, migrations)))
      return { missing: all.flatMap(({ missing }) => missing), unknown: all.flatMap(({ unknown }) => unknown) }
    },
    async close() {
      await highlighter.close()
      await tokens.settle()
      await auditLog?.settle()
      if (rates !== database) await rates.close()
      await database.close()
    },
  }
}

// The service's own tables come last: their steps are the ones that people are told of.
function schemasOf(database: Database, rates: Database): readonly (readonly [Database, Migrations])[] {
  const migrations = { ...accountMigrations, ...snippetMigrations, ...auditMigrations }
  if (rates === database) return [[database, { ...migrations, ...throttleMigrations }]]
  return [
    [rates, throttleMigrations],
    [database, migrations],
  ]
}

/** What the process that serves knows beside the parts. */
export interface ProcessOptions {
  /** Has it been told to stop? */
  readonly isStopping?: () => boolean
  /** Counts what the service does. */
  readonly metrics?: Metrics | undefined
}

/** The HTTP service over the parts; `close` of the application leaves the parts open. */
export async function createService(
  parts: Parts,
  clock?: () => Date,
  { isStopping = () => false, metrics }: ProcessOptions = {},
): Promise<FastifyInstance> {
  const app = createServer(parts.settings)
  metrics?.follow(app)
  addHealth(app, createReadiness({ compareMigrations: parts.compareMigrations, isStopping }))
  const audit = createAudit(app.log, parts.settings.onAudit, parts.auditLog?.note, metrics?.audit)
  const authentication = authenticationOf(parts, audit)
  const renderers = [jsonRenderer, pagesOf(parts.settings, authentication)]
  const common = { ...shared(parts), ...authentication.options, renderers, ...(clock && { clock }) }
  const noteCaller = parts.settings.accessLog ? addAccessLog(app) : undefined
  for (const { prefix, options, ofAccounts = false } of apis(parts, authentication.views, audit)) {
    const observe = tellBoth(tellBoth(auditAnswers(audit, { ofAccounts }), noteCaller), metrics?.observe)
    await app.register(createApi({ ...common, observe, ...options }), { prefix })
  }
  return app
}

type Observer = NonNullable<ApiOptions['observe']>

const tellBoth = (one: Observer, other: Observer | undefined): Observer =>
  other === undefined
    ? one
    : observation => {
        one(observation)
        other(observation)
      }

type Views = NonNullable<ApiOptions['views']>

interface MountedApi {
  readonly prefix: string
  readonly options: ApiOptions
  /** Do its writes change accounts? */
  readonly ofAccounts?: boolean
}

function apis(parts: Parts, loginViews: Views, audit: Audit): readonly MountedApi[] {
  const { settings, rateStore, tokens } = parts
  const { tokenPath, adminPath, tokenResponse: extend } = settings
  const throttles = throttlesOf('token', settings.throttles, rateStore)
  const loginBrake = { ...parts.loginBrake, guard: auditGuard(parts.loginBrake.guard, audit, 'token made') }
  const endpoint = tokenView({ ...parts, loginBrake, throttles, extend })
  const tokenBranch = tokenApi(settings, tokens, endpoint)
  return [
    ...profileApis(parts, { ...(!tokenBranch && { [tokenPath]: endpoint }), ...loginViews }),
    ...(tokenBranch ? [{ prefix: tokenPath.slice(0, -1), options: tokenBranch, ofAccounts: true }] : []),
    ...(adminPath === null ? [] : [{ prefix: adminPath.slice(0, -1), options: adminOptions(parts), ofAccounts: true }]),
  ]
}

function adminOptions(parts: Parts): ApiOptions {
  const { settings, tokens } = parts
  return administration({
    ...parts,
    tokenKind: settings.tokens,
    models: ['users', 'groups', 'snippets', ...settings.models],
    afterUserCreated: afterUserCreated(settings, tokens),
    resources: [
      ...(settings.profiles.includes('snippets') ? [administeredSnippets(snippetOptions(parts))] : []),
      ...(settings.auditRetention === null ? [] : [auditResource]),
    ],
  })
}

// One profile alone is the root; several stand below it, each at its own path.
function profileApis(parts: Parts, views: Views): readonly MountedApi[] {
  const { settings } = parts
  const [first, ...others] = settings.profiles
  if (others.length === 0)
    return [{ prefix: '/', options: { ...profileOptions(parts, first!), views }, ofAccounts: first === 'directory' }]
  return [
    { prefix: '/', options: { root: profilesView(settings), views } },
    ...settings.profiles.map(name => ({
      prefix: settings.mounts[name].slice(0, -1),
      options: profileOptions(parts, name),
      ofAccounts: name === 'directory',
    })),
  ]
}

function shared({ settings, rateStore, database }: Parts): ApiOptions {
  return {
    database,
    parsers: parsers(settings),
    throttles: profileThrottles(settings.throttles, rateStore),
    publicUrl: settings.publicUrl,
    allowedHosts: settings.allowedHosts,
    nonFieldErrorsKey: settings.nonFieldErrorsKey,
    formatParam: settings.formatParam,
    secret: deriveSecret(settings.secretKey, 'cursors'),
    ...(settings.anonymous && { anonymous: settings.anonymous }),
    ...(settings.exceptionHandler && { exceptionHandler: settings.exceptionHandler }),
  }
}

// The longest code fits, whatever characters it has, with the rest of its snippet.
function parsers({ codeLimit, limits }: Settings): readonly Parser[] {
  const { jsonDepth: depth, formFields: maxFields, bodySize } = limits
  const limit = Math.max(bodySize, 4 * codeLimit + 64 * 1024)
  return [jsonParser({ limit, depth }), formParser({ limit, maxFields }), multipartParser({ limit, maxFields })]
}

function profileOptions(parts: Parts, name: ProfileName): ApiOptions {
  const { resources, pagination } = profileOf(parts, name)
  const { settings, rateStore } = parts
  const { throttles } = settings
  return {
    resources,
    throttles: [...profileThrottles(throttles, rateStore), ...throttlesOf(name, throttles, rateStore)],
    ...(pagination && { pagination }),
  }
}

function profileOf(parts: Parts, name: ProfileName): Profile {
  const { settings, tokens, granted } = parts
  if (name === 'directory') {
    return directory({
      pageSize: settings.pageSize,
      permissions: settings.directoryPermissions,
      afterUserCreated: afterUserCreated(settings, tokens),
      groupJoins: createGroupJoins(granted),
    })
  }
  return snippetProfile(snippetOptions(parts))
}

const highlightingBounds = ({ limits }: Settings): HighlighterOptions => ({
  maxCode: limits.highlightedCode,
  maxLineLength: limits.highlightedLine,
  deadline: limits.highlightingTime,
  maxWait: limits.highlightingWait,
})

const snippetOptions = ({ settings, highlighter }: Parts): SnippetsOptions => ({
  highlighter,
  codeLimit: settings.codeLimit,
  pagination: settings.snippetPagination,
})

function profilesView({ profiles, mounts }: Settings): ViewOptions {
  return {
    name: homeName,
    permissions: [allowAny],
    handlers: {
      GET: ({ baseUrl }) => ({
        status: 200,
        content: Object.fromEntries(profiles.map(name => [name, `${baseUrl}${mounts[name]}`])),
      }),
    },
  }
}

function afterUserCreated({ afterUserCreated: hook, tokenForNewUsers }: Settings, tokens: Tokens) {
  if (hook === undefined && !tokenForNewUsers) return undefined
  return async (...[userId, connection]: Parameters<NonNullable<Settings['afterUserCreated']>>) => {
    if (tokenForNewUsers) await tokens.getOrCreate(userId, connection)
    await hook?.(userId, connection)
  }
}
