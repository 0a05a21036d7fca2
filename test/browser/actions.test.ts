// Actions of an account by name, with and without JavaScript, and the clicks that they take.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import { checkAccessibility } from '../support/accessibility.ts'
import { insertUsers } from '../support/administration.ts'
import { inChromiumWithService, logIn } from '../support/chromium.ts'
import { eventually } from '../support/patience.ts'

inChromiumWithService({}, (chromium, service) => {
  before(() => service().createUser('chief', { staff: true, superuser: true }))

  for (const javaScriptEnabled of [true, false]) {
    const suffix = javaScriptEnabled ? 'with JavaScript' : 'without JavaScript'

    async function openUser(name: string) {
      const { id } = await service().createUser(name)
      const page = await chromium().open(`${service().client.origin}/admin/users/${id}/`, { javaScriptEnabled })
      await logIn(page, 'chief')
      return { id, page, ...countClicks(page) }
    }

    test(`SVC-7: a password is reset with two clicks, ${suffix}`, async () => {
      const name = `lost-${javaScriptEnabled}`
      const { page, click, clicks } = await openUser(name)
      await click('link', 'Reset password…')
      await page.locator('#action-password').fill('correct horse battery')
      await page.getByLabel('Password, again').fill('correct horse staple')
      await click('button', 'Reset password')
      await page.getByText('The two values are not the same.', { exact: true }).waitFor()
      await page.locator('#action-password').fill('correct horse battery')
      await page.getByLabel('Password, again').fill('correct horse battery')
      await click('button', 'Reset password')
      await page.getByRole('status').getByText(`The password of ${name} was reset.`).waitFor()
      assert.equal(clicks(), 3)
      const json = { username: name, password: 'correct horse battery' }
      assert.equal((await service().client.post('/api-token-auth/', { json })).status, 200)
    })

    test(`AUTH-SCH-2: a token is made with two clicks, and revoked with three in the menu, ${suffix}`, async () => {
      const { id, page, click, openMenu, clicks } = await openUser(`robot-${javaScriptEnabled}`)
      await click('link', 'Make token…')
      await click('button', 'Make token')
      const token = await page.locator('.copied-line code').innerText()
      assert.equal(clicks(), 2)
      const call = () => service().client.get('/directory/users/', { token })
      assert.equal((await call()).status, 200)
      await click('link', `robot-${javaScriptEnabled}`)
      assert.ok(!(await page.getByRole('link', { name: 'Revoke tokens…' }).isVisible()))
      await openMenu()
      await click('link', 'Revoke tokens…')
      await click('button', 'Revoke tokens')
      await page.waitForURL(new RegExp(`/admin/users/${id}/$`))
      assert.equal(clicks(), 6)
      assert.equal((await call()).status, 401)
    })

    async function openList(query: string) {
      const page = await chromium().open(`${service().client.origin}/admin/users/${query}`, { javaScriptEnabled })
      await logIn(page, 'chief')
      return page
    }

    test(`SVC-7: the script shows the actions of a list once a row is selected, ${suffix}`, async () => {
      await service().createUser(`row-of-${javaScriptEnabled}`)
      const page = await openList('')
      const start = page.getByRole('button', { name: 'Delete…' })
      assert.equal(await start.isVisible(), !javaScriptEnabled)
      const rows = page.locator('tbody .selection input')
      await rows.first().check()
      assert.equal(await start.isVisible(), true)
      assert.equal(await page.locator('.bulk [role="status"]').innerText(), javaScriptEnabled ? '1 selected' : '')
      await rows.first().uncheck()
      assert.equal(await start.isVisible(), !javaScriptEnabled)
      await rows.first().focus()
      await page.keyboard.press('Space')
      await page.locator('tbody .selection input').last().focus()
      await page.keyboard.press('Tab')
      await page.keyboard.press('Tab')
      assert.equal(await page.locator('.bulk button:focus').innerText(), 'Deactivate…')
    })

    test(`SVC-7: an action for many objects continues by itself with the script, ${suffix}`, async () => {
      const word = `many${javaScriptEnabled}`
      await insertUsers(service(), word, 1020)
      const page = await openList(`?search=${word}`)
      await page.locator('tbody .selection input').first().check()
      await page.getByRole('button', { name: 'Deactivate…' }).click()
      await page.getByRole('radio', { name: 'All that match: 1020' }).check()
      await page.getByRole('button', { name: 'Deactivate' }).click()
      if (!javaScriptEnabled)
        for (const done of ['500', '1000']) {
          await page.getByText(`${done} of 1020 are done.`).waitFor()
          await page.getByRole('button', { name: 'Continue' }).click()
        }
      await page.getByRole('status').getByText('“Deactivate” was done for 1020 users.').waitFor()
      assert.match(page.url(), new RegExp(`/admin/users/\\?search=${word}$`))
    })
  }

  async function startAction(page: Page, count: number) {
    await page.locator('tbody .selection input').first().check()
    await page.getByRole('button', { name: 'Deactivate…' }).click()
    await page.getByRole('radio', { name: `All that match: ${count}` }).check()
    await page.getByRole('button', { name: 'Deactivate' }).click()
    await page.getByText(`500 of ${count} are done.`).waitFor()
  }

  for (const javaScriptEnabled of [true, false])
    test(`SVC-7: an action for many objects is stopped with one click, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, async () => {
      const word = `stop${javaScriptEnabled}`
      await insertUsers(service(), word, 1120)
      const { origin } = service().client
      const page = await chromium().open(`${origin}/admin/users/?search=${word}`, { javaScriptEnabled })
      await logIn(page, 'chief')
      const { promise: released, resolve: release } = Promise.withResolvers<void>()
      // The request of the second part arrives once the person has clicked.
      await page.route('**/*_bulk=*', async route => {
        if (route.request().resourceType() === 'fetch') await released
        await route.continue()
      })
      await startAction(page, 1120)
      await page.getByText('If you stop, 620 stay as they are.').waitFor()
      const stop = page.getByRole('button', { name: 'Stop' })
      const state = javaScriptEnabled ? 'hidden' : 'visible'
      await page.getByRole('button', { name: 'Continue' }).waitFor({ state })
      await stop.click({ noWaitAfter: true })
      if (javaScriptEnabled) await page.locator('button[name="_stop"]:disabled').waitFor()
      release()
      const [done, left] = javaScriptEnabled ? [1000, 120] : [500, 620]
      await page.getByText(`“Deactivate” was done for ${done} of 1120 users.`).waitFor()
      await page.getByText(`Stopped: ${left} are as they were.`).waitFor()
      assert.match(page.url(), new RegExp(`/admin/users/\\?search=${word}$`))
      const { rows } = await sql`select 1 from users where username like ${`${word}%`} and not is_active`.execute(
        service().services.database.kysely,
      )
      assert.equal(rows.length, done)
    })

  test('SVC-7: an action whose network fails can be continued', async () => {
    await insertUsers(service(), 'broken', 1010)
    const page = await chromium().open(`${service().client.origin}/admin/users/?search=broken`)
    await logIn(page, 'chief')
    await page.route('**/*_bulk=*', route =>
      route.request().resourceType() === 'fetch' ? route.abort('internetdisconnected') : route.continue(),
    )
    const failed = page.waitForEvent('requestfailed')
    await startAction(page, 1010)
    await failed
    const next = page.getByRole('button', { name: 'Continue' })
    await next.waitFor()
    await page.unroute('**/*_bulk=*')
    await next.click()
    await page.getByText('“Deactivate” was done for 1010 users.').waitFor()
  })

  test('SVC-7: a login that ends during an action shows the login form', async () => {
    await insertUsers(service(), 'ended', 1010)
    const page = await chromium().open(`${service().client.origin}/admin/users/?search=ended`)
    await logIn(page, 'chief')
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    await page.route('**/*_bulk=*', async route => {
      const isFetch = route.request().resourceType() === 'fetch'
      if (isFetch) await ended
      await route.continue({ headers: { ...route.request().headers(), ...(isFetch && { cookie: '' }) } })
    })
    await startAction(page, 1010)
    await page.context().clearCookies()
    end()
    await page.getByLabel('Username').waitFor()
  })

  test('SVC-7: the page between two parts of an action is accessible', async () => {
    await insertUsers(service(), 'part', 510)
    const page = await chromium().open(`${service().client.origin}/admin/users/?search=part`, {
      viewport: { width: 390, height: 844 },
    })
    // The script would leave the page.
    await page.route('**/*.js', route => route.fulfill({ contentType: 'text/javascript', body: '' }))
    await logIn(page, 'chief')
    await page.getByRole('button', { name: 'Delete…' }).click()
    await page.getByRole('radio', { name: 'All that match: 510' }).check()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('500 of 510 are done.').waitFor()
    await checkAccessibility(page)
  })

  for (const javaScriptEnabled of [true, false])
    test(`SVC-7: an import says how many rows are done, ${javaScriptEnabled ? 'and goes on' : 'and has a button'}`, async () => {
      const page = await chromium().open(`${service().client.origin}/admin/groups/?import`, { javaScriptEnabled })
      await logIn(page, 'chief')
      const lines = Array.from({ length: 1010 }, (_, index) => `Group ${index} ${javaScriptEnabled}\n`)
      const file = { name: 'groups.csv', mimeType: 'text/csv', buffer: Buffer.from(`name\n${lines.join('')}`) }
      await page.getByLabel('CSV file').setInputFiles(file)
      await page.getByRole('button', { name: 'Preview' }).click()
      await page.getByRole('button', { name: 'Import in parts, and show how many are done' }).click()
      if (javaScriptEnabled) return await page.getByText('1,010 created, 0 changed.').waitFor()
      await page.getByText('500 of 1,010 rows are done: 49%.').waitFor()
      assert.equal(await page.getByRole('progressbar').getAttribute('value'), '500')
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByText('1,000 of 1,010 rows are done: 99%.').waitFor()
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByText('1,010 created, 0 changed.').waitFor()
    })

  test('SVC-7: the browser asks before changes are lost, and not when they are saved', async () => {
    const { id } = await service().createUser('unsaved')
    const page = await chromium().open(`${service().client.origin}/admin/users/${id}/`)
    await logIn(page, 'chief')
    const asked: string[] = []
    page.on('dialog', async dialog => {
      asked.push(dialog.type())
      await dialog.dismiss()
    })
    await page.getByLabel('Email').fill('unsaved@example.org')
    await page.getByRole('link', { name: 'Cancel' }).click({ noWaitAfter: true })
    await eventually(() => asked.length > 0, 'the browser asks')
    assert.deepEqual(asked, ['beforeunload'])
    assert.equal(await page.getByLabel('Email').inputValue(), 'unsaved@example.org')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved: Email').waitFor()
    await page.getByRole('link', { name: 'Cancel' }).click()
    await page.getByLabel('Email').waitFor()
    assert.equal(asked.length, 1)
  })

  test('SVC-7: the menu of an object opens with Enter, and closes with Escape and with a click elsewhere', async () => {
    const { id } = await service().createUser('menu')
    const page = await chromium().open(`${service().client.origin}/admin/users/${id}/`)
    await logIn(page, 'chief')
    const more = page.locator('.actions summary')
    const deletion = page.getByRole('link', { name: 'Delete…' })
    await more.focus()
    await page.keyboard.press('Enter')
    await deletion.waitFor()
    await checkAccessibility(page)
    await page.keyboard.press('Tab')
    assert.equal(await page.locator(':focus').innerText(), 'Revoke tokens…')
    await page.keyboard.press('Escape')
    assert.ok(!(await deletion.isVisible()))
    assert.equal(await page.locator(':focus').innerText(), 'More')
    await more.click()
    await page.getByRole('heading', { level: 1 }).click()
    assert.ok(!(await deletion.isVisible()))
  })

  for (const javaScriptEnabled of [true, false])
    test(`SVC-7: several objects are created one after another, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, async () => {
      const { origin } = service().client
      const page = await chromium().open(`${origin}/snippet/snippets/?new`, { javaScriptEnabled })
      await logIn(page, 'chief')
      const title = `<b>${javaScriptEnabled} مرحبا`
      await page.getByLabel('Title').fill(title)
      await page.getByRole('button', { name: 'Create and add another' }).click()
      await page.locator('[data-field="code"] .errors li').waitFor()
      await page.getByRole('textbox', { name: 'Code' }).fill('x')
      await page.getByRole('button', { name: 'Create and add another' }).click()
      const notice = page.locator('.notice', { hasText: 'created' })
      await notice.waitFor()
      assert.equal(await notice.innerText(), `Snippet “${title}” created.`)
      assert.match(page.url(), /snippets\/\?new/)
      assert.equal(await page.getByLabel('Title').inputValue(), '')
      if (javaScriptEnabled) await checkAccessibility(page)
      await page.getByRole('link', { name: title, exact: true }).click()
      await page.waitForURL(/snippets\/\d+\/$/)
      assert.equal(await page.getByLabel('Title').inputValue(), title)
      await page.goto(`${origin}/snippet/snippets/?new`)
      await page.getByRole('link', { name: 'Cancel' }).click()
      await page.waitForURL(/snippets\/$/)
    })
})

function countClicks(page: Page) {
  let count = 0
  return {
    clicks: () => count,
    async openMenu() {
      count++
      await page.locator('.actions summary').getByText('More', { exact: true }).click()
    },
    async click(role: 'button' | 'link', name: string) {
      count++
      await page.getByRole(role, { name, exact: true }).click()
    },
  }
}
