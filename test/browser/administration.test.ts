// Staff tasks on the pages of the administration API.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { inChromiumWithService, logIn } from '../support/chromium.ts'
import { password } from '../support/service.ts'

inChromiumWithService({}, (chromium, service) => {
  before(() => service().createUser('chief', { staff: true }))

  test('SVC-7, AUTH-SCH-2: the administrator creates a user and a token, which authenticates API requests', async () => {
    const { origin } = service().client
    const page = await chromium().open(`${origin}/admin/users/?new`)
    await logIn(page, 'chief')

    await page.getByLabel('Username').fill('robot')
    await page.getByRole('button', { name: 'Create', exact: true }).first().click()
    await page.waitForURL(/\/admin\/users\/\d+\/$/)
    const id = page.url().split('/').at(-2)!

    await page.goto(`${origin}/admin/tokens/?new`)
    await page.getByRole('combobox', { name: 'User' }).fill('robot')
    await page.getByRole('option', { name: 'robot' }).click()
    await page.getByRole('button', { name: 'Create', exact: true }).first().click()
    const tokenText = await page
      .getByText(/[0-9a-f]{40}/)
      .first()
      .textContent()
    const [token] = /[0-9a-f]{40}/.exec(tokenText!)!
    const options = { headers: { authorization: `Token ${token}` } }
    assert.equal((await fetch(`${origin}/directory/users/`, options)).status, 200)

    await page.goto(`${origin}/admin/tokens/${id}/`)
    assert.ok(!(await page.content()).includes(token), 'the token is shown only once')
    await page.getByRole('link', { name: 'Delete…' }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.waitForURL(/\/admin\/tokens\/$/)
    assert.equal((await fetch(`${origin}/directory/users/`, options)).status, 401)
  })

  test('SVC-7: users can be searched, selected and deleted together', async () => {
    const { origin } = service().client
    for (const name of ['temp-one', 'temp-two', 'permanent']) await service().createUser(name)
    const page = await chromium().open(`${origin}/admin/users/`)
    await logIn(page, 'chief')
    await page.getByLabel('Search').fill('temp')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.waitForURL(/search=temp/)
    assert.equal(await page.getByText('permanent', { exact: true }).count(), 0)
    await page.locator('thead input[type="checkbox"]').check()
    await deleteSelected(page)
    await page.getByText('2 users were deleted.').waitFor()
    assert.equal(await page.getByRole('link', { name: 'temp-one' }).count(), 0)
    const remaining = await service()
      .services.database.kysely.selectFrom('users')
      .select('username')
      .orderBy('username')
      .execute()
    assert.deepEqual(
      remaining.map(({ username }) => username),
      ['chief', 'permanent', 'robot'],
    )
  })

  test('after a deletion, the page has the objects that moved up, their number, and the focus', async () => {
    const { origin } = service().client
    for (let index = 10; index < 40; index++) await service().createUser(`row-${index}`)
    const page = await chromium().open(`${origin}/admin/users/?search=row-`)
    await logIn(page, 'chief')
    await page.getByLabel('row-10', { exact: true }).check()
    await page.getByLabel('row-11', { exact: true }).check()
    await deleteSelected(page)
    await page.getByText('2 users were deleted.').waitFor()
    assert.equal(await page.locator('.notice:focus').count(), 1)
    await page.getByText('1–20 of 28').waitFor()
    const listNames = () => page.locator('tbody th').allInnerTexts()
    assert.deepEqual([(await listNames()).at(0), (await listNames()).at(-1)], ['row-12', 'row-31'])
    await page.getByRole('link', { name: 'Next' }).click()
    await page.getByText('21–28 of 28').waitFor()
    assert.equal((await listNames())[0], 'row-32')

    await page.locator('thead input[type="checkbox"]').check()
    await deleteSelected(page)
    await page.getByText('8 users were deleted.').waitFor()
    await page.getByText('1–20 of 20').waitFor()
  })

  test('without JavaScript, a person filters a list and creates a user on a page of its own', async () => {
    const { origin } = service().client
    const page = await chromium().open(`${origin}/admin/users/`, { javaScriptEnabled: false })
    await logIn(page, 'chief')
    await page.getByLabel('Search').fill('chief')
    await page.getByRole('button', { name: 'Apply' }).click()
    assert.equal(page.url(), `${origin}/admin/users/?search=chief`)
    await page.getByRole('link', { name: 'Remove the filter Search' }).click()
    assert.equal(page.url(), `${origin}/admin/users/`)
    await page.getByRole('link', { name: 'New user' }).click()
    await page.getByLabel('Username').fill('by-hand')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), 'by-hand')
  })

  test('without JavaScript, a form that is sent after the login has ended is kept, and sent after the next login', async () => {
    const { origin } = service().client
    const page = await chromium().open(`${origin}/admin/users/?new`, { javaScriptEnabled: false })
    await logIn(page, 'chief')
    await page.getByLabel('Username').fill('kept-name')
    await page.getByLabel('Email').fill('kept@example.org')
    await page.context().clearCookies()
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByText('What you typed is kept').waitFor()
    assert.equal(await page.getByRole('link', { name: 'Log in' }).count(), 0)
    await page.getByLabel('Username').fill('chief')
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByText('Your form has not been sent yet.').waitFor()
    await page.getByRole('button', { name: 'Send it now' }).click()
    assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), 'kept-name')
    assert.equal(await page.getByLabel('Email').inputValue(), 'kept@example.org')
  })

  test('15 users fit above the fold, on lines of 36 pixels; a list of several pages is accessible', async () => {
    const { origin } = service().client
    for (let index = 10; index < 55; index++) await service().createUser(`fold-${index}`)
    const page = await chromium().open(`${origin}/admin/users/`, { viewport: { width: 1280, height: 900 } })
    await logIn(page, 'chief')
    const bottoms = await page
      .locator('tbody tr')
      .evaluateAll(rows => rows.map(row => row.getBoundingClientRect().bottom))
    assert.ok(bottoms[14]! <= 900, String(bottoms))
    assert.ok(Math.abs(bottoms[1]! - bottoms[0]! - 36) < 1, String(bottoms))
    await page.goto(`${origin}/admin/users/?page=2&search=fold`)
    await page.evaluate(axe.source)
    const violations = await page.evaluate(
      'axe.run(document, { iframes: false }).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html]))',
    )
    assert.deepEqual(violations, [])
    for (const width of [390, 320]) {
      await page.setViewportSize({ width, height: 900 })
      assert.ok(((await page.evaluate('document.documentElement.scrollWidth')) as number) <= width)
    }
  })

  test('SVC-7: the page of an object shows who changed what, and its deletion says what else is deleted', async () => {
    const { origin } = service().client
    const { id } = await service().createUser('sofia')
    for (const javaScriptEnabled of [true, false]) {
      const page = await chromium().open(`${origin}/admin/users/${id}/`, { javaScriptEnabled })
      await page.getByLabel('Username').fill('chief')
      await page.getByLabel('Password').fill(password)
      await page.getByRole('button', { name: 'Log in' }).click()
      const email = `sofia.${javaScriptEnabled}@example.org`
      await page.getByLabel('Email').fill(email)
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText(/^Saved/).waitFor()
      const history = page.getByRole('region', { name: /^History/ })
      await history.locator('ins', { hasText: email }).first().waitFor()
      await page.locator('.actions summary').click()
      await page.getByRole('link', { name: 'Delete…' }).click()
      await page.getByRole('heading', { name: 'Delete sofia?' }).waitFor()
      await page.getByText('Tokens: 1').waitFor()
    }
  })
})

async function deleteSelected(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Delete…' }).click()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
}
