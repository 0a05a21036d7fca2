// Eleven tasks of a working day, each with at most four clicks from the home page. Objects are chosen by name. Typing, and Enter in
// the search of the header, are no clicks.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { before, test } from 'node:test'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import type { Locator, Page } from 'playwright-core'
import { inChromiumWithService, logIn } from '../support/chromium.ts'

inChromiumWithService({}, (chromium, service) => {
  let token: string
  before(async () => {
    token = (await service().createUser('chief', { staff: true, superuser: true })).key
    for (const name of ['Editors', 'Readers'])
      await service().client.post('/directory/groups/', { json: { name }, token })
  })

  for (const javaScriptEnabled of [true, false]) {
    const suffix = javaScriptEnabled ? 'with JavaScript' : 'without JavaScript'
    const open = async (username = 'chief') => {
      const page = await chromium().open(`${service().client.origin}/`, {
        javaScriptEnabled,
        permissions: ['clipboard-read', 'clipboard-write'],
      })
      await logIn(page, username)
      return new Visitor(page)
    }
    const createUser = async (name: string) => {
      const username = `${name}-${javaScriptEnabled}`
      return { username, ...(await service().createUser(username)) }
    }
    const readUser = async (id: number) => (await service().client.get(`/admin/users/${id}/`, { token })).json()

    test(`SVC-7: a user is found by the e-mail address, ${suffix}`, async () => {
      const { id, username } = await createUser('found')
      await service().client.patch(`/admin/users/${id}/`, { json: { email: `${username}@example.org` }, token })
      const visitor = await open()
      await visitor.find(`${username}@example.org`)
      await visitor.click(visitor.linkTo(username))
      assert.equal(await visitor.readHeading(), username)
      visitor.checkClicks()
    })

    test(`SVC-7: a user is put into two groups, ${suffix}`, async () => {
      const { id, username } = await createUser('member')
      const visitor = await open()
      const { page } = visitor
      await visitor.find(username)
      await visitor.click(visitor.linkTo(username))
      if (javaScriptEnabled)
        for (const name of ['Editors', 'Readers']) {
          await page.getByRole('combobox', { name: 'Groups' }).fill(name)
          await visitor.click(page.getByRole('option', { name, exact: true }))
        }
      else {
        await page.getByLabel('Groups', { exact: true }).selectOption([{ label: 'Editors' }, { label: 'Readers' }])
        visitor.clicks += 2
      }
      await visitor.click(page.getByRole('button', { name: 'Save' }))
      await page.getByText(/^Saved/).waitFor()
      assert.equal((await readUser(id)).groups.length, 2)
      visitor.checkClicks()
    })

    test(`SVC-7: the page of a group tells who is in it, ${suffix}`, async () => {
      const { id, username } = await createUser('editor')
      const editors = (await service().client.get('/admin/groups/?search=Editors', { token })).json().results[0].id
      await service().client.patch(`/admin/users/${id}/`, { json: { groups: [editors] }, token })
      const visitor = await open()
      await visitor.openList('/admin/groups/')
      await visitor.click(visitor.linkTo('Editors'))
      await visitor.linkTo(username).waitFor()
      visitor.checkClicks()
    })

    test(`SVC-7: a user is deactivated, ${suffix}`, async () => {
      const { id, username } = await createUser('gone')
      const visitor = await open()
      await visitor.find(username)
      await visitor.click(visitor.accountOf(username))
      await visitor.click(visitor.linkTo('Deactivate…'))
      await visitor.click(visitor.page.getByRole('button', { name: 'Deactivate', exact: true }))
      await visitor.page.getByText(`${username} was deactivated.`).waitFor()
      await visitor.page.getByRole('button', { name: 'Activate', exact: true }).waitFor()
      assert.equal((await readUser(id)).is_active, false)
      visitor.checkClicks()
    })

    test(`SVC-7: a password is reset, ${suffix}`, async () => {
      const { username } = await createUser('forgetful')
      const visitor = await open()
      await visitor.find(username)
      await visitor.click(visitor.accountOf(username))
      await visitor.click(visitor.linkTo('Reset password…'))
      for (const input of await visitor.page.locator('main input[type="password"]').all())
        await input.fill('correct horse battery')
      await visitor.click(visitor.page.getByRole('button', { name: 'Reset password', exact: true }))
      await visitor.page.getByText(`The password of ${username} was reset.`).waitFor()
      const json = { username, password: 'correct horse battery' }
      assert.equal((await service().client.post('/api-token-auth/', { json })).status, 200)
      visitor.checkClicks()
    })

    test(`AUTH-SCH-2: a token is made and revoked, ${suffix}`, async () => {
      const { username } = await createUser('robot')
      const visitor = await open(username)
      const { page } = visitor
      await visitor.click(page.locator('.account summary'))
      await visitor.click(page.getByRole('link', { name: 'My tokens' }))
      await visitor.click(page.getByRole('button', { name: 'Make token' }))
      const made = await page.locator('.copied-line code').innerText()
      const call = () => service().client.get('/directory/users/', { token: made })
      assert.equal((await call()).status, 200)
      await visitor.click(page.getByRole('button', { name: 'Revoke' }))
      await page.getByRole('button', { name: 'Revoke' }).waitFor({ state: 'detached' })
      assert.equal((await call()).status, 401)
      visitor.checkClicks()
    })

    test(`SVC-7: the page of a snippet tells who changed it yesterday, and what, ${suffix}`, async () => {
      const title = `Changed-${javaScriptEnabled}`
      const created = await service().client.post('/snippet/snippets/', { json: { title: 'Old', code: 'x' }, token })
      const path = `/snippet/snippets/${created.json().id}/`
      await service().client.patch(path, { json: { title }, token })
      const { database } = service().services
      const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
      await database.transaction(({ kysely }) =>
        sql`update audit_log set created = replace(created, substr(created, 1, 10), ${yesterday})`.execute(kysely),
      )
      const visitor = await open()
      await visitor.openList('/admin/snippets/')
      await visitor.click(visitor.linkTo(title))
      const change = visitor.page
        .getByRole('region', { name: /^History/ })
        .locator('li', { hasText: 'Old' })
        .first()
      assert.match((await change.locator('time').first().getAttribute('datetime')) ?? '', new RegExp(`^${yesterday}`))
      assert.match(await change.innerText(), /chief/)
      assert.equal(await change.locator('del').first().innerText(), 'Old')
      assert.equal(await change.locator('ins').first().innerText(), title)
      visitor.checkClicks()
    })

    test(`SVC-7: twenty snippets are deleted, ${suffix}`, async () => {
      const word = `Stale${javaScriptEnabled}`
      for (let number = 0; number < 20; number++)
        await service().client.post('/snippet/snippets/', { json: { title: `${word} ${number}`, code: 'x' }, token })
      const visitor = await open()
      const { page } = visitor
      await visitor.openList('/admin/snippets/')
      await page.getByRole('search').getByLabel('Search', { exact: true }).fill(word)
      await page.keyboard.press('Enter')
      await page.waitForURL(/search=Stale/)
      if (javaScriptEnabled) await visitor.click(page.getByRole('checkbox', { name: 'Select all' }))
      await visitor.click(page.getByRole('button', { name: 'Delete…' }))
      if (javaScriptEnabled) await page.getByText('The selected objects: 20').waitFor()
      else await visitor.click(page.getByRole('radio', { name: 'All on this page: 20' }))
      await visitor.click(page.getByRole('button', { name: 'Delete', exact: true }))
      await page.getByRole('status').getByText('20 snippets were deleted.').waitFor()
      assert.equal(await page.locator('.notice:focus').count(), 1)
      const { count } = (await service().client.get(`/admin/snippets/?search=${word}`, { token })).json()
      assert.equal(count, 0)
      visitor.checkClicks()
    })

    if (javaScriptEnabled)
      test('SVC-7: raw JSON is sent, and the copied curl command gets the same status', async () => {
        const visitor = await open()
        const { page } = visitor
        await visitor.openList('/snippet/snippets/')
        await visitor.click(page.locator('.console summary').getByText('POST', { exact: true }))
        const editor = page.locator('[data-editor="POST"]')
        await editor.getByLabel('Edit as JSON').fill('{ "title": "Raw", "code": "print(1)" }')
        await visitor.click(editor.getByRole('button', { name: 'Send' }))
        await page.locator('.result b').getByText('201').waitFor()
        await visitor.click(page.getByRole('button', { name: 'Copy curl' }).locator('visible=true'))
        await page.getByRole('button', { name: 'Copied' }).waitFor()
        const copied = (await page.evaluate('navigator.clipboard.readText()')) as string
        const command = `${copied} -s -o /dev/null -w '%{http_code}'`
        const { stdout } = await promisify(execFile)('sh', ['-c', command], { env: { ...process.env, TOKEN: token } })
        assert.equal(stdout, '201')
        visitor.checkClicks()
      })

    test(`SVC-7: a filter is found and used, ${suffix}`, async () => {
      await createUser('nobody')
      const visitor = await open()
      const { page } = visitor
      await visitor.openList('/admin/users/')
      await page.getByRole('combobox', { name: 'Staff' }).selectOption({ label: 'Yes' })
      visitor.clicks++
      await visitor.click(page.getByRole('button', { name: 'Apply' }))
      await page.getByText('Staff: Yes').waitFor()
      assert.deepEqual(await page.locator('tbody th').allInnerTexts(), ['chief'])
      visitor.checkClicks()
    })

    test(`SVC-7: the page of a list tells what a POST takes, ${suffix}`, async () => {
      const visitor = await open()
      await visitor.openList('/snippet/snippets/')
      await visitor.click(visitor.page.locator('.console summary').getByText('Fields', { exact: true }))
      const code = visitor.page.locator('#field-code')
      await code.waitFor()
      assert.match(await code.innerText(), /required/)
      visitor.checkClicks()
    })
  }
})

class Visitor {
  readonly page: Page
  clicks = 0

  constructor(page: Page) {
    this.page = page
  }

  /** Searches with the box of the header. */
  async find(text: string): Promise<void> {
    await this.page.locator('header input[type="search"]').fill(text)
    await this.page.keyboard.press('Enter')
    await this.page.waitForURL(/\?q=/)
  }

  linkTo(name: string): Locator {
    return this.page.locator('main').getByRole('link', { name, exact: true }).first()
  }

  /** The link to an account in the administration, which is found beside that of the directory. */
  accountOf(username: string): Locator {
    return this.page.locator('main a[href^="/admin/users/"]', { hasText: username })
  }

  /** Follows the link of the rail. */
  openList(path: string): Promise<void> {
    return this.click(this.page.locator(`nav a[href="${path}"]`).first())
  }

  async click(target: Locator): Promise<void> {
    this.clicks++
    await target.click()
  }

  readHeading(): Promise<string> {
    return this.page.getByRole('heading', { level: 1 }).innerText()
  }

  checkClicks(): void {
    assert.ok(this.clicks <= 4, `${this.clicks} clicks`)
  }
}
