// User input stays text: it adds no element, attribute or URL scheme to a page.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { inChromiumWithService, logIn } from '../support/chromium.ts'

const hostile = [
  `</script><script>hostile = true</script>`,
  `"><img src=x onerror="hostile = true">`,
  `' onfocus='hostile = true' autofocus='`,
  `</textarea></pre><svg onload=hostile=true>`,
  'javascript:hostile=true',
  'data:text/html,<script>parent.hostile=true</script>',
  'http://x"onmouseover="hostile=true',
  'https://\u202Egro.live\u202C/',
  '\u202Eedoc\u202C \u2066bidi\u2069',
  '{{hostile}}$' + '{hostile = true}<!-- --!> ]]> \u2028.',
  'https://example.org/<b>',
]

const setValue = (option: object, value: string): object => Object.assign(option, { value })

inChromiumWithService({ profiles: ['snippets'] }, (chromium, service) => {
  let key: string
  before(async () => {
    key = (await service().createUser('<b id="user">&lt;')).key
  })

  async function check(page: Page, allowed: number): Promise<void> {
    const found = await page.evaluate(`({
      isHostile: 'hostile' in window,
      elements: document.querySelectorAll('img, svg, b#user, main script, object, embed, base, meta[http-equiv]').length,
      handlers: [...document.querySelectorAll('*')].flatMap(e => e.getAttributeNames()).filter(name => /^on|^style$|autofocus/.test(name)),
      schemes: [...document.querySelectorAll('[href], [src], [action]')].flatMap(e => [e.href, e.src, e.action]).filter(url => typeof url === 'string').map(url => new URL(url).protocol),
      hosts: [...document.querySelectorAll('a, form')].map(e => new URL(e.href ?? e.action).host).filter(host => host !== location.host),
    })`)
    const { isHostile, elements, handlers, schemes, hosts } = found as {
      isHostile: boolean
      elements: number
      handlers: string[]
      schemes: string[]
      hosts: string[]
    }
    assert.deepEqual([isHostile, elements, handlers], [false, 0, []], page.url())
    assert.deepEqual([...new Set(schemes)], ['http:'], page.url())
    assert.ok(hosts.length <= allowed, String(hosts))
  }

  test('SVC-7: hostile titles and code stay text, in lists, objects, tables and forms', async () => {
    const { client } = service()
    for (const text of hostile) {
      const response = await client.post('/snippets/', { json: { title: text, code: text }, token: key })
      assert.equal(response.status, 201, response.text)
    }
    const page = await chromium().open(`${client.origin}/snippets/`)
    await check(page, 0)
    await logIn(page, '<b id="user">&lt;')
    await check(page, 0)
    for (const [index, text] of hostile.entries()) {
      await page.goto(`${client.origin}/snippets/${index + 1}/`)
      await check(page, 0)
      assert.equal(await page.locator('#patch-title').inputValue(), text)
      assert.doesNotMatch(await page.locator('.response').innerText(), /\p{Bidi_Control}/u)
    }
    await page.goto(`${client.origin}/users/`)
    await check(page, 0)
  })

  test('SVC-7: the submitted values of a rejected form are shown as text', async () => {
    const page = await chromium().open(`${service().client.origin}/snippets/?new`, { javaScriptEnabled: false })
    await logIn(page, '<b id="user">&lt;')
    for (const text of hostile) {
      await page.locator('#post-title').fill(text)
      await page.locator('#post-language option:checked').evaluate(setValue, text)
      // Without JavaScript, a click does not wait for the next page.
      await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Create', exact: true }).click()])
      assert.match(await page.title(), /^Error: /)
      assert.equal(await page.locator('#post-title').inputValue(), text)
      assert.match(await page.locator('[data-field="language"] .errors').innerText(), /is not a valid choice/)
      await check(page, 0)
    }
  })

  test('SVC-7: hostile URLs and query strings stay on this host', async () => {
    const { origin, host } = new URL(service().client.origin)
    const page = await chromium().open(origin)
    for (const path of [
      '//evil.example/x/',
      '/\\evil.example/',
      '/%22%3E%3Cimg%20src=x%20onerror=hostile=1%3E/',
      '/javascript:alert(1)/',
      '/snippets/?page="><script>hostile=1</script>&next=javascript:hostile=1',
      '/snippets/?format=api&search=</title><script>hostile=1</script>',
      '/api-auth/login/?next=javascript:hostile=1',
      '/api-auth/login/?next=//evil.example/',
      '/%E2%80%AEfdp/',
      '/snippets/1/%3Cb%3E/',
    ]) {
      await page.goto(origin + path)
      assert.equal(new URL(page.url()).host, host, path)
      await check(page, 0)
    }
  })
})
