// Profiles of an application: the service treats them all alike. The profile of the tests is in support/shop.ts.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { resource, text } from 'resource-api'
import { directory } from 'resource-api/directory'
import {
  createService,
  loadData,
  openServices,
  type Profile,
  profile,
  readSettings,
  type ServiceOptions,
} from 'resource-api/service'
import * as z from 'zod'
import { DataError } from '../../src/service/data/data-error.ts'
import { SettingsError } from '../../src/service/settings/settings-error.ts'
import { injectClient } from '../support/client.ts'
import { createDatabase, createFile, onEveryDatabase, startService } from '../support/service.ts'
import { shop, shopEvents } from '../support/shop.ts'

const html = { headers: { accept: 'text/html' } }
const blog = profile('blog', { title: 'The blog' })

suite('a profile alone', () => {
  onEveryDatabase({ profiles: [shop({ maxPrice: 50 })], metricsPort: 9100 }, service => {
    test('SVC-p1: it is at the root, with its resources, views, settings and pages', async () => {
      const { client, createUser } = service()
      const { key: token, id } = await createUser('ann')
      assert.deepEqual(Object.keys((await client.get('/')).json()), ['suppliers', 'tags', 'products'])
      assert.deepEqual((await client.get('/currency/', { token })).json(), { currency: 'EUR', account: id })
      const refused = await client.post('/products/', { token, json: { code: 'x', price: 51 } })
      assert.deepEqual(refused.json(), { price: ['Ensure this value is less than or equal to 50.'] })
      const made = await client.post('/products/', { token, json: { code: 'x', price: 50 } })
      assert.deepEqual([made.status, made.json().editor], [201, 'ann'])
      assert.match((await client.get('/suppliers/', html)).text, /<p>Our suppliers<\/p>/)
    })

    test('the administration shows the resources that it names, and their permissions can be granted', async () => {
      const { client, createUser } = service()
      const { key: token } = await createUser('root', { staff: true, superuser: true })
      const { key: staffToken, id } = await createUser('sue', { staff: true })
      const names = Object.keys((await client.get('/admin/', { token })).json())
      assert.deepEqual(names, ['users', 'groups', 'tokens', 'sessions', 'products', 'audit-log'])
      assert.equal((await client.get('/admin/products/?search=nothing', { token })).json().count, 0)
      assert.equal((await client.get('/admin/products/', { token: staffToken })).status, 403)
      const granted = await client.patch(`/admin/users/${id}/`, { token, json: { permissions: ['products.view'] } })
      assert.equal(granted.status, 200, granted.text)
      assert.equal((await client.get('/admin/products/', { token: staffToken })).status, 200)
      assert.deepEqual((await client.get('/admin/suppliers/', { token })).status, 404)
    })

    test('its metrics are among those of the service', async () => {
      assert.match(await service().app.metrics.read(), /^shop_max_price 50$/m)
    })
  })
})

