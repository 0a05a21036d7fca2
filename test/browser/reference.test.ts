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
})
