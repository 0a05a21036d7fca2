// Staff tasks on the pages of the administration API.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { inChromiumWithService, logIn } from '../support/chromium.ts'

inChromiumWithService({}, (chromium, service) => {
  before(() => service().createUser('chief', { staff: true }))

  test('SVC-7, AUTH-SCH-2: the administrator creates a user and a token, which authenticates API requests', async () => {
    const { origin } = service().client
    const page = await chromium().open(`${origin}/admin/users/`)
    await logIn(page, 'chief')

    await page.getByLabel('Username').fill('robot')
    await page.getByRole('button', { name: 'POST' }).first().click()
    await page.waitForURL(/\/admin\/users\/\d+\/$/)
    const id = page.url().split('/').at(-2)!

    await page.goto(`${origin}/admin/tokens/`)
    await page.locator('#post-user').fill(id)
    await page.getByRole('button', { name: 'POST' }).first().click()
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
    await page.getByRole('button', { name: 'Delete selected' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('2 deleted.').waitFor()
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
})
