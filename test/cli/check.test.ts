// The check command lists problems with settings and databases.

import assert from 'node:assert/strict'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { suite, test } from 'node:test'
import { commandLine } from './command-line.ts'

/** A deployment without unsafe settings, except for the user that runs the tests. */
const environment = {
  NODE_ENV: 'production',
  SECRET_KEY: 'kq0hJ8sWb2nYcV6rXzT4mLpDfGaE1uRi9oQt7yZx',
  AUTHENTICATION: 'token,session',
  PUBLIC_URL: 'https://api.example.org/',
  TRUSTED_PROXIES: '127.0.0.1',
  THROTTLE_ANON: '60/minute',
  THROTTLE_USER: '600/minute',
}

const lines = (text: string): readonly string[] => text.split('\n').filter(line => line !== '' && !/^user: /.test(line))

/** A config file with a profile of orders. Its first step creates the tables; `secondStep` is the body of another one. */
const shopConfig = (customer: string, secondStep = '') => `import { related, key, resource } from 'resource-api'
import { profile } from 'resource-api/service'
const customers = resource('customers', { table: 'customers', fields: { id: key() } })
const orders = resource('orders', {
  table: 'orders',
  fields: { id: key(), customer: related(customers, { column: ${JSON.stringify(customer)}, form: 'url' }) },
})
const shop = profile('shop', {
  resources: [orders${customer === 'customer_id' ? '' : ', customers'}],
  admin: { orders: {} },
  migrations: {
    async '0001_orders'({ schema }, { key, reference }) {
      await schema.createTable('customers').addColumn('id', key).execute()
      await schema.createTable('orders').addColumn('id', key).addColumn('customer_id', reference).execute()
    },
    ${secondStep === '' ? '' : `async '0002_index'({ schema }) { ${secondStep} },`}
  },
})
export default { profiles: [shop] }
`

