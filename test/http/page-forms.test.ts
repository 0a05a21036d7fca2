// Forms of pages that send PUT, PATCH and DELETE as a POST with `?_method=`.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findCsrfToken, openBrowser } from '../support/browser.ts'
import { toReadableText } from '../support/html.ts'
import { onEitherService } from '../support/service.ts'

const accept = 'text/html'

onEitherService({ profiles: ['snippets'] }, service => {
  async function openSnippet(name: string) {
    const { key } = await service().createUser(name)
    const created = await service().client.post('/snippets/', { json: { code: 'x', linenos: true }, token: key })
    const path = new URL(created.headers.location!).pathname
    const browser = openBrowser(service().client)
    await browser.logIn(name)
    const page = await browser.get(path, { headers: { accept } })
    const csrfmiddlewaretoken = findCsrfToken(page)
    const { host } = new URL(created.headers.location!)
    const post = (query: string, form: Record<string, string>, headers: Record<string, string>) =>
      browser.request('POST', path + query, {
        form: { csrfmiddlewaretoken, ...form },
        headers: { accept, ...headers },
      })
    const read = async () => (await service().client.get(path)).json()
    return { path, page, browser, post, read, origin: `http://${host}` }
  }

  test('SVC-7: a form of a page sends a PATCH, which redirects to the object', async () => {
    const { path, post, read, origin, browser } = await openSnippet('forms')
    const saved = await post('?_method=PATCH', { title: 'New', _shown: 'linenos' }, { origin })
    assert.deepEqual([saved.status, saved.headers.location, saved.text], [303, path, ''])
    assert.deepEqual([(await read()).title, (await read()).linenos, (await read()).code], ['New', false, 'x'])
    assert.match(
      (await browser.get(path, { headers: { accept } })).text,
      /role="status" tabindex="-1" autofocus>Saved: Title, Line numbers</,
    )
    assert.doesNotMatch(
      (await browser.get(path, { headers: { accept } })).text,
      /role="status" tabindex="-1" autofocus>Saved/,
    )
    const site = await post('?_method=PATCH', { title: 'Newer' }, { 'sec-fetch-site': 'same-origin' })
    assert.equal(site.status, 303)
  })

  test('SVC-7: a form of another site or without a token changes nothing', async () => {
    const { path, post, read, origin, browser } = await openSnippet('attacked')
    const before = await read()
    const foreign: readonly Record<string, string>[] = [
      {},
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin, 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]
    for (const headers of foreign)
      for (const method of ['PATCH', 'DELETE', 'PUT']) {
        const { status } = await post(`?_method=${method}`, { code: 'evil' }, headers)
        assert.ok(status === 405 || status === 403, `${status} ${JSON.stringify(headers)}`)
      }
    const withoutToken = await browser.request('POST', `${path}?_method=DELETE`, {
      form: { a: 'b' },
      headers: { accept, origin },
    })
    assert.equal(withoutToken.status, 403)
    const json = await browser.send('POST', `${path}?_method=DELETE`, { json: {}, headers: { accept, origin } })
    assert.equal(json.status, 405)
    for (const method of ['GET', 'OPTIONS', 'x'])
      assert.equal((await post(`?_method=${method}`, {}, { origin })).status, 405)
    assert.deepEqual(await read(), before)
  })

  test('SVC-7: a form with an old `_match` changes nothing, and shows both values', async () => {
    const { post, read, origin, page } = await openSnippet('late')
    const [, match] = /_match=([^&"]*)/.exec(toReadableText(page.text))!
    const query = `?_method=PATCH&_match=${match}`
    assert.equal((await post(query, { title: 'First' }, { origin })).status, 303)
    const conflict = await post(query, { title: 'Second <b>' }, { origin })
    assert.equal(conflict.status, 412)
    assert.match(conflict.text, /value="Second &#60;b&#62;"/)
    assert.match(conflict.text, /Others have saved: <bdi>First<\/bdi>/)
    assert.equal((await read()).title, 'First')
  })

  test('SVC-7: the page before a deletion names the object; its form redirects to the list', async () => {
    const { path, post, origin, browser } = await openSnippet('deleter')
    const page = await browser.get(`${path}?delete`, { headers: { accept } })
    assert.match(page.text, /<h1[^>]*>Delete .*\?<\/h1>/)
    const deleted = await post('?_method=DELETE', {}, { origin })
    assert.deepEqual([deleted.status, deleted.headers.location], [303, '/snippets/'])
    assert.equal((await service().client.get(path)).status, 404)
    const anonymous = await service().client.get(`${path}?delete`, { headers: { accept } })
    assert.equal(anonymous.status, 404)
  })
})
