// Lines of an order are added, changed and removed in rows of its form, with the script and without it.

import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { Page } from 'playwright-core'
import {
  browsable,
  type Database,
  integer,
  jsonRenderer,
  key,
  migrate,
  nested,
  openDatabase,
  related,
  resource,
  text,
} from 'resource-api'
import { reference, table, tables } from 'resource-api/tables'
import { checkAccessibility } from '../support/accessibility.ts'
import { inChromium } from '../support/chromium.ts'
import { invoices, lines, notes, orderMigrations, orders, products } from '../support/order-tables.ts'
import { startApi, type TestApi } from '../support/own-api.ts'

const resources = [products, notes, lines, invoices, orders]

inChromium(chromium => {
  let api: TestApi
  let database: Database
  before(async () => {
    database = openDatabase('sqlite::memory:')
    await migrate(database, [{ owner: 'shop', steps: orderMigrations }])
    api = await startApi({ database, resources, renderers: [jsonRenderer, browsable()] }, { socket: true })
  })
  after(async () => {
    await api?.stop()
    await database?.close()
  })
  beforeEach(() =>
    database.transaction(async ({ kysely }) => {
      for (const table of ['lines', 'orders', 'products']) await kysely.deleteFrom(table).execute()
      await kysely
        .insertInto('products')
        .values(['tea', 'jam', 'rum'].map((name, index) => ({ id: index + 1, name })))
        .execute()
      await kysely.insertInto('orders').values({ id: 1, number: 'A' }).execute()
      await kysely.insertInto('lines').values({ id: 1, order_id: 1, product_id: 1, quantity: 2 }).execute()
    }),
  )
  const readLines = async () => {
    const { lines } = (await api.client.get('/orders/1/')).json()
    return lines.map((line: { id: number; product: number; quantity: number }) => [line.product, line.quantity])
  }
  const row = (page: Page, id: string) => page.locator(`.row[id="patch-lines-${id}"]`)
  const save = (page: Page) =>
    Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Save' }).click()])

  for (const javaScriptEnabled of [true, false])
    test(`rows are changed, added and removed ${javaScriptEnabled ? 'with' : 'without'} the script`, async () => {
      const page = await chromium().open(`${api.client.origin}/orders/1/`, { javaScriptEnabled })
      const select = async (id: string, name: string) => {
        const product = row(page, id).getByLabel('Product')
        if (!javaScriptEnabled) return product.selectOption({ label: name })
        await product.click()
        return page.getByRole('option', { name, exact: true }).click()
      }
      if (javaScriptEnabled) await checkAccessibility(page)
      await row(page, '0').getByLabel('Quantity').fill('7')
      await select('1', 'jam')
      await row(page, '1').getByLabel('Quantity').fill('0')
      await Promise.all([
        page.waitForEvent('load'),
        page.getByRole('button', { name: 'Add another', exact: true }).click(),
      ])
      await select('3', 'rum')
      await row(page, '3').getByLabel('Quantity').fill('4')
      await save(page)
      await row(page, '1').getByText('Ensure this value is greater than or equal to 1.').waitFor()
      if (javaScriptEnabled) await checkAccessibility(page)
      assert.deepEqual(await readLines(), [[1, 2]])
      await row(page, '1').getByLabel('Quantity').fill('3')
      await save(page)
      await page.getByText(/^Saved/).waitFor()
      assert.deepEqual(await readLines(), [
        [1, 7],
        [2, 3],
        [3, 4],
      ])
      await row(page, '0').getByLabel('Remove').check()
      await save(page)
      await page.getByText(/^Saved/).waitFor()
      assert.deepEqual(await readLines(), [
        [2, 3],
        [3, 4],
      ])
    })

  const readNotes = async () =>
    (await api.client.get('/orders/1/'))
      .json()
      .lines.map(({ notes: shown }: { readonly notes: readonly { readonly text: string }[] }) =>
        shown.map(({ text }) => text),
      )

  for (const javaScriptEnabled of [true, false])
    test(`rows in rows are changed, added and removed ${javaScriptEnabled ? 'with' : 'without'} the script`, async () => {
      const page = await chromium().open(`${api.client.origin}/orders/1/`, { javaScriptEnabled })
      const note = (line: number, index: number) => row(page, `${line}`).locator(`.row[id$="notes-${index}"]`)
      await note(0, 0).getByLabel('Text').fill('hot')
      const add = row(page, '0').getByRole('button', { name: 'Add another: Notes' })
      await Promise.all([page.waitForEvent('load'), add.click()])
      await note(0, 1).getByLabel('Text').fill('x'.repeat(20))
      // A note alone makes a line, which needs a product.
      await note(1, 0).getByLabel('Text').fill('lost')
      await save(page)
      await row(page, '1').getByText('A valid integer is required.').waitFor()
      if (javaScriptEnabled) await checkAccessibility(page)
      assert.equal(await note(1, 0).getByLabel('Text').inputValue(), 'lost')
      assert.deepEqual(await readNotes(), [[]])
      await note(1, 0).getByLabel('Text').fill('')
      await save(page)
      await page.getByText(/^Saved/).waitFor()
      assert.deepEqual(await readNotes(), [['hot', 'x'.repeat(20)]])
      await note(0, 1).getByLabel('Text').fill('sweet')
      await note(0, 0).getByLabel('Remove').check()
      await save(page)
      await page.getByText(/^Saved/).waitFor()
      assert.deepEqual([await readLines(), await readNotes()], [[[1, 2]], [['sweet']]])
    })

  test('the request of the console follows rows in rows', async () => {
    const page = await chromium().open(`${api.client.origin}/orders/1/`)
    const editor = page.locator('[data-editor="PATCH"]')
    const readBody = async () => JSON.parse(await editor.locator('textarea').inputValue())
    await page.locator('.console summary').getByText('PATCH', { exact: true }).click()
    const form = page.locator('form[data-method="PATCH"]')
    await form.locator('[name="lines[0]notes[0]text"]').fill('hot')
    // A note alone makes a line.
    await form.locator('[name="lines[1]notes[0]text"]').fill('red')
    const body = await readBody()
    assert.deepEqual(
      body.lines.map(({ id, notes: shown }: Record<string, unknown>) => [id, shown]),
      [
        [1, [{ text: 'hot' }]],
        [undefined, [{ text: 'red' }]],
      ],
    )
    await form.locator('[name="lines[1]notes[0]text"]').fill('')
    assert.equal((await readBody()).lines.length, 1)
    await editor.getByRole('button', { name: 'Send' }).click()
    await page.locator('[data-console="PATCH"] .result').getByText('200 OK').waitFor()
    assert.deepEqual(await readNotes(), [['hot']])
  })

  test('the request of the console follows the rows, and sends them', async () => {
    const page = await chromium().open(`${api.client.origin}/orders/1/`)
    const editor = page.locator('[data-editor="PATCH"]')
    const readBody = async () => JSON.parse(await editor.locator('textarea').inputValue())
    await page.locator('.console summary').getByText('PATCH', { exact: true }).click()
    await page.getByLabel('Number').first().fill('B')
    assert.deepEqual(await readBody(), { number: 'B' })
    await row(page, '0').getByLabel('Quantity').fill('7')
    await row(page, '1').getByLabel('Product').click()
    await page.getByRole('option', { name: 'jam', exact: true }).click()
    await row(page, '1').getByLabel('Quantity').fill('3')
    await page.locator('form[data-method="PATCH"] [name="invoice.number"]').fill('I-1')
    const body = await readBody()
    assert.deepEqual(body.invoice, { number: 'I-1' })
    assert.deepEqual(
      body.lines.map(({ id, product, quantity }: Record<string, unknown>) => [id, product, quantity]),
      [
        [1, 1, 7],
        [undefined, 2, 3],
      ],
    )
    const [curl, client] = await page.locator('[data-console="PATCH"] .example code').allTextContents()
    assert.match(curl!, /"lines": \[\n {4}\{\n {6}"id": 1,\n {6}"product": 1,\n {6}"quantity": 7/)
    assert.match(client!, /quantity: 3/)
    await editor.getByRole('button', { name: 'Send' }).click()
    await page.locator('[data-console="PATCH"] .result').getByText('200 OK').waitFor()
    assert.deepEqual(await readLines(), [
      [1, 7],
      [2, 3],
    ])
    await page.reload()
    await page.locator('.console summary').getByText('PATCH', { exact: true }).click()
    await row(page, '0').getByLabel('Remove').check()
    assert.deepEqual(
      (await readBody()).lines.map(({ product }: Record<string, unknown>) => product),
      [2],
    )
    await editor.getByRole('button', { name: 'Send' }).click()
    await page.locator('[data-console="PATCH"] .result').getByText('200 OK').waitFor()
    assert.deepEqual(await readLines(), [[2, 3]])
  })

  test('a PATCH of the script contains children only if something about them has changed', async () => {
    const page = await chromium().open(`${api.client.origin}/orders/1/`)
    const bodies: string[] = []
    page.on('request', request => {
      if (request.method() === 'PATCH') bodies.push(request.postData() ?? '')
    })
    await page.getByLabel('Number').first().fill('B')
    await page.getByText('1 field changed').waitFor()
    await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')])
    await page.getByText(/^Saved/).waitFor()
    await row(page, '0').getByLabel('Quantity').fill('8')
    await save(page)
    assert.deepEqual(
      bodies.map(body => body.includes('lines')),
      [false, true],
    )
    assert.deepEqual(await readLines(), [[1, 8]])
  })
})

const kits = table('kits', { columns: { id: key(), name: text() } })
const parts = table('parts', {
  columns: {
    id: key(),
    kit: reference('kits', { onDelete: 'cascade', relatedName: 'parts' }),
    name: text({ fixed: true }),
    count: integer({ min: 1 }),
  },
})
const partResource = resource('parts', {
  table: parts,
  fields: { ...parts.pick('id', 'name', 'count'), kit: related('kits') },
})
const kitResource = resource('kits', {
  table: kits,
  fields: {
    ...kits.pick('id', 'name'),
    parts: nested({
      of: partResource,
      many: { reverse: 'kit_id' },
      fields: ['id', 'name', 'count'],
      writable: true,
    }),
  },
})

inChromium(chromium => {
  test('values of children that nobody can change stand below their headings', async () => {
    const database = openDatabase('sqlite::memory:')
    await migrate(database, [tables({ owner: 'kits', tables: [kits, parts] })])
    const options = { database, resources: [kitResource, partResource], renderers: [jsonRenderer, browsable()] }
    const api = await startApi(options, { socket: true })
    try {
      const json = { name: 'A', parts: [{ name: 'screw', count: 4 }] }
      assert.equal((await api.client.post('/kits/', { json })).status, 201)
      const page = await chromium().open(`${api.client.origin}/kits/1/`)
      const readLeft = (selector: string) =>
        page
          .locator(selector)
          .first()
          .evaluate(element => {
            const range = element.ownerDocument.createRange()
            range.selectNodeContents(element)
            return range.getBoundingClientRect().left
          })
      assert.equal(await readLeft('.children .row bdi'), await readLeft('.children thead th'))
    } finally {
      await api.stop()
      await database.close()
    }
  })
})
