// An existing Fastify application, with routes of its own, adds accounts, a resource and the administration.

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import Fastify, { type FastifyInstance } from 'fastify'
import {
  type Anonymous,
  boolean,
  createApi,
  type Database,
  dateTime,
  formatDateTime,
  key,
  type Migrations,
  migrate,
  openDatabase,
  ownerOrReadOnly,
  type Permission,
  type Resource,
  related,
  resource,
  text,
  ValidationError,
  type ViewOptions,
} from 'resource-api'
import {
  type User as Account,
  type Accounts,
  type AuditEvent,
  adminResource,
  createAccounts,
  hashPassword,
} from 'resource-api/accounts'
import { openBrowser } from '../support/browser.ts'
import { type Client, injectClient } from '../support/client.ts'
import { createDatabase, createFile, password } from '../support/service.ts'

const secret = 'x'.repeat(40)
const now = new Date('2030-01-01T00:00:00.000Z')

const steps: Migrations = {
  async '0001_orders'(kysely, { key, reference, boolean, text, dateTime }) {
    for (const table of ['customers', 'agents'])
      await kysely.schema
        .createTable(table)
        .addColumn('id', key)
        .addColumn('name', text, column => column.notNull())
        .execute()
    await kysely.schema
      .createTable('orders')
      .addColumn('id', key)
      .addColumn('number', text, column => column.notNull().unique())
      .addColumn('customer_id', reference, column => column.notNull().references('customers.id'))
      .addColumn('agent_id', reference, column => column.references('agents.id'))
      .addColumn('paid', boolean, column => column.notNull())
      .addColumn('owner_id', reference, column => column.references('users.id').onDelete('set null'))
      .addColumn('created', dateTime, column => column.notNull())
      .execute()
  },
}

const customers = resource('customers', { table: 'customers', fields: { id: key(), name: text() } })
const agents = resource('agents', { table: 'agents', fields: { id: key(), name: text() } })

// The API only lists orders; the administration has all actions.
const createOrders = (accounts: Accounts): Resource =>
  resource('orders', {
    table: 'orders',
    actions: ['list', 'retrieve'],
    permissions: [accounts.modelPermissions('orders', { openReads: true }), ownerOrReadOnly('owner_id')],
    ordering: ['number'],
    searchFields: ['number'],
    objectName: 'number',
    fields: {
      id: key(),
      number: text({ max: 20, unique: 'An order with this number already exists.' }),
      customer: related(customers),
      agent: related(agents, { nullable: true, form: 'url' }),
      paid: boolean({ default: false }),
    },
    hookColumns: ['owner_id', 'created'],
    validate({ values: { number } }) {
      if (!/^\d+$/.test(number)) throw new ValidationError({ number: 'Enter digits.' })
    },
    prepare: ({ action, user, now }) => (action === 'create' ? { owner_id: user.id, created: now } : {}),
  })

interface Application {
  readonly app: FastifyInstance
  readonly accounts: Accounts
  readonly client: Client
  readonly events: AuditEvent[]
  /** The lines of the application's log. */
  readonly lines: string[]
  createUser(username: string, rights?: { isStaff?: boolean; isSuperuser?: boolean }): Promise<User>
  stop(): Promise<void>
}

interface User {
  readonly id: number
  readonly token: string
}

async function startApplication(database: Database): Promise<Application> {
  const events: AuditEvent[] = []
  const accounts = createAccounts({
    database,
    secret,
    clock: () => now,
    loginThrottle: { perAccount: '3/minute' },
    audit: { onEvent: event => void events.push(event) },
  })
  await migrate(database, [...accounts.migrations, { owner: 'shop', steps }])
  await accounts.secretRecord.claim()
  const orders = createOrders(accounts)

  const lines: string[] = []
  const app = Fastify({ logger: { level: 'warn', stream: { write: line => void lines.push(line) } } })
  app.get('/hello', () => 'Hello')
  await app.register(createApi({ ...accounts.apiOptions, resources: [orders, customers, agents] }))
  const administration = accounts.administration({
    resources: [
      adminResource(orders, {
        listFields: ['id', 'number', 'paid'],
        filters: { paid: true, customer: true },
        orderingFields: ['number', 'created'],
        readOnlyFields: { created: dateTime() },
      }),
    ],
  })
  await app.register(createApi(administration), { prefix: '/admin' })
  app.addHook('onClose', accounts.close)

  const passwordHash = await hashPassword(password)
  const client = injectClient(app)
  return {
    app,
    accounts,
    client,
    events,
    lines,
    createUser: (username, rights = {}) =>
      database.transaction(async connection => {
        const id = await accounts.users.create({ username, passwordHash, ...rights }, connection)
        return { id, token: await accounts.tokens.getOrCreate(id, connection) }
      }),
    stop: () => app.close(),
  }
}

