// The pages of objects below parents, of singletons, and of views with parameters in their paths; and the preconditions
// that pages send.

import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import {
  boolean,
  browsable,
  type Database,
  date,
  hyperlinkedIdentity,
  jsonRenderer,
  key,
  listView,
  type Migrations,
  migrate,
  objectView,
  openDatabase,
  related,
  resource,
  text,
  uuidKey,
} from 'resource-api'
import { inChromium } from '../support/chromium.ts'
import { startApi, type TestApi } from '../support/own-api.ts'

const migrations: Migrations = {
  async '0001_shop'({ schema }, { key, reference, text, uuid }) {
    await schema
      .createTable('customers')
      .addColumn('id', uuid, column => column.primaryKey().notNull())
      .addColumn('name', text, column => column.notNull())
      .execute()
    await schema
      .createTable('orders')
      .addColumn('id', key)
      .addColumn('number', text, column => column.notNull().unique())
      .addColumn('note', text, column => column.notNull())
      .addColumn('customer_id', uuid, column => column.notNull().references('customers.id'))
      .execute()
    await schema
      .createTable('lines')
      .addColumn('id', key)
      .addColumn('product', text, column => column.notNull())
      .addColumn('order_id', reference, column => column.notNull().references('orders.id'))
      .execute()
    await schema
      .createTable('settings')
      .addColumn('id', key)
      .addColumn('theme', text, column => column.notNull())
      .addColumn('wide', 'integer', column => column.notNull())
      .execute()
  },
}

const customers = resource('customers', {
  table: 'customers',
  key: uuidKey(),
  objectName: 'name',
  fields: { url: hyperlinkedIdentity(), id: key(), name: text() },
})

const orders = resource('orders', {
  table: 'orders',
  lookup: 'number',
  objectName: 'number',
  fields: {
    url: hyperlinkedIdentity(),
    number: text({ unique: 'There is an order with this number.', fixed: true }),
    note: text({ blank: true, default: '' }),
    customer: related(customers),
  },
  requireIfMatch: true,
  sparseFields: true,
  nestedUnder: [{ parent: customers, field: 'customer' }],
  objectViews: {
    ship: objectView({
      path: 'lines/:line/ship',
      body: { until: date() },
      handlers: {
        GET: ({ parameters: { line } }) => ({ status: 200, body: { line } }),
        POST: ({ parameters: { line }, body: { until } }) => ({ status: 200, body: { line, until } }),
      },
    }),
  },
  listViews: {
    sales: listView({
      path: 'sales/:year',
      handlers: { GET: ({ parameters: { year } }) => ({ status: 200, body: { year } }) },
    }),
  },
})

const lines = resource('lines', {
  table: 'lines',
  objectName: 'product',
  fields: { url: hyperlinkedIdentity(), id: key(), product: text() },
  hookColumns: ['order_id'],
  nestedUnder: [{ parent: orders, column: 'order_id', only: true }],
  lists: { teas: { rows: ({ row }) => sql`${row.product} like '%tea'` } },
})

/** One row for every caller, which a PUT creates. */
const settings = resource('settings', {
  table: 'settings',
  fields: { theme: text({ default: 'light' }), wide: boolean({ default: true }) },
  actions: ['retrieve', 'update', 'create', 'destroy'],
  singleton: () => 1,
})

const settingsOfAll = resource('settings-of-all', {
  table: 'settings',
  objectName: 'theme',
  fields: { theme: text(), wide: boolean({ default: true }) },
})

const resources = [customers, orders, lines, settings, settingsOfAll]
const customer = '01890a5d-ac96-774b-bcce-b302099a8057'

