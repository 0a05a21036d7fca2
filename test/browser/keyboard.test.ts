// The pages work without a mouse, and partly without a network.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { inChromiumWithService, logIn, logOut } from '../support/chromium.ts'
import { eventually } from '../support/patience.ts'

inChromiumWithService({}, (chromium, service) => {
  before(async () => {
    const { key } = await service().createUser('ada')
    for (const name of ['Editors', 'Engineers', 'Readers'])
      await service().client.post('/directory/groups/', { json: { name }, token: key })
    await service().client.post('/snippet/snippets/', { json: { code: 'x' }, token: key })
  })

  test('SVC-7: the keyboard alone reaches the content, the forms and the dialog', async () => {
    const page = await chromium().open(`${service().client.origin}/snippet/snippets/1/`)
    await page.getByRole('link', { name: 'Log in' }).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/login/)
    await page.getByLabel('Username').focus()
    await page.keyboard.type('ada')
    await page.keyboard.press('Tab')
    await page.keyboard.type('correct horse battery staple')
    await page.keyboard.press('Enter')
    await page.waitForURL(/snippets\/1\/$/)

    await page.keyboard.press('Tab')
    assert.equal(await page.locator(':focus').innerText(), 'Skip to content')
    assert.ok(await page.locator(':focus').isVisible())
    await page.keyboard.press('Enter')
    assert.equal(await page.locator(':focus').getAttribute('id'), 'main')
    const reached: string[] = []
    for (let step = 0; step < 40; step++) {
      await page.keyboard.press('Tab')
      const focus = page.locator(':focus')
      if ((await focus.count()) === 0) continue
      reached.push((await focus.evaluate(element => element.id || (element.textContent ?? '').trim())) as string)
    }
    for (const name of ['Delete…', 'patch-title', 'patch-code', 'patch-linenos', 'combobox-1', 'Save', 'PATCH'])
      assert.ok(reached.includes(name), `${name} of ${reached}`)

    await page.getByRole('link', { name: 'Delete…' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Cancel' }).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/snippets\/1\/$/)
    await page.getByLabel('Title').fill('by key')
    await page.keyboard.press('Enter')
    await page.getByText(/^Saved/).waitFor()
  })

  test('SVC-7: an empty search has the objects that the reader has opened last, until the logout', async () => {
    await service().createUser('bea')
    const { origin } = service().client
    const page = await chromium().open(`${origin}/directory/groups/1/`)
    await logIn(page, 'ada')
    const suggested = async () => {
      await Promise.all([page.waitForResponse(/_suggest/), page.keyboard.press('Control+k')])
      await page.locator('.suggestions:not([hidden])').waitFor()
      return page.locator('.suggestions a').allInnerTexts()
    }
    for (const path of ['/directory/groups/2/', '/directory/groups/1/', '/directory/groups/'])
      await page.goto(origin + path)
    const opened = ['Editors · Group Recently opened by you', 'Engineers · Group Recently opened by you']
    assert.deepEqual(
      (await suggested()).map(text => text.replaceAll(/\s+/g, ' ')),
      opened,
    )
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(/groups\/1\/$/)
    const stored = () => page.evaluate('localStorage.opened') as Promise<string>
    assert.match(await stored(), /Editors/)
    await logOut(page)
    assert.doesNotMatch(await stored(), /Editors|ada/)
    await logIn(page, 'bea')
    await page.goto(`${origin}/directory/users/`)
    // The login has led to the page of the group.
    assert.deepEqual(
      (await suggested()).map(text => text.replaceAll(/\s+/g, ' ')),
      opened.slice(0, 1),
    )
    // A session that ends otherwise leaves nothing to the next user.
    await page.goto(`${origin}/directory/groups/3/`)
    await page.context().clearCookies()
    await page.goto(`${origin}/directory/groups/`)
    assert.doesNotMatch(await stored(), /Readers|bea/)
  })

  test('SVC-7: without JavaScript, Enter in a text saves the form or filters the list, and in a search it searches', async () => {
    const { origin } = service().client
    const page = await chromium().open(`${origin}/admin/snippets/1/`, { javaScriptEnabled: false })
    await service().createUser('enid', { staff: true, superuser: true })
    await logIn(page, 'enid')
    const search = page.getByRole('searchbox', { name: 'Search Language' })
    await search.fill('haskell')
    await search.press('Enter')
    await page.getByText('What was found for “haskell” is in the list above.').waitFor()
    await page.getByLabel('Title').fill('by Enter')
    await page.getByLabel('Title').press('Enter')
    await page.getByText('Saved: Title').waitFor()
    await page.goto(`${origin}/admin/snippets/`)
    const list = page.getByRole('searchbox', { name: 'Search', exact: true })
    await list.fill('by')
    await list.press('Enter')
    await page.waitForURL(/search=by/)
    await page.getByRole('searchbox', { name: 'Search Language' }).fill('haskell')
    await page.getByRole('searchbox', { name: 'Search Language' }).press('Enter')
    await page.getByRole('option', { name: 'Haskell' }).waitFor({ state: 'attached' })
    assert.match(page.url(), /search=by/)
  })

  test('SVC-7: related objects are selected by typing their names', async () => {
    const page = await chromium().open(`${service().client.origin}/directory/users/?new`)
    await logIn(page, 'ada')
    await page.locator('#post-username').fill('bob')
    await page.getByRole('combobox', { name: 'Groups' }).last().focus()
    await page.keyboard.type('edit')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Remove Editors' }).waitFor()
    await page.getByRole('button', { name: 'Create', exact: true }).first().click()
    await page.waitForURL(/users\/\d+\/$/)
    await page.getByRole('button', { name: 'Remove Editors' }).waitFor()
  })

  test('SVC-7: an empty input of a relation is ignored, also without JavaScript', async () => {
    const page = await chromium().open(`${service().client.origin}/directory/users/?new`, { javaScriptEnabled: false })
    await logIn(page, 'ada')
    await page.locator('#post-username').fill('carl')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    assert.equal(await page.locator('.notice').innerText(), 'User “carl” created.')
  })

  test('SVC-7: requests can be copied; without a network, loaded data works, and other requests show an error', async () => {
    const options = { permissions: ['clipboard-read', 'clipboard-write'] }
    const page = await chromium().open(`${service().client.origin}/snippet/snippets/1/?a='b'`, options)
    await logIn(page, 'ada')
    await page.context().setOffline(true)
    const readCopied = () => page.evaluate('navigator.clipboard.readText()') as Promise<string>
    // The button shows this only for a moment.
    const copying = page.getByRole('button', { name: 'Copied' }).waitFor()
    await page.getByRole('button', { name: 'Copy curl' }).click()
    await copying
    const copied = await readCopied()
    assert.match(
      copied,
      /^curl \\\n {2}-H 'Accept: application\/json' \\\n {2}-H "Authorization: Token \$TOKEN" \\\n {2}'http.*\?a=/,
    )
    await page.locator('.console summary').getByText('DELETE').click()
    await page.locator('[data-console="DELETE"]').getByText('TypeScript', { exact: true }).click()
    await page.getByRole('button', { name: 'Copy TypeScript' }).click()
    await eventually(async () => (await readCopied()).includes('.destroy()'), 'the request is copied')
    await page.getByLabel('Title').fill('typed')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('.edit form').getByText('The service cannot be reached.').waitFor()
    assert.equal(await page.getByLabel('Title').inputValue(), 'typed')
  })

  test('SVC-7: a selection survives paging, Shift selects a range, and keys move through the rows', async () => {
    await service().createUser('chief', { staff: true })
    for (let index = 100; index < 130; index++) await service().createUser(`row-${index}`)
    const page = await chromium().open(`${service().client.origin}/admin/users/?search=row-`)
    await logIn(page, 'chief')
    const status = page.locator('[data-selected]')
    await page.getByLabel('row-101', { exact: true }).check()
    await page.getByLabel('row-104', { exact: true }).click({ modifiers: ['Shift'] })
    assert.equal(await status.innerText(), '4 selected')
    await page.getByRole('link', { name: 'Next' }).click()
    await page.getByText('21–30 of 30').waitFor()
    assert.equal(await status.innerText(), '4 selected (4 on other pages)')
    await page.getByLabel('row-125', { exact: true }).check()
    await page.getByRole('link', { name: 'Previous' }).click()
    await page.getByText('1–20 of 30').waitFor()
    assert.equal(await status.innerText(), '5 selected (1 on other pages)')
    assert.ok(await page.getByLabel('row-103', { exact: true }).isChecked())

    await page.locator('#main').focus()
    for (const key of ['j', 'j', 'j', 'k', 'x']) await page.keyboard.press(key)
    assert.equal(await page.locator(':focus').innerText(), 'row-101')
    assert.equal(await status.innerText(), '4 selected (1 on other pages)')
    await page.keyboard.press('?')
    await page.getByRole('heading', { name: 'Keys' }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('/')
    await page.keyboard.press('End')
    await page.keyboard.type('j/x?')
    assert.equal(await page.getByLabel('Search', { exact: true }).inputValue(), 'row-j/x?')

    await page.getByRole('button', { name: 'Deactivate…' }).click()
    await page.getByText('The selected objects: 4').waitFor()
    assert.deepEqual(await page.locator('.counts bdi').allInnerTexts(), ['row-102', 'row-103', 'row-104', 'row-125'])
    await page.getByRole('button', { name: 'Deactivate' }).click()
    await page.getByText('was done for 4 users').waitFor()
    assert.equal(await page.evaluate(() => sessionStorage.getItem('selected /admin/users/')), null)

    await page.getByLabel('row-107', { exact: true }).check()
    await page.getByRole('button', { name: 'Clear selection' }).click()
    assert.equal(await page.locator('.selection :checked').count(), 0)
    await page.locator('#main').focus()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'row-100', level: 1 }).waitFor()
  })
})
