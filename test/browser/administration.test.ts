// Tasks of the staff on the pages of the administration.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { inChromiumWithService, logIn } from '../support/chromium.ts'

inChromiumWithService({}, (chromium, service) => {
  before(() => service().createUser('chief', { staff: true }))

  test('SVC-7, AUTH-SCH-2: the administrator creates a user and a token, which then works elsewhere', async () => {
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
    const shown = await page
      .getByText(/[0-9a-f]{40}/)
      .first()
      .textContent()
    const [key] = /[0-9a-f]{40}/.exec(shown!)!
    const list = { headers: { authorization: `Token ${key}` } }
    assert.equal((await fetch(`${origin}/directory/users/`, list)).status, 200)

    await page.goto(`${origin}/admin/tokens/${id}/`)
    assert.ok(!(await page.content()).includes(key), 'the token is shown only once')
    await page.getByRole('button', { name: 'DELETE' }).first().click()
    await page.getByRole('button', { name: 'Delete it' }).click()
    await page.waitForURL(/\/admin\/tokens\/$/)
    assert.equal((await fetch(`${origin}/directory/users/`, list)).status, 401)
  })

  test('SVC-7: several users can be searched for and deleted at once', async () => {
    const { origin } = service().client
    for (const name of ['temp-one', 'temp-two', 'kept']) await service().createUser(name)
    const page = await chromium().open(`${origin}/admin/users/`)
    await logIn(page, 'chief')
    await page.getByLabel('Search').fill('temp')
    await page.getByRole('button', { name: 'Show' }).click()
    await page.waitForURL(/search=temp/)
    assert.equal(await page.getByText('kept', { exact: true }).count(), 0)
    await page.locator('thead input[type="checkbox"]').check()
    await page.getByRole('button', { name: 'Delete the chosen' }).click()
    await page.getByRole('button', { name: 'Delete them' }).click()
    await page.getByText('2 deleted.').waitFor()
    assert.equal(await page.getByRole('link', { name: 'temp-one' }).count(), 0)
    const left = await service()
      .parts.database.kysely.selectFrom('users')
      .select('username')
      .orderBy('username')
      .execute()
    assert.deepEqual(
      left.map(({ username }) => username),
      ['chief', 'kept', 'robot'],
    )
  })
})
