// The page of a list says how many objects are new, as long as it is open.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  browsable,
  type Database,
  feedMigrations,
  jsonRenderer,
  key,
  migrate,
  openDatabase,
  resource,
  text,
} from 'resource-api'
import { table, tables } from 'resource-api/tables'
import { inChromium } from '../support/chromium.ts'
import { startApi, type TestApi } from '../support/own-api.ts'

const noteTable = table('notes', { columns: { id: key(), name: text({ max: 20 }) } })
const notes = resource('notes', {
  table: noteTable,
  fields: noteTable.pick('id', 'name'),
  filters: { name: ['startswith'] },
  feed: true,
})

inChromium(chromium => {
  let api: TestApi
  let database: Database
  before(async () => {
    database = openDatabase('sqlite::memory:')
    await migrate(database, [tables({ owner: 'notes', tables: [noteTable] }), feedMigrations])
    api = await startApi({ database, resources: [notes], renderers: [jsonRenderer, browsable()] }, { socket: true })
  })
  after(async () => {
    await api?.stop()
    await database?.close()
  })
  const add = (name: string) => api.client.post('/notes/', { json: { name } })

  test('a list says how many objects have entered it, and shows them', async () => {
    await add('Ada')
    const page = await chromium().open(`${api.client.origin}/notes/?name__startswith=A`)
    const following = page.waitForResponse(response => response.url().includes('/notes/feed/'))
    await page.reload()
    assert.equal((await following).status(), 200)
    const news = page.getByRole('link', { name: /new: show/ })
    // The feed may open after a note was stored, so there are several.
    for (let tries = 0; !(await news.isVisible()); tries++) {
      assert.ok(tries < 200, 'no new object was shown')
      await add('Bob')
      await add('Abe')
    }
    const count = Number(/\d+/.exec(await news.innerText())![0])
    await Promise.all([page.waitForEvent('load'), news.click()])
    assert.ok((await page.getByRole('row', { name: /Abe/ }).count()) >= count)
    assert.equal(await page.getByRole('row', { name: /Bob/ }).count(), 0)
    assert.equal(await page.getByRole('link', { name: /new: show/ }).count(), 0)
  })

  test('without the script, and with a search, a list does not follow', async () => {
    const page = await chromium().open(`${api.client.origin}/notes/`, { javaScriptEnabled: false })
    assert.equal(await page.locator('[data-feed]').isVisible(), false)
  })
})
