// No link of a page leads to a page that its caller may not open, or that does not exist.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { openBrowser } from '../support/browser.ts'
import { toReadableText } from '../support/html.ts'
import { onEitherService } from '../support/service.ts'

const headers = { accept: 'text/html' }
/** More pages than the service of this test has. */
const maxPages = 400

onEitherService({ tokens: 'named' }, service => {
  before(async () => {
    const { client, createUser } = service()
    await createUser('root', { staff: true, superuser: true })
    await createUser('staff', { staff: true })
    const { key } = await createUser('user')
    for (const title of ['One', 'Two', 'Three'])
      await client.post('/snippet/snippets/', { json: { title, code: 'x' }, token: key })
    await client.post('/directory/groups/', { json: { name: 'editors' }, token: (await createUser('a')).key })
  })

  for (const caller of ['anonymous', 'user', 'staff', 'root'])
    test(`SVC-7: every link of every page can be opened by this caller: ${caller}`, async () => {
      const browser = openBrowser(service().client)
      if (caller !== 'anonymous') await browser.logIn(caller)
      const found = new Map([['/', 'the start']])
      const dead: string[] = []
      for (const [url, from] of found) {
        const { status, text } = await browser.get(url, { headers })
        if (status >= 400 && status !== 401) dead.push(`${status} ${url} on ${from}`)
        if (status === 200) for (const link of listLinks(text, url)) if (!found.has(link)) found.set(link, url)
      }
      assert.deepEqual(dead, [])
      assert.ok(found.size < maxPages && found.size > (caller === 'root' ? 40 : 5), String(found.size))
    })
})

// Filters and pages of a list are links to the same list, and other formats are no pages.
function listLinks(html: string, base: string): readonly string[] {
  const links = [...toReadableText(html).matchAll(/<a [^>]*href="([^"]*)"/g)].map(
    ([, href]) => new URL(href!.replaceAll('&amp;', '&'), new URL(base, 'http://localhost')),
  )
  return links
    .filter(({ host, search }) => host === 'localhost' && /^$|^\?(?:new|delete|action=.*)$/.test(search))
    .map(({ pathname, search }) => pathname + search)
    .filter(path => !/openapi|^\/docs\//.test(path))
}
