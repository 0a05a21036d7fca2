// The login and logout views (END-LOGIN-p1, AUTH-GAP-b2).

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { createCsrf } from 'resource-api'
import { createService, openServices } from 'resource-api/service'
import { createPageFrame } from '#pages'
import { loginView } from '../../src/accounts/login/login-view.ts'
import { anyCharacter } from '../support/any-text.ts'
import { findCsrfToken, loginUrl, logoutUrl, openBrowser, parseSetCookies } from '../support/browser.ts'
import type { RequestOptions, TestResponse } from '../support/client.ts'
import { multipart } from '../support/multipart.ts'
import { startApi } from '../support/own-api.ts'
import { randomCases } from '../support/repetitions.ts'
import { onEitherService, onEveryService, password } from '../support/service.ts'
import { countRows } from '../support/tables.ts'

const invalidLogin = 'Please enter a correct username and password. Note that both fields may be case-sensitive.'

function assertPage(response: TestResponse): void {
  const { status, headers, text } = response
  assert.deepEqual([status, headers['content-type']], [200, 'text/html; charset=utf-8'])
  assert.doesNotMatch(
    text,
    /<style|<script(?! src="\/-\/)|<link(?! rel="(?:stylesheet|icon)" href="\/-\/)|\sstyle=|\son\w+=|http|\\/,
  )
  assertSafe(response)
}

function assertSafe({ headers }: TestResponse): void {
  assert.equal(headers['cache-control'], 'no-store')
  assert.equal(headers['x-content-type-options'], 'nosniff')
  assert.equal(headers['x-frame-options'], 'DENY')
  assert.match(headers['content-security-policy']!, /^default-src 'none';.* frame-ancestors 'none'$/)
}

