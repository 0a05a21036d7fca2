// Checks every kind of page with axe (WCAG 2 and best practices), in light and dark mode, on a desktop and on a phone.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { anonThrottle, browsable, jsonRenderer, memoryStore } from 'resource-api'
import { checkAccessibility } from '../support/accessibility.ts'
import { inChromiumWithService, logIn } from '../support/chromium.ts'
import { startApi, type TestApi } from '../support/own-api.ts'

const looks = [
  { colorScheme: 'light', viewport: { width: 1280, height: 800 } },
  { colorScheme: 'dark', viewport: { width: 390, height: 800 } },
] as const

const accountPages = ['tokens/', 'sessions/', 'password/'].map(path => `/api-auth/${path}`)

inChromiumWithService({}, (chromium, service) => {
  let testApi: TestApi
  before(async () => {
    await service().createUser('ada', { staff: true, superuser: true })
    const throttle = anonThrottle({ rates: '1/day', store: memoryStore() })
    const GET = () => {
      throw new Error('on purpose')
    }
    testApi = await startApi(
      {
        renderers: [jsonRenderer, browsable()],
        views: {
          '/broken/': { name: 'Broken', handlers: { GET } },
          '/limited/': {
            name: 'Limited',
            throttles: [throttle],
            handlers: { GET: () => ({ status: 200, body: { a: [1.5, true, null, 'text'] } }) },
          },
        },
      },
      { socket: true },
    )
  })
  after(() => testApi?.stop())

  for (const look of looks) {
    const { colorScheme, viewport } = look
    test(`SVC-7: all pages are accessible, ${colorScheme}, ${viewport.width} pixels wide`, async () => {
      const { origin } = service().client
      const page = await chromium().open(`${origin}/`, look)
      await checkAccessibility(page)
      const visit = async (path: string, root = origin) => {
        await page.goto(root + path)
        await checkAccessibility(page)
      }
      await visit('/api-auth/login/')
      await page.getByLabel('Username').fill('ada')
      await page.getByLabel('Password').fill('wrong')
      await page.getByRole('button', { name: 'Log in' }).click()
      await page.getByRole('alert').waitFor()
      await checkAccessibility(page)
      await visit('/nothing/at/all/')
      await visit('/?q=s')
      await visit('/?q=nothing-at-all')
      await visit('/directory/users/')
      await visit('/broken/', testApi.client.origin)
      assert.match(await page.title(), /^500 /)
      await visit('/limited/', testApi.client.origin)
      await visit('/limited/', testApi.client.origin)
      assert.match(await page.title(), /^429 /)

      await page.goto(`${origin}/snippet/snippets/?new`)
      await logIn(page, 'ada')
      await page.getByLabel('Title').fill('z')
      await page.getByRole('button', { name: 'Create', exact: true }).first().click()
      await page.locator('[data-field="code"] .errors li').waitFor()
      const panel = page.locator('.panel')
      if ((await panel.getAttribute('open')) === null) await panel.locator('summary').first().click()
      for (const name of ['Fields', 'Errors', 'GET', 'POST']) {
        await page.locator('.console > details > summary').getByText(name, { exact: true }).click()
        await checkAccessibility(page)
      }
      await page.locator('#post-code').fill('print(1)\n'.repeat(60))
      await page.getByRole('button', { name: 'Create', exact: true }).first().click()
      await page.waitForURL(/snippets\/\d+\/$/)
      await checkAccessibility(page)
      await page.getByRole('link', { name: 'Delete…' }).click()
      await checkAccessibility(page)
      for (const path of ['/directory/', '/directory/users/', '/directory/users/1/', '/admin/', '/admin/users/1/'])
        await visit(path)
      for (const path of ['/admin/users/1/?action=reset-password', ...accountPages]) await visit(path)
      await visit('/admin/users/')
      for (const name of ['Add to group…', 'Delete…']) {
        await page.locator('.selection input').nth(1).check()
        await checkAccessibility(page)
        await page.getByRole('button', { name }).click()
        await page.getByText('The selected objects: 1').waitFor()
        await checkAccessibility(page)
        await page.getByRole('link', { name: 'Cancel' }).click()
      }
    })
  }
})
