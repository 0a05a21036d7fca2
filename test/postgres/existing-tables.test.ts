// Tables of PostgreSQL that existed before their declaration, with the types that applications have.

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sql } from 'kysely'
import {
  boolean,
  choice,
  email,
  hyperlinkedIdentity,
  integer,
  integerKey,
  key,
  type Migrations,
  type Resource,
  related,
  resource,
  text,
  textKey,
  uuidKey,
} from 'resource-api'
import { type TestApi, testApi } from 'resource-api/testing'
import { injectClient } from '../support/client.ts'

const migrations: Migrations = {
  async '0001_existing'(kysely) {
    for (const statement of [
      'create extension if not exists citext',
      "create type region as enum ('eu', 'us')",
      "create type status as enum ('open', 'paid')",
      'create table regions (code region primary key, name varchar(40) collate "und-x-icu" not null)',
      'create table users (login citext primary key, mail citext not null unique, region region references regions)',
      `create table customers (
        id uuid primary key default gen_random_uuid(), name varchar(40) not null,
        login citext references users, home region references regions)`,
      `create table orders (
        id bigint generated always as identity primary key, customer_id uuid not null references customers,
        status status not null default 'open', amount bigint not null)`,
      'create table customer_users (customer_id uuid not null references customers on delete cascade, login citext references users)',
      'create table customer_regions (customer_id uuid not null references customers on delete cascade, region region references regions)',
      'create table shelves (id smallint generated always as identity primary key, name text not null)',
      'create table order_lines (order_id bigint references orders, line integer, primary key (order_id, line))',
    ])
      await sql.raw(statement).execute(kysely)
  },
}

const regions = resource('regions', {
  table: 'regions',
  key: textKey({ column: 'code', choices: ['eu', 'us'] }),
  fields: { code: key(), name: text({ max: 40 }) },
  filters: { code: true },
  searchFields: ['name'],
  orderingFields: ['code'],
})

const users = resource('users', {
  table: 'users',
  key: textKey({ column: 'login', max: 30 }),
  fields: {
    url: hyperlinkedIdentity(),
    login: key(),
    mail: email({ unique: 'This address is in use.' }),
    region: related(regions, { column: 'region', nullable: true }),
  },
  searchFields: ['login', 'mail', 'region'],
  filters: { login: true, region: true },
})

const customers = resource('customers', {
  table: 'customers',
  key: uuidKey({ generated: 'database' }),
  fields: {
    id: key(),
    name: text({ max: 40 }),
    user: related(users, { column: 'login', nullable: true }),
    home: related(regions, { column: 'home', nullable: true }),
    users: related(users, { many: { table: 'customer_users', own: 'customer_id', other: 'login' }, default: [] }),
    regions: related(regions, {
      many: { table: 'customer_regions', own: 'customer_id', other: 'region' },
      default: [],
    }),
  },
  orderingFields: ['home', 'user'],
})

const orders = resource('orders', {
  table: 'orders',
  fields: {
    id: key(),
    customer: related(customers),
    status: choice(['open', 'paid'], { default: 'open' }),
    amount: integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
  },
  searchFields: ['status'],
  filters: { status: true },
  orderingFields: ['status'],
  nestedUnder: [{ parent: customers, field: 'customer' }],
})

const shelves = resource('shelves', {
  table: 'shelves',
  fields: { id: key(), name: text() },
  filters: { id: true },
  objectViews: { peek: { handlers: { GET: () => ({ status: 204 }) } } },
})

let api: TestApi

/** Sends a request, and returns the body of the response, which has this status. */
async function send(method: string, status: number, url: string, json?: unknown) {
  const response = await injectClient(api.app).request(method, url, json === undefined ? {} : { json })
  assert.equal(response.status, status, `${method} ${url}: ${response.text}`)
  return response.text === '' ? undefined : response.json()
}

