// The pages of the caller's own account, behind the account menu.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findCsrfToken, openBrowser } from '../support/browser.ts'
import { onEitherService, password } from '../support/service.ts'

const headers = { accept: 'text/html' }
const account = '/api-auth/'

for (const tokens of ['single', 'named'] as const)
  onEitherService({ tokens }, service => {
    async function openAccount(name: string) {
      const { id } = await service().createUser(name)
      const browser = openBrowser(service().client)
      await browser.logIn(name)
      const get = (path: string) => browser.get(account + path, { headers })
      const post = async (path: string, form: Record<string, string> = {}) =>
        browser.request('POST', account + path, {
          form: { csrfmiddlewaretoken: findCsrfToken(await get('password/')), ...form },
          headers,
        })
      return { id, browser, get, post }
    }

    test(`AUTH-SCH-2: callers make, see once and revoke their own ${tokens} token`, async () => {
      const { get, post } = await openAccount(`maker-${tokens}`)
      const other = await openAccount(`other-${tokens}`)
      const made = await post('tokens/', { name: '<i>laptop' })
      assert.equal(made.status, 200)
      const [, token] = /<b>Token<\/b> <code>(\w+)<\/code>/.exec(made.text) ?? []
      const call = () => service().client.get('/directory/users/', { token: token! })
      assert.equal((await call()).status, 200)
      const listed = await get('tokens/')
      assert.ok(!listed.text.includes(token!) && !listed.text.includes('<i>'))
      const [, id] = /name="id" value="(\d+)"/.exec(listed.text) ?? []
      assert.equal((await other.post('tokens/revoke/', { id: id! })).status, tokens === 'single' ? 303 : 404)
      assert.equal((await call()).status, 200)
      const revoked = await post('tokens/revoke/', { id: id! })
      assert.deepEqual([revoked.status, revoked.headers.location], [303, '/api-auth/tokens/'])
      assert.equal((await call()).status, 401)
      assert.equal((await post('tokens/revoke/')).status, 404)
    })

    test(`AUTH-SCH-4: callers end one of their sessions, or all others (${tokens})`, async () => {
      const { browser, get, post } = await openAccount(`guest-${tokens}`)
      const stranger = await openAccount(`stranger-${tokens}`)
      const devices = [openBrowser(service().client), openBrowser(service().client), openBrowser(service().client)]
      for (const device of devices) await device.logIn(`guest-${tokens}`)
      const isLoggedIn = async (device: typeof browser) => (await device.get('/directory/users/')).status === 200
      const { text } = await get('sessions/')
      const ids = [...text.matchAll(/name="id" value="(\d+)"/g)].map(([, id]) => id!)
      assert.equal(ids.length, 3)
      assert.match(text, /This session/)
      assert.equal((await stranger.post('sessions/end/', { id: ids[0]! })).status, 404)
      assert.equal((await post('sessions/end/', { id: ids[0]! })).status, 303)
      assert.deepEqual(await Promise.all(devices.map(isLoggedIn)), [true, true, false])
      for (const id of ['x', '-1', ''])
        assert.equal((await post('sessions/end/', { id })).status, 404, `"${id}" names no session`)
      const csrfToken = findCsrfToken(await get('password/'))
      const endByJson = (json: object) =>
        browser.request('POST', `${account}sessions/end/`, { json, headers: { ...headers, 'x-csrftoken': csrfToken } })
      assert.equal((await endByJson({ id: 'x' })).status, 404)
      assert.equal((await endByJson({ id: Number(ids[1]) })).status, 303)
      assert.deepEqual(await Promise.all(devices.map(isLoggedIn)), [true, false, false])
      assert.equal((await post('sessions/end/')).status, 303)
      assert.deepEqual(await Promise.all([...devices, browser].map(isLoggedIn)), [false, false, false, true])
      assert.ok(await isLoggedIn(stranger.browser))
    })

    test(`AUTH-SCH-5: callers change their password with the old one, which ends their other sessions (${tokens})`, async () => {
      const name = `owner-${tokens}`
      const { browser, post } = await openAccount(name)
      const device = openBrowser(service().client)
      await device.logIn(name)
      const change = (old: string, first: string, again: string) =>
        post('password/', { old_password: old, password: first, again })
      const fresh = 'correct horse battery'
      for (const [old, first, again, message] of [
        ['wrong', fresh, fresh, /The old password is wrong\./],
        [password, fresh, 'other', /The two new passwords are not the same\./],
        [password, 'short', 'short', /too short/],
        [password, `${name}1`, `${name}1`, /too similar to the username/],
        [password, '', '', /may not be blank/],
      ] as const) {
        const refused = await change(old, first, again)
        assert.equal(refused.status, 400)
        assert.match(refused.text, message)
        assert.ok(!refused.text.includes(`value="${first || 'none'}"`))
      }
      assert.equal((await device.get('/directory/users/')).status, 200)
      assert.equal((await change(password, fresh, fresh)).status, 200)
      assert.equal((await browser.get('/directory/users/')).status, 200)
      assert.equal((await device.get('/directory/users/')).status, 401)
      const json = { username: name, password: fresh }
      assert.equal((await service().client.post('/api-token-auth/', { json })).status, 200)
    })

    test(`AUTH-SCH-5: a caller with a token who changes the password begins no session (${tokens})`, async () => {
      const name = `program-${tokens}`
      const { post, browser } = await openAccount(name)
      const made = await post('tokens/', { name: 'program' })
      const [, token] = /<b>Token<\/b> <code>(\w+)<\/code>/.exec(made.text) ?? []
      const form = { old_password: password, password: 'correct horse battery', again: 'correct horse battery' }
      const changed = await service().client.post(`${account}password/`, { form, headers, token: token! })
      assert.equal(changed.status, 200, changed.text)
      assert.equal((await browser.get('/directory/users/')).status, 401)
      const listed = await service().client.get(`${account}sessions/`, { headers, token: token! })
      assert.ok(listed.text.includes('<tbody>') && !listed.text.includes('name="id"'), listed.text)
    })

    test(`SVC-7: the pages are for callers who are logged in, and need the CSRF token (${tokens})`, async () => {
      const { browser } = await openAccount(`checked-${tokens}`)
      for (const path of ['tokens/', 'sessions/', 'password/']) {
        const anonymous = await service().client.get(account + path, { headers })
        assert.equal(anonymous.status, 401)
        assert.match(anonymous.text, /name="username"/)
      }
      for (const path of ['tokens/', 'tokens/revoke/', 'sessions/end/', 'password/'])
        assert.equal((await browser.request('POST', account + path, { form: { id: '1' }, headers })).status, 403, path)
    })
  })