suite('check', { concurrency: true }, () => {
  test('check validates the settings, and whether serve can use the database', async context => {
    const cli = await commandLine(context)
    const none = await cli.run(['check'])
    assert.equal(none.code, 1)
    assert.match(none.stdout, /^DATABASE_URL: there is no file .*test\.db: .*resource-api migrate/)
    const wrong = await cli.run(['check'], { environment: { PORT: 'x' } })
    assert.deepEqual([wrong.code, wrong.stdout], [1, ''])
    assert.match(wrong.stderr, /^resource-api: PORT: must be/)
    await cli.run(['migrate'])
    const { code, stdout, stderr } = await cli.run(['check'])
    assert.deepEqual([code, stdout, stderr], [0, 'No problems.\n', ''])
    const away = await cli.run(['check', '--database', 'postgres://user:hunter2@127.0.0.1:1/x'])
    assert.equal(away.code, 1)
    assert.match(away.stdout, /^DATABASE_URL: .*127\.0\.0\.1:1.*ECONNREFUSED/)
    assert.doesNotMatch(away.stdout + away.stderr, /hunter2/)
  })

  test('declarations are compared with the tables, and serve refuses what check lists', async context => {
    const cli = await commandLine(context)
    await cli.run(['migrate'])
    const database = new DatabaseSync(join(cli.folder, 'test.db'))
    database.exec('alter table snippets drop column title; alter table users rename column email to e_mail')
    database.close()
    const wrong = await cli.run(['check'])
    assert.equal(wrong.code, 1)
    const fix = 'add it with a migration, or remove it from the declaration'
    const email = `resource "users": field "email": table "users" has no column "email": write "e_mail", or ${fix}`
    const title = `resource "snippets": field "title": table "snippets" has no column "title": ${fix}`
    for (const line of [email, title]) assert.ok(lines(wrong.stdout).includes(line), wrong.stdout)
    const serve = await cli.run(['serve', '--port', '0'])
    assert.equal(serve.code, 1)
    for (const line of [email, title]) assert.ok(serve.stderr.includes(line), serve.stderr)
  })

  test('a mistake in a declaration is listed once, and is not blamed on the database', async context => {
    const cli = await commandLine(context)
    const config = join(cli.folder, 'resource-api.config.ts')
    await writeFile(config, shopConfig('custmer_id'))
    await cli.run(['migrate'])
    const fix = 'write "customer_id", or add it with a migration, or remove it from the declaration'
    assert.deepEqual(lines((await cli.run(['check'])).stdout), [
      `resource "orders": field "customer": column: table "orders" has no column "custmer_id": ${fix}`,
    ])
    await writeFile(config, shopConfig('customer_id'))
    assert.deepEqual(lines((await cli.run(['check'])).stdout), [
      'createApi(): field "customer" of "orders" refers to "customers": add it to "resources"; with "actions: []" it has no URL',
    ])
  })

  test('an index that a list wants and the database lacks is advice, not a problem', async context => {
    const cli = await commandLine(context)
    const config = join(cli.folder, 'resource-api.config.ts')
    const filtered = shopConfig('customer_id')
      .replace("table: 'orders',", "table: 'orders',\n  filters: { customer: true },")
      .replace('resources: [orders]', 'resources: [orders, customers]')
    await writeFile(config, filtered)
    await cli.run(['migrate'])
    const statement = 'create index "orders_customer_id" on "orders" ("customer_id")'
    const unnamed = ['Order', 'Customer'].map(
      title =>
        `resource "${title.toLowerCase()}s": no field names an object, which pages call "${title} 1": set "objectName"`,
    )
    const { code, stdout, stderr } = await cli.run(['check'])
    assert.deepEqual(
      [code, lines(stdout), stderr],
      [0, ['No problems.', `missing index: resource "orders": filters "customer": ${statement}`, ...unnamed], ''],
    )
    const database = new DatabaseSync(join(cli.folder, 'test.db'))
    database.exec(statement)
    database.close()
    assert.deepEqual(lines((await cli.run(['check'])).stdout), ['No problems.', ...unnamed])
  })

  test('migrate names the step that fails', async context => {
    const cli = await commandLine(context)
    const step = "await schema.createIndex('orders_customer').on('order').column('customer_id').execute()"
    await writeFile(join(cli.folder, 'resource-api.config.ts'), shopConfig('customer_id', step))
    const { code, stderr } = await cli.run(['migrate'])
    assert.equal(code, 1)
    assert.match(stderr, /^resource-api: the step "0002_index" of the migrations of "shop" failed: .*order/m)
  })

  test('a database in memory is made, and checked as the start would', async context => {
    const cli = await commandLine(context)
    const { code, stdout, stderr } = await cli.run(['check', '--database', 'sqlite::memory:'])
    assert.deepEqual([code, stdout, stderr], [0, 'No problems.\n', ''])
  })

  test('--deploy lists each unsafe setting, and exits with 1 if there are any', async context => {
    const cli = await commandLine(context)
    await cli.run(['migrate'], { environment })
    for (const suffix of ['', '-wal', '-rates'])
      await chmod(join(cli.folder, `test.db${suffix}`), 0o600).catch(() => undefined)
    const good = await cli.run(['check', '--deploy'], { environment })
    const isRoot = process.getuid?.() === 0
    assert.deepEqual(lines(good.stdout), isRoot ? [] : ['No problems.'])
    assert.equal(good.code, isRoot ? 1 : 0)
    const bad = await cli.run(['check', '--deploy'], {
      environment: { ...environment, AUTHENTICATION: 'basic', ALLOWED_HOSTS: '*', CORS_ORIGINS: '*' },
    })
    assert.equal(bad.code, 1)
    assert.deepEqual(
      lines(bad.stdout).map(line => line.split(':')[0]),
      ['AUTHENTICATION', 'ALLOWED_HOSTS', 'CORS_ORIGINS'],
    )
    assert.match(bad.stderr, /^resource-api: [34] problems\n$/)
  })
})
