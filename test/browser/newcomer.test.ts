// A new user's session on the pages, from login to logout.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { inChromiumWithService, logIn, logOut } from '../support/chromium.ts'

inChromiumWithService({ profiles: ['snippets'] }, (chromium, service) => {
  before(() => service().createUser('newcomer'))

  test('SVC-7: a newcomer logs in, creates, sees, edits and deletes a snippet, and logs out', async () => {
    const page = await chromium().open(`${service().client.origin}/`)
    await page.getByRole('link', { name: /\/snippets\// }).click()
    await page.waitForURL(/\/snippets\/$/)
    assert.equal(await page.getByRole('button', { name: 'Create', exact: true }).count(), 0)
    await logIn(page, 'newcomer')

    await page.getByRole('link', { name: 'New snippet' }).click()
    await page.getByLabel('Title').fill('First & <best>')
    await page.getByRole('textbox', { name: 'Code' }).fill('def answer():\n    return 42\n')
    await page.getByLabel('Line numbers').check()
    await page.getByRole('combobox', { name: 'Style' }).fill('monok')
    await page.getByRole('option', { name: 'monokai' }).click()
    await page.getByRole('button', { name: 'Create', exact: true }).first().click()
    await page.waitForURL(/\/snippets\/\d+\/$/)
    assert.equal(await page.locator('.notice').innerText(), 'Snippet “First & <best>” created.')
    const url = page.url()
    const frame = page.frameLocator('iframe')
    assert.match(await frame.locator('code').innerText(), /def answer\(\):\n {4}return 42/)
    assert.ok((await frame.locator('code span').count()) > 3, 'the code is highlighted')

    await page.getByLabel('Title').fill('x'.repeat(100))
    await page.getByRole('textbox', { name: 'Code' }).fill('')
    await page.getByRole('button', { name: 'Save' }).click()
    const field = page.locator('#patch-code')
    await page.locator('[data-field="code"] .errors li').waitFor()
    assert.equal(await page.locator('[data-field="code"] .errors').innerText(), 'This field may not be blank.')
    assert.equal(await field.getAttribute('aria-invalid'), 'true')
    assert.equal(await page.getByLabel('Title').inputValue(), 'x'.repeat(100), 'the input is not lost')
    assert.equal(await field.evaluate(element => element.matches(':focus')), true)

    await field.fill('print(1)')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(/^Saved/).waitFor()
    assert.equal(await field.inputValue(), 'print(1)')
    assert.equal(await field.getAttribute('aria-invalid'), null)

    await page.getByLabel('Title').fill('Patched')
    await page.getByLabel('Line numbers').uncheck()
    const [patch] = await Promise.all([
      page.waitForRequest(request => request.method() === 'PATCH'),
      page.getByRole('button', { name: 'Save' }).click(),
    ])
    assert.deepEqual([...patch.postData()!.matchAll(/name="(\w+)"/g)].map(([, name]) => name).sort(), [
      'csrfmiddlewaretoken',
      'linenos',
      'title',
    ])
    await page.locator('.response').getByText('"Patched"').waitFor()
    assert.equal(await page.locator('.notice').innerText(), 'Saved: Title, Line numbers')
    assert.equal(await page.getByLabel('Line numbers').isChecked(), false)

    await page.getByRole('link', { name: 'Delete…' }).click()
    await page.getByRole('heading', { name: 'Delete Patched?' }).waitFor()
    await page.getByRole('link', { name: 'Cancel' }).click()
    await page.getByRole('link', { name: 'Delete…' }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.waitForURL(/\/snippets\/$/)
    await page.getByText('Deleted.').waitFor()
    assert.equal((await page.request.get(url)).status(), 404)

    await logOut(page)
    assert.equal(await page.getByRole('button', { name: 'Create', exact: true }).count(), 0)
  })

  test('SVC-7: raw data in another media type, and its errors', async () => {
    const page = await chromium().open(`${service().client.origin}/snippets/`)
    await logIn(page, 'newcomer')
    await page.locator('.console summary').getByText('POST').click()
    const editor = page.locator('[data-editor="POST"]')
    await editor.getByLabel('Media type').selectOption('application/json')
    await editor.getByLabel('Edit as JSON').fill('{"code": ')
    await editor.getByRole('button', { name: 'Send' }).click()
    await page.locator('.result').getByText('400 Bad Request').waitFor()
    await page.locator('.result').getByText('JSON parse error').first().waitFor()
    await editor.getByLabel('Media type').selectOption('application/x-www-form-urlencoded')
    await editor.getByLabel('Edit as JSON').fill('code=raw')
    await editor.getByRole('button', { name: 'Send' }).click()
    await page.locator('.result').getByText('201 Created').waitFor()
    await page.getByRole('link', { name: 'Show the new state' }).click()
    await page.waitForURL(/\/snippets\/\d+\/$/)
    assert.equal(await page.locator('#patch-code').inputValue(), 'raw')
  })

  test('SVC-7: the response to OPTIONS is shown on the page', async () => {
    const page = await chromium().open(`${service().client.origin}/snippets/`)
    await page.getByRole('button', { name: 'OPTIONS' }).click()
    await page.locator('.result').getByText('200 OK').waitFor()
    assert.ok(JSON.parse(await page.locator('.result .body').innerText()).parses.includes('application/json'))
  })

  test('SVC-7: without JavaScript, reading and creating work, with errors beside the fields; END-LOGIN-p1: so do login and logout', async () => {
    const page = await chromium().open(`${service().client.origin}/snippets/?new`, { javaScriptEnabled: false })
    await logIn(page, 'newcomer')
    for (const name of ['OPTIONS', 'Save', 'PUT', 'PATCH', 'Copy curl'])
      assert.equal(await page.getByRole('button', { name }).count(), 0, name)

    await page.getByLabel('Title').fill('y'.repeat(90))
    await page.getByLabel('Search Language').fill('rus')
    await page.getByRole('button', { name: 'Search' }).first().click()
    await page.getByLabel('Language', { exact: true }).selectOption('rust')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    assert.equal(await page.locator('[data-field="code"] .errors').innerText(), 'This field may not be blank.')
    assert.equal(await page.getByLabel('Title').inputValue(), 'y'.repeat(90))
    assert.equal(await page.getByLabel('Language', { exact: true }).inputValue(), 'rust')
    assert.match(await page.title(), /^Error: New snippet/)

    await page.getByRole('textbox', { name: 'Code' }).fill('fn main() {}')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    assert.equal(await page.locator('.notice').innerText(), `Snippet “${'y'.repeat(90)}” created.`)
    assert.match(page.url(), /\/snippets\/\d+\/$/)
    assert.equal(await page.frameLocator('iframe').locator('code').innerText(), 'fn main() {}\n')

    await logOut(page)
    assert.match(page.url(), /\/snippets\/\d+\/$/)
  })
})
