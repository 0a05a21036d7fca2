// The pages of the service (SVC-7): format, headers, size, and the forms that each caller sees.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { limitOffset } from 'resource-api'
import { directory } from 'resource-api/directory'
import { snippets } from 'resource-api/snippets'
import { findCsrfToken, loginUrl, openBrowser } from '../support/browser.ts'
import { toReadableText } from '../support/html.ts'
import { onEitherService, onEveryService, type TestService } from '../support/service.ts'

const htmlHeaders = { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8' }
const html = 'text/html; charset=utf-8'

const findContentType = ({ headers }: { readonly headers: Readonly<Record<string, string>> }) => headers['content-type']

/** The methods that a page has forms or buttons for. */
const listOffered = (page: string) => ({
  forms: [...new Set([...page.matchAll(/<form[^>]* data-(?:method|editor)="([A-Z]+)"/g)].map(([, method]) => method))],
  deletes: /href="[^"]*\?delete"/.test(page),
})

async function createSnippet({ client }: TestService, token: string, snippet: object = {}): Promise<string> {
  const response = await client.post('/snippets/', { json: { code: 'print(1)', ...snippet }, token })
  assert.equal(response.status, 201, response.text)
  return new URL(response.headers.location!).pathname
}

onEveryService({ profiles: ['snippets'] }, service => {
  test('SVC-7: clients that prefer HTML get a page, and all others get JSON', async () => {
    const { client } = service()
    const accepts: readonly (readonly [accept: string | undefined, query: string, type: string | undefined])[] = [
      [htmlHeaders.accept, '', html],
      [undefined, '', 'application/json'],
      ['*/*', '', 'application/json'],
      ['application/json', '', 'application/json'],
      ['application/json; indent=2', '', 'application/json'],
      ['application/json, text/html;q=0.9', '', 'application/json'],
      [htmlHeaders.accept, '?format=json', 'application/json'],
      ['*/*', '?format=api', html],
    ]
    for (const path of ['/', '/snippets/', '/users/', '/nothing/', '/snippets/999/']) {
      for (const [accept, query, type] of accepts) {
        const response = await client.get(path + query, accept === undefined ? {} : { headers: { accept } })
        assert.equal(findContentType(response), type, `${path}${query} ${accept}`)
        assert.match(response.headers.vary!, /^Accept\b/)
      }
    }
    const problem = await client.get('/nothing/', { headers: { accept: 'application/problem+json, text/html;q=0.5' } })
    assert.equal(findContentType(problem), 'application/problem+json')
    const indented = await client.get('/', { headers: { accept: 'application/json; indent=4' } })
    assert.match(indented.text, /^\{\n {4}"users"/)
  })

  test('SVC-7: a page runs only its own script, and cannot be framed', async () => {
    for (const path of ['/', '/nothing/', '/snippets/', loginUrl]) {
      const { headers, text } = await service().client.get(path, { headers: htmlHeaders })
      const policy = headers['content-security-policy']!
      for (const part of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"])
        assert.ok(policy.includes(part), policy)
      assert.doesNotMatch(policy, /unsafe|\*/)
      assert.equal(headers['x-frame-options'], 'DENY')
      assert.equal(headers['x-content-type-options'], 'nosniff')
      assert.equal(headers['cache-control'], 'no-store')
      assert.doesNotMatch(text, / style=| on\w+="|<style|<script(?! src="\/-\/\w+\.\w+\.js" defer><\/script>)/)
    }
    const { headers: jsonHeaders } = await service().client.get('/')
    assert.equal(jsonHeaders['content-security-policy'], "default-src 'none'; frame-ancestors 'none'")
  })

  test('SVC-7: HEAD of a page has the status, the length and the other header fields of its GET', async () => {
    const { client, createUser } = service()
    const { key: token } = await createUser('hal')
    const snippet = await createSnippet(service(), token)
    const paths = ['/', '/snippets/', '/snippets/?title=', snippet, `${snippet}?delete`, '/users/', '/nothing/']
    for (const path of [...paths, '/snippets/?new', '/snippets/999/', '/?find=print', '/docs/'])
      for (const caller of [{}, { token }]) {
        const [get, head] = [
          await client.get(path, { ...caller, headers: htmlHeaders }),
          await client.request('HEAD', path, { ...caller, headers: htmlHeaders }),
        ]
        const pick = ({ status, headers }: typeof get) => [
          status,
          ...['content-length', 'content-type', 'location', 'allow', 'vary', 'etag'].map(name => headers[name]),
        ]
        assert.deepEqual([pick(head), head.text], [pick(get), ''], path)
      }
  })

  test('SVC-7: HEAD and OPTIONS as pages', async () => {
    const { client } = service()
    const head = await client.request('HEAD', '/snippets/', { headers: htmlHeaders })
    assert.deepEqual([head.status, findContentType(head), head.text], [200, html, ''])
    const options = await client.request('OPTIONS', '/snippets/', { headers: htmlHeaders })
    assert.deepEqual([options.status, findContentType(options)], [200, html])
    assert.match(toReadableText(options.text), /<b>"renders"<\/b>/)
  })
})

onEitherService({ profiles: ['snippets'] }, service => {
  test('SVC-7: a page has forms and buttons only for the methods that the caller may call', async () => {
    const owner = await service().createUser('owner')
    const other = await service().createUser('other')
    const staff = await service().createUser('boss', { staff: true, superuser: true })
    const path = await createSnippet(service(), owner.key)
    const pageFor = async (url: string, token?: string) =>
      (await service().client.get(url, { headers: htmlHeaders, ...(token && { token }) })).text
    const nothingOffered = { forms: ['GET', 'OPTIONS'], deletes: false }
    assert.deepEqual(listOffered(await pageFor('/snippets/')), nothingOffered)
    assert.deepEqual(listOffered(await pageFor(path)), nothingOffered)
    for (const { key } of [owner, other, staff]) {
      assert.deepEqual(listOffered(await pageFor('/snippets/', key)), {
        forms: ['GET', 'OPTIONS', 'POST'],
        deletes: false,
      })
      assert.deepEqual(listOffered(await pageFor('/users/', key)), nothingOffered)
    }
    assert.deepEqual(listOffered(await pageFor(path, owner.key)), {
      forms: ['PATCH', 'GET', 'OPTIONS', 'PUT'],
      deletes: true,
    })
    for (const { key } of [other, staff]) assert.deepEqual(listOffered(await pageFor(path, key)), nothingOffered)
    assert.match(
      await pageFor(path, owner.key),
      /<iframe class="highlighted-code light" sandbox src="\/snippets\/\d+\/highlight\/"/,
    )
  })

  test('SVC-7: without JavaScript, a created object is shown with its link, and errors are shown beside the fields', async () => {
    await service().createUser('writer')
    const browser = openBrowser(service().client)
    await browser.logIn('writer')
    const page = await browser.get('/snippets/', { headers: htmlHeaders })
    const post = (form: Record<string, string>) =>
      browser.request('POST', '/snippets/', {
        form: { csrfmiddlewaretoken: findCsrfToken(page), ...form },
        headers: htmlHeaders,
      })
    const created = await post({ title: 'Mine', code: 'x = 1', language: 'python', style: 'friendly' })
    assert.deepEqual([created.status, findContentType(created)], [201, html])
    assert.ok(toReadableText(created.text).includes(`Created. <a href="${created.headers.location}">`))
    assert.match(toReadableText(created.text), /"Mine"/)

    const rejected = await post({
      title: 'Submitted <title>',
      code: '',
      language: 'klingon',
      style: 'friendly',
      linenos: 'on',
    })
    assert.equal(rejected.status, 400)
    assert.match(rejected.text, /<title>Error: New snippet/)
    assert.match(rejected.text, /id="post-code"[^>]*aria-invalid="true"/)
    assert.match(rejected.text, /<ul class="errors" id="post-code-errors" ><li>This field may not be blank\.<\/li>/)
    assert.match(rejected.text, /value="Submitted &#60;title&#62;"/)
    assert.match(rejected.text, /id="post-linenos"[^>]* checked>/)
    assert.match(rejected.text, /<option value="klingon" selected>/)
  })

  test('SVC-7: a page sets a missing CSRF cookie, so that its forms work', async () => {
    await service().createUser('forgetful')
    const browser = openBrowser(service().client)
    await browser.logIn('forgetful')
    browser.cookies.delete('csrftoken')
    const page = await browser.get('/snippets/', { headers: htmlHeaders })
    assert.ok(browser.cookies.has('csrftoken'))
    const form = { csrfmiddlewaretoken: findCsrfToken(page), code: 'x' }
    assert.equal((await browser.request('POST', '/snippets/', { form, headers: htmlHeaders })).status, 201)
    assert.equal((await service().client.get('/snippets/', { headers: htmlHeaders })).headers['set-cookie'], undefined)
  })

  test('SVC-7: errors of the login and of HTML documents are pages for browsers, and JSON for other clients', async () => {
    const { client } = service()
    const form = { username: 'a', password: 'b' }
    const rejected = await client.post(loginUrl, { form, headers: htmlHeaders })
    assert.deepEqual([rejected.status, findContentType(rejected)], [403, html])
    assert.match(rejected.text, /CSRF Failed/)
    assert.equal(findContentType(await client.post(loginUrl, { form })), 'application/json')
    const missing = await client.get('/snippets/999/highlight/', { headers: htmlHeaders })
    assert.deepEqual([missing.status, findContentType(missing)], [404, html])
  })

  test('SVC-7: a page has at most 100 kB of HTML, also for long lists and objects', async () => {
    const { key } = await service().createUser('verbose')
    const long = '<"é&\'>\n'.repeat(4000)
    let path = ''
    for (let index = 0; index < 60; index++)
      path = await createSnippet(service(), key, { title: `${index}`, code: long, language: 'text' })
    const size = async (url: string, expected = 200) => {
      const { text, status } = await service().client.get(url, { headers: htmlHeaders, token: key })
      assert.equal(status, expected)
      assert.ok(Buffer.byteLength(text) <= 100_000, `${url}: ${Buffer.byteLength(text)}`)
      return toReadableText(text)
    }
    const list = await size('/snippets/')
    assert.match(list, /Only the first 50 items of this list are shown/)
    assert.match(list, /<a href="\/snippets\/\?format=json">View the complete JSON<\/a>/)
    const object = await size(path)
    assert.match(object, /&hellip; 26000 more characters/)
    assert.match(object, /too large to be edited here/)
    await size('/')
    await size('/users/')
    await size('/nothing/', 404)
    assert.equal((await service().client.get('/snippets/')).json().length >= 60, true, 'the JSON is complete')
  })

  test('SVC-7: hostile text is escaped', async () => {
    const { key } = await service().createUser('mallory')
    const text = '</textarea></script><img src=x onerror=alert(1)>"\' \u202Ejavascript:alert(1)'
    const path = await createSnippet(service(), key, { title: text, code: text })
    const { text: page } = await service().client.get(`${path}?x=%22"<u>`, { headers: htmlHeaders, token: key })
    assert.doesNotMatch(page, /<img|<u>|href="javascript/)
    assert.doesNotMatch(page, /<script(?! src="\/-\/\w+\.\w+\.js" defer><\/script>)/)
    assert.match(toReadableText(page), /\\u202ejavascript:alert\(1\)"/)
  })
})

suite('assets', () => {
  onEveryService({}, service => {
    test('SVC-7: the assets of the pages are small, and browsers cache them', async () => {
      const { client } = service()
      for (const path of ['/', '/snippet/snippets/', '/directory/', '/admin/']) {
        const { text } = await client.get(path, { headers: htmlHeaders })
        const urls = [...text.matchAll(/(?:href|src)="([^"]*\/-\/[^"]*)"/g)].map(([, url]) => url!)
        // All APIs have the files at one path.
        assert.ok(
          urls.every(url => url.startsWith('/-/')),
          urls.join(),
        )
        assert.ok(urls.some(url => url.endsWith('.svg')))
        let size = 0
        for (const url of urls) {
          const asset = await client.get(url)
          assert.equal(asset.status, 200)
          const type = { css: 'text/css', js: 'text/javascript', svg: 'image/svg+xml' }[url.split('.').at(-1)!]
          assert.equal(findContentType(asset), `${type}; charset=utf-8`)
          assert.equal(asset.headers['cache-control'], 'public, max-age=31536000, immutable')
          assert.equal(asset.headers['x-content-type-options'], 'nosniff')
          size += gzipSync(asset.text).length
        }
        assert.ok(size <= 22_000, String(size))
      }
      for (const name of ['pages.000000000000.js', 'pages.css', '..%2fpages.css', ''])
        assert.equal((await client.get(`/-/${name}`)).status, 404, name)
    })
  })
})

suite('behind a proxy that adds a path', () => {
  onEitherService({ publicUrl: 'https://example.org/api/' }, service => {
    test('SVC-7: all URLs of a page begin with that path', async () => {
      await service().createUser('ada')
      const { client } = service()
      const headers = { ...htmlHeaders, host: 'example.org' }
      const text = toReadableText(
        (
          await client.get('/snippet/snippets/?x=1', {
            headers,
            basic: 'ada:correct horse battery staple',
          })
        ).text,
      )
      const urls = [...text.matchAll(/(?:href|src|action)="([^"#][^"]*)"/g)].map(([, url]) => url!)
      assert.ok(urls.length > 8)
      for (const url of urls) assert.match(url, /^(?:https:\/\/example\.org)?\/api\//)
      assert.match(text, /action="\/api\/snippet\/snippets\/\?x=1"/)
      assert.match(text, /<bdi>ada<\/bdi><\/summary>/)
      assert.doesNotMatch(text, /logout/, 'no session, so no logout button')
      const anonymousPage = toReadableText((await client.get('/snippet/users/', { headers })).text)
      assert.match(anonymousPage, /href="\/api\/api-auth\/login\/\?next=%2Fapi%2Fsnippet%2Fusers%2F"/)
      assert.match(anonymousPage, /<a class="site" href="\/api\/">/)
      assert.match(
        anonymousPage,
        /<li><a href="\/api\/"><bdi>Home<\/bdi><\/a><\/li><li><a href="\/api\/snippet\/"><bdi>Snippets<\/bdi><\/a><\/li><\/ol>/,
      )
    })
  })
})

suite('rejected requests', () => {
  onEitherService(
    {
      throttles: { anon: '2/day' },
      profiles: [directory(), snippets({ pagination: limitOffset({ defaultLimit: 2 }) })],
    },
    service => {
      test('SVC-7: 401 and 429 are pages without more information than the JSON', async () => {
        const { client } = service()
        const rejected = await client.get('/directory/users/', { headers: htmlHeaders })
        assert.deepEqual([rejected.status, findContentType(rejected)], [401, html])
        assert.equal(rejected.headers['www-authenticate'], 'Token')
        assert.deepEqual(listOffered(rejected.text), { forms: [], deletes: false })
        for (let index = 0; index < 2; index++) await client.get('/snippet/snippets/', { headers: htmlHeaders })
        const throttled = await client.get('/snippet/snippets/', { headers: htmlHeaders })
        assert.deepEqual([throttled.status, findContentType(throttled)], [429, html])
        assert.match(throttled.text, /<b>Retry-After<\/b>: \d+/)
        assert.match(throttled.text, /<title>429 Too many requests/)
      })
    },
  )
})
