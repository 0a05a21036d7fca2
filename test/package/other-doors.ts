// What an application makes with the other entry points and exports, for the compiler: all of these types can be named in a declaration
// file too. Nothing runs this module.

import Fastify from 'fastify'
import { compareMigrations, createApi, memoryStore, openDatabase } from 'resource-api'
import { adminResource, createAccounts, createLoginThrottle } from 'resource-api/accounts'
import { createClient } from 'resource-api/client'
import { groups, users } from 'resource-api/directory'
import { createReadiness, createTextLog, serverOptions, stopSignal } from 'resource-api/server'
import { createService, defineService, fixture, openServices, profile, readSettings } from 'resource-api/service'
import { createTestDatabase, startPostgres, testApi, testApp, testService } from 'resource-api/testing'
import { type api, authors, books } from './declarations.ts'

export const client = createClient<typeof api>({ baseUrl: '/' })
export const listBooks = () => client.books.list()
export const createAuthors = () => client.authors.create([{ name: 'Ann' }])
export const createAuthor = () => client.authors.create({ name: 'Ann' }).result()
export const readBooks = () => client.books.all()
export const readStatus = () => client.view('/status/').get()

export const database = openDatabase('sqlite::memory:')
export const accounts = createAccounts({ database, secret: 'x'.repeat(32) })
export const { apiOptions, schemes, users: accountUsers, tokens, sessions, passwordRules, audit } = accounts
export const { grantedPermissions, csrf, views, rateStore, secretRecord, migrations } = accounts
export const administration = accounts.administration({ resources: [adminResource(authors)] })
export const throttle = createLoginThrottle({ store: memoryStore() })
export const accountApi = createApi({ ...accounts.apiOptions, resources: [authors] })
export const targets = { users, groups }

export const readiness = createReadiness(() => compareMigrations(database, []))
export const app = Fastify(serverOptions())
export const counter = app.metrics.counter({ name: 'orders_total', help: 'Orders' })
export const stop = stopSignal()
export const log = createTextLog()

export const shop = profile('shop', { resources: [books, authors], fixtures: { authors: fixture(authors) } })
export const authorFixture = fixture(authors)
export const service = defineService({ profiles: [shop] })
export const settings = readSettings({ file: service, environment: {} })
export const services = openServices({ ...settings, secretKey: 'x'.repeat(32) })
export const start = () => createService(services)

export const startApi = () => testApi({ resources: [authors] })
export const startService = () => testService(shop)
export const startApp = () => testApp(() => Fastify())
export const createUser = async () => (await startService()).user('ann')
export const logIn = async () => (await startService()).login(await createUser())
export const send = async () => (await startApi()).get('/').expect(200)
export const createDatabase = () => createTestDatabase({ database: 'sqlite' })
export const startServer = () => startPostgres()