onEveryService({ profiles: ['snippets'] }, service => {
  /** Gets the login page and posts its form with these fields. */
  const post = async (fields: Readonly<Record<string, string>>, options: RequestOptions = {}, query = '') => {
    const browser = openBrowser(service().client)
    const csrfmiddlewaretoken = findCsrfToken(await browser.get(loginUrl + query))
    return browser.request('POST', loginUrl + query, { form: { ...fields, csrfmiddlewaretoken }, ...options })
  }

  test('END-LOGIN-p1, AUTH-GAP-b2: GET shows an accessible form', async () => {
    const page = await service().client.get(loginUrl, { headers: { accept: 'text/html' } })
    assertPage(page)
    assert.match(page.text, /^<!DOCTYPE html>\n<html lang="en">/)
    assert.match(page.text, /<title>Log in &middot; /)
    assert.match(
      page.text,
      /<label for="username">Username<\/label>\n<input id="username" name="username" value="" autocomplete="username"/,
    )
    assert.match(
      page.text,
      /<label for="password">.*\n<input id="password" name="password" type="password" autocomplete="current-password"/,
    )
    assert.doesNotMatch(page.text, /role="alert"|aria-invalid|name="next"/)
    assert.equal(page.headers.allow, 'GET, POST, HEAD, OPTIONS')
    assert.match(page.headers.vary!, /Cookie/)
    assert.equal((await service().client.request('HEAD', loginUrl)).text, '')
  })

  test('END-LOGIN-p1, AUTH-SCH-r3: a login redirects to the root with 302, and sets a session and a new CSRF token', async () => {
    const { client, createUser } = service()
    await createUser('ann')
    const page = await client.get(loginUrl)
    const token = findCsrfToken(page)
    assert.equal(parseSetCookies(page)[0]!.value, token)
    const form = { username: 'ann', password, csrfmiddlewaretoken: token }
    const login = await client.post(loginUrl, { form, headers: { cookie: `csrftoken=${token}` } })
    assert.deepEqual([login.status, login.headers.location, login.text], [302, '/', ''])
    assertSafe(login)
    const [session, renewed] = parseSetCookies(login)
    assert.match(session!.value, /^[\w-]{43}$/)
    assert.deepEqual(session, {
      name: 'sessionid',
      value: session!.value,
      attributes: { 'max-age': '1209600', path: '/', httponly: '', samesite: 'Lax' },
    })
    assert.equal(renewed!.name, 'csrftoken')
    assert.notEqual(renewed!.value, token)
  })

  test('END-LOGIN-p1: a login accepts urlencoded forms, multipart forms and JSON', async () => {
    const { client, createUser } = service()
    await createUser('bob')
    for (const encode of [(form: Record<string, string>) => ({ form }), multipart]) {
      const browser = openBrowser(client)
      const csrfmiddlewaretoken = findCsrfToken(await browser.get(loginUrl))
      const fields = { username: 'bob', password, next: '/users/', csrfmiddlewaretoken }
      const login = await browser.request('POST', loginUrl, encode(fields))
      assert.deepEqual([login.status, login.headers.location], [302, '/users/'])
    }
    const browser = openBrowser(client)
    await browser.get(loginUrl)
    const json = await browser.send('POST', loginUrl, { json: { username: 'bob', password, next: '/users/' } })
    assert.deepEqual([json.status, json.headers.location], [302, '/users/'])
    for (const [body, error] of [
      [[], 'Invalid data. Expected a dictionary, but got list.'],
      [{ username: 'bob', password: { a: 1 }, next: 5 }, 'Password: Not a valid string.'],
      [{ username: '\ud800', password }, 'Username: Not a valid string.'],
    ] as const)
      assert.ok((await browser.send('POST', loginUrl, { json: body })).text.includes(error), error)
  })

  test('END-LOGIN-p1: every failed login shows the form again with the same message', async () => {
    const { client, services, createUser } = service()
    await createUser('cid')
    await createUser('sleeping', { active: false })
    const sessions = await countRows(services.database, 'sessions')
    for (const [username, submitted] of [
      ['cid', 'wrong'],
      ['CID', password],
      ['nobody', password],
      ['sleeping', password],
      ['cid', 'x'.repeat(5000)],
      ['x'.repeat(1000), password],
    ] as const) {
      const page = await post({ username, password: submitted })
      assertPage(page)
      assert.match(page.text, /<title>Error: Log in &middot; /)
      assert.ok(page.text.includes('id="errors" role="alert"'), username)
      assert.ok(page.text.includes(`<li>${invalidLogin}</li>`), username)
      assert.ok(page.text.includes(`name="username" value="${username}"`), username)
      assert.equal(page.text.match(/aria-invalid="true" aria-describedby="errors"/g)!.length, 2)
      assert.ok(!page.text.includes(submitted))
      assert.deepEqual(parseSetCookies(page), [])
    }
    assert.equal(await countRows(services.database, 'sessions'), sessions)
    assert.equal((await client.get('/users/')).status, 200)
  })

  test('END-LOGIN-p1: the form lists missing and invalid fields', async () => {
    for (const [fields, errors] of [
      [
        { username: '', password: '' },
        ['Username: This field may not be blank.', 'Password: This field may not be blank.'],
      ],
      [{}, ['Username: This field is required.', 'Password: This field is required.']],
      [{ username: 'a\0', password: 'x' }, ['Username: Null characters are not allowed.']],
    ] as const) {
      const page = await post(fields as Record<string, string>)
      assertPage(page)
      assert.deepEqual(
        [...page.text.matchAll(/<li>([^<]*)<\/li>/g)].map(([, error]) => error),
        errors,
      )
    }
  })

  test('END-LOGIN-p1: submitted values are escaped in the page', async () => {
    const username = `"><script>alert('1')</script><x a='&`
    const page = await post({ username, password: 'x' }, {}, `?next=${encodeURIComponent('/"><script>')}`)
    assertPage(page)
    assert.ok(!/<script>|<x/.test(page.text), page.text)
    assert.ok(page.text.includes('value="/%22%3E%3Cscript%3E"'), page.text)
  })

  test('END-LOGIN-p1: a password of one megabyte is refused before it is hashed', async () => {
    const response = await post({ username: 'ann', password: 'x'.repeat(1024 * 1024) })
    assert.deepEqual([response.status, response.json()], [413, { detail: 'Request body is too large.' }])
  })

  test('END-LOGIN-p1, AUTH-SCH-r3: each login starts a new session and ends the previous one', async () => {
    const { client, createUser } = service()
    await createUser('dan')
    await createUser('eve')
    const browser = openBrowser(client)
    await browser.logIn('dan')
    const { header } = browser
    const first = browser.cookies.get('sessionid')!
    await browser.logIn('eve')
    assert.notEqual(browser.cookies.get('sessionid'), first)
    const post = (headers: Readonly<Record<string, string>>) =>
      client.post('/snippets/', { json: { code: 'x' }, headers })
    assert.equal((await post({ ...header, 'x-csrftoken': header.cookie.split('csrftoken=')[1]! })).status, 401)
    assert.equal((await browser.send('POST', '/snippets/', { json: { code: 'x' } })).json().owner, 'eve')
  })

  test('END-LOGIN-p1: a login does not use a session id that was set before', async () => {
    const { client, createUser } = service()
    await createUser('fay')
    const browser = openBrowser(client)
    const fixedId = 'A'.repeat(43)
    browser.cookies.set('sessionid', fixedId)
    await browser.logIn('fay')
    assert.notEqual(browser.cookies.get('sessionid'), fixedId)
    assert.equal(
      (await client.post('/snippets/', { json: { code: 'x' }, headers: { cookie: `sessionid=${fixedId}` } })).status,
      401,
    )
  })

  test('AUTH-GAP-b2, ERR-EXC-r7: logout accepts only POST, and redirects to next or the root', async () => {
    const { client, createUser } = service()
    await createUser('gus')
    for (const [next, location] of [
      ['', '/'],
      ['?next=/users/', '/users/'],
      ['?next=//evil.example', '/'],
      ['?next=/a&next=/b', '/'],
    ] as const) {
      const browser = openBrowser(client)
      await browser.logIn('gus')
      const refused = await browser.get(logoutUrl)
      assert.deepEqual([refused.status, refused.headers.allow], [405, 'POST, OPTIONS'])
      const logout = await browser.send('POST', logoutUrl + next)
      assert.deepEqual([logout.status, logout.headers.location], [302, location])
      assertSafe(logout)
      assert.deepEqual(
        parseSetCookies(logout).map(({ name, value, attributes }) => [name, value, attributes['max-age']]),
        [
          ['sessionid', '', '0'],
          ['csrftoken', '', '0'],
        ],
      )
      assert.equal((await browser.get(loginUrl)).status, 200)
    }
  })

  test('AUTH-GAP-b2: logout by JSON without next responds with 204, because a program shows no page', async () => {
    const { client, createUser } = service()
    await createUser('gil')
    const browser = openBrowser(client)
    await browser.logIn('gil')
    const logout = await browser.send('POST', logoutUrl, { json: {} })
    assert.deepEqual([logout.status, logout.headers.location, logout.text], [204, undefined, ''])
    assertSafe(logout)
    assert.deepEqual(
      parseSetCookies(logout).map(({ name, value }) => [name, value]),
      [
        ['sessionid', ''],
        ['csrftoken', ''],
      ],
    )
    await browser.logIn('gil')
    assert.equal((await browser.send('POST', logoutUrl, { json: { next: '/users/' } })).status, 302)
  })

  test('END-LOGIN-p1: next comes from the body or the query, the body takes precedence, and the form keeps it', async () => {
    const { createUser } = service()
    await createUser('hal')
    const page = await service().client.get(`${loginUrl}?next=%2Fusers%2F%3Fpage%3D2`)
    assert.match(page.text, /<input type="hidden" name="next" value="\/users\/\?page&#61;2">/)
    const fields = { username: 'hal', password }
    const fromQuery = await post(fields, {}, '?next=/users/')
    assert.equal(fromQuery.headers.location, '/users/')
    const fromBody = await post({ ...fields, next: '/snippets/' }, {}, '?next=/users/')
    assert.equal(fromBody.headers.location, '/snippets/')
    const failed = await post({ ...fields, password: 'x', next: '/snippets/' })
    assert.match(failed.text, /name="next" value="\/snippets\/"/)
  })

  test('END-LOGIN-p1: next never redirects to another origin or injects headers', async () => {
    const { client, createUser } = service()
    await createUser('ida')
    const { origin } = client
    for (const [next, location] of [
      ['//evil.example', '/'],
      ['/\\evil.example', '/'],
      ['\\/evil.example', '/'],
      ['/\t/evil.example', '/'],
      ['/.//evil.example', '/'],
      ['javascript:alert(1)', '/'],
      ['http:evil.example', '/'],
      ['http:///evil.example', '/'],
      [`${origin}@evil.example/`, '/'],
      [`${origin}/users/?page=2`, '/users/?page=2'],
      ['/\r\nSet-Cookie: a=b', '/Set-Cookie:%20a=b'],
      ['/%0d%0aSet-Cookie: a=b', '/%0d%0aSet-Cookie:%20a=b'],
      ['/a\0b', '/a%00b'],
      [`/${'a'.repeat(9000)}`, '/'],
      ['/é', '/%C3%A9'],
    ] as const) {
      const login = await post({ username: 'ida', password, next })
      assert.deepEqual([login.status, login.headers.location], [302, location], next)
      assert.equal(parseSetCookies(login).length, 2)
    }
  })
})

