// The second factor of a login: codes of an authenticator app, and recovery codes.

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import decodeQR from 'qr/decode.js'
import { memoryStore, openDatabase } from 'resource-api'
import { createAccounts } from 'resource-api/accounts'
import { type TestClient, type TestService, type TestUser, testService } from 'resource-api/testing'
import { createTotpCode } from '../../src/accounts/second-factor/totp.ts'
import { createSecretRecord } from '../../src/accounts/secret-record.ts'

const page = '/api-auth/second-factor/'
const login = '/api-auth/login/'
const html = { headers: { accept: 'text/html' } }
const wrong = /This code is wrong, or was used before\./

/** Reads the picture of a page as a camera does, with four pixels per module. */
function readQrCode(text: string): string {
  const [, size] = /<svg class="qr"[^>]* viewBox="0 0 (\d+) \d+"/.exec(text)!
  const width = Number(size) * 4
  const data = new Uint8Array(width * width * 4).fill(255)
  for (const [, x, y] of text.matchAll(/M(\d+) (\d+)h1v1h-1z/g))
    for (let pixel = 0; pixel < 16; pixel++) {
      const at = (4 * Number(y) + (pixel >> 2)) * width + 4 * Number(x) + (pixel & 3)
      data.fill(0, 4 * at, 4 * at + 3)
    }
  return decodeQR({ width, height: width, data })
}

