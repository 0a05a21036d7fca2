// The reference in a real Chromium: accessible, no wider than the screen, and usable without JavaScript.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { checkAccessibility } from '../support/accessibility.ts'
import { inChromiumWithService, logIn } from '../support/chromium.ts'

const looks = [
  { colorScheme: 'light', viewport: { width: 1280, height: 800 } },
  { colorScheme: 'dark', viewport: { width: 390, height: 800 } },
] as const

inChromiumWithService({}, (chromium, service) => {
  before(() => service().createUser('ada', { staff: true, superuser: true }))

  for (const look of looks)
    test(`the pages are accessible, ${look.colorScheme}, ${look.viewport.width} pixels wide`, async () => {
      const { origin } = service().client
      const page = await chromium().open(`${origin}/`, look)
      await logIn(page, 'ada')
      for (const path of ['/docs/', '/docs/snippet-snippets/', '/docs/?q=snippet']) {
        await page.goto(origin + path)
        await page.evaluate('for (const part of document.querySelectorAll(".reference details")) part.open = true')
        await checkAccessibility(page)
      }
    })

  test('the code of a request is chosen, and everything is found, without JavaScript', async () => {
    const { origin } = service().client
    const page = await chromium().open(`${origin}/`, {
      javaScriptEnabled: false,
      viewport: { width: 1280, height: 800 },
    })
    await page.getByRole('navigation', { name: 'Site' }).getByRole('link', { name: 'API reference' }).click()
    await page.getByRole('searchbox', { name: 'Search the reference' }).fill('create snippet')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('link', { name: 'Create snippet' }).click()
    assert.match(page.url(), /\/docs\/snippet-snippets\/#[a-z-]*create-snippet$/)
    const section = page.getByRole('region', { name: /^Create snippet/ })
    await section.getByText('TypeScript', { exact: true }).click()
    await section.getByText('await client').waitFor()
    assert.equal(await section.getByText('curl -X POST').isVisible(), false)
  })

  test('a request is sent as the user who is logged in, or with a token, and its response is shown', async () => {
    const { origin } = service().client
    const { key } = await service().createUser('bob')
    const page = await chromium().open(`${origin}/`)
    await logIn(page, 'ada')
    await page.goto(`${origin}/docs/snippet-snippets/`)
    const tree = page.getByRole('navigation', { name: 'API reference' })
    await tree.getByRole('link', { name: 'Create snippet' }).click()
    const section = page.getByRole('region', { name: /^Create snippet/ })
    await section.getByRole('button', { name: 'Send…' }).click()
    await section.getByLabel('Body').fill('{"code": "print(\'sent\')"}')
    await checkAccessibility(page)
    const send = async () => {
      await section.getByRole('button', { name: 'Send POST' }).click()
      await section.getByText('201 Created', { exact: true }).last().waitFor()
      return section.locator('.result .body').innerText()
    }
    assert.match(await send(), /"owner": "ada",/)
    await section.getByLabel('Token').fill(key)
    await section.getByText('"owner": "ada"').waitFor()
    await section.getByRole('button', { name: 'Send POST' }).press('Enter')
    await section.getByText('"owner": "bob"').waitFor()
    await section.getByLabel('Body').fill('no JSON')
    await section.getByRole('button', { name: 'Send POST' }).click()
    await section.getByText('400 Bad Request').waitFor()
    const list = page.getByRole('region', { name: /^List snippets/ })
    await list.getByRole('button', { name: 'Send…' }).press('Enter')
    // The token stays while the page is open.
    assert.equal(await list.getByLabel('Token').inputValue(), key)
    await list.getByRole('textbox', { name: 'URL' }).fill('/snippet/snippets/99/')
    await page.keyboard.press('Enter')
    await list.getByText('404 Not Found').waitFor()
  })
})
