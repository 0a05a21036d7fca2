// CSRF protection of requests that a session cookie authenticates (AUTH-SCH-4, AUTH-GAP-b1).

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Browser, findCsrfToken, loginUrl, logoutUrl, openBrowser, parseSetCookies } from '../support/browser.ts'
import type { RequestOptions, TestResponse } from '../support/client.ts'
import { multipart } from '../support/multipart.ts'
import { onEitherService, onEveryService, password } from '../support/service.ts'

const snippets = '/snippets/'

/** Asserts that the request was refused with this reason. */
function assertRefused(response: TestResponse, reason: string, note?: string): void {
  assert.deepEqual([response.status, response.json()], [403, { detail: `CSRF Failed: ${reason}.` }], note)
  assert.equal(response.headers['www-authenticate'], undefined)
}

const foreignOrigin = (origin: string) => `Origin checking failed - ${origin} does not match any trusted origins`

onEveryService({ profiles: ['snippets'] }, service => {
  const openLoggedIn = async (username: string): Promise<Browser> => {
    await service().createUser(username)
    const browser = openBrowser(service().client)
    await browser.logIn(username)
    return browser
  }

  test('AUTH-SCH-4: every unsafe method needs the token, whichever scheme is first', async () => {
    const browser = await openLoggedIn('ann')
    const { path } = await create(browser)
    for (const [method, url] of [
      ['POST', snippets],
      ['PUT', path],
      ['PATCH', path],
      ['DELETE', path],
      ['POST', '/api-token-auth/'],
      ['POST', '/users/'],
      ['PROPFIND', snippets],
    ] as const) {
      assertRefused(await browser.request(method, url, { json: { code: 'y' } }), 'CSRF token missing', method)
      const headers = { 'x-csrftoken': 'x' }
      assertRefused(await browser.request(method, url, { json: { code: 'y' }, headers }), 'CSRF token incorrect')
    }
    for (const method of ['GET', 'HEAD', 'OPTIONS']) assert.equal((await browser.request(method, path)).status, 200)
    assert.equal((await browser.request('TRACE', path)).status, 405)
    assert.equal((await browser.send('PUT', path, { json: { code: 'y' } })).status, 200)
    assert.equal((await browser.send('PATCH', path, { json: { title: 'y' } })).status, 200)
    assert.equal((await browser.send('DELETE', path)).status, 204)
  })

  test('AUTH-SCH-4, SVC-1: a missing token is refused before anything else is checked', async () => {
    const browser = await openLoggedIn('bob')
    const headers = { accept: 'image/png', 'content-type': 'application/xml' }
    assertRefused(await browser.request('POST', '/snippets/?format=xml', { headers, body: '<' }), 'CSRF token missing')
  })

  test('AUTH-GAP-b1: the token cookie is readable by scripts, and SameSite=Lax', async () => {
    const browser = await openLoggedIn('cid')
    const { name, attributes } = parseSetCookies(await openBrowser(service().client).get(loginUrl))[0]!
    assert.deepEqual([name, attributes], ['csrftoken', { 'max-age': '31536000', path: '/', samesite: 'Lax' }])
    assert.match(browser.cookies.get('csrftoken')!, /^[\w-]{22}\.[\w-]{43}$/)
  })

  test('AUTH-GAP-b1: a form sends the token in a field, and the resource gets the other fields', async () => {
    const browser = await openLoggedIn('dan')
    const token = browser.cookies.get('csrftoken')!
    const fields = { code: 'x', csrfmiddlewaretoken: token }
    const response = await browser.request('POST', snippets, { form: fields })
    assert.deepEqual([response.status, response.json().code, response.json().owner], [201, 'x', 'dan'])
    assert.equal((await browser.request('POST', snippets, multipart(fields))).status, 201)

    for (const [options, reason] of [
      [{ form: { code: 'x' } }, 'CSRF token missing'],
      [{ form: { code: 'x', csrfmiddlewaretoken: '' } }, 'CSRF token incorrect'],
      [{ form: { code: 'x', csrfmiddlewaretoken: `${token}x` } }, 'CSRF token incorrect'],
      [
        { form: [...Object.entries({ ...fields, csrfmiddlewaretoken: 'x' }), ['csrfmiddlewaretoken', token]] },
        'CSRF token incorrect',
      ],
      [{ form: fields, headers: { 'x-csrftoken': 'x' } }, 'CSRF token incorrect'],
      [{ form: fields, headers: { 'content-type': 'application/json' } }, 'CSRF token missing'],
      [{ form: fields, headers: { 'content-type': 'text/plain' } }, 'CSRF token missing'],
      [{ json: fields }, 'CSRF token missing'],
      [{ body: `csrfmiddlewaretoken=${token}&code=x` }, 'CSRF token missing'],
      [multipart({ code: 'x', csrfmiddlewaretoken: 'x' }), 'CSRF token incorrect'],
    ] as readonly (readonly [RequestOptions, string])[])
      assertRefused(await browser.request('POST', snippets, options), reason, JSON.stringify(options))
    const { path } = await create(browser)
    const asForm = { 'content-type': 'application/x-www-form-urlencoded' }
    assertRefused(await browser.request('DELETE', path, { headers: asForm }), 'CSRF token missing')
  })

  test('AUTH-SCH-4: a form body is parsed like every body, and nothing is written before', async () => {
    const browser = await openLoggedIn('eve')
    const before = await countSnippets()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    assert.equal((await browser.request('POST', snippets, { headers, body: 'code=%ff' })).status, 400)
    assert.equal((await browser.request('PUT', '/snippets/999/', { form: { code: 'x' } })).status, 403)
    assert.equal(await countSnippets(), before)
  })

  test('AUTH-SCH-4: a missing or malformed cookie is refused', async () => {
    const browser = await openLoggedIn('fay')
    const token = browser.cookies.get('csrftoken')!
    browser.cookies.delete('csrftoken')
    const options = { json: { code: 'x' }, headers: { 'x-csrftoken': token } }
    assertRefused(await browser.request('POST', snippets, options), 'CSRF cookie not set')
    for (const malformed of ['', 'x', '%', '\xff', 'A'.repeat(66), 'x'.repeat(6000), '__proto__']) {
      browser.cookies.set('csrftoken', malformed)
      const response = await browser.request('POST', snippets, { json: {}, headers: { 'x-csrftoken': malformed } })
      assertRefused(response, 'CSRF token incorrect', malformed)
    }
  })

  test('AUTH-SCH-4: a token of another user or from before the login is refused even if cookie and header agree', async () => {
    const anonymousBrowser = openBrowser(service().client)
    await anonymousBrowser.get(loginUrl)
    const anonymousToken = anonymousBrowser.cookies.get('csrftoken')!
    const [gus, hal] = [await openLoggedIn('gus'), await openLoggedIn('hal')]
    const ownToken = gus.cookies.get('csrftoken')!
    for (const token of [anonymousToken, hal.cookies.get('csrftoken')!, `${ownToken.slice(0, 22)}.${'A'.repeat(43)}`]) {
      gus.cookies.set('csrftoken', token)
      assertRefused(await gus.send('POST', snippets, { json: { code: 'x' } }), 'CSRF token incorrect')
    }
    gus.cookies.set('csrftoken', ownToken)
    assert.equal((await gus.send('POST', snippets, { json: { code: 'x' } })).status, 201)
  })

  test('AUTH-SCH-4: each login changes the token and invalidates the previous one', async () => {
    const browser = await openLoggedIn('ida')
    const first = browser.cookies.get('csrftoken')!
    await browser.logIn('ida')
    const second = browser.cookies.get('csrftoken')!
    assert.notEqual(first, second)
    browser.cookies.set('csrftoken', first)
    assertRefused(await browser.send('POST', snippets, { json: { code: 'x' } }), 'CSRF token incorrect')
  })

  test('AUTH-SCH-4: anonymous callers and callers with an Authorization header need no CSRF token', async () => {
    const { client, createUser } = service()
    const { key: token } = await createUser('jan')
    for (const cookie of ['', 'sessionid=x', `sessionid=${'A'.repeat(43)}; csrftoken=x`]) {
      const headers = { cookie, origin: 'https://evil.example' }
      const anonymous = await client.post(snippets, { json: { code: 'x' }, headers })
      assert.deepEqual(
        [anonymous.status, anonymous.json().detail],
        [401, 'Authentication credentials were not provided.'],
      )
      assert.equal((await client.post(snippets, { json: { code: 'x' }, headers, token })).status, 201)
      assert.equal(
        (await client.post(snippets, { json: { code: 'x' }, headers, basic: `jan:${password}` })).status,
        201,
      )
      assert.equal(
        (await client.post('/api-token-auth/', { json: { username: 'jan', password }, headers })).status,
        200,
      )
    }
  })

  test('AUTH-SCH-4: a request from another origin is refused, even with a valid token', async () => {
    const { client } = service()
    const browser = await openLoggedIn('kim')
    const { host, port } = new URL(client.origin)
    for (const origin of [
      'null',
      '',
      'https://evil.example',
      `https://${host}`,
      `${client.origin}.evil.example`,
      `${client.origin}/`,
      client.origin.toUpperCase(),
      `http://evil.example:${port}`,
      `http://${host}1`,
      `${client.origin}, ${client.origin}`,
      'javascript:',
    ])
      assertRefused(
        await browser.send('POST', snippets, { json: { code: 'x' }, headers: { origin } }),
        foreignOrigin(origin),
      )
    const sameOrigin = { origin: client.origin, referer: 'https://evil.example/' }
    assert.equal((await browser.send('POST', snippets, { json: { code: 'x' }, headers: sameOrigin })).status, 201)
    const read = await browser.get(snippets, { headers: { origin: 'https://evil.example' } })
    assert.equal(read.status, 200)
  })

  test('AUTH-SCH-4: the login views always need the token', async () => {
    const { client, createUser } = service()
    await createUser('lou')
    const anonymousBrowser = openBrowser(client)
    const credentials = { username: 'lou', password }
    for (const url of [loginUrl, logoutUrl]) {
      assertRefused(await client.post(url, { form: credentials }), 'CSRF cookie not set')
      assertRefused(await client.post(url, { json: credentials }), 'CSRF cookie not set')
    }
    const token = findCsrfToken(await anonymousBrowser.get(loginUrl))
    const form = { ...credentials, csrfmiddlewaretoken: token }
    for (const url of [loginUrl, logoutUrl]) {
      assertRefused(await anonymousBrowser.request('POST', url, { form: credentials }), 'CSRF token missing')
      assertRefused(await anonymousBrowser.request('POST', url, { json: form }), 'CSRF token missing')
      assertRefused(
        await anonymousBrowser.request('POST', url, { form: { ...form, csrfmiddlewaretoken: `${token}x` } }),
        'CSRF token incorrect',
      )
      const headers = { origin: 'null' }
      assertRefused(await anonymousBrowser.request('POST', url, { form, headers }), foreignOrigin('null'))
    }
    assert.equal(anonymousBrowser.cookies.has('sessionid'), false)
    const loggedInBrowser = openBrowser(client)
    await loggedInBrowser.logIn('lou')
    const crossOrigin = await loggedInBrowser.send('POST', loginUrl, {
      form: credentials,
      headers: { origin: 'https://evil.example' },
    })
    assertRefused(crossOrigin, foreignOrigin('https://evil.example'))
    assert.equal((await anonymousBrowser.request('POST', logoutUrl, { form })).status, 302)
  })

  const create = async (browser: Browser) => {
    const response = await browser.send('POST', snippets, { json: { code: 'x' } })
    assert.equal(response.status, 201, response.text)
    return { path: new URL(response.headers.location!).pathname }
  }

  const countSnippets = async () => (await service().client.get(snippets)).json().length
})