suite('tables that exist already', () => {
  before(async () => {
    api = await testApi(
      { resources: [regions, users, customers, orders, shelves], migrations },
      { database: 'postgres' },
    )
    for (const code of ['eu', 'us']) await send('POST', 201, '/regions/', { code, name: code })
    await send('POST', 201, '/users/', { login: 'Ada', mail: 'ada@example.org', region: 'eu' })
  })
  after(() => api.close())

  test('an enum is a key and a value', async () => {
    assert.deepEqual(await send('GET', 200, '/regions/eu/'), { code: 'eu', name: 'eu' })
    await send('GET', 404, '/regions/xx/')
    await send('POST', 400, '/regions/', { code: 'xx', name: 'x' })
    await send('POST', 400, '/regions/', { code: 'eu', name: 'x' })
    await send('GET', 400, '/regions/?code=xx')
    assert.equal((await send('GET', 200, '/regions/?code=us')).length, 1)
    assert.deepEqual((await send('GET', 200, '/regions/?ordering=-code'))[0].code, 'us')
    await send('PATCH', 200, '/regions/eu/', { name: 'Europe' })
    await send('PATCH', 200, '/regions/us/', { name: 'ÜBERSEE' })
  })

  test('a search ignores the case of ASCII letters only, whatever the collation of the column', async () => {
    const find = async (words: string) =>
      (await send('GET', 200, `/regions/?search=${encodeURIComponent(words)}`)).map(
        ({ code }: { code: string }) => code,
      )
    assert.deepEqual([await find('Über'), await find('über'), await find('EUROPE')], [['us'], [], ['eu']])
  })

  test('a case-insensitive text is a key, unique, and found in any spelling', async () => {
    assert.equal((await send('GET', 200, '/users/ada/')).login, 'Ada')
    await send('POST', 400, '/users/', { login: 'ADA', mail: 'other@example.org' })
    await send('POST', 400, '/users/', { login: 'bob', mail: 'ADA@example.org' })
    await send('PATCH', 200, '/users/ada/', { login: 'ADA', region: 'us' })
    assert.equal((await send('GET', 200, '/users/?search=ADA')).length, 1)
    assert.equal((await send('GET', 200, '/users/?search=us')).length, 1)
    assert.equal((await send('GET', 200, '/users/?login=aDa')).length, 1)
  })

  test('the database makes a UUID, and relations of any key type are stored', async () => {
    const customer = await send('POST', 201, '/customers/', {
      name: 'Ada',
      user: 'ADA',
      home: 'us',
      users: ['ada'],
      regions: ['us', 'eu'],
    })
    assert.match(customer.id, /^[\da-f-]{36}$/)
    assert.deepEqual([customer.user, customer.home], ['Ada', 'us'])
    assert.deepEqual([customer.users, customer.regions], [['Ada'], ['eu', 'us']])
    for (const values of [{ user: 'nobody' }, { home: 'xx' }, { regions: ['eu', 'xx'] }, { users: ['ada', 'x'] }])
      await send('PATCH', 400, `/customers/${customer.id}/`, values)
    assert.deepEqual((await send('PATCH', 200, `/customers/${customer.id}/`, { regions: ['eu'] })).regions, ['eu'])
    const order = await send('POST', 201, `/customers/${customer.id}/orders/`, { amount: 2 ** 53 - 1 })
    assert.deepEqual([order.status, order.amount], ['open', 2 ** 53 - 1])
    assert.equal((await send('PATCH', 200, `/orders/${order.id}/`, { status: 'paid' })).status, 'paid')
    assert.equal((await send('GET', 200, '/orders/?search=PAID&ordering=status&status=paid')).length, 1)
    assert.equal((await send('GET', 200, '/customers/?ordering=-home,user')).length, 1)
    await send('PATCH', 400, `/orders/${order.id}/`, { status: 'lost' })
  })

  test('an integer that is too large for the column of the key is not found', async () => {
    await send('POST', 201, '/shelves/', { name: 'A' })
    await send('GET', 204, '/shelves/1/peek/')
    for (const id of [32768, 2 ** 31, 2 ** 53 - 1]) {
      for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) await send(method, 404, `/shelves/${id}/`, { name: 'B' })
      await send('GET', 404, `/shelves/${id}/peek/`)
    }
  })

  const start = async (declared: Resource) => {
    const failing = await testApi({ resources: [declared], migrations }, { database: 'postgres' })
    await failing.close()
  }

  for (const [what, declared, message] of [
    [
      'a composite key',
      resource('lines', { table: 'order_lines', key: integerKey({ column: 'order_id' }), fields: { line: integer() } }),
      'key: the primary key of table "order_lines" has 2 columns (order_id, line), and a resource needs one: add a unique column, such as "id", and name it in "key"',
    ],
    [
      'a UUID declared as an integer',
      resource('customers', { table: 'customers', fields: { name: text() } }),
      'key: column "id" of table "customers" is of type uuid: declare the key as uuidKey()',
    ],
    [
      'an enum without its values',
      resource('regions', {
        table: 'regions',
        key: textKey({ column: 'code' }),
        fields: { code: key(), name: text() },
      }),
      'key: column "code" of table "regions" is of type region: list its values, as in textKey({ column: "code", choices: ["eu","us"] })',
    ],
    [
      'a key with a value that its enum does not have',
      resource('regions', {
        table: 'regions',
        key: textKey({ column: 'code', choices: ['eu', 'asia'] }),
        fields: { code: key(), name: text() },
      }),
      'key: column "code" of table "regions" is of type region, which has no value "asia": write choices: ["eu","us"]',
    ],
    [
      'a text in the column of an enum',
      resource('orders', { table: 'orders', actions: ['list'], fields: { status: text() } }),
      'field "status": column "status" is of type status: declare the field as choice(["open","paid"])',
    ],
    [
      'a choice that its enum does not have',
      resource('orders', { table: 'orders', actions: ['list'], fields: { status: choice(['open', 'lost']) } }),
      'field "status": column "status" is of type status, which has no value "lost": write choice(["open","paid"])',
    ],
    [
      'a text in the column of an integer',
      resource('orders', { table: 'orders', actions: ['list'], fields: { amount: text() } }),
      'field "amount": column "amount" is of type bigint: declare the field as integer(), or as a choice() of integers',
    ],
    [
      'a boolean in the column of a text',
      resource('shelves', { table: 'shelves', actions: ['list'], fields: { name: boolean() } }),
      'field "name": column "name" is of type text: declare the field as text()',
    ],
    [
      'a text in the column of a UUID',
      resource('orders', { table: 'orders', actions: ['list'], fields: { customer: text({ column: 'customer_id' }) } }),
      'field "customer": column "customer_id" is of type uuid: declare the field as uuid()',
    ],
    [
      'an integer declared as a text',
      resource('orders', { table: 'orders', key: textKey(), actions: ['list'], fields: { amount: integer() } }),
      'key: column "id" of table "orders" is of type bigint: declare the key as integerKey()',
    ],
  ] as const)
    test(`${what} is an error at start`, async () => {
      await assert.rejects(start(declared), (error: Error) => {
        assert.equal(error.message, `resource "${declared.name}": ${message}`)
        return true
      })
    })
})
