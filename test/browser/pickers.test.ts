// Related objects and long lists of choices are selected by name, with the mouse, the keyboard, and without JavaScript.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { checkAccessibility } from '../support/accessibility.ts'
import { inChromiumWithService, logIn } from '../support/chromium.ts'

const arabic = 'مجموعة القراء'
const hostile = '<img src=x onerror=alert(1)> & "quotes"'
const long = 'Long '.repeat(30)

inChromiumWithService({}, (chromium, service) => {
  const createGroups = (names: readonly string[]) =>
    service().services.database.transaction(({ kysely }) =>
      kysely
        .insertInto('groups')
        .values(names.map(name => ({ name })))
        .execute(),
    )
  let root: string
  before(async () => {
    root = (await service().createUser('root', { staff: true, superuser: true })).key
    await createGroups(['Editors', 'Web Standards', arabic, hostile, long])
  })

  const open = async (path: string, options?: Parameters<ReturnType<typeof chromium>['open']>[1]) => {
    const page = await chromium().open(service().client.origin + path, options)
    await logIn(page, 'root')
    return page
  }
  const readGroups = async (id: number): Promise<readonly string[]> => {
    const { groups } = (await service().client.get(`/admin/users/${id}/`, { token: root })).json()
    const names = await service().services.database.kysely.selectFrom('groups').select(['id', 'name']).execute()
    return names.filter(group => groups.includes(group.id)).map(group => String(group.name))
  }
  const save = async (page: Page) => {
    await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Save' }).click()])
    await page.getByText(/^Saved/).waitFor()
  }

  test('SVC-7: groups of a user are added by name, and removed with their chips', async () => {
    const { id } = await service().createUser('sofia')
    const page = await open(`/admin/users/${id}/`)
    const groups = page.getByRole('combobox', { name: 'Groups' })
    for (const name of ['Editors', arabic, hostile]) {
      await groups.click()
      await page.getByRole('option', { name, exact: true }).click()
    }
    await page.getByText('1 field changed').waitFor()
    await checkAccessibility(page)
    await save(page)
    assert.deepEqual((await readGroups(id)).toSorted(), ['Editors', arabic, hostile].toSorted())
    await page.getByRole('button', { name: `Remove ${hostile}` }).click()
    await page.getByRole('button', { name: 'Remove Editors' }).click()
    await save(page)
    assert.deepEqual(await readGroups(id), [arabic])
    await page.getByRole('button', { name: `Remove ${arabic}` }).click()
    await save(page)
    assert.deepEqual(await readGroups(id), [])
  })

  test('SVC-7: a combobox is used with arrows, Enter, Escape and Backspace, and says what it found', async () => {
    const { id } = await service().createUser('keys')
    const page = await open(`/admin/users/${id}/`)
    const groups = page.getByRole('combobox', { name: 'Groups' })
    const readActive = () => page.locator('[role="option"][data-active]').allInnerTexts()
    await groups.focus()
    await page.keyboard.press('ArrowDown')
    assert.equal(await groups.getAttribute('aria-expanded'), 'true')
    await page.getByRole('status').getByText('Results: 5').waitFor()
    await checkAccessibility(page)
    await page.keyboard.press('ArrowUp')
    assert.deepEqual(await readActive(), [arabic])
    assert.equal(
      await groups.getAttribute('aria-activedescendant'),
      await page.locator('[data-active]').getAttribute('id'),
    )
    await page.keyboard.press('Escape')
    assert.equal(await groups.getAttribute('aria-expanded'), 'false')
    await page.keyboard.type('ED')
    assert.deepEqual(await readActive(), ['Editors'])
    await page.keyboard.press('Enter')
    await page.keyboard.type('nothing like this')
    await page.getByRole('status').getByText('Nothing found').waitFor()
    await groups.fill('')
    await page.keyboard.type('web')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Backspace')
    await page.getByRole('status').getByText('Remove Web Standards').waitFor()
    await save(page)
    assert.deepEqual(await readGroups(id), ['Editors'])
  })

  test('SVC-7: a long list of choices is searched, and Back brings back what was selected', async () => {
    const page = await open('/snippet/snippets/?new')
    const language = page.getByRole('combobox', { name: 'Language' })
    assert.equal(await language.inputValue(), 'python')
    await language.click()
    await page
      .getByRole('status')
      .getByText(/Results: \d{3}/)
      .waitFor()
    await page.keyboard.type('types')
    await page.keyboard.press('Enter')
    assert.equal(await language.inputValue(), 'typescript')
    await language.fill('no language')
    await page.keyboard.press('Tab')
    assert.equal(await language.inputValue(), 'typescript')
    await page.getByRole('link', { name: 'Home' }).click()
    await page.goBack()
    assert.equal(await language.inputValue(), 'typescript')
    await page.getByRole('textbox', { name: 'Code' }).fill('x')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.waitForURL(/snippets\/\d+\/$/)
    assert.equal(await language.inputValue(), 'typescript')
  })

  test('SVC-7: the controls of a filter form stand on one line, with their labels above', async () => {
    const page = await open('/admin/users/')
    const fold = page.locator('.filters .fold')
    const readTops = (selector: string) =>
      fold.locator(selector).evaluateAll(found => [...new Set(found.map(each => each.getBoundingClientRect().top))])
    assert.equal((await readTops('> div > div > label')).length, 1)
    assert.equal((await readTops('> div > div > :is(select, .combobox), > div > .menu, > div > p > *')).length, 1)
  })

  test('SVC-7: on a phone, one checkbox selects all rows', async () => {
    const page = await open('/admin/groups/', { viewport: { width: 390, height: 844 } })
    const rows = page.locator('tbody input[type="checkbox"]')
    const [all, first] = [page.locator('thead input[type="checkbox"]'), rows.first()]
    assert.equal((await all.boundingBox())?.x, (await first.boundingBox())?.x)
    await all.check()
    assert.equal(await page.locator('tbody input:checked').count(), await rows.count())
    await checkAccessibility(page)
  })

  test('SVC-7: a list is filtered by a name, and the chip shows it', async () => {
    const page = await open('/admin/users/')
    await page.getByRole('search').getByRole('combobox', { name: 'Groups' }).fill('edit')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByText('Groups: Editors').waitFor()
    assert.match(page.url(), /\?groups=\d+$/)
    assert.deepEqual(await page.locator('tbody th').allInnerTexts(), ['keys'])
    await checkAccessibility(page)
  })

  test('SVC-7: of more than 200 groups, a user is put into two without JavaScript, by searching twice', async () => {
    await createGroups(Array.from({ length: 1000 }, (_, index) => `Team ${index}`))
    const { id } = await service().createUser('plain')
    const page = await open(`/admin/users/${id}/`, { javaScriptEnabled: false })
    await page.getByLabel('Email').fill('typed@example.org')
    const groups = page.locator('#patch-groups')
    for (const [text, name] of [
      ['team 999', 'Team 999'],
      ['edit', 'Editors'],
    ] as const) {
      await page.getByLabel('Search Groups').fill(text)
      await page.locator('.edit').getByRole('button', { name: 'Search' }).click()
      await page.getByText(`What was found for “${text}”`).waitFor()
      const selected = await groups.locator('option:checked').allInnerTexts()
      await groups.selectOption([...selected, name].map(label => ({ label })))
    }
    assert.equal(await page.getByLabel('Email').inputValue(), 'typed@example.org')
    assert.deepEqual(await readGroups(id), [])
    await save(page)
    assert.deepEqual((await readGroups(id)).toSorted(), ['Editors', 'Team 999'])
  })

  test('SVC-7: of 1,000 groups, those that match are searched while a person types; 40 groups of a user fit', async () => {
    const { id } = await service().createUser('busy')
    await service().services.database.transaction(async ({ kysely }) => {
      const groups = await kysely.selectFrom('groups').select('id').orderBy('id').limit(40).execute()
      await kysely
        .insertInto('user_groups')
        .values(groups.map(group => ({ user_id: id, group_id: group.id })))
        .execute()
    })
    const page = await open(`/admin/users/${id}/`)
    assert.equal(await page.getByRole('button', { name: /^Remove / }).count(), 40)
    const groups = page.getByRole('combobox', { name: 'Groups' })
    await groups.pressSequentially('team 77')
    await page.getByRole('option', { name: 'Team 777' }).click()
    await page.getByRole('button', { name: 'Remove Team 777' }).waitFor()
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      for (const width of [1280, 390, 320]) {
        await page.setViewportSize({ width, height: 900 })
        await checkAccessibility(page)
      }
    }
    await page.context().setOffline(true)
    await groups.pressSequentially('web')
    await page.getByText('The service cannot be reached.').waitFor()
    await page.context().setOffline(false)
    await save(page)
    assert.equal((await readGroups(id)).length, 41)
  })
})
