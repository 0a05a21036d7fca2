// Permissions are checked in a table, with and without JavaScript.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { german } from 'resource-api'
import { germanAccounts } from 'resource-api/accounts'
import { checkAccessibility } from '../support/accessibility.ts'
import { inChromiumWithService, logIn, openPanel } from '../support/chromium.ts'

inChromiumWithService({ languages: { de: { ...german, ...germanAccounts } } }, (chromium, service) => {
  let root: string
  before(async () => {
    root = (await service().createUser('root', { staff: true, superuser: true })).key
  })

  const createGroup = async (name: string, permissions: readonly string[]) => {
    const { client } = service()
    const { id } = (await client.post('/admin/groups/', { json: { name, permissions }, token: root })).json()
    return `/admin/groups/${id}/`
  }
  const readPermissions = async (path: string) => (await service().client.get(path, { token: root })).json().permissions
  const open = async (path: string, options?: Parameters<ReturnType<typeof chromium>['open']>[1]) => {
    const page = await chromium().open(service().client.origin + path, options)
    await logIn(page, 'root')
    return page
  }
  const box = (page: Page, name: string) =>
    page.getByRole('group', { name: 'Permissions' }).getByRole('checkbox', { name })
  const save = async (page: Page) => {
    await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Save' }).click()])
    await page.getByText(/^Saved/).waitFor()
  }

  test('SVC-7: permissions are checked in a table; one field has changed; none is an empty list', async () => {
    const path = await createGroup('Editors', ['users.view'])
    const page = await open(path)
    await box(page, 'Groups: change').check()
    await box(page, 'Users: add').check()
    await page.getByText('1 field changed').waitFor()
    await checkAccessibility(page)
    await save(page)
    assert.deepEqual(await readPermissions(path), ['groups.change', 'users.add', 'users.view'])
    for (const name of ['Users: view', 'Users: add', 'Groups: change']) await box(page, name).uncheck()
    await save(page)
    assert.deepEqual(await readPermissions(path), [])
    await box(page, 'Users: view').check()
    await box(page, 'Users: view').uncheck()
    assert.equal(await page.locator('[data-changes]').innerText(), '')
  })

  test('SVC-7: without JavaScript, permissions are checked and unchecked', async () => {
    const path = await createGroup('Readers', ['users.view'])
    const page = await open(path, { javaScriptEnabled: false })
    await box(page, 'Users: delete').check()
    await save(page)
    assert.deepEqual(await readPermissions(path), ['users.delete', 'users.view'])
    await box(page, 'Users: delete').uncheck()
    await box(page, 'Users: view').uncheck()
    await save(page)
    assert.deepEqual(await readPermissions(path), [])
    await page.goto(`${service().client.origin}/admin/groups/?new`)
    await page.getByLabel('Name').fill('Writers')
    await box(page, 'Users: add').check()
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    const { results } = (await service().client.get('/admin/groups/?search=Writers', { token: root })).json()
    assert.deepEqual(results[0].permissions, ['users.add'])
  })

  test('SVC-7: the console follows the table, and the table the console', async () => {
    const page = await open(await createGroup('Console', ['users.view']))
    await openPanel(page)
    await page.locator('.console summary').getByText('PATCH', { exact: true }).click()
    await page.getByText('Edit as JSON').first().click()
    const body = page.locator('[data-editor="PATCH"] textarea')
    await box(page, 'Groups: view').check()
    assert.deepEqual(JSON.parse(await body.inputValue()), { permissions: ['users.view', 'groups.view'] })
    await body.fill('{"permissions": ["users.add"]}')
    assert.equal(await box(page, 'Users: add').isChecked(), true)
    assert.equal(await page.getByRole('checkbox', { checked: true }).count(), 1)
    await body.fill('{"permissions": []}')
    assert.equal(await page.getByRole('checkbox', { checked: true }).count(), 0)
    await page.getByText('1 field changed').waitFor()
  })

  test('SVC-7: going back brings back what was checked', async () => {
    const page = await open(await createGroup('Drafts', ['users.view']))
    await box(page, 'Users: view').uncheck()
    await box(page, 'Groups: delete').check()
    await page.getByRole('link', { name: 'Home' }).click()
    await page.goBack()
    await page.getByText('1 field changed').waitFor()
    assert.equal(await box(page, 'Users: view').isChecked(), false)
    assert.equal(await box(page, 'Groups: delete').isChecked(), true)
  })

  test('SVC-7: an error is beside the table; the first checkbox has the focus', async () => {
    const path = await createGroup('Errors', [])
    const page = await open(path)
    await page.locator('[value="groups.add"]').evaluate(element => element.setAttribute('value', 'gone.add'))
    await box(page, 'Groups: add').check()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('.edit').getByText('"gone.add" is not a valid choice.').waitFor()
    assert.equal(await page.evaluate('document.activeElement.ariaLabel'), 'Groups: add')
    await checkAccessibility(page)
    assert.deepEqual(await readPermissions(path), [])
  })

  test('SVC-7: the table is accessible and fits in English and German, from 320 to 1280 pixels', async () => {
    const path = await createGroup('Wide', ['users.view', 'snippets.change'])
    const page = await open(path)
    for (const language of ['en', 'de']) {
      await page.setExtraHTTPHeaders({ 'accept-language': language })
      await page.reload()
      await page.getByRole('checkbox', { name: language === 'en' ? 'Snippets: delete' : 'Snippets: löschen' }).waitFor()
      for (const width of [320, 640, 1280]) {
        await page.setViewportSize({ width, height: 800 })
        await checkAccessibility(page)
        const sizes = await page.locator('.choice-grid').evaluate(grid => {
          const boxes = [...grid.querySelectorAll('input')].map(input => input.getBoundingClientRect())
          const { scrollWidth, clientWidth } = grid.querySelector('.table')!
          return { smallest: Math.min(...boxes.map(({ height }) => height)), isCut: scrollWidth > clientWidth }
        })
        assert.deepEqual([sizes.smallest >= 24, sizes.isCut], [true, false], `${language} ${width}`)
      }
    }
  })
})