suite('HTTPS', () => {
  const options = { profiles: ['snippets' as const], publicUrl: 'https://api.example.org/v1' }
  const trustedOrigins = ['https://app.example.org', 'http://localhost:3000']
  onEitherService({ ...options, trustedOrigins }, service => {
    test('AUTH-SCH-4, AUTH-GAP-b1: without an Origin header, the Referer must be a page of this service', async () => {
      const { client, createUser } = service()
      await createUser('ann')
      const browser = openBrowser(client)
      const token = findCsrfToken(await browser.get(loginUrl))
      const form = { username: 'ann', password, csrfmiddlewaretoken: token }
      const referer = 'https://api.example.org/v1/api-auth/login/'
      for (const [headers, reason] of [
        [{}, 'Referer checking failed - no Referer'],
        [{ referer: 'api.example.org' }, 'Referer checking failed - Referer is malformed'],
        [{ referer: '' }, 'Referer checking failed - Referer is malformed'],
        [{ referer: 'http://api.example.org/' }, 'Referer checking failed - Referer is insecure while host is secure'],
        [
          { referer: 'https://evil.example/?https://api.example.org/' },
          foreignReferer('https://evil.example/?https://api.example.org/'),
        ],
        [{ referer: 'https://api.example.org@evil.example/' }, foreignReferer('https://api.example.org@evil.example/')],
        [{ referer: 'https://api.example.org.evil.example/' }, foreignReferer('https://api.example.org.evil.example/')],
        [{ referer, origin: 'null' }, foreignOrigin('null')],
        [{ referer, origin: 'http://api.example.org' }, foreignOrigin('http://api.example.org')],
        [{ referer, origin: 'http://localhost' }, foreignOrigin('http://localhost')],
        [{ referer, origin: 'http://app.example.org' }, foreignOrigin('http://app.example.org')],
      ] as const)
        assertRefused(await browser.request('POST', loginUrl, { form, headers }), reason)
      assert.equal((await browser.request('POST', loginUrl, { form, headers: { referer } })).status, 302)
    })

    test('AUTH-SCH-4: requests from trusted origins are accepted', async () => {
      const { client, createUser } = service()
      await createUser('bob')
      for (const origin of [...trustedOrigins, 'https://api.example.org']) {
        const browser = openBrowser(client)
        const form = { username: 'bob', password, csrfmiddlewaretoken: findCsrfToken(await browser.get(loginUrl)) }
        assert.equal((await browser.request('POST', loginUrl, { form, headers: { origin } })).status, 302, origin)
        const headers = { referer: `${origin}/page` }
        const response = await browser.send('POST', snippets, { json: { code: 'x' }, headers })
        assert.equal(response.status, origin.startsWith('https:') ? 201 : 403)
      }
    })

    test('AUTH-GAP-b1, AUTH-SCH-r3: over HTTPS, cookies are Secure', async () => {
      const { client, createUser } = service()
      await createUser('cid')
      const browser = openBrowser(client)
      const page = await browser.get(loginUrl)
      const form = { username: 'cid', password, csrfmiddlewaretoken: findCsrfToken(page) }
      const headers = { origin: 'https://api.example.org' }
      const login = await browser.request('POST', loginUrl, { form, headers })
      const logout = await browser.send('POST', logoutUrl, { headers })
      const set = [page, login, logout].flatMap(parseSetCookies)
      assert.deepEqual(
        set.map(({ name }) => name),
        ['csrftoken', 'sessionid', 'csrftoken', 'sessionid', 'csrftoken'],
      )
      for (const { attributes } of set) {
        assert.deepEqual([attributes.secure, attributes.samesite, attributes.path], ['', 'Lax', '/'])
      }
    })
  })
})

const foreignReferer = (referer: string) => `Referer checking failed - ${referer} does not match any trusted origins`