for (const [name, createStorage] of [
  ['SQLite', createFile],
  ['PostgreSQL', createDatabase],
] as const) {
  suite(name, () => {
    let application: Application
    let database: Database
    let removeStorage: () => Promise<void>
    let customer: number
    let root: User
    let stan: User

    before(async () => {
      const storage = await createStorage()
      removeStorage = storage.remove
      database = openDatabase(storage.url)
      application = await startApplication(database)
      customer = await database.transaction(async ({ kysely }) => {
        const row = await kysely.insertInto('customers').values({ name: 'Acme' }).returning('id').executeTakeFirst()
        return row?.id as number
      })
      root = await application.createUser('root', { isStaff: true, isSuperuser: true })
      stan = await application.createUser('stan', { isStaff: true })
    })
    after(async () => {
      await application?.stop()
      await database?.close()
      await removeStorage?.()
    })

    const admin = '/admin/orders/'
    const grant = (id: number, permissions: readonly string[]) =>
      application.client.patch(`/admin/users/${id}/`, { token: root.token, json: { permissions } })

    test("the application's own routes answer as before", async () => {
      const response = await application.client.get('/hello')
      assert.deepEqual([response.status, response.text], [200, 'Hello'])
    })

    test('END-TOKEN-r1: the token endpoint returns a token, with which the caller is identified', async () => {
      const { client } = application
      const json = { username: 'stan', password }
      const { token } = (await client.post('/api-token-auth/', { json })).json()
      assert.equal(token, stan.token)
      assert.equal((await client.get('/admin/users/', { token })).status, 200)
      assert.equal((await client.get('/admin/users/')).status, 401)
      assert.equal((await client.get('/admin/users/', { basic: `stan:${password}` })).status, 200)
    })

    test('AUTH-SCH-r3, AUTH-SCH-4: a login in the browser starts a session, which needs CSRF tokens', async () => {
      const { client, accounts } = application
      await grant(stan.id, ['orders.add'])
      const browser = openBrowser(client)
      await browser.logIn('stan')
      const json = { number: '1', customer }
      assert.equal((await browser.request('POST', admin, { json })).status, 403)
      assert.equal((await browser.send('POST', admin, { json })).status, 201)
      assert.match((await browser.get('/admin/', { headers: { accept: 'text/html' } })).text, /stan/)
      const session = browser.cookies.get('sessionid')!
      assert.equal((await accounts.sessions.find(session))?.username, 'stan')
      await browser.logOut()
      assert.equal(await accounts.sessions.find(session), undefined)
    })

    test('failed logins are throttled', async () => {
      const { client } = application
      await application.createUser('eve')
      const attempt = (secret: string) =>
        client.post('/api-token-auth/', { json: { username: 'eve', password: secret } })
      for (let count = 0; count < 3; count++) assert.equal((await attempt('wrong')).status, 400)
      assert.equal((await attempt(password)).status, 429)
    })

    test('SVC-3: the administration has all actions; staff need the permission of each, superusers none', async () => {
      const { client } = application
      const statuses = async ({ token }: User, number: string) => {
        const id = await insertOrder(database, customer, `5${number}`)
        const listed = await client.get(admin, { token })
        const retrieved = await client.get(`${admin}${id}/`, { token })
        const created = await client.post(admin, { token, json: { number, customer } })
        const changed = await client.patch(`${admin}${id}/`, { token, json: { paid: true } })
        const deleted = await client.delete(`${admin}${id}/`, { token })
        return [listed, retrieved, created, changed, deleted].map(({ status }) => status)
      }
      const expected: Record<string, readonly number[]> = {
        '': [403, 403, 403, 403, 403],
        'orders.view': [200, 200, 403, 403, 403],
        'orders.add': [403, 403, 201, 403, 403],
        'orders.change': [403, 403, 403, 200, 403],
        'orders.delete': [403, 403, 403, 403, 204],
      }
      for (const [index, [permission, row]] of Object.entries(expected).entries()) {
        assert.equal((await grant(stan.id, permission === '' ? [] : [permission])).status, 200)
        assert.deepEqual(await statuses(stan, `10${index}`), row, permission)
      }
      assert.deepEqual(await statuses(root, '109'), [200, 200, 201, 200, 204])
      const ann = await application.createUser('ann')
      await grant(
        ann.id,
        Object.keys(expected).filter(permission => permission !== ''),
      )
      assert.deepEqual(await statuses(ann, '110'), [403, 403, 403, 403, 403])
      assert.equal((await client.post('/orders/', { token: root.token, json: { number: '7', customer } })).status, 405)
    })

    test('the administration keeps fields, hooks and validation, and has its own lists', async () => {
      const { client } = application
      const { token } = root
      const created = await client.post(admin, { token, json: { number: '200', customer, created: '1999-01-01' } })
      const { id, ...fields } = created.json()
      assert.deepEqual(fields, { number: '200', customer, agent: null, paid: false, created: formatDateTime(now) })
      const row = database.kysely.selectFrom('orders').select('owner_id').where('id', '=', id)
      assert.equal(Number((await row.executeTakeFirstOrThrow()).owner_id), root.id)
      const invalid: readonly [json: object, errors: object][] = [
        [{ number: 'x', customer }, { number: ['Enter digits.'] }],
        [{ number: '200', customer }, { number: ['An order with this number already exists.'] }],
        [{ number: '201', customer: 999 }, { customer: ['Invalid pk "999" - object does not exist.'] }],
      ]
      for (const [json, errors] of invalid) {
        const response = await client.post(admin, { token, json })
        assert.deepEqual([response.status, response.json()], [400, errors])
      }
      const list = await client.get(`${admin}?search=200&paid=false&customer=${customer}&ordering=created`, { token })
      assert.deepEqual(list.json().results, [{ id, number: '200', paid: false }])
      assert.equal((await client.get('/admin/customers/', { token })).status, 404)
      assert.deepEqual(Object.keys((await client.get('/admin/', { token })).json()), [
        'users',
        'groups',
        'tokens',
        'sessions',
        'orders',
        'audit-log',
      ])
    })

    test('a hyperlink leads to the API of the application', async () => {
      const { client } = application
      const { token } = root
      const { id } = (await client.post('/agents/', { json: { name: 'Ada' } })).json()
      const agent = `http://localhost/agents/${id}/`
      const created = await client.post(admin, { token, json: { number: '210', customer, agent } })
      assert.deepEqual([created.status, created.json().agent], [201, agent])
    })

    test('the permissions of the resource can be granted; OPTIONS lists them', async () => {
      const { client } = application
      const { actions } = (await client.request('OPTIONS', '/admin/groups/', { token: root.token })).json()
      const choices = actions.POST.permissions.child.choices.map(({ value }: { value: string }) => value)
      assert.deepEqual(choices.slice(8), ['orders.add', 'orders.change', 'orders.delete', 'orders.view'])
      assert.equal((await grant(stan.id, ['customers.add'])).status, 400)
    })

    test('changes are audited and stored, and superusers read the audit log', async () => {
      const { client, accounts, events, lines } = application
      for (const list of [events, lines]) list.length = 0
      const { token } = root
      const { id } = (await client.post(admin, { token, json: { number: '300', customer } })).json()
      await client.get(admin, { token: stan.token })
      await client.delete(`${admin}${id}/`, { token })
      const expected = [
        ['order changed', 'success', 'root', 'POST /admin/orders/'],
        ['permission denied', 'failure', 'stan', 'GET /admin/orders/'],
        ['order changed', 'success', 'root', `DELETE /admin/orders/${id}/`],
      ]
      const summarize = ({ event, outcome, user, target }: AuditEvent) => [event, outcome, user, target]
      assert.deepEqual(events.map(summarize), expected)
      assert.deepEqual(
        lines.map(line => summarize(JSON.parse(line).audit)),
        expected,
      )
      await accounts.auditLog!.flush()
      const stored = await client.get('/admin/audit-log/?event=order+changed', { token })
      assert.deepEqual(stored.json().results.slice(0, 2).map(summarize), [expected[2], expected[0]])
      assert.equal((await client.get('/admin/audit-log/', { token: stan.token })).status, 403)
    })
  })
}

