// Starts a service with its accounts on a fresh database.

import { randomBytes } from 'node:crypto'
import { localHosts } from '#core'
import {
  createService,
  createServiceJobs,
  openServices,
  type Profile,
  type ReadySettings,
  readSettings,
  type ServiceOptions,
  type Services,
} from '#service'
import type { TestClient } from './client.ts'
import { extendApp, startApp, type TestApp, type TestOptions } from './running-app.ts'
import { patientTimeouts } from './test-database.ts'
import { createUser, type NewTestUser, type TestUser } from './test-users.ts'

/** A service under test. Requests of the object itself are anonymous. */
export interface TestService extends TestApp {
  /** The accounts, the settings and the database of the service. */
  readonly services: Services
  /** Creates a user with a token. Rejects if the username is taken. */
  user(username: string, options?: NewTestUser): Promise<TestUser>
  /** Sends requests with the user's token. Returns the same client, with its cookies, each time. */
  as(user: TestUser): TestClient
  /** Runs the jobs that are due, and those that they enqueue. A failed attempt is only recorded; `services.database` has its error. */
  runJobs(): Promise<void>
  /** Logs the user in with the password, as a browser does; the client has the cookies of the session. */
  login(user: TestUser): Promise<TestClient>
}

export interface TestServiceOptions extends TestOptions {
  /** Environment variables that override the config; default: none. */
  readonly environment?: Readonly<Record<string, string | undefined>>
}

export async function startTestService(
  service: ServiceOptions | Profile,
  options: TestServiceOptions,
): Promise<TestService> {
  const config = isProfile(service) ? { profiles: [service] } : service
  let services: Services | undefined
  const started = await startApp(async ({ databaseUrl, observe, clock, opened }) => {
    // The replicas of the config do not have the fresh database.
    const own = { databaseUrl, databaseReplicaUrls: [], postgres: config.postgres ?? patientTimeouts }
    const limits = { overloadDelay: anHour, ...config.limits }
    const settings = readTestSettings({ ...config, ...own, limits }, options)
    services = opened.adopt(openServices(settings, { observe: ignoreAudit(observe), clock }), ({ close }) => close())
    await services.prepare()
    const app = opened.adopt(await createService(services, clock), application => application.close())
    const host = findHost(settings)
    return { app, database: services.database, host, publicUrl: settings.publicUrl ?? (host && `http://${host}`) }
  }, options)
  return extendApp(started, createMethods(started, services!))
}

/** In milliseconds: on a busy machine, a service refuses requests that wait for long. */
const anHour = 3_600_000

const isProfile = (service: ServiceOptions | Profile): service is Profile => 'configure' in service

function readTestSettings(
  config: ServiceOptions,
  { environment = {} }: Pick<TestServiceOptions, 'environment'>,
): ReadySettings {
  const settings = readSettings({ file: { logLevel: 'silent', ...config }, environment })
  return { ...settings, secretKey: settings.secretKey ?? randomBytes(32).toString('base64url') }
}

/** The host of requests, if the service does not allow those of this machine: the first that it allows. */
function findHost({ allowedHosts }: ReadySettings): string | undefined {
  const isLocal = allowedHosts.some(host => host === '*' || localHosts.includes(host))
  return isLocal ? undefined : allowedHosts[0]?.replace(/^\./, '')
}

// The audit log is written in the background, so its statements belong to no request.
const ignoreAudit =
  (observe: (sql: string) => void) =>
  (sql: string): void => {
    if (!sql.includes('audit_log')) observe(sql)
  }

function createMethods(
  { client, app }: TestApp,
  services: Services,
): Pick<TestService, 'services' | 'user' | 'as' | 'runJobs' | 'login'> {
  const { settings, accounts } = services
  const clients = new Map<TestUser, TestClient>()
  const checkUser = (method: string, user: TestUser) => {
    if (!clients.has(user))
      throw new TypeError(`api.${method}() needs a user of this service: const ada = await api.user('ada')`)
  }
  return {
    services,
    async user(username, options = {}) {
      const user = await createUser(services, username, options)
      clients.set(user, client({ headers: { authorization: `${settings.tokenKeyword} ${user.token}` } }))
      return user
    },
    as(user) {
      checkUser('as', user)
      if (!settings.authentication?.includes('token'))
        throw new Error(
          "api.as() sends the user's token, but the service does not authenticate by token: add 'token' to the setting `authentication`, use api.login(user), or pass credentials to api.client({ headers })",
        )
      return clients.get(user)!
    },
    runJobs: async () => createServiceJobs(services, app, { onError: () => undefined })?.runDue(),
    async login(user) {
      checkUser('login', user)
      const path = accounts.login?.loginPath
      if (path === undefined)
        throw new Error(
          "api.login() needs login views: add 'session' to the setting `authentication`, and set `loginPath`",
        )
      const browser = client()
      await browser.get(path).expect(200)
      const { username, password } = user
      await browser.post(path, new URLSearchParams({ username, password })).expect(302)
      return browser
    },
  }
}
