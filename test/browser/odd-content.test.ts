// Names that are long, right to left, or look like markup, on narrow and enlarged pages, on paper, and from right to left.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  browsable,
  type Database,
  dateTime,
  integer,
  jsonRenderer,
  key,
  type Migrations,
  migrate,
  openDatabase,
  pageNumber,
  related,
  resource,
  text,
} from 'resource-api'
import { checkAccessibility } from '../support/accessibility.ts'
import { inChromium } from '../support/chromium.ts'
import { startApi, type TestApi } from '../support/own-api.ts'

const migrations: Migrations = {
  async '0001_shelf'({ schema }, { key, reference, text }) {
    await schema
      .createTable('shelves')
      .addColumn('id', key)
      .addColumn('name', text, column => column.notNull())
      .addColumn('code', text, column => column.notNull())
      .execute()
    await schema
      .createTable('works')
      .addColumn('id', key)
      .addColumn('title', text, column => column.notNull())
      .addColumn('pages', 'integer', column => column.notNull())
      .addColumn('bought', text)
      .addColumn('shelf_id', reference, column => column.notNull().references('shelves.id'))
      .execute()
  },
}

const shelves = resource('shelves', {
  table: 'shelves',
  objectName: 'name',
  fields: { id: key(), name: text(), code: text({ multiline: true, blank: true, default: '' }) },
  pages: { groups: { Content: ['code'] } },
  searchFields: ['name'],
})
const works = resource('works', {
  table: 'works',
  actions: ['list', 'retrieve'],
  objectName: 'title',
  fields: { id: key(), title: text(), pages: integer(), bought: dateTime({ nullable: true }), shelf: related(shelves) },
  filters: { shelf: true },
  orderingFields: ['title', 'pages'],
  pagination: pageNumber({ pageSize: 20 }),
})

const names = [
  'كتب عربية ١٢٣',
  '📚🧑🏽‍🚀🇩🇪',
  'x'.repeat(10_000),
  '</h1><script>odd = true</script>',
  'javascript:odd=true',
]
const workCount = 10_000
const views = [
  { name: '320 pixels', viewport: { width: 320, height: 700 } },
  { name: '1280 pixels at 200 %', viewport: { width: 640, height: 450 }, deviceScaleFactor: 2 },
  { name: 'on paper', viewport: { width: 800, height: 1100 }, media: 'print' },
  { name: 'from right to left', viewport: { width: 1280, height: 900 }, isRightToLeft: true },
] as const

inChromium(chromium => {
  let api: TestApi
  let database: Database
  before(async () => {
    database = openDatabase('sqlite::memory:')
    await migrate(database, [{ owner: 'shelf', steps: migrations }])
    await database.transaction(async ({ kysely }) => {
      await kysely
        .insertInto('shelves')
        .values(names.map((name, index) => ({ id: index + 1, name, code: '' })))
        .execute()
      for (let id = 0; id < workCount; id += 1000)
        await kysely
          .insertInto('works')
          .values(
            Array.from({ length: 1000 }, (_, index) => ({
              title: names[index % names.length],
              pages: id + index,
              bought: '2026-03-06T21:30:00.000000Z',
              shelf_id: (index % names.length) + 1,
            })),
          )
          .execute()
    })
    api = await startApi(
      { database, resources: [shelves, works], renderers: [jsonRenderer, browsable()] },
      { socket: true },
    )
  })
  after(async () => {
    await api?.stop()
    await database?.close()
  })

  for (const { name, ...view } of views)
    test(`SVC-7: odd names fit pages: ${name}`, async () => {
      const {
        viewport,
        deviceScaleFactor = 1,
        media,
        isRightToLeft,
      } = { media: null, isRightToLeft: false, deviceScaleFactor: 1, ...view }
      const page = await chromium().open(api.client.origin, { viewport, deviceScaleFactor })
      await page.emulateMedia({ media })
      for (const path of [
        '/works/',
        '/works/3/',
        '/works/4/',
        '/shelves/',
        '/shelves/?new',
        '/shelves/1/',
        '/shelves/3/',
      ]) {
        const response = await page.goto(api.client.origin + path)
        assert.ok((await response!.body()).length < 80_000, path)
        if (isRightToLeft) await page.evaluate("document.documentElement.dir = 'rtl'")
        await checkAccessibility(page)
        assert.equal(await page.evaluate("'odd' in window"), false)
      }
    })

  test('SVC-7: a list of 10,000 says so, and the page of an object counts those that refer to it', async () => {
    const page = await chromium().open(`${api.client.origin}/works/`)
    await page.getByText('1–20 of 10,000').waitFor()
    await page.goto(`${api.client.origin}/shelves/1/`)
    await page.getByRole('link', { name: 'all 2,000' }).click()
    await page.waitForURL(/\/works\/\?shelf=1$/)
  })

  test('SVC-7: times are in the zone of the reader, as the region writes them', async () => {
    const page = await chromium().open(`${api.client.origin}/works/1/`, { locale: 'en-US', timezoneId: 'Asia/Tokyo' })
    const time = page.locator('main time')
    assert.equal((await time.innerText()).replace('\u202f', ' '), 'Mar 7, 2026, 6:30 AM GMT+9')
    assert.equal(await time.getAttribute('title'), '2026-03-06 21:30:00 UTC')
  })

  test('SVC-7: code of 14,000 characters is edited in a textarea that is as high as a screen', async () => {
    const page = await chromium().open(`${api.client.origin}/shelves/2/`)
    const code = 'if (a < b && c > d) return "<&>"\n'.repeat(425).trim()
    const input = page.getByRole('textbox', { name: 'Code' })
    await input.fill(code)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(/^Saved/).waitFor()
    assert.equal(await input.inputValue(), code)
    assert.equal(await input.getAttribute('rows'), '30')
    await input.fill(`${code}end`)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(/^Saved/).waitFor()
    assert.equal((await api.client.get('/shelves/2/')).json().code.replaceAll('\r\n', '\n'), `${code}end`)
  })
})