const insertOrder = (database: Database, customer: number, number: string): Promise<number> =>
  database.transaction(async ({ kysely }) => {
    const row = { number, customer_id: customer, paid: false, created: formatDateTime(now)! }
    return (await kysely.insertInto('orders').values(row).returning('id').executeTakeFirstOrThrow()).id as number
  })

test('an API reads the properties of accounts from its callers', async () => {
  const database = openDatabase('sqlite::memory:')
  const accounts = createAccounts({ database, secret })
  await migrate(database, accounts.migrations)
  const passwordHash = await hashPassword(password)
  const token = await database.transaction(async connection =>
    accounts.tokens.getOrCreate(
      await accounts.users.create({ username: 'ann', email: 'ann@example.org', passwordHash }, connection),
      connection,
    ),
  )
  const verified: Permission<Account | Anonymous> = { allows: ({ user }) => user.isAuthenticated && user.email !== '' }
  const email: ViewOptions<Account | Anonymous> = {
    name: 'Email',
    permissions: [verified],
    handlers: { GET: ({ user }) => ({ status: 200, body: user.isAuthenticated ? user.email : null }) },
  }
  const options = { root: null, views: { '/email/': email } }
  const app = Fastify()
  await app.register(createApi<Account | Anonymous>({ ...accounts.apiOptions, ...options }), { prefix: '/all' })
  await app.register(createApi<Account | Anonymous>({ ...options, authentication: accounts.schemes('token') }), {
    prefix: '/token',
  })
  const client = injectClient(app)
  for (const path of ['/all/email/', '/token/email/']) {
    assert.equal((await client.get(path, { token })).json(), 'ann@example.org')
    assert.equal((await client.get(path)).status, 401)
  }
  await app.close()
  await accounts.close()
  await database.close()
})

test('an application that has not migrated the tables of accounts does not start', async context => {
  const database = openDatabase('sqlite::memory:')
  context.after(() => database.close())
  const accounts = createAccounts({ database, secret })
  const start = async () => {
    const app = Fastify()
    context.after(() => app.close())
    await app.register(createApi({ ...accounts.apiOptions }))
    await app.ready()
  }
  await assert.rejects(
    start,
    /^DeclarationError: the database lacks the migrations accounts\/0001_accounts, .*: call migrate\(\)/,
  )
  await migrate(database, accounts.migrations)
  await start()
})
