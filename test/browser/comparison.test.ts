// Two objects of a list are compared, with and without JavaScript, also on a narrow screen.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { checkAccessibility } from '../support/accessibility.ts'
import { inChromiumWithService, logIn } from '../support/chromium.ts'

inChromiumWithService({}, (chromium, service) => {
  before(async () => {
    await service().createUser('ada', { staff: true, superuser: true })
    await service().createUser('bob')
  })

  for (const javaScriptEnabled of [true, false])
    test(`SVC-7: selected rows are compared, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, async () => {
      const page = await chromium().open(`${service().client.origin}/admin/users/`, {
        javaScriptEnabled,
        colorScheme: javaScriptEnabled ? 'light' : 'dark',
        viewport: { width: 320, height: 700 },
      })
      await logIn(page, 'ada')
      for (const name of ['ada', 'bob']) await page.getByRole('checkbox', { name, exact: true }).check()
      await page.getByRole('button', { name: 'Compare' }).click()
      await page.waitForURL(/\/admin\/users\/\?_compare=\d+,\d+$/)
      await page.getByRole('columnheader', { name: 'ada' }).waitFor()
      await page.getByRole('rowheader', { name: 'Email' }).waitFor()
      await page.getByRole('link', { name: 'Only differences' }).click()
      await page.getByRole('rowheader', { name: 'Superuser differs' }).waitFor()
      assert.equal(await page.getByRole('rowheader', { name: 'Email' }).count(), 0)
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320)
      if (javaScriptEnabled) await checkAccessibility(page)
      await page.getByRole('link', { name: 'Go to Users' }).click()
      await page.waitForURL(/\/admin\/users\/$/)
    })
})