inChromium(chromium => {
  let api: TestApi
  let database: Database
  before(async () => {
    database = openDatabase('sqlite::memory:')
    await migrate(database, [{ owner: 'shop', steps: migrations }])
    api = await startApi({ database, resources, renderers: [jsonRenderer, browsable()] }, { socket: true })
  })
  after(async () => {
    await api?.stop()
    await database?.close()
  })
  beforeEach(() =>
    database.transaction(async ({ kysely }) => {
      for (const table of ['lines', 'orders', 'customers', 'settings']) await kysely.deleteFrom(table).execute()
      await kysely.insertInto('customers').values({ id: customer, name: 'Tea & Co' }).execute()
      await kysely.insertInto('orders').values({ id: 1, number: '2026/7', note: '', customer_id: customer }).execute()
      await kysely.insertInto('lines').values({ id: 1, product: 'Green tea', order_id: 1 }).execute()
      await kysely.insertInto('settings').values({ id: 1, theme: 'light', wide: 1 }).execute()
    }),
  )

  const open = (path: string, options?: Parameters<ReturnType<typeof chromium>['open']>[1]) =>
    chromium().open(`${api.client.origin}${path}`, options)
  const readPath = (page: Page) => new URL(page.url()).pathname
  const readBreadcrumbs = (page: Page) =>
    page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('listitem').allInnerTexts()
  const follow = (page: Page, name: string) =>
    page.locator('main').getByRole('link', { name, exact: true }).first().click()
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).first().click()

  test('SVC-7: a page links to the lists below its object, and breadcrumbs name the objects above it', async () => {
    const page = await open(`/customers/${customer}/`)
    for (const name of ['Orders', 'Lines', 'Green tea']) {
      await follow(page, name)
      if (name === 'Orders') await page.goto(`${page.url()}2026%2F7/`)
    }
    assert.equal(readPath(page), `/customers/${customer}/orders/2026%2F7/lines/1/`)
    const names = ['Home', 'Customers', 'Tea & Co', 'Orders', '2026/7', 'Lines']
    assert.deepEqual(await readBreadcrumbs(page), names)
    await page.getByLabel('Product').fill('Black tea')
    await press(page, 'Save')
    await page.getByText(/^Saved/).waitFor()
    await follow(page, '2026/7')
    assert.equal(readPath(page), `/customers/${customer}/orders/2026%2F7/`)
    await page.goBack()
    assert.equal(await page.getByLabel('Product').inputValue(), 'Black tea')
    await page.goBack()
    await page.getByRole('link', { name: 'Black tea' }).waitFor()
  })

  test('SVC-7: the rows of a further list link to their objects', async () => {
    for (const path of ['/orders/2026%2F7/lines/', `/customers/${customer}/orders/2026%2F7/lines/`]) {
      const page = await open(`${path}teas/`)
      await page.getByRole('link', { name: 'Green tea' }).click()
      await page.getByLabel('Product').waitFor()
      assert.equal(readPath(page), `${path}1/`)
    }
  })

  test('SVC-7: breadcrumbs link only to URLs with a view, and do not name hidden objects', async () => {
    const sales = await open('/orders/sales/2026/')
    assert.deepEqual(await readBreadcrumbs(sales), ['Home', 'Orders'])
    const missing = await open('/customers/01890a5d-ac96-774b-bcce-b302099a0000/orders/')
    const hidden = ['Home', 'Customers', '01890a5d-ac96-774b-bcce-b302099a0000']
    assert.deepEqual(await readBreadcrumbs(missing), hidden)
  })

  test('SVC-7: the form of a view with a parameter in its path', async () => {
    const page = await open('/orders/2026%2F7/lines/1/ship/')
    assert.deepEqual(await readBreadcrumbs(page), ['Home', 'Orders', '2026/7', 'Lines', 'Green tea'])
    await page.getByRole('heading', { name: 'Send', exact: true }).waitFor()
    await page.getByLabel('Until').fill('2026-12-24')
    await press(page, 'POST')
    await page.locator('.response').getByText('"2026-12-24"').waitFor()
  })

  test('SVC-7: the page of a singleton that does not exist creates it with the default values', async () => {
    await database.transaction(({ kysely }) => kysely.deleteFrom('settings').execute())
    const page = await open('/settings/')
    await page.getByText('This does not exist yet.').waitFor()
    await page.getByRole('heading', { name: 'Create' }).waitFor()
    assert.equal(await page.getByLabel('Theme').inputValue(), 'light')
    assert.equal(await page.getByLabel('Wide').isChecked(), true)
    await page.getByLabel('Wide').uncheck()
    const other = await open('/settings/')
    await press(other, 'Save')
    await other.getByText(/^Saved/).waitFor()
    await press(page, 'Save')
    await page.getByText('Somebody has changed this object').waitFor()
    assert.equal((await api.client.get('/settings/')).json().wide, true)
    await press(page, 'Save')
    await page.getByText(/^Saved/).waitFor()
    assert.deepEqual((await api.client.get('/settings/')).json(), { theme: 'light', wide: false })
    await follow(page, 'Delete…')
    await press(page, 'Delete')
    await page.getByText('Deleted.').waitFor()
    assert.equal(readPath(page), '/')
  })

  test('SVC-7: a save sends what was changed; after a 412 the input stays beside what others have saved', async () => {
    const page = await open(`/customers/${customer}/orders/2026%2F7/`)
    const other = await open('/orders/2026%2F7/')
    await other.getByLabel('Note').fill('From the other page')
    await press(other, 'Save')
    await other.getByText(/^Saved/).waitFor()
    await page.getByLabel('Note').fill('From this page')
    await page.getByText('1 field changed').waitFor()
    await press(page, 'Save')
    await page.getByText('Others have saved: From the other page').waitFor()
    assert.equal(await page.getByLabel('Note').inputValue(), 'From this page')
    assert.equal((await api.client.get('/orders/2026%2F7/')).json().note, 'From the other page')
    await press(page, 'Save')
    await page.getByText(/^Saved/).waitFor()
    assert.equal((await api.client.get('/orders/2026%2F7/')).json().note, 'From this page')
    const curl = await page.locator('[data-console="PATCH"] code').nth(1).textContent()
    assert.match(curl!, /^curl -X PATCH.*-H 'If-Match: "/s)
  })

  test('SVC-7: a save does not undo what others have changed in other fields', async () => {
    const [page, other] = [await open('/settings-of-all/1/'), await open('/settings-of-all/1/')]
    await other.getByLabel('Theme').fill('dark')
    await press(other, 'Save')
    await other.getByText(/^Saved/).waitFor()
    await page.getByLabel('Wide').uncheck()
    await press(page, 'Save')
    await page.getByText('Somebody has changed this object').waitFor()
    assert.equal(await page.getByLabel('Theme').inputValue(), 'dark')
    await press(page, 'Save')
    await page.getByText(/^Saved/).waitFor()
    assert.deepEqual((await api.client.get('/settings-of-all/1/')).json(), { theme: 'dark', wide: false })
  })

  test('SVC-7: without JavaScript, a save changes and empties fields, a conflict loses nothing, and an object is deleted', async () => {
    const path = '/settings-of-all/1/'
    const page = await open(path, { javaScriptEnabled: false })
    await page.getByLabel('Wide').uncheck()
    await press(page, 'Save')
    await page.getByText(/^Saved/).waitFor()
    assert.deepEqual([readPath(page), new URL(page.url()).search], [path, ''])
    assert.deepEqual((await api.client.get(path)).json(), { theme: 'light', wide: false })

    await api.client.patch(path, { json: { theme: 'theirs' } })
    await page.getByLabel('Theme').fill('mine')
    await press(page, 'Save')
    await page.getByText('Others have saved: theirs').waitFor()
    assert.equal(await page.getByLabel('Theme').inputValue(), 'mine')
    await page.getByLabel('Theme').fill('')
    await press(page, 'Save')
    assert.equal(await page.locator('[data-field="theme"] .errors').innerText(), 'This field may not be blank.')
    await page.getByLabel('Theme').fill('mine')
    await press(page, 'Save')
    await page.getByText(/^Saved/).waitFor()
    assert.deepEqual((await api.client.get(path)).json(), { theme: 'mine', wide: false })

    await follow(page, 'Delete…')
    await page.getByRole('heading', { name: 'Delete mine?' }).waitFor()
    await press(page, 'Delete')
    await page.getByText('Deleted.').waitFor()
    assert.equal(readPath(page), '/settings-of-all/')
    assert.equal((await api.client.get(path)).status, 404)
  })

  test('SVC-7: going back brings back what was typed', async () => {
    const page = await open('/orders/2026%2F7/')
    await page.getByLabel('Note').fill('Half a sentence')
    await page.getByRole('link', { name: 'Orders' }).first().click()
    await page.waitForURL(/orders\/$/)
    await page.goBack()
    assert.equal(await page.getByLabel('Note').inputValue(), 'Half a sentence')
  })

  test('SVC-7: a page of selected fields cannot change the others', async () => {
    const page = await open('/orders/2026%2F7/?fields=number')
    assert.equal(await page.getByRole('button', { name: 'Save' }).count(), 0)
    assert.equal(await page.getByRole('link', { name: 'Delete…' }).count(), 0)
    await page.getByRole('link', { name: 'Show the whole object to change it.' }).click()
    await page.getByLabel('Note').waitFor()
    assert.equal(readPath(page), '/orders/2026%2F7/')
  })
})