for (const database of ['sqlite', 'postgres'] as const)
  suite(database, () => {
    let api: TestService
    before(async () => {
      const loginThrottle = { perAccount: '1000/minute', perAddress: '1000/minute' }
      api = await testService(
        { secondFactor: { requiredForStaff: true }, loginThrottle },
        { database, clock: '2030-01-01T00:00:00Z' },
      )
    })
    after(() => api.close())

    const codeOf = (secret: string) => createTotpCode(secret, Math.floor(api.clock.now().getTime() / 30_000))
    const form = (values: Record<string, string>) => new URLSearchParams(values)
    const findField = (text: string, name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? ''
    /** Sets up the second factor on the pages. */
    async function setUp(browser: TestClient, { password }: TestUser) {
      const asked = await browser.post(page, form({ password, action: 'set-up' }), html).expect(200)
      const secret = /<code>([A-Z2-7 ]+)<\/code>/.exec(asked.text)![1]!.replaceAll(' ', '')
      const done = await browser.post(page, form({ setup: findField(asked.text, 'setup'), code: codeOf(secret) }), html)
      assert.equal(done.status, 200, done.text)
      const codes = [...done.text.matchAll(/<li><code>([A-Z2-7-]+)<\/code>/g)].map(([, code]) => code!)
      // The next code is another one.
      api.clock.advance({ minutes: 2 })
      return { secret, codes }
    }
    async function createUser(name: string, options = {}) {
      const user = await api.user(name, options)
      const browser = await api.login(user)
      return { user, browser, ...(await setUp(browser, user)) }
    }
    /** Enters the password, and returns the browser and the form that asks for the code. */
    async function begin({ username, password }: TestUser, next = '/') {
      const browser = api.client(html)
      await browser.get(login).expect(200)
      const asked = await browser.post(login, form({ username, password, next })).expect(200)
      assert.match(asked.text, /<label for="code">Code<\/label>/)
      assert.equal(browser.cookies.has('sessionid'), false)
      const finish = (code: string) => browser.post(login, form({ login: findField(asked.text, 'login'), code, next }))
      return { browser, asked, finish }
    }
    const token = ({ username, password }: TestUser, code?: string) =>
      api.post('/api-token-auth/', { username, password, ...(code !== undefined && { code }) })

    test('a login asks for a code after the password, and each code works once', async () => {
      const { user, secret, codes } = await createUser('ann')
      assert.equal(codes.length, 10)
      const code = codeOf(secret)
      const { browser, finish } = await begin(user, '/docs/')
      for (const bad of ['000000', '', 'x'.repeat(40), codes[0]!.slice(1)])
        assert.match((await finish(bad).expect(200)).text, wrong, bad)
      const done = await finish(`${code.slice(0, 3)} ${code.slice(3)}`).expect(302)
      assert.equal(done.headers.get('location'), '/docs/')
      await browser.get(page).expect(200)
      const second = await begin(user)
      assert.match((await second.finish(code).expect(200)).text, wrong)
      await second.finish(codes[0]!.toLowerCase()).expect(302)
      const third = await begin(user)
      assert.match((await third.finish(codes[0]!).expect(200)).text, wrong)
      assert.match((await browser.get(page)).text, /Unused recovery codes: 9\./)
      api.clock.advance({ minutes: 2 })
      const fourth = await begin(user)
      const same = codeOf(secret)
      const statuses = await Promise.all([1, 2, 3].map(async () => (await fourth.finish(same)).status))
      assert.deepEqual(statuses.toSorted(), [200, 200, 302])
    })

    test('the second step ends after five minutes, with another password, and for a text that is not ours', async () => {
      const { user, secret } = await createUser('ben')
      const { browser, finish } = await begin(user)
      api.clock.advance({ minutes: 6 })
      assert.match(
        (await finish(codeOf(secret)).expect(200)).text,
        /The login took too long\. Enter your password again\./,
      )
      const other = await browser.post(login, form({ login: 'v1.x', code: codeOf(secret) })).expect(200)
      assert.match(other.text, /The login took too long\./)
      const step = await begin(user)
      await api.services.accounts.users.setPassword(user.id, 'correct horse battery')
      assert.match((await step.finish(codeOf(secret)).expect(200)).text, wrong)
    })

    test('programs send the code with the password; Basic has no room for it', async () => {
      const { user, secret, codes } = await createUser('cid')
      const asked = (await token(user).expect(400)).json() as object
      assert.deepEqual(asked, { code: ['Send a code of your authenticator app, or a recovery code.'] })
      await token({ ...user, password: 'wrong' }, codeOf(secret)).expect(400)
      await token(user, '000000').expect(400)
      await token(user, codeOf(secret)).expect(200)
      await token(user, codeOf(secret)).expect(400)
      await token(user, codes[1]).expect(200)
      const browser = api.client(html)
      await browser.get(login)
      const { username, password } = user
      await browser.post(login, { username, password, code: codes[2] }).expect(302)
      const basic = (name: TestUser) => ({
        headers: { authorization: `Basic ${btoa(`${name.username}:${name.password}`)}` },
      })
      await api.get(page, basic(user)).expect(401)
      await api.get(page, { headers: { ...html.headers, ...basic(await api.user('dan')).headers } }).expect(200)
    })

    test('setting up, renewing and removing ask for the password again', async () => {
      const user = await api.user('eve')
      const browser = await api.login(user)
      const { password } = user
      assert.match((await browser.get(page, html).expect(200)).text, /A login asks only for your password\./)
      for (const action of ['set-up', 'codes', 'remove'])
        assert.match(
          (await browser.post(page, form({ password: 'wrong', action }), html).expect(400)).text,
          /The password is wrong\./,
        )
      const asked = await browser.post(page, form({ password, action: 'set-up' }), html).expect(200)
      const [, link = ''] = /href="(otpauth:\/\/totp\/Resource%20API:eve\?secret[^"]*)"/.exec(asked.text) ?? []
      assert.equal(
        readQrCode(asked.text),
        link.replaceAll('&#61;', '=').replaceAll('&#38;', '&').replaceAll('&amp;', '&'),
      )
      const setup = findField(asked.text, 'setup')
      assert.match((await browser.post(page, form({ setup, code: '000000' }), html).expect(400)).text, wrong)
      const stranger = await api.login(await api.user('fay'))
      const stolen = await stranger.post(page, form({ setup, code: '000000' }), html).expect(400)
      assert.match(stolen.text, /Start the setup again\./)
      await browser.post(login, form({ username: 'eve', password, next: '/' })).expect(302)
      const { codes } = await setUp(browser, user)
      const renewed = await browser.post(page, form({ password, action: 'codes' }), html).expect(200)
      assert.ok(!renewed.text.includes(codes[0]!))
      await token(user, codes[0]).expect(400)
      await browser.post(page, form({ password, action: 'remove' }), html).expect(200)
      await token(user).expect(200)
    })

    test('wrong codes of an account are limited, whatever their address is', async () => {
      const { user, secret } = await createUser('gus')
      const { verify } = api.services.accounts.secondFactors!
      for (let index = 0; index < 20; index++) assert.equal(await verify(user.id, '000000'), false)
      const { finish } = await begin(user)
      const refused = await finish(codeOf(secret)).expect(429)
      assert.ok(refused.headers.get('retry-after'))
      api.clock.advance({ hours: 2 })
      await (await begin(user)).finish(codeOf(secret)).expect(302)
    })

    test('the administration refuses staff without a second factor, and superusers remove it from users', async () => {
      const staff = await api.user('chief', { superuser: true, staff: true })
      const refused = await api.as(staff).get('/admin/users/').expect(403)
      assert.match(refused.text, /Set up a second factor first, on the page “Second factor” of your account\./)
      const browser = await api.login(staff)
      await browser.get('/admin/', html).expect(403)
      await setUp(browser, staff)
      await browser.get('/admin/', html).expect(200)
      await api.as(staff).get('/admin/users/').expect(200)
      const { user } = await createUser('hal')
      await api
        .as(await api.user('ida'))
        .delete(`/admin/users/${user.id}/second-factor/`)
        .expect(403)
      await api.as(staff).delete(`/admin/users/${user.id}/second-factor/`).expect(204)
      await api.as(staff).delete(`/admin/users/${user.id}/second-factor/`).expect(404)
      await token(user).expect(200)
    })

    test('the secret of the app is encrypted, and survives a change of the secret of the service', async () => {
      const { user, secret } = await createUser('jan')
      const { kysely } = api.services.database
      const read = () =>
        kysely.selectFrom('second_factors').select('sealed').where('user_id', '=', user.id).executeTakeFirst()
      const before = (await read())!.sealed as string
      assert.ok(!before.includes(secret))
      const current = api.services.settings.secretKey
      const rotated = createSecretRecord({ database: api.services.database, secrets: ['y'.repeat(40), current] })
      await rotated.rotate({ lost: false })
      assert.notEqual((await read())!.sealed, before)
      const accounts = createAccounts({
        database: api.services.database,
        secret: 'y'.repeat(40),
        secondFactor: {},
        rateStore: memoryStore(),
        clock: api.clock.now,
      })
      assert.equal(await accounts.secondFactors!.verify(user.id, codeOf(secret)), true)
    })
  })

test('a second factor without login pages fails at start', () => {
  const options = {
    database: openDatabase('sqlite::memory:'),
    secret: 'x'.repeat(40),
    secondFactor: {},
    loginPath: null,
  }
  assert.throws(() => createAccounts(options), /secondFactor needs the login pages: set loginPath/)
})
