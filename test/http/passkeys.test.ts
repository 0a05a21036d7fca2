// Passkeys: as a second factor, and instead of the password.

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { openDatabase } from 'resource-api'
import { createAccounts } from 'resource-api/accounts'
import { type TestClient, type TestService, type TestUser, testService } from 'resource-api/testing'
import { createDevice, type Device } from '../support/passkey-device.ts'

const page = '/api-auth/second-factor/'
const login = '/api-auth/login/'
const html = { headers: { accept: 'text/html' } }
const origin = 'http://localhost:8000'
const wrong = /This passkey does not work here\./

for (const database of ['sqlite', 'postgres'] as const)
  suite(database, () => {
    let api: TestService
    before(async () => {
      api = await testService(
        {
          publicUrl: origin,
          secondFactor: { passkeys: true, requiredForStaff: true },
          loginThrottle: { perAccount: '1000/minute', perAddress: '1000/minute' },
        },
        { database, clock: '2030-01-01T00:00:00Z' },
      )
    })
    after(() => api.close())

    const form = (values: Record<string, string>) => new URLSearchParams(values)
    const findField = (text: string, name: string) =>
      new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? assert.fail(text)
    /** The options of the form for a passkey, and its challenge. */
    function findRequest(text: string) {
      const start = text.indexOf('data-passkey=')
      assert.ok(start > 0, text)
      const [, options = ''] = /data-options="([^"]*)"/.exec(text.slice(start)) ?? []
      const plain = options.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(code))
      const json = plain.replaceAll('&quot;', '"').replaceAll('&amp;', '&')
      return { options: json, challenge: findField(text.slice(start), 'challenge') }
    }
    async function requestPasskey(browser: TestClient, { password }: TestUser) {
      const asked = await browser.post(page, form({ password, action: 'add-passkey' }), html).expect(200)
      return findRequest(asked.text)
    }
    /** Adds a passkey on the pages, and returns the page that follows. */
    async function addPasskey(browser: TestClient, user: TestUser, device: Device, name = 'Laptop') {
      const { options, challenge } = await requestPasskey(browser, user)
      return browser.post(page, form({ name, challenge, passkey: device.create(options) }), html)
    }
    async function createUser(name: string, options = {}) {
      const user = await api.user(name, options)
      const browser = await api.login(user)
      const device = createDevice(origin)
      const added = await addPasskey(browser, user, device)
      assert.equal(added.status, 200, added.text)
      const codes = [...added.text.matchAll(/<li><code>([A-Z2-7-]+)<\/code>/g)].map(([, code]) => code!)
      assert.equal(codes.length, 10)
      return { user, browser, device, codes }
    }
    /** Enters the password, and returns what the page asks for. */
    async function begin({ username, password }: TestUser) {
      const browser = api.client(html)
      await browser.get(login).expect(200)
      const { text } = await browser.post(login, form({ username, password, next: '/docs/' })).expect(200)
      assert.equal(browser.cookies.has('sessionid'), false)
      const step = findField(text, 'login')
      const { options, challenge } = findRequest(text)
      const send = (passkey: string, other = challenge) =>
        browser.post(login, form({ login: step, challenge: other, passkey, next: '/docs/' }))
      return { browser, text, step, options, challenge, send }
    }
    /** The page of the login without a password. */
    async function beginAlone() {
      const browser = api.client(html)
      const { options, challenge } = findRequest((await browser.get(login).expect(200)).text)
      return { options, challenge, send: (passkey: string) => browser.post(login, form({ challenge, passkey })) }
    }

    test('after the password, the page asks for the passkey, and a challenge works once', async () => {
      const { user, device } = await createUser('ann')
      const { text, options, send } = await begin(user)
      assert.match(text, /<button[^>]*>Use a passkey<\/button>/)
      assert.match(text, /<label for="code">Recovery code<\/label>/)
      const passkey = device.get(options)
      const done = await send(passkey).expect(302)
      assert.equal(done.headers.get('location'), '/docs/')
      assert.match((await send(passkey).expect(200)).text, wrong)
      const again = await begin(user)
      const answers = [1, 2, 3].map(() => device.get(again.options))
      const statuses = await Promise.all(answers.map(async answer => (await again.send(answer)).status))
      assert.deepEqual(statuses.toSorted(), [200, 200, 302])
    })

    test('another origin, another host, another challenge and another time are refused', async () => {
      const { user, device } = await createUser('ben')
      const { options, challenge, step, send, browser } = await begin(user)
      const other = await begin(user)
      const refused = async (passkey: string, sealed = challenge) =>
        assert.match((await send(passkey, sealed).expect(200)).text, wrong)
      device.origin = 'https://evil.example'
      await refused(device.get(options))
      device.origin = origin
      device.rpId = 'evil.example'
      await refused(device.get(options))
      device.rpId = 'localhost'
      await refused(device.get(other.options))
      const alone = await beginAlone()
      await refused(device.get(alone.options), alone.challenge)
      const good = JSON.parse(device.get(options))
      for (const bad of [
        ...['', 'x', 'null', '[]', '{}', '{"id":1}', '{"id":"\\u0000"}', JSON.stringify({ ...good, response: null })],
        JSON.stringify({ ...good, id: 'A'.repeat(2000) }),
        JSON.stringify({ ...good, rawId: 'AAAA' }),
        JSON.stringify({ ...good, response: { ...good.response, signature: 'AAAA' } }),
        JSON.stringify({ ...good, response: { ...good.response, authenticatorData: '!' } }),
        JSON.stringify({ ...good, response: { ...good.response, clientDataJSON: 'AAAA' } }),
      ])
        await refused(bad)
      for (const bad of ['', 'v1.x', challenge.slice(1)]) await refused(device.get(options), bad)
      const withoutStep = await browser.post(login, form({ challenge, passkey: device.get(options) })).expect(200)
      assert.match(withoutStep.text, wrong)
      api.clock.advance({ minutes: 6 })
      const late = await browser.post(login, form({ login: step, challenge, passkey: device.get(options) }))
      assert.match(late.text, /The login took too long\./)
      const fresh = await begin(user)
      await fresh.send(device.get(fresh.options)).expect(302)
    })

    test('an account has at most 20 passkeys, also if their pages were opened before', async () => {
      const { user, browser } = await createUser('eva')
      const asked = await Promise.all(Array.from({ length: 20 }, () => requestPasskey(browser, user)))
      const statuses: number[] = []
      for (const { options, challenge } of asked) {
        const fields = { name: 'Key', challenge, passkey: createDevice(origin).create(options) }
        statuses.push((await browser.post(page, form(fields), html)).status)
      }
      assert.deepEqual(statuses, [...Array.from({ length: 19 }, () => 200), 400])
    })

    test('a passkey of another user, a removed one and a copy are refused', async () => {
      const { user, browser, device } = await createUser('cid')
      const { device: stolen } = await createUser('dan')
      const first = await begin(user)
      assert.match((await first.send(stolen.get(first.options)).expect(200)).text, wrong)
      const copy = device.copy()
      await first.send(device.get(first.options)).expect(302)
      const second = await begin(user)
      assert.match((await second.send(copy.get(second.options)).expect(200)).text, wrong)
      await second.send(device.get(second.options)).expect(302)
      await addPasskey(browser, user, device, 'Phone')
      const third = await begin(user)
      const [, phone] =
        /value="(\d+)"><input name="name" value="Phone"/.exec((await browser.get(page, html)).text) ?? []
      assert.match(
        (await browser.post(page, form({ password: 'wrong', action: `remove-${phone}` }), html).expect(400)).text,
        /password is wrong/,
      )
      await browser.post(page, form({ password: user.password, action: `remove-${phone}` }), html).expect(200)
      assert.match((await third.send(device.get(third.options)).expect(200)).text, wrong)
      await third.send(device.get(third.options, 0)).expect(302)
    })

    test('a passkey whose counter stays 0 works, and each challenge still works once', async () => {
      const { user, device } = await createUser('eve')
      device.isShared = true
      for (const _ of [1, 2]) {
        const { options, send } = await begin(user)
        const passkey = device.get(options)
        await send(passkey).expect(302)
        assert.match((await send(passkey).expect(200)).text, wrong)
      }
    })

    test('without a password, the device has to verify the person', async () => {
      const { user, device } = await createUser('fay')
      const { options, send } = await beginAlone()
      assert.deepEqual(JSON.parse(options).allowCredentials, [])
      device.verifiesPerson = false
      assert.match((await send(device.get(options)).expect(200)).text, wrong)
      device.verifiesPerson = true
      const stranger = createDevice(origin)
      stranger.create(JSON.stringify({ user: { id: Buffer.from(String(user.id)).toString('base64url') } }))
      assert.match((await send(stranger.get(options)).expect(200)).text, wrong)
      const other = { ...JSON.parse(device.get(options)) }
      other.response.userHandle = Buffer.from('1').toString('base64url')
      assert.match((await send(JSON.stringify(other)).expect(200)).text, wrong)
      const passkey = device.get(options)
      const done = await send(passkey).expect(302)
      assert.equal(done.headers.get('location'), '/')
      assert.match((await send(passkey).expect(200)).text, wrong)
      await api.services.database.transaction(({ kysely }) =>
        kysely.updateTable('users').set({ is_active: false }).where('id', '=', user.id).execute(),
      )
      const inactive = await beginAlone()
      assert.match((await inactive.send(device.get(inactive.options)).expect(200)).text, wrong)
    })

    test('recovery codes work, and the parts of a second factor are named and removed', async () => {
      const { user, browser, device, codes } = await createUser('gus')
      const { browser: other, step } = await begin(user)
      await other.post(login, form({ login: step, code: codes[0]! })).expect(302)
      const { username, password } = user
      await api.post('/api-token-auth/', { username, password }).expect(400)
      await api.post('/api-token-auth/', { username, password, code: codes[1] }).expect(200)
      await addPasskey(browser, user, device, 'Phone')
      const shown = await browser.get(page, html).expect(200)
      assert.match(shown.text, /Unused recovery codes: 8\./)
      const ids = [...shown.text.matchAll(/name="rename" value="(\d+)"/g)].map(([, id]) => id!)
      assert.equal(ids.length, 2)
      const renamed = await browser.post(page, form({ rename: ids[0]!, name: '<b>Old</b>' }), html).expect(200)
      assert.match(renamed.text, /value="&#60;b&#62;Old&#60;\/b&#62;"/)
      await browser.post(page, form({ rename: ids[0]!, name: '' }), html).expect(400)
      const { browser: stranger } = await createUser('hal')
      await stranger.post(page, form({ rename: ids[0]!, name: 'mine' }), html).expect(404)
      const stolen = await stranger.post(page, form({ password, action: `remove-${ids[0]}` }), html)
      assert.equal(stolen.status, 200)
      for (const [index, id] of ids.entries()) {
        const { text } = await browser.post(page, form({ password, action: `remove-${id}` }), html).expect(200)
        assert.equal(text.includes('Unused recovery codes'), index === 0)
      }
      await api.post('/api-token-auth/', { username, password }).expect(200)
      const codeRows = await api.services.database.kysely
        .selectFrom('recovery_codes')
        .select('digest')
        .where('user_id', '=', user.id)
        .execute()
      assert.deepEqual(codeRows, [])
    })

    test('a new passkey belongs to the account that asked for it, once, and to one account', async () => {
      const { user, browser, device } = await createUser('ida')
      const refused = async (who: TestClient, challenge: string, passkey: string) =>
        assert.match(
          (await who.post(page, form({ name: 'x', challenge, passkey }), html).expect(400)).text,
          /The passkey could not be stored\./,
        )
      const { options, challenge } = await requestPasskey(browser, user)
      const excluded = JSON.parse(options).excludeCredentials.map(({ id }: { id: string }) => id)
      assert.deepEqual(excluded, [device.keys[0]!.id.toString('base64url')])
      const stranger = await api.user('jan')
      const strangers = await api.login(stranger)
      await refused(strangers, challenge, device.create(options))
      device.origin = 'https://evil.example'
      await refused(browser, challenge, device.create(options))
      device.origin = origin
      await refused(browser, challenge, '{}')
      const passkey = device.create(options)
      await browser.post(page, form({ name: 'Phone', challenge, passkey }), html).expect(200)
      await refused(browser, challenge, passkey)
      const own = await requestPasskey(strangers, stranger)
      await refused(strangers, own.challenge, device.create(own.options, device.keys[0]!.id))
      const late = await requestPasskey(browser, user)
      api.clock.advance({ minutes: 6 })
      await refused(browser, late.challenge, device.create(late.options))
    })

    test('the administration accepts a passkey as the second factor of staff, and removes it', async () => {
      const { user, browser } = await createUser('kim', { staff: true, superuser: true })
      await browser.get('/admin/', html).expect(200)
      const { user: other } = await createUser('leo')
      await api.as(user).delete(`/admin/users/${other.id}/second-factor/`).expect(204)
      const { username, password } = other
      await api.post('/api-token-auth/', { username, password }).expect(200)
    })
  })

test('passkeys need a public URL that browsers accept', () => {
  const create = (publicUrl?: string) =>
    createAccounts({
      database: openDatabase('sqlite::memory:'),
      secret: 'x'.repeat(40),
      secondFactor: { passkeys: true },
      publicUrl,
    })
  assert.throws(() => create(), /publicUrl is missing/)
  assert.throws(
    () => create('http://example.org'),
    /secondFactor\.passkeys does not work with publicUrl http:\/\/example\.org: it must begin with https:/,
  )
  assert.throws(() => create('https://192.0.2.1'), /its host must be a name/)
  assert.throws(() => create('https://[2001:db8::1]'), /its host must be a name/)
  assert.ok(create('https://example.org').secondFactors)
})