suite('several profiles', () => {
  const throttles = { scopes: { shop: '1/day' } }
  onEveryDatabase({ profiles: [shop(), blog], mounts: { shop: '/store/' }, throttles }, service => {
    test('SVC-p1: each is at its mount, the root lists them, and each has its own scope', async () => {
      const { client } = service()
      const url = (path: string) => `http://localhost${path}`
      assert.deepEqual((await client.get('/')).json(), { shop: url('/store/'), blog: url('/blog/') })
      assert.deepEqual((await client.get('/store/')).status, 200)
      assert.deepEqual((await client.get('/store/')).status, 429)
      for (const _ of [1, 2]) assert.deepEqual((await client.get('/blog/')).json(), {})
    })

    test('the home page names them, and shows an example request of each', async () => {
      const { text } = await service().client.get('/', html)
      assert.match(text, /<li><a href="http:\/\/localhost\/store\/">Shop<\/a><p>Products &#38; their suppliers\./)
      assert.match(text, /<li><a href="http:\/\/localhost\/blog\/">The blog<\/a>/)
      assert.match(text, /<p>List suppliers:<\/p>.*http:\/\/localhost\/store\/suppliers\/&#39;/)
      assert.doesNotMatch((await service().client.get('/blog/', html)).text, /Our suppliers/)
    })
  })
})

suite('a profile whose URLs have no slash at their end', () => {
  const ping = { name: 'Ping', handlers: { GET: () => ({ status: 200, body: 'pong' }) } }
  const plain = profile('plain', { views: { '/ping': ping }, trailingSlash: false })
  onEveryDatabase({ profiles: [plain, blog] }, service => {
    test('links lead to it, and its views respond', async () => {
      const { client } = service()
      assert.equal((await client.get('/')).json().plain, 'http://localhost/plain')
      assert.match((await client.get('/', html)).text, /<a href="http:\/\/localhost\/plain">/)
      assert.equal((await client.get('/plain')).status, 200)
      assert.equal((await client.get('/plain/ping')).json(), 'pong')
      assert.equal((await client.get('/plain/ping/')).headers.location, '/plain/ping')
    })
  })
})

suite('a profile with bodies of its own', () => {
  const groups = resource('teams', { table: 'groups', fields: { name: text({ max: 150 }) } })
  const named = profile('named', { resources: [groups], envelope: { one: 'team', many: 'teams' }, put: 'partial' })
  onEveryDatabase({ profiles: [named] }, service => {
    test('its resources have names around objects and lists', async () => {
      const { client } = service()
      const created = await client.post('/teams/', { json: { team: { name: 'Editors' } } })
      assert.deepEqual([created.status, created.json()], [201, { team: { name: 'Editors' } }])
      assert.deepEqual((await client.get('/teams/')).json(), { teams: [{ name: 'Editors' }] })
      const put = await client.put(created.headers.location!, { json: { team: {} } })
      assert.deepEqual([put.status, put.json()], [200, { team: { name: 'Editors' } }])
    })
  })
})

suite('data files', () => {
  onEveryDatabase({ profiles: [shop()] }, service => {
    const load = (data: unknown) => loadData(service().services, data)
    const list = async () => (await service().client.get('/products/')).json()

    test('a resource is a list without code; rows refer to others by key, name or username', async () => {
      const loaded = await load({
        users: [{ id: 7, username: 'ann' }],
        suppliers: [{ id: 3, name: 'Acme' }, { name: 'Best' }],
        tags: [{ name: 'new' }, { id: 9, name: 'old' }],
        products: [
          { code: 'a', editor: 'ann', supplier: { name: 'Best' }, tags: [9, { name: 'new' }] },
          { id: 5, code: 'b', price: 20, editor: 'ann', supplier: 3 },
          { code: 'c', editor: 'ann', created: '2026-01-02T03:04:05Z' },
        ],
      })
      assert.deepEqual(loaded, { groups: 0, users: 1, suppliers: 2, tags: 2, products: 3 })
      const [a, b, c] = await list()
      const { created, ...shown } = a
      assert.match(created, /^20\d\d-/)
      assert.deepEqual(shown, { id: 6, code: 'a', price: 1, supplier: 4, tags: [9, 10], editor: 'ann' })
      assert.deepEqual([b.id, b.price, b.supplier, b.tags], [5, 20, 3, []])
      assert.deepEqual([c.id, c.supplier, c.created], [7, null, '2026-01-02T03:04:05.000000Z'])
    })

    test('an invalid file names the value, and nothing of it is loaded', async () => {
      const before = await list()
      const good = { code: 'z', editor: 'ann' }
      const one = 'Expected a key, or an object such as {"name": …}, but got'
      for (const [rows, message] of [
        [[{ code: 'z' }], 'products[0].editor: This field is required.'],
        [[{ editor: 'ann' }], 'products[0].code: This field is required.'],
        [[{ ...good, price: 1001 }], 'products[0].price: Ensure this value is less than or equal to 1000.'],
        [[{ ...good, editor: 'bob' }], 'products[0].editor: there is no user "bob"'],
        [[good, { ...good, code: 'y', supplier: 77 }], 'products[1].supplier: there is no supplier 77'],
        [[{ ...good, supplier: { name: 'None' } }], 'products[0].supplier: there is no supplier "None"'],
        [[{ ...good, supplier: { id: 3 } }], `products[0].supplier: ${one} dict.`],
        [[{ ...good, supplier: [3] }], `products[0].supplier: ${one} list.`],
        [[{ ...good, tags: [9, 77] }], 'products[0].tags[1]: there is no tag 77'],
        [[{ ...good, tags: [{}] }], `products[0].tags[0]: ${one} dict.`],
        [
          [{ ...good, colour: 'red' }],
          'products[0]: unknown key "colour": the keys are id, code, price, supplier, tags, editor, created',
        ],
        [[good, good], 'products[1].code: the same as products[0].code'],
        [[good, { ...good, code: 'a' }], 'products[1]: a product with this id or code already exists'],
        [[{ ...good, id: 5 }], 'products[0]: a product with this id or code already exists'],
      ] as const)
        await assert.rejects(load({ suppliers: [{ name: 'Lost' }], products: rows }), new DataError(message))
      assert.deepEqual(await list(), before)
      assert.equal((await service().client.get('/suppliers/')).json().length, 2)
    })
  })
})

suite('opening and closing', () => {
  for (const [name, createStorage] of Object.entries({ SQLite: createFile, PostgreSQL: createDatabase })) {
    test(`a profile is opened with its settings and closed before the database, on ${name}`, async context => {
      const storage = await createStorage()
      context.after(storage.remove)
      shopEvents.length = 0
      const settings = readSettings({
        file: { profiles: [shop({ maxPrice: 5 })], databaseUrl: storage.url, logLevel: 'silent' },
        environment: { SHOP_MAX: '7', SHOP_CURRENCY: '' },
        isDemo: true,
      })
      const services = openServices({ ...settings, secretKey: 'x'.repeat(40) })
      await services.prepare()
      await services.close()
      assert.deepEqual(shopEvents, ['open CHF 7', 'close with 0 users, undefined'])
    })
  }

  test('if a profile cannot be opened, those before it are closed', async () => {
    const events: string[] = []
    const first = profile('first', { close: async () => void events.push('first closed') })
    const second = profile('second', {
      open() {
        throw new Error('no queue')
      },
    })
    const message = 'profiles: second cannot be opened: no queue'
    assert.throws(() => open({ profiles: [first, second] }), new SettingsError(message))
    await new Promise(setImmediate)
    assert.deepEqual(events, ['first closed'])
  })

  test('all profiles are closed, and the database too, if one cannot be closed', async () => {
    const events: string[] = []
    const first = profile('first', { close: async () => void events.push('first closed') })
    const second = profile('second', { close: () => Promise.reject(new Error('stuck')) })
    const services = open({ profiles: [first, second] })
    await services.prepare()
    await assert.rejects(services.close(), { message: 'the profile second cannot be closed' })
    assert.deepEqual(events, ['first closed'])
    await assert.rejects(services.database.kysely.selectFrom('users').selectAll().execute())
  })

  test('a process serves the selected profiles, and all tables exist', async () => {
    const services = open({ profiles: [shop(), blog] }, { PROFILES: 'blog' })
    try {
      await services.prepare()
      const { missing, unknown } = await services.compareMigrations()
      assert.deepEqual([missing, unknown], [[], []])
      await services.database.kysely.selectFrom('shop_products').selectAll().execute()
      await assert.rejects(
        loadData(services, { products: [] }),
        new DataError('unknown key "products": the keys are groups, users'),
      )
      const app = await createService(services)
      assert.deepEqual((await injectClient(app).get('/')).json(), {})
      await app.close()
    } finally {
      await services.close()
    }
  })

  test('without profiles, the service has accounts', async () => {
    const running = await startService({ database: 'SQLite', transport: 'in the process' }, { profiles: undefined })
    await running.stop()
    const services = open({})
    await services.prepare()
    const app = await createService(services)
    const client = injectClient(app)
    assert.deepEqual((await client.get('/')).json(), {})
    assert.equal((await client.get('/', html)).status, 200)
    assert.equal((await client.get('/admin/')).status, 401)
    assert.equal((await client.post('/api-token-auth/', { json: {} })).status, 400)
    await app.close()
    await services.close()
  })
})

function open(file: ServiceOptions, environment: Record<string, string> = {}) {
  const settings = readSettings({ file: { databaseUrl: 'sqlite::memory:', logLevel: 'silent', ...file }, environment })
  return openServices({ ...settings, secretKey: 'x'.repeat(40) })
}

const named = (name: string, mount?: string) => profile(name, mount === undefined ? {} : { mount })
const things = resource('things', { table: 'things', fields: { name: text() } })

/** Settings that are rejected when they are read, before a database is opened. */
const invalid: readonly (readonly [file: ServiceOptions, message: string, environment?: Record<string, string>])[] = [
  [{ profiles: [] }, 'profiles (config file): must contain a profile; leave it out to serve only accounts'],
  [
    { profiles: ['shop'] as never },
    `profiles (config file): must contain profiles instead of their names: write [shop()] instead of ["shop"], and import the function, such as import { shop } from 'resource-api/shop'`,
  ],
  [
    { profiles: [shop] as never },
    'profiles (config file): must contain profiles, not functions: call shop, such as [shop()]',
  ],
  [
    { profiles: blog as never },
    `profiles (config file): must be a list of profiles, such as [profile('shop', { resources: [orders] })]`,
  ],
  [
    { profiles: [blog, {}] as never },
    `profiles (config file): must be a list of profiles, such as [profile('shop', { resources: [orders] })]`,
  ],
  [
    { profiles: [named('Shop')] },
    'profiles (config file): the name "Shop" must be a lower-case letter, then lower-case letters, digits and "-"',
  ],
  ...['accounts', 'throttles', 'audit', 'idempotency', 'token'].map(
    name =>
      [
        { profiles: [named(name)] },
        `profiles (config file): the name "${name}" belongs to the service: choose another one`,
      ] as const,
  ),
  [
    { profiles: [blog, named('blog')] },
    'profiles (config file): two profiles have the name "blog": choose another one',
  ],
  [
    { profiles: [named('shop', '/a b/')] },
    'profiles (config file): the mount of shop must be a path of letters, digits and . _ ~ -, not "/a b/"',
  ],
  [
    { profiles: [blog, named('shop', '/blog')] },
    `mounts.blog: /blog/ is the same as shop at /blog/, or inside it: set another path, such as mounts: { "blog": '/blog-api/' }`,
  ],
  [
    { profiles: [blog, named('shop')], mounts: { shop: 'blog/shop' } },
    `mounts.shop: /blog/shop/ is the same as blog at /blog/, or inside it: set another path, such as mounts: { "shop": '/shop-api/' }`,
  ],
  ...(
    [
      ['tokenPath', '/api-token-auth/'],
      ['adminPath', '/admin/'],
      ['loginPath', '/api-auth/'],
    ] as const
  ).map(
    ([setting, path]) =>
      [
        { profiles: [blog, named('shop', path)] },
        `mounts.shop: ${path} is the same as ${setting} ${path}, or inside it: set another path, such as mounts: { "shop": '/shop-api/' }`,
      ] as const,
  ),
  [
    { profiles: [blog], mounts: { shop: '/' } },
    'mounts (config file).shop: must be a path of letters, digits and . _ ~ -, not "/"',
  ],
  [{ profiles: [blog], mounts: { shop: '/a/' } }, 'mounts (config file).shop: unknown profile: must be one of blog'],
  [{ mounts: { shop: '/a/' } }, 'mounts (config file).shop: unknown profile: there are no profiles'],
  [
    { profiles: [blog], throttles: { scopes: { shop: '1/day' } } },
    'throttles (config file).scopes.shop: unknown profile: must be one of token, blog',
  ],
  [{ profiles: [blog] }, 'PROFILES: must be one or more of blog, not "blog,shop"', { PROFILES: 'blog,shop' }],
  [{ profiles: [blog] }, 'PROFILES: must contain a profile, not ","', { PROFILES: ',' }],
  [{}, 'PROFILES: there are no profiles to choose from: list them in the config file', { PROFILES: 'shop' }],
  [{ profiles: [shop({ maxPrice: 0 })] }, 'shop.maxPrice (config file): must be 1 or more, not 0'],
  [{ profiles: [shop()] }, 'SHOP_MAX: must be a number, not "many"', { SHOP_MAX: 'many' }],
  [{ profiles: [shop({ currency: 'EU' })] }, 'shop.currency (config file): must have three letters, not "EU"'],
  [{ profiles: [shop({ apiKey: 'short' })] }, 'shop.apiKey (config file): must have 8 characters or more'],
  [{ profiles: [withNumber('hourlyRate')] }, 'MAIL_NUMBER: must be a number, not "many"', { MAIL_NUMBER: 'many' }],
  [{ profiles: [withNumber('baseUrl')] }, 'MAIL_NUMBER: must be a number', { MAIL_NUMBER: 'http://ann:hunter2@host/' }],
  [{ profile: [blog] } as never, 'profile (config file): unknown setting: write "profiles"'],
  [{ limits: { bodysize: 1 } } as never, 'limits (config file).bodysize: unknown setting: write "bodySize"'],
  [{ throttles: { anonymous: '1/day' } } as never, 'throttles (config file).anonymous: unknown setting'],
  [{ remoteUser: { heeder: 'a' } } as never, 'remoteUser (config file).heeder: unknown setting: write "header"'],
  [{ profiles: [shop({ maxprice: 5 } as never)] }, 'shop.maxprice: unknown setting: write "maxPrice"'],
  [{ profiles: [directory({ pageSize: 0 })] }, 'directory.pageSize (config file): must be 1 or more, not 0'],
  [{ profiles: [profile('mail', { settings: { schema: z.object({ host: z.string() }) } })] }, 'mail.host: must be set'],
  [
    { profiles: [withVariable('mail', 'PORT')] },
    'profiles (config file): the variable PORT of mail is also one of the service: choose another name, such as MAIL_PORT',
  ],
  [
    { profiles: [withVariable('mail', 'TO'), withVariable('sms', 'TO')] },
    'profiles (config file): the variable TO of sms is also one of mail: choose another name, such as SMS_TO',
  ],
]

function withNumber(setting: string): Profile {
  const schema = z.object({ [setting]: z.coerce.number('must be a number') })
  return profile('mail', { settings: { schema, variables: { MAIL_NUMBER: setting } } })
}

function withVariable(name: string, variable: string): Profile {
  return profile(name, {
    settings: { schema: z.object({ to: z.string().default('') }), variables: { [variable]: 'to' } },
  })
}

for (const [file, message, environment = {}] of invalid)
  test(`an invalid profile is rejected: ${message}`, () => {
    assert.throws(() => readSettings({ file, environment }), new SettingsError(message))
  })

const parts =
  'resources, views, pagination, parameters, strict, unknownFields, describesLists, suggestsIndexes, trailingSlash, envelope, put, openapi, permissions, bodySize, pages, catalogues, jobs, admin, fixtures, configure, metrics, close'

test('a wrong option of a profile is an error where it is declared', () => {
  assert.throws(() => profile('shop', { resource: [things] } as never), {
    name: 'SettingsError',
    message: `profile("shop"): unknown option "resource"; the options are ${parts}, title, description, mount, settings, migrations, tables, idempotencyKeys, examples, demo, deploymentProblems, open`,
  })
  assert.throws(
    () => profile('shop', { settings: { schema: {} } } as never),
    new SettingsError('profile("shop"): settings.schema must be an object schema of Zod, such as z.object({ … })'),
  )
  assert.throws(
    () => (profile as (name: string) => unknown)('shop'),
    new SettingsError(
      `profile("shop"): must have a name and options, such as profile('shop', { resources: [orders] })`,
    ),
  )
})

test('the compiler knows the settings in `open`, and checks the values', () => {
  const schema = z.object({ size: z.number().default(1) })
  profile('typed', {
    settings: { schema, values: { size: 2 }, variables: { SIZE: 'size' } },
    deploymentProblems: ({ size }) => (size.toFixed() === '2' ? [] : []),
    // @ts-expect-error The schema has no setting "sizes".
    open: ({ settings }) => ({ bodySize: settings.sizes }),
  })
  // @ts-expect-error The value must be a number.
  profile('typed', { settings: { schema, values: { size: '2' } } })
  // @ts-expect-error The schema has no setting "sizes".
  profile('typed', { settings: { schema, variables: { SIZE: 'sizes' } } })
})

/** Parts that are rejected when the services are opened. */
const clashing: readonly (readonly [profiles: readonly Profile[], message: string])[] = [
  [
    [profile('shop', { fixtures: { users: things } })],
    'profiles: the list of data files "users" of shop is also one of the service: choose another name',
  ],
  [
    [profile('shop', { fixtures: { things } }), profile('blog', { fixtures: { things } })],
    'profiles: the list of data files "things" of blog is also one of shop: choose another name',
  ],
  [
    [profile('shop', { admin: { orders: {} }, resources: [things] })],
    'profiles: "admin" of shop names "orders", but its resources are things',
  ],
  [
    [
      profile('shop', { admin: { things: {} }, resources: [things] }),
      profile('blog', { admin: { things: {} }, resources: [things] }),
    ],
    'profiles: the resource of the administration "things" of blog is also one of shop: choose another name',
  ],
  [
    [profile('shop', { resources: [resource('admin', { table: 'things', fields: { name: text() } })] })],
    'profiles: /admin/ of shop is the same as adminPath /admin/, or inside it: set another adminPath',
  ],
  [
    [profile('shop', { views: { '/api-auth/login/': { name: 'Login', handlers: { GET: () => ({ status: 200 }) } } } })],
    'profiles: /api-auth/login/ of shop is the same as loginPath /api-auth/, or inside it: set another loginPath',
  ],
  [
    [profile('shop', { open: () => ({ resource: [things] }) as never })],
    `open() of profile("shop"): unknown option "resource"; the options are ${parts}`,
  ],
  [
    [profile('shop', { open: (async () => ({})) as never })],
    'open() of profile("shop"): must return an object such as { resources: [orders] }, and not a promise',
  ],
]

for (const [profiles, message] of clashing)
  test(`profiles that clash are rejected: ${message}`, () => {
    assert.throws(() => open({ profiles }), new SettingsError(message))
  })

test('the flag --profile selects profiles, and overrides PROFILES', () => {
  const select = (profiles: readonly string[]) =>
    readSettings({ file: { profiles: [shop(), blog] }, environment: { PROFILES: 'blog' }, flags: { profiles } })
  assert.deepEqual(
    select(['shop', 'shop']).profiles.map(({ name, mount }) => [name, mount]),
    [['shop', '/']],
  )
  assert.throws(() => select(['none']), new SettingsError('--profile: must be one or more of shop, blog, not "none"'))
})

test('a metric with a name that is taken is an error at start', async () => {
  const metrics: NonNullable<Parameters<typeof profile>[1]['metrics']> = registry =>
    void registry.counter({ name: 'http_requests_total', help: 'Mine' })
  const services = open({ profiles: [profile('shop', { metrics })], metricsPort: 9100 })
  await assert.rejects(createService(services), { name: 'SettingsError', message: /^profiles: the metrics of shop: / })
  await services.close()
})
