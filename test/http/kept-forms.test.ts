// The form of a page whose session has ended is kept in the login form, and can be sent after the login.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Browser, findCsrfToken, loginUrl, openBrowser } from '../support/browser.ts'
import type { TestResponse } from '../support/client.ts'
import { toReadableText } from '../support/html.ts'
import { fieldPart, filePart, multipart, multipartBody, multipartHeaders } from '../support/multipart.ts'
import { onEitherService, password } from '../support/service.ts'

const accept = 'text/html'
const hostile = '"><script>alert(1)</script>\n  \'&amp; ä 🙂'

/** The hidden inputs of a page, by name. A name may repeat. */
const listHidden = ({ text }: TestResponse): readonly (readonly [string, string])[] =>
  Array.from(
    text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g),
    ([, name, value]) => [toReadableText(name!), toReadableText(value!)] as const,
  )

const listKept = (page: TestResponse) =>
  listHidden(page).filter(([name]) => name.startsWith('kept') && name !== 'kept_url' && name !== 'kept_partial')

onEitherService({ profiles: ['snippets'] }, service => {
  const origin = 'http://localhost'
  const own = { accept, origin }

  /** Creates a user with a snippet and the browser of a session that has ended. */
  async function endSession(name: string) {
    const { client, createUser } = service()
    const { key } = await createUser(name)
    const created = await client.post('/snippets/', { json: { code: 'x', title: 'Old' }, token: key })
    const path = new URL(created.headers.location!).pathname
    const browser = openBrowser(client)
    browser.cookies.set('sessionid', 'A'.repeat(43))
    const read = async () => (await client.get(path)).json()
    return { path, browser, read }
  }

  const logIn = (browser: Browser, page: TestResponse, username: string, typed = password) =>
    browser.request('POST', loginUrl, {
      form: [...listHidden(page), ['username', username], ['password', typed]],
      headers: own,
    })

  const findAction = ({ text }: TestResponse) =>
    toReadableText(/<form method="post" action="([^"]*)" enctype/.exec(text)![1]!)

  test('SVC-7: a form is kept through a wrong password, and sent after the login by a click', async () => {
    const { path, browser, read } = await endSession('kept')
    const url = `${path}?_method=PATCH&_match=*`
    const form = { csrfmiddlewaretoken: 'old', title: hostile.replace('\n', ' '), code: hostile, _shown: 'linenos' }
    const refused = await browser.request('POST', url, {
      ...multipart(form),
      headers: { ...own, ...multipart(form).headers },
    })
    assert.equal(refused.status, 401)
    assert.match(toReadableText(refused.text), /was not sent, because you are not logged in\. What you typed is kept/)
    assert.doesNotMatch(refused.text, /<script>alert|Passwords and files/)
    const kept = listKept(refused)
    assert.deepEqual(kept, [
      ['kept.title', form.title],
      ['kept.code', hostile],
      ['kept._shown', 'linenos'],
    ])
    const wrong = await logIn(browser, refused, 'kept', 'wrong')
    assert.match(wrong.text, /role="alert"/)
    assert.deepEqual(listKept(wrong), kept)

    const page = await logIn(browser, wrong, 'kept')
    assert.equal(page.status, 200)
    assert.equal(page.headers['cache-control'], 'no-store')
    assert.match(page.text, /<h1[^>]*>You are logged in<.*Your form has not been sent yet\..*Send it now<\/button>/s)
    assert.ok(page.text.includes(`<a href="${path}">Open the page without sending</a>`), page.text)
    assert.doesNotMatch(page.text, /<script>alert/)
    assert.equal(findAction(page), url)
    assert.equal((await read()).title, 'Old')
    const sent = listHidden(page).slice(listHidden(page).findIndex(([name]) => name === 'title') - 1)
    assert.deepEqual(sent[0], ['csrfmiddlewaretoken', findCsrfToken(page)])
    const saved = await browser.request('POST', findAction(page), { form: sent, headers: own })
    assert.deepEqual([saved.status, saved.headers.location], [303, path])
    assert.deepEqual([(await read()).title, (await read()).code], [form.title, hostile])
  })

  test('SVC-7: another user who logs in can send the form, but only as far as the permissions allow', async () => {
    const { path, browser, read } = await endSession('first')
    await service().createUser('second')
    const refused = await browser.request('POST', `${path}?_method=PATCH`, { form: { title: 'New' }, headers: own })
    const page = await logIn(browser, refused, 'second')
    assert.match(page.text, /Send it now/)
    const form = { title: 'New', csrfmiddlewaretoken: findCsrfToken(page) }
    const response = await browser.request('POST', findAction(page), { form, headers: own })
    assert.equal(response.status, 403)
    assert.match(response.text, /You are logged in as second/)
    assert.equal((await read()).title, 'Old')
  })

  test('SVC-7: requests of other sites, of programs and without a form keep nothing', async () => {
    const { path, browser } = await endSession('foreign')
    const url = `${path}?_method=PATCH`
    const form = { title: 'typed text' }
    const requests: readonly (readonly [string, Record<string, string>])[] = [
      ['/snippets/', { accept }],
      ['/snippets/', { accept, origin: 'https://evil.example' }],
      ['/snippets/', { accept, origin: 'null' }],
      ['/snippets/', { ...own, 'sec-fetch-site': 'cross-site' }],
      ['/snippets/', { ...own, 'sec-fetch-site': 'same-site' }],
    ]
    for (const [target, headers] of requests) {
      const { status, text } = await browser.request('POST', target, { form, headers })
      assert.equal(status, 401)
      assert.doesNotMatch(text, /typed text|kept/)
    }
    const json = await browser.request('PATCH', path, { json: form, headers: own })
    assert.doesNotMatch(json.text, /typed text|name="kept/)
    const deletion = await browser.request('POST', `${path}?_method=DELETE`, { form, headers: own })
    assert.doesNotMatch(deletion.text, /typed text|kept/)
    const kept = await browser.request('POST', url, { form, headers: own })
    assert.match(kept.text, /typed text/)
  })

  test('SVC-7: secrets, files and fields that the form does not have are left out, and the page says so', async () => {
    const { browser } = await endSession('secretive')
    const form = {
      csrfmiddlewaretoken: 'old token',
      username: 'new-one',
      password: 'secret-one',
      _again_password: 'secret-two',
      'password.x': 'secret-three',
      unknown: 'secret-four',
    }
    const refused = await browser.request('POST', '/admin/users/?new', { form, headers: own })
    assert.equal(refused.status, 401)
    assert.deepEqual(listKept(refused), [['kept.username', 'new-one']])
    assert.match(refused.text, /Passwords and files are not kept\./)
    assert.doesNotMatch(refused.text, /secret-|old token/)
    const page = await logIn(browser, refused, 'secretive')
    assert.match(page.text, /Passwords and files are not kept\./)

    const body = multipartBody(
      fieldPart('title', 'before'),
      filePart('attached', 'a.txt', 'content of the file'),
      fieldPart('code', 'after'),
    )
    const next = openBrowser(service().client)
    const upload = await next.request('POST', '/snippets/', { body, headers: { ...own, ...multipartHeaders } })
    assert.deepEqual(listKept(upload), [
      ['kept.title', 'before'],
      ['kept.code', 'after'],
    ])
    assert.match(upload.text, /Passwords and files are not kept\./)
    assert.doesNotMatch(upload.text, /content of the file/)
    const empty = multipartBody(fieldPart('title', 'only'), filePart('attached', '', ''))
    const untouched = await next.request('POST', '/snippets/', {
      body: empty,
      headers: { ...own, ...multipartHeaders },
    })
    assert.deepEqual(listKept(untouched), [['kept.title', 'only']])
    assert.doesNotMatch(untouched.text, /Passwords and files/)
  })

  test('SVC-7: up to 100 kB in 1000 fields are kept; of more, the page says that it could not be kept', async () => {
    const { browser } = await endSession('long')
    const post = (form: readonly (readonly [string, string])[]) =>
      browser.request('POST', '/snippets/', { form, headers: own })
    const most = 'ä'.repeat(49_998)
    const refused = await post([['code', most]])
    assert.deepEqual(listKept(refused), [['kept.code', most]])
    const page = await logIn(browser, refused, 'long')
    assert.equal(page.status, 200)
    assert.ok(listHidden(page).some(([name, value]) => name === 'code' && value === most))
    const many = Array.from({ length: 1001 }, () => ['title', 'x'] as const)
    assert.equal(listKept(await post(many.slice(1))).length, 0, 'the browser is logged in now')
    const other = openBrowser(service().client)
    const postAgain = (form: readonly (readonly [string, string])[]) =>
      other.request('POST', '/snippets/', { form, headers: own })
    assert.equal(listKept(await postAgain(many.slice(1))).length, 1000)
    for (const form of [[['code', `${most}abc`]], many, [['code', 'x'.repeat(500_000)]]] as const) {
      const lost = await postAgain(form as readonly (readonly [string, string])[])
      assert.equal(lost.status, 401)
      assert.match(lost.text, /What you typed could not be kept/)
      assert.doesNotMatch(lost.text, /name="kept/)
    }
  })

  test('SVC-7: a kept form is sent to this origin only', async () => {
    const { client, createUser } = service()
    await createUser('careful')
    for (const url of ['//evil.example/', '/\\evil.example', 'https://evil.example/', 'javascript:alert(1)', '']) {
      const browser = openBrowser(client)
      const csrfmiddlewaretoken = findCsrfToken(await browser.get(loginUrl))
      const form = { csrfmiddlewaretoken, username: 'careful', password, kept_url: url, 'kept.title': 'x' }
      const response = await browser.request('POST', loginUrl, { form, headers: own })
      assert.deepEqual([response.status, response.headers.location], [302, '/'])
    }
    const page = await client.get(`${loginUrl}?kept_url=/snippets/&kept.title=x`, { headers: { accept } })
    assert.doesNotMatch(page.text, /name="kept/)
  })
})
