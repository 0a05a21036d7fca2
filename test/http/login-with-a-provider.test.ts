// The login of people with an OpenID Connect provider, against a real one.

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { openDatabase } from 'resource-api'
import { createAccounts } from 'resource-api/accounts'
import { type TestClient, type TestService, testService } from 'resource-api/testing'
import { type LoginProvider, startLoginProvider } from '../support/login-provider.ts'

const path = '/api-auth/providers/example/'
const html = { headers: { accept: 'text/html' } }
const publicUrl = 'http://localhost:8000'
const redirectUri = `${publicUrl}${path}callback/`

for (const database of ['sqlite', 'postgres'] as const)
  suite(database, () => {
    let api: TestService
    let provider: LoginProvider
    before(async () => {
      provider = await startLoginProvider([redirectUri])
      const { issuer, clientId, clientSecret, people } = provider
      const common = { issuer, clientId, clientSecret, scopes: ['openid', 'profile', 'email', 'groups'] }
      const example = {
        ...common,
        name: 'example',
        title: 'Example',
        account: (claims: Readonly<Record<string, unknown>>) =>
          claims.email_verified === false
            ? null
            : {
                username: String(claims.preferred_username),
                email: claims.email as string | undefined,
                groups: claims.groups as readonly string[] | undefined,
              },
      }
      people.set('s-1', { preferred_username: 'ann', email: 'ann@example.org', groups: ['editors', 'unknown'] })
      api = await testService(
        {
          providers: [example, { ...example, name: 'away', title: 'away', issuer: 'http://127.0.0.1:1' }],
          loginThrottle: { perAccount: '1000/minute', perAddress: '1000/minute' },
        },
        { database },
      )
      await api.user('somebody', { groups: ['editors', 'readers'] })
    })
    after(async () => {
      await api.close()
      await provider.stop()
    })

    /** Logs in, and returns the browser and the response of the callback. */
    async function logIn(person: string | undefined, next = '', browser = api.client(html)) {
      provider.person = person
      const begun = await browser.get(`${path}login/${next}`).expect(303)
      const back = await provider.visit(begun.headers.get('location')!)
      assert.ok(back.startsWith(`${redirectUri}?`), back)
      const response = await browser.get(back.slice(publicUrl.length))
      return { browser, back: back.slice(publicUrl.length), response }
    }
    const whoAmI = async (browser: TestClient) => {
      const { status, text } = await browser.get('/api-auth/password/', html)
      return status === 200 ? /<summary aria-label="[^"]*"><bdi>([^<]*)/.exec(text)?.[1] : undefined
    }
    const findLink = (text: string) => {
      const [, token] = /href="\/api-auth\/providers\/example\/login\/\?link&#61;([^"]+)"/.exec(text) ?? []
      assert.ok(token, text)
      return `${path}login/?link=${token}`
    }
    const groupsOf = async (username: string) => {
      const { kysely } = api.services.database
      const joined = kysely.selectFrom('users').innerJoin('user_groups', 'user_groups.user_id', 'users.id')
      const rows = await joined
        .innerJoin('groups', 'groups.id', 'user_groups.group_id')
        .select('groups.name')
        .where('users.username', '=', username)
        .execute()
      return rows.map(({ name }) => name as string)
    }

    test('a person without an account gets one, with the groups of the claims, and later logs in to the same one', async () => {
      const page = await api.client(html).get('/api-auth/login/?next=/%3Fa=1').expect(200)
      assert.match(
        page.text,
        /<a class="button" href="\/api-auth\/providers\/example\/login\/\?next&#61;%2F%3Fa%3D1">Log in with Example<\/a>/,
      )
      const { browser, response } = await logIn('s-1', '?next=/admin/')
      assert.deepEqual([response.status, response.headers.get('location')], [303, '/admin/'])
      assert.equal(await whoAmI(browser), 'ann')
      assert.deepEqual(await groupsOf('ann'), ['editors'])
      provider.people.set('s-1', { preferred_username: 'renamed', email: 'new@example.org', groups: ['readers'] })
      assert.equal(await whoAmI((await logIn('s-1')).browser), 'ann')
      assert.deepEqual(await groupsOf('ann'), ['readers'])
      provider.people.set('s-1', { preferred_username: 'ann', email: 'ann@example.org' })
      await logIn('s-1')
      assert.deepEqual(await groupsOf('ann'), ['readers'])
      const users = await api.services.accounts.users.find('ann')
      assert.deepEqual([users?.email, users?.isStaff], ['ann@example.org', false])
    })

    test('a redirect never leads to another site', async () => {
      for (const next of ['https://evil.example/', '//evil.example/', '/\\evil.example', 'javascript:alert(1)'])
        assert.equal(
          (await logIn('s-1', `?next=${encodeURIComponent(next)}`)).response.headers.get('location'),
          '/',
          next,
        )
    })

    test('the rule refuses people, and a person may refuse', async () => {
      provider.people.set('s-2', { preferred_username: 'ben', email_verified: false })
      const { response, browser } = await logIn('s-2')
      assert.equal(response.status, 403)
      assert.match(response.text, /Example knows you, but you may not log in here\./)
      assert.equal(await whoAmI(browser), undefined)
      const denied = await logIn(undefined)
      assert.equal(denied.response.status, 403)
      assert.match(denied.response.text, /The login was cancelled at Example\./)
    })

    test('an account with the same username or email address is never taken over, until its owner links it', async () => {
      const cid = await api.user('cid', { email: 'Cid@Example.org' })
      for (const claims of [{ preferred_username: 'CID' }, { preferred_username: 'other', email: 'cid@example.org' }]) {
        provider.people.set('s-3', claims)
        const { response } = await logIn('s-3')
        assert.equal(response.status, 403)
        assert.match(
          response.text,
          /There is an account with your username or email address\. Log in to it in another way, and link Example/,
        )
      }
      const browser = await api.login(cid)
      const own = await browser.get('/api-auth/providers/', html).expect(200)
      const href = findLink(own.text)
      assert.ok(!own.text.includes('\\n'))
      // The link works in the session only for which it was made.
      await api.client(html).get(href).expect(400)
      await (await api.login(await api.user('dora'))).get(href, html).expect(400)
      const linked = await logIn('s-3', href.slice(`${path}login/`.length), browser)
      assert.deepEqual([linked.response.status, linked.response.headers.get('location')], [303, '/api-auth/providers/'])
      assert.equal(await whoAmI((await logIn('s-3')).browser), 'cid')
      // A person has one account.
      const second = await api.login(await api.user('eve'))
      const page = await second.get('/api-auth/providers/', html).expect(200)
      const other = await logIn('s-3', findLink(page.text).slice(`${path}login/`.length), second)
      assert.match(other.response.text, /belongs to another account/)
      const listed = await browser.get('/api-auth/providers/', html).expect(200)
      const id = /name="id" value="(\d+)"/.exec(listed.text)![1]!
      await second.post('/api-auth/providers/', new URLSearchParams({ id }), html).expect(404)
      await browser.post('/api-auth/providers/', new URLSearchParams({ id }), html).expect(303)
      assert.equal((await logIn('s-3')).response.status, 403)
    })

    test('a username that is not valid here is refused, and an inactive account stays out', async () => {
      provider.people.set('s-4', { preferred_username: 'two words' })
      assert.match((await logIn('s-4')).response.text, /The username that Example sends is not valid here\./)
      provider.people.set('s-5', { preferred_username: 'fay' })
      assert.equal((await logIn('s-5')).response.status, 303)
      await api.services.database.transaction(({ kysely }) =>
        kysely.updateTable('users').set({ is_active: false }).where('username', '=', 'fay').execute(),
      )
      assert.equal((await logIn('s-5')).response.status, 403)
    })

    test('the code of another browser, a second time, or with another state is refused', async () => {
      const failed = /The login with Example did not work\. Start it again\./
      const { browser, back } = await logIn('s-1')
      for (const [client, url] of [
        [browser, back],
        [api.client(html), back],
        [browser, `${path}callback/`],
        [browser, `${path}callback/?code=x&code=y&state=z`],
      ] as const)
        assert.match((await client.get(url).expect(400)).text, failed)
      provider.person = 's-1'
      const fresh = api.client(html)
      const begun = await fresh.get(`${path}login/`).expect(303)
      const url = (await provider.visit(begun.headers.get('location')!)).slice(publicUrl.length)
      const cookie = `providerlogin=${fresh.cookies.get('providerlogin')}`
      await fresh.get(url.replace(/state=[^&]+/, 'state=other')).expect(400)
      // The same flow again: the provider knows the code of the first time.
      const again = { headers: { accept: 'text/html', cookie } }
      await api.get(url, again).expect(303)
      assert.match((await api.get(url, again).expect(400)).text, failed)
      await api.get(url, { headers: { accept: 'text/html', cookie: 'providerlogin=x' } }).expect(400)
    })

    test('a provider that is down is a page with a sentence, and the password still works', async () => {
      const down = /Example cannot be reached now\. Try again in a minute, or log in in another way\./
      const away = await api.client(html).get('/api-auth/providers/away/login/').expect(503)
      assert.match(away.text, new RegExp(down.source.replace('Example', 'away')))
      provider.person = 's-1'
      const browser = api.client(html)
      const begun = await browser.get(`${path}login/`).expect(303)
      const back = (await provider.visit(begun.headers.get('location')!)).slice(publicUrl.length)
      await provider.stop()
      const response = await browser.get(back).expect(503)
      assert.match(response.text, down)
      await provider.start()
      await api.login(await api.user('gus'))
    })

    test('a provider that is down costs no attempt of the throttle', async () => {
      const { clientId, clientSecret } = provider
      const away = { name: 'away', issuer: 'http://127.0.0.1:1', clientId, clientSecret, account: () => null }
      await using service = await testService(
        { providers: [away], loginThrottle: { perAccount: '1/hour' } },
        { database },
      )
      const token = new URLSearchParams({ logout_token: 'x' })
      for (let index = 0; index < 3; index++)
        await service.client().post('/api-auth/providers/away/backchannel-logout/', token).expect(503)
    })

    test('keys that the provider rotates are fetched', async () => {
      await logIn('s-1')
      await provider.rotateKeys()
      const { response } = await logIn('s-1')
      assert.equal(response.status, 303, response.text)
    })

    test('the userinfo of another subject is refused', async () => {
      provider.userinfo = { sub: 's-9' }
      const { response } = await logIn('s-1')
      provider.userinfo = undefined
      assert.equal(response.status, 400)
    })

    test('a logout at the provider ends the sessions that began there', async () => {
      const statuses: number[] = []
      provider.deliver = async (url, body) => {
        assert.ok(url.startsWith(publicUrl))
        const { status } = await api.client().post(url.slice(publicUrl.length), body)
        statuses.push(status)
        return status
      }
      const { browser: other } = await logIn('s-1')
      const { browser } = await logIn('s-1')
      assert.equal(await whoAmI(browser), 'ann')
      await provider.logOut()
      provider.deliver = undefined
      assert.deepEqual(statuses, [200])
      assert.equal(await whoAmI(browser), undefined)
      assert.equal(await whoAmI(other), 'ann')
    })

    test('a logout token is checked, and works once', async () => {
      const event = { 'http://schemas.openid.net/event/backchannel-logout': {} }
      let count = 0
      const claims = (changes: object = {}) => {
        const iat = Math.floor(Date.now() / 1000)
        const fresh = { iss: provider.issuer, aud: 'shop', iat, exp: iat + 120, jti: `jti-${database}-${count++}` }
        return { ...fresh, events: event, sub: 's-1', ...changes }
      }
      const send = (token: string) =>
        api.client().post(`${path}backchannel-logout/`, new URLSearchParams({ logout_token: token }))
      const { browser } = await logIn('s-1')
      const good = claims()
      for (const [name, bad, header] of [
        ['another issuer', claims({ iss: 'https://evil.example' })],
        ['another audience', claims({ aud: 'other' })],
        ['old', claims({ iat: good.iat - 3600, exp: good.iat + 120 })],
        ['expired', claims({ iat: good.iat - 300, exp: good.iat - 120 })],
        ['from the future', claims({ iat: good.iat + 3600, exp: good.iat + 7200 })],
        ['without a time', claims({ iat: undefined })],
        ['a nonce', claims({ nonce: 'n' })],
        ['no event', claims({ events: undefined })],
        ['another event', claims({ events: { 'https://example.org/other': {} } })],
        ['an event that is no object', claims({ events: { [Object.keys(event)[0]!]: 'x' } })],
        ['no jti', claims({ jti: undefined })],
        ['neither sub nor sid', claims({ sub: undefined })],
        ['a sub that is no text', claims({ sub: 1 })],
        ['a sid that is no text', claims({ sid: ['x'] })],
        ['a sub with a null character', claims({ sub: 's-1\0' })],
        ['another type', claims(), { typ: 'at+jwt' }],
        ['an unknown key', claims(), { kid: 'other' }],
      ] as const)
        assert.equal((await send(await provider.sign(bad, header))).status, 400, name)
      const token = await provider.sign(good, { typ: 'logout+jwt' })
      const [head, body, signature = ''] = token.split('.')
      const none = Buffer.from('{"alg":"none"}').toString('base64url')
      for (const bad of ['', 'x', 'a.b.c', `${none}.${body}.`, `${head}.${body}.${signature.slice(0, -4)}AAAA`])
        assert.equal((await send(bad)).status, 400, bad)
      assert.equal((await api.client().post(`${path}backchannel-logout/`, new URLSearchParams())).status, 400)
      assert.equal(await whoAmI(browser), 'ann')
      await send(await provider.sign(claims({ sub: 's-9' }))).then(({ status }) => assert.equal(status, 200))
      await send(await provider.sign(claims({ sid: 'another session' }))).then(({ status }) =>
        assert.equal(status, 200),
      )
      assert.equal(await whoAmI(browser), 'ann')
      const answers = await Promise.all([send(token), send(token)])
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 400])
      assert.equal(answers.find(({ status }) => status === 200)!.headers.get('cache-control'), 'no-store')
      assert.equal(await whoAmI(browser), undefined)
      const { browser: again } = await logIn('s-1')
      assert.equal((await send(token)).status, 400)
      assert.equal(await whoAmI(again), 'ann')
      await provider.stop()
      // The keys are known already, so the provider may be away.
      await send(await provider.sign(claims())).then(({ status }) => assert.equal(status, 200))
      await provider.start()
      assert.equal(await whoAmI(again), undefined)
    })

    test('a provider whose bodies do not end is given up', async () => {
      const paths = ['/me', '/token', '/jwks', '/.well-known/openid-configuration']
      for (const endless of paths) {
        provider.person = 's-1'
        const browser = api.client(html)
        const begun = await browser.get(`${path}login/`).expect(303)
        const back = (await provider.visit(begun.headers.get('location')!)).slice(publicUrl.length)
        provider.endless = endless
        const response = await browser.get(back)
        provider.endless = undefined
        assert.equal(response.status, 503, `${endless}: ${response.text}`)
      }
    })

    test('a logout ends the session, and shows how to log out at the provider', async () => {
      const { browser } = await logIn('s-1')
      const out = await browser.post('/api-auth/logout/', new URLSearchParams({ next: '/' }), html).expect(302)
      assert.equal(out.headers.get('location'), `${path}logout/`)
      const page = await browser.get(`${path}logout/`).expect(200)
      assert.match(page.text, new RegExp(`<a class="button primary" href="${provider.issuer}/session/end\\?`))
      assert.match(page.text, /You are still logged in at Example\./)
      assert.equal(await whoAmI(browser), undefined)
      const plain = await api.login(await api.user('hal'))
      const left = await plain.post('/api-auth/logout/', new URLSearchParams({ next: '/admin/' }), html).expect(302)
      assert.equal(left.headers.get('location'), '/admin/')
    })
  })

test('wrong options of providers fail at start', () => {
  const database = openDatabase('sqlite::memory:')
  const good = { name: 'example', issuer: 'https://login.example.org', clientId: 'shop', account: () => null }
  for (const [provider, message] of [
    [{ name: 'Two words' }, /the provider "Two words": name must be lower-case letters/],
    [{ issuer: 'http://login.example.org' }, /issuer is "http:\/\/login\.example\.org": give an https URL/],
    [{ clientId: '' }, /clientId is missing/],
    [{ account: undefined }, /account is missing: give a function/],
    [{ scopes: ['email'] }, /scopes must contain "openid"/],
  ] as const)
    assert.throws(
      () =>
        createAccounts({ database, secret: 'x'.repeat(40), publicUrl, providers: [{ ...good, ...provider }] as never }),
      message,
    )
  const options = { database, secret: 'x'.repeat(40), providers: [good] }
  assert.throws(() => createAccounts(options), /publicUrl is missing/)
  assert.throws(() => createAccounts({ ...options, publicUrl, providers: [good, good] }), /listed twice/)
})