onEitherService({ profiles: ['snippets'] }, service => {
  test('END-LOGIN-p1: no generated next redirects to another origin', async () => {
    const { client, createUser } = service()
    await createUser('ann')
    const browser = openBrowser(client)
    await browser.logIn('ann')
    const segment = fc.oneof(
      fc.constantFrom('/', '\\', '//', '.', '@', ':', '\t', '\r\n', '\0', '%2f', '%5c', '%0d%0a', 'http:', '\ud800'),
      fc.string({ unit: anyCharacter, maxLength: 3 }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(segment, { maxLength: 6 }), fc.boolean(), async (pieces, inJson) => {
        const next = pieces.join('')
        const body = inJson ? { json: { next } } : { form: { next } }
        const { status, headers } = await browser.send('POST', logoutUrl, body)
        assert.equal(status, 302)
        assert.equal(new URL(headers.location!, `http://localhost${logoutUrl}`).origin, 'http://localhost')
        await browser.get(loginUrl)
      }),
      { numRuns: randomCases(300) },
    )
  })
})

suite('settings', () => {
  const publicUrl = 'https://api.example.org/v1'
  onEitherService({ loginPath: '/account', publicUrl }, service => {
    test('END-LOGIN-p1: loginPath sets the path, and publicUrl applies to redirects', async () => {
      const { client, createUser } = service()
      await createUser('ann')
      const browser = openBrowser(client)
      assert.equal((await browser.get(loginUrl)).status, 404)
      const headers = { origin: 'https://api.example.org' }
      const logInTo = async (next: string) => {
        browser.cookies.clear()
        const csrfmiddlewaretoken = findCsrfToken(await browser.get('/account/login/'))
        const form = { username: 'ann', password, next, csrfmiddlewaretoken }
        return (await browser.request('POST', '/account/login/', { form, headers })).headers.location
      }
      assert.equal(await logInTo(''), '/v1/')
      assert.equal(await logInTo('/v1/snippet/users/'), '/v1/snippet/users/')
      assert.equal(await logInTo('https://api.example.org/v1/'), '/v1/')
      assert.equal(await logInTo('http://localhost/'), '/v1/')
      assert.equal((await browser.send('POST', '/account/logout/', { headers })).headers.location, '/v1/')
    })
  })

  onEitherService({ loginPath: null }, service => {
    test('END-LOGIN-p1: with loginPath null there are no login views', async () => {
      for (const url of [loginUrl, logoutUrl]) assert.equal((await service().client.get(url)).status, 404)
    })
  })

  onEitherService({ authentication: ['token', 'basic'] }, service => {
    test('END-LOGIN-p1: without the session scheme there are no login views', async () => {
      const { client, createUser } = service()
      await createUser('ann')
      assert.equal((await client.get(loginUrl)).status, 404)
      const { headers } = await client.get('/', { headers: { cookie: 'sessionid=x' } })
      assert.equal(headers.vary, 'Accept, Authorization')
    })
  })

  onEitherService({ profiles: ['directory'] }, service => {
    test('END-LOGIN-p1: under a prefix, a login redirects to the root of the API', async () => {
      const { services, createUser } = service()
      await createUser('ann')
      const csrf = createCsrf({ secret: 's'.repeat(40) })
      const frame = createPageFrame({})
      const views = { '/login/': loginView({ ...services.accounts, csrf, frame }) }
      const { client, stop } = await startApi({ views }, { prefix: '/below/here' })
      const token = findCsrfToken(await client.get('/below/here/login/'))
      const form = { username: 'ann', password, csrfmiddlewaretoken: token }
      const login = await client.post('/below/here/login/', { form, headers: { cookie: `csrftoken=${token}` } })
      await stop()
      assert.deepEqual([login.status, login.headers.location], [302, '/below/here/'])
    })

    test('END-LOGIN-p1, AUTH-SCH-r3: a login form of one process is valid in another process', async () => {
      const { client, services, createUser } = service()
      await createUser('bob')
      const otherParts = openServices(services.settings)
      const app = await createService(otherParts)
      try {
        const token = findCsrfToken(await client.get(loginUrl))
        const response = await app.inject({
          method: 'POST',
          url: loginUrl,
          headers: { cookie: `csrftoken=${token}`, 'x-csrftoken': token },
          payload: { username: 'bob', password },
        })
        assert.equal(response.statusCode, 302)
        const cookie = `sessionid=${response.cookies.find(({ name }) => name === 'sessionid')!.value}`
        assert.equal((await client.get('/users/', { headers: { cookie } })).status, 200)
      } finally {
        await app.close()
        await otherParts.close()
      }
    })

    test('END-LOGIN-p1: failed logins are throttled', async () => {
      const { client, createUser } = service()
      await createUser('cid')
      const browser = openBrowser(client)
      const csrfmiddlewaretoken = findCsrfToken(await browser.get(loginUrl))
      const attempt = (submitted: string) =>
        browser.request('POST', loginUrl, { form: { username: 'cid', password: submitted, csrfmiddlewaretoken } })
      for (let failures = 0; failures < 10; failures++) assert.equal((await attempt('x')).status, 200)
      const throttled = await attempt(password)
      assert.equal(throttled.status, 429)
      assert.ok(throttled.headers['retry-after'])
    })
  })
})
