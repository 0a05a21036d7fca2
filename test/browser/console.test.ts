// The panel of a page: requests follow the form and the form them; they are sent without leaving the page, and can be opened again.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { before, test } from 'node:test'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { inChromiumWithService, logIn, openPanel } from '../support/chromium.ts'
import { eventually } from '../support/patience.ts'

inChromiumWithService({}, (chromium, service) => {
  let token: string
  before(async () => {
    token = (await service().createUser('ada', { staff: true, superuser: true })).key
    for (const name of ['Editors', 'Readers'])
      await service().client.post('/directory/groups/', { json: { name }, token })
    await service().client.post('/snippet/snippets/', { json: { title: 'One', code: 'x' }, token })
  })

  const openTab = async (page: Page, name: string) => {
    await openPanel(page)
    const tab = page.locator('.console > details:not([open]) > summary').getByText(name, { exact: true })
    if ((await tab.count()) > 0) await tab.click()
  }

  const visit = async (path: string, options = {}) => {
    const page = await chromium().open(service().client.origin + path, options)
    await logIn(page, 'ada')
    return page
  }

  const readBody = async (page: Page, method: string): Promise<unknown> =>
    JSON.parse(await page.locator(`[data-editor="${method}"] textarea`).inputValue())

  const readCode = (page: Page, method: string) =>
    page.locator(`[data-console="${method}"] .example code`).allTextContents()

  /** Opens or closes the panel, and waits until the page has stored this. */
  async function togglePanel(page: Page, outcome: 'opened' | 'closed'): Promise<void> {
    await page.locator('.panel > summary').click()
    await page.locator(outcome === 'closed' ? '.panel.closed' : '.panel:not(.closed)').waitFor()
  }

  test('SVC-7: a PATCH has what was changed, in each language, while the user types', async () => {
    const page = await visit('/snippet/snippets/1/')
    await page.getByLabel('Title').fill('It\'s "é"')
    await page.getByLabel('Line numbers').check()
    await openTab(page, 'PATCH')
    await eventually(async () => /title/.test((await readCode(page, 'PATCH')).join()), 'the code follows')
    assert.deepEqual(await readBody(page, 'PATCH'), { title: 'It\'s "é"', linenos: true })
    const [curl, client] = await readCode(page, 'PATCH')
    assert.match(curl!, /-d '\{\n {2}"title": "It'\\''s \\"é\\"",\n {2}"linenos": true\n\}' \\\n/)
    assert.equal(
      client,
      `const result = await client.snippets(1).update({\n  title: 'It\\'s "é"',\n  linenos: true,\n})`,
    )
  })

  test('SVC-7: the code that the script writes is that of the server', async () => {
    const page = await visit('/snippet/snippets/?new')
    await openTab(page, 'POST')
    const made = await readCode(page, 'POST')
    assert.match(made[1]!, /^const result = await client\.snippets\.create\(\{\n {2}title: '',\n/)
    const editor = page.locator('[data-editor="POST"] textarea')
    await editor.fill('{}')
    await eventually(async () => !(await readCode(page, 'POST')).includes(made[0]!), 'the code follows the body')
    const values = { title: '', code: '', linenos: false, language: 'python', style: 'friendly' }
    await editor.fill(JSON.stringify(values))
    assert.deepEqual(await readCode(page, 'POST'), made)
  })

  test('SVC-7: the script of the request is loaded once somebody enters the request or a form, and misses nothing', async () => {
    const created = await service().client.post('/snippet/snippets/', { json: { title: 'Two', code: 'x' }, token })
    const path = `/admin/snippets/${created.json().id}/`
    const page = await visit(path)
    const [script] = await Promise.all([
      page.waitForRequest(/\/console\.\w+\.js$/),
      (async () => {
        assert.equal(await page.locator('script[src*="/console."]').count(), 0)
        await page.getByLabel('Title').fill('Typed at once')
      })(),
    ])
    await (await script.response())!.finished()
    await openTab(page, 'PATCH')
    await eventually(async () => /Typed at once/.test((await readCode(page, 'PATCH')).join()), 'the code follows')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('.notice').getByText('Saved').waitFor()
    await openPanel(page)
    await page.locator('.sent').getByText(path).waitFor()
  })

  test('SVC-7: a body that is edited as JSON fills the form in', async () => {
    const page = await visit('/snippet/snippets/?new')
    await openTab(page, 'POST')
    await page
      .locator('[data-editor="POST"] textarea')
      .fill('{"code": "a\\nb", "linenos": true, "language": "rust", "unknown": 1}')
    await eventually(async () => (await page.locator('#post-code').inputValue()) === 'a\nb', 'the form follows')
    assert.equal(await page.locator('#post-linenos').isChecked(), true)
    assert.equal(await page.locator('#post-language').inputValue(), 'rust')
    await page.getByLabel('Title').fill('typed')
    const body = { title: 'typed', code: 'a\nb', linenos: true, language: 'rust', style: 'friendly' }
    assert.deepEqual(await readBody(page, 'POST'), body)
  })

  test('SVC-7: a copied curl command gets the same status as the console', async () => {
    const page = await visit('/snippet/snippets/?new', { permissions: ['clipboard-read', 'clipboard-write'] })
    await openTab(page, 'POST')
    for (const [code, status] of [
      ["print('it')\n$HOME `ls`", '201'],
      ['', '400'],
    ] as const) {
      await page.locator('#post-code').fill(code)
      await page.getByRole('button', { name: 'Copy curl' }).click()
      await page.getByRole('button', { name: 'Copied' }).waitFor()
      const copied = (await page.evaluate('navigator.clipboard.readText()')) as string
      const command = `${copied} -s -o /dev/null -w '%{http_code}'`
      const { stdout } = await promisify(execFile)('sh', ['-c', command], { env: { ...process.env, TOKEN: token } })
      assert.equal(stdout, status)
      await page.getByRole('button', { name: 'Send' }).click()
      await page.locator('.result b').getByText(status).waitFor()
    }
  })

  test('SVC-7: the console shows status, time, size, header fields and body; errors name their field and select it', async () => {
    const page = await visit('/snippet/snippets/')
    await page.getByRole('button', { name: 'Send' }).click()
    const result = page.locator('[data-console="GET"] .result')
    assert.match(await result.locator('.outcome').innerText(), /^200 OK \d+ ms · \d+ B$/)
    await result.getByText('Header fields').click()
    assert.match(await result.locator('details pre').innerText(), /^content-type: application\/json$/m)
    assert.equal(JSON.parse(await result.locator('.body').innerText())[0].title, 'One')
    await openTab(page, 'POST')
    const editor = page.locator('[data-editor="POST"]')
    await editor.getByLabel('Edit as JSON').fill('{\n  "title": "t",\n  "code": 5,\n  "language": "none"\n}')
    await editor.getByRole('button', { name: 'Send' }).click()
    await page.locator('.result .errors').getByText('"none" is not a valid choice.').waitFor()
    await page.locator('.result .errors').getByRole('button', { name: 'language' }).click()
    const selected = `document.activeElement.value.slice(document.activeElement.selectionStart, document.activeElement.selectionEnd)`
    assert.equal(await page.evaluate(selected), '"language"')
  })

  test('SVC-7: the panel shows the response to a form that was rejected', async () => {
    const page = await visit('/snippet/snippets/?new')
    await page.getByLabel('Title').fill('Without code')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    const result = page.locator('[data-console="POST"] .result')
    await result.getByText('400 Bad Request').waitFor()
    assert.deepEqual(JSON.parse(await result.locator('.body').innerText()), { code: ['This field may not be blank.'] })
    assert.equal(await page.evaluate('document.activeElement.id'), 'post-code')
  })

  test('SVC-7: requests of the tab have no secrets, and can be opened again', async () => {
    const page = await visit('/admin/users/?new')
    await page.locator('#post-username').fill('eve')
    await page.locator('#post-password').fill('correct horse battery')
    await openTab(page, 'POST')
    const hasPassword = async () => ((await readBody(page, 'POST')) as { password: string }).password === '********'
    await eventually(hasPassword, 'the body follows, without the password')
    assert.doesNotMatch((await readCode(page, 'POST')).join(), /horse/)
    await page.getByRole('button', { name: 'Send' }).click()
    await page.locator('.result').getByText('201 Created').waitFor()
    assert.doesNotMatch((await page.evaluate('JSON.stringify(sessionStorage)')) as string, /horse|csrf/i)
    const login = await service().client.post('/api-token-auth/', {
      json: { username: 'eve', password: 'correct horse battery' },
    })
    assert.equal(login.status, 200, 'the password of the form was sent')
    await page.goto(`${service().client.origin}/snippet/snippets/1/`)
    await page.getByRole('button', { name: /POST \/admin\/users\/ 201/ }).click()
    await page.waitForURL(/\/admin\/users\//)
    await eventually(async () => (await readBody(page, 'POST')) !== undefined, 'the request is open')
    assert.equal(((await readBody(page, 'POST')) as { username: string }).username, 'eve')
    assert.ok(await page.locator('[data-editor="POST"]').isVisible())
  })

  test('SVC-7: a panel that is closed stays closed on other pages, until it is opened again', async () => {
    const page = await visit('/snippet/snippets/')
    const panel = page.locator('.panel')
    const isWide = async () => (await panel.boundingBox())!.width > 300
    assert.equal(await isWide(), true)
    await togglePanel(page, 'closed')
    await page.goto(`${service().client.origin}/directory/groups/`)
    await page.locator('.panel.closed').waitFor()
    assert.equal(await isWide(), false)
    await togglePanel(page, 'opened')
    await page.getByRole('button', { name: 'Send' }).waitFor()
    await page.reload()
    assert.equal(await isWide(), true)
  })

  test('SVC-7: in the administration, the panel is closed until it is opened, and then open on its other pages', async () => {
    const { origin } = service().client
    const page = await visit('/admin/users/')
    const middle = page.locator('.middle')
    const widthOf = async () => (await middle.boundingBox())!.width
    assert.equal(await page.getByText('curl \\').isVisible(), false)
    const whole = await widthOf()
    await page.goto(`${origin}/snippet/snippets/`)
    assert.ok((await widthOf()) < whole, 'the other pages show the request')
    await page.goto(`${origin}/admin/users/`)
    await togglePanel(page, 'opened')
    await page.getByText('curl \\').first().waitFor()
    assert.ok((await widthOf()) < whole)
    await page.goto(`${origin}/admin/groups/`)
    await page.getByText('curl \\').first().waitFor()
    await togglePanel(page, 'closed')
    await page.goto(`${origin}/admin/users/`)
    assert.equal(await page.getByText('curl \\').isVisible(), false)
    await page.goto(`${origin}/snippet/snippets/`)
    await page.getByText('curl \\').first().waitFor()
  })

  test('SVC-7: without JavaScript, the closed panel of the administration opens', async () => {
    const page = await visit('/admin/users/', { javaScriptEnabled: false })
    assert.equal(await page.getByText('curl \\').isVisible(), false)
    await page.locator('.panel > summary').click()
    await page.getByText('curl \\').first().waitFor()
  })

  test('SVC-7: without a network, the console says so and keeps the request', async () => {
    const page = await visit('/snippet/snippets/')
    await openTab(page, 'POST')
    const body = page.locator('[data-editor="POST"] textarea')
    await body.fill('{"code": "kept"}')
    await page.context().setOffline(true)
    await page.getByRole('button', { name: 'Send' }).click()
    await page.locator('.result').getByText('The service cannot be reached.').waitFor()
    assert.equal(await body.inputValue(), '{"code": "kept"}')
    await page.context().setOffline(false)
    await page.getByRole('button', { name: 'Send' }).click()
    await page.locator('.result').getByText('201 Created').waitFor()
  })

  test('SVC-7: without JavaScript, the panel has the code, the fields and the errors, and links to a field open it', async () => {
    const path = '/snippet/snippets/#field-language'
    const page = await visit(path, { javaScriptEnabled: false, viewport: { width: 390, height: 800 } })
    await page.goto(service().client.origin + path)
    assert.ok(await page.locator('#field-language').isVisible())
    await openTab(page, 'POST')
    assert.equal(await page.locator('#field-language').isVisible(), false)
    assert.ok(await page.locator('[data-console="POST"]').getByText('curl -X POST').isVisible())
    assert.equal(await page.getByRole('button', { name: 'Send' }).count(), 0)
    await page.getByText('TypeScript', { exact: true }).last().click()
    assert.ok(await page.locator('[data-console="POST"]').getByText('await client').isVisible())
    await openTab(page, 'Errors')
    assert.ok(await page.getByText('This field is required.').isVisible())
  })
})
