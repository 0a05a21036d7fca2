// The reset of a forgotten password by mail.

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sql } from 'kysely'
import { german, openDatabase } from 'resource-api'
import { createAccounts, germanAccounts } from 'resource-api/accounts'
import { createMailer } from 'resource-api/jobs'
import { createService, openServices, readSettings, type Services } from 'resource-api/service'
import { type TestService, testService } from 'resource-api/testing'
import { runJobs } from '../../src/service/commands/jobs.ts'
import { migrateDatabase } from '../../src/service/commands/migrate.ts'
import { serve } from '../../src/service/commands/serve.ts'

const from = 'shop@example.org'
const fresh = 'correct horse battery'
const forgot = '/api-auth/forgot/'
const reset = '/api-auth/reset/'
const html = { headers: { accept: 'text/html' } }
const dead = /This link does not work: it was used, is too old, or is not complete\./

for (const database of ['sqlite', 'postgres'] as const)
  suite(database, () => {
    const mailer = createMailer({ url: 'memory:', from })
    const statements: string[] = []
    let api: TestService
    before(async () => {
      const passwordReset = { mailer, perAddress: '60/hour' }
      const languages = { de: { ...german, ...germanAccounts } }
      const observe = (text: string) => void statements.push(text)
      api = await testService({ passwordReset, languages }, { database, observe })
    })
    after(() => api.close())

    const create = (name: string, options = {}) => api.user(name, { email: `${name}@example.org`, ...options })
    /** Asks for links as a program does, and returns the mails. */
    async function ask(email: string, headers: Record<string, string> = {}) {
      const before = mailer.sent.length
      await api.post(forgot, { email }, { headers }).expect(204)
      await api.runJobs()
      return mailer.sent.slice(before)
    }
    const findToken = (mail: { readonly text: string } | undefined) =>
      /\n(http:\/\/localhost:8000\/api-auth\/reset\/\?token=([\w.-]+))\n/.exec(mail?.text ?? '')?.[2] ?? ''
    const change = (token: string, password = fresh) => api.post(reset, { token, password })
    const set = (columns: object, name: string) =>
      api.services.database.transaction(({ kysely }) =>
        kysely.updateTable('users').set(columns).where('username', '=', name).execute(),
      )
    const logIn = (username: string, password: string) => api.post('/api-token-auth/', { username, password })

    test('people reset their password with the link of a mail, on pages without a script', async () => {
      await create('ann')
      const browser = api.client(html)
      const login = await browser.get('/api-auth/login/').expect(200)
      assert.match(login.text, /<a\s+href="\/api-auth\/forgot\/">Forgot your password\?<\/a>/)
      await browser.get(forgot).expect(200)
      const asked = await browser.post(forgot, new URLSearchParams({ email: 'ANN@example.org' })).expect(200)
      assert.match(asked.text, /If an account has this address, a mail with a link is on its way to it\./)
      await api.runJobs()
      const mail = mailer.sent.at(-1)!
      assert.deepEqual([mail.to, mail.subject], [['ann@example.org'], 'Reset your password'])
      assert.match(
        mail.text,
        /^Somebody asked for a new password of your account ann\.\n\nhttp.*\n\nThe link works once, within 60 minutes\./,
      )
      assert.match(
        mail.html!,
        /<a href="http:\/\/localhost:8000\/api-auth\/reset\/\?token&#61;[\w.-]+">Choose a new password<\/a>/,
      )

      const moved = await browser.get(`${reset}?token=${findToken(mail)}`).expect(303)
      assert.equal(moved.headers.get('location'), reset)
      assert.match(moved.headers.get('set-cookie') ?? '', /^resettoken=[\w.%-]+; .*HttpOnly.*SameSite=Lax/i)
      const form = await browser.get(reset).expect(200)
      assert.match(form.text, /Choose a new password for ann\./)
      assert.ok(!form.text.includes(findToken(mail)))
      for (const [password, again, message] of [
        [fresh, 'other', /The two new passwords are not the same\./],
        ['short', 'short', /too short/],
        ['ann@example', 'ann@example', /too similar/],
        ['', '', /may not be blank/],
      ] as const) {
        const refused = await browser.post(reset, new URLSearchParams({ password, again })).expect(400)
        assert.match(refused.text, message)
      }
      const done = await browser.post(reset, new URLSearchParams({ password: fresh, again: fresh })).expect(200)
      assert.match(
        done.text,
        /The password is changed\. All sessions of the account have ended; its tokens stay valid\./,
      )
      assert.equal(browser.cookies.has('resettoken'), false)
      await logIn('ann', fresh).expect(200)
      await browser.get(`${reset}?token=${findToken(mail)}`).expect(303)
      assert.match((await browser.get(reset).expect(400)).text, dead)
      const again = await browser.post(reset, new URLSearchParams({ password: fresh, again: fresh })).expect(400)
      assert.match(again.text, dead)
    })

    test('the accounts of an address are found by an index', async () => {
      await create('zoe')
      assert.equal((await ask('ZOE@example.org')).length, 1)
      const found = statements.filter(text => text.includes('"users"."email" as text'))
      assert.ok(found.length > 0)
      for (const text of new Set(found)) {
        const plan = await api.services.database.transaction(async ({ kysely }) => {
          if (database === 'postgres') await sql`set local enable_seqscan = off`.execute(kysely)
          const query = sql.raw(text.replaceAll(/\$\d+|\?\d+/g, "'zoe@example.org'"))
          const explain = database === 'postgres' ? sql`explain ${query}` : sql`explain query plan ${query}`
          return JSON.stringify((await explain.execute(kysely)).rows)
        })
        assert.match(plan, /users_by_email/, text)
      }
    })

    test('programs ask for a link and use it with JSON; sessions end, tokens stay', async () => {
      const bob = await create('bob')
      const session = await api.login(bob)
      await session.get('/api-auth/password/', html).expect(200)
      const [mail] = await ask('bob@example.org')
      const events: string[] = []
      const stop = api.services.accounts.audit.subscribe(({ event, outcome, user }) => {
        if (event === 'account changed' && user === 'bob') events.push(outcome)
      })
      for (const [body, field] of [
        [{ password: fresh }, 'token'],
        [{ token: 'x' }, 'password'],
        [{ token: findToken(mail), password: 'short' }, 'password'],
      ] as const)
        assert.deepEqual(Object.keys((await api.post(reset, body).expect(400)).json() as object), [field])
      await change(findToken(mail)).expect(204)
      await session.get('/api-auth/password/', html).expect(401)
      await logIn('bob', bob.password).expect(400)
      await api.as(bob).get('/api-auth/password/', html).expect(200)
      stop()
      assert.deepEqual(events, ['success'])
    })

    test('a link does not work twice, late, after a change of the account, for another account, or malformed', async () => {
      const refused = async (token: string) => {
        const { token: errors } = (await change(token).expect(400)).json() as { token: readonly string[] }
        assert.match(errors[0]!, dead)
      }
      const names = ['cid', 'dan', 'eve', 'fay', 'gus', 'hal']
      const tokens = new Map<string, string>()
      const users = new Map<string, Awaited<ReturnType<typeof create>>>()
      for (const name of names) {
        users.set(name, await create(name))
        const [mail] = await ask(`${name}@example.org`)
        tokens.set(name, findToken(mail))
      }
      const tokenOf = (name: string) => tokens.get(name)!
      await change(tokenOf('cid')).expect(204)
      await refused(tokenOf('cid'))
      await set({ email: 'other@example.org' }, 'dan')
      await refused(tokenOf('dan'))
      await api.login(users.get('eve')!)
      await refused(tokenOf('eve'))
      await set({ is_active: database === 'sqlite' ? 0 : false }, 'fay')
      await refused(tokenOf('fay'))
      const [id, ...rest] = tokenOf('gus').split('.')
      for (const token of [
        [Number(id) + 1, ...rest].join('.'),
        [id, 'zzzzzz', rest[1]].join('.'),
        tokenOf('gus').slice(0, -1),
        `${tokenOf('gus')}A`,
        '9'.repeat(15) + tokenOf('gus').slice(1),
        'x'.repeat(190),
        '\0',
      ])
        assert.equal((await change(token)).status, 400, token)
      await api.services.database.transaction(({ kysely }) =>
        kysely.deleteFrom('users').where('username', '=', 'hal').execute(),
      )
      await refused(tokenOf('hal'))
      const [late] = await ask('gus@example.org')
      api.clock.advance({ minutes: 61 })
      await refused(findToken(late))
      // A cookie of any content is a dead link too.
      const page = await api.get(reset, { headers: { accept: 'text/html', cookie: 'resettoken=%00.%ff.' } }).expect(400)
      assert.match(page.text, dead)
    })

    test('two uses of one link at the same time change the password once', async () => {
      await create('ida')
      const [mail] = await ask('ida@example.org')
      const statuses = await Promise.all(
        [1, 2, 3].map(async index => (await change(findToken(mail), fresh + index)).status),
      )
      assert.deepEqual(statuses.toSorted(), [204, 400, 400])
    })

    test('nobody learns which accounts exist; only active accounts with a password get a link, to the stored address', async () => {
      await create('jan', { active: false })
      await create('kim')
      await set({ password: null }, 'kim')
      for (const email of ['nobody@example.org', 'jan@example.org', 'kim@example.org'])
        assert.deepEqual(await ask(email), [], email)
      await create('lea', { email: 'Shared@Example.org' })
      await create('max', { email: 'shared@example.org' })
      const shared = await ask('SHARED@EXAMPLE.ORG')
      assert.deepEqual(
        shared.map(({ to }) => to),
        [['Shared@Example.org'], ['shared@example.org']],
      )
      assert.match(shared[1]!.text, /account max\./)
      for (const email of [
        '',
        'nobody',
        'a@b@c',
        'a@example.org\nBcc: eve@example.org',
        `${'a'.repeat(300)}@example.org`,
        5,
        null,
      ])
        await api.post(forgot, { email }).expect(400)
      const { rows } = await sql<{ payload: string }>`select payload from jobs`.execute(api.services.database.kysely)
      assert.ok(rows.length > 0 && !JSON.stringify(rows).includes('token'))
    })

    test('a mail is in the language of the request, and an account gets three an hour', async () => {
      await create('nik')
      const [mail] = await ask('nik@example.org', { 'accept-language': 'de' })
      assert.equal(mail!.subject, 'Passwort zurücksetzen')
      assert.match(mail!.text, /Konto nik/)
      assert.equal((await ask('nik@example.org')).length, 1)
      assert.equal((await ask('nik@example.org')).length, 1)
      assert.equal((await ask('nik@example.org')).length, 0)
    })

    test('the forms need the CSRF token, and a Host of another server changes no link', async () => {
      await create('ole')
      const form = new URLSearchParams({ email: 'ole@example.org' })
      await api
        .request({ method: 'POST', path: forgot, body: form, headers: { ...html.headers, 'x-csrftoken': undefined } })
        .expect(403)
      const [mail] = await ask('ole@example.org')
      const cookie = `resettoken=${findToken(mail)}`
      const passwords = new URLSearchParams({ password: fresh, again: fresh })
      await api
        .request({ method: 'POST', path: reset, body: passwords, headers: { ...html.headers, cookie } })
        .expect(403)
      await api.post(forgot, { email: 'ole@example.org' }, { headers: { host: 'evil.example' } }).expect(400)
      const [local] = await ask('ole@example.org', { host: '127.0.0.1:9' })
      assert.ok(findToken(local) !== '')
    })

    test('requests of one address are limited', async () => {
      let response = await api.post(forgot, { email: 'nobody@example.org' })
      for (let index = 0; index < 60 && response.status === 204; index++)
        response = await api.post(forgot, { email: 'nobody@example.org' })
      assert.equal(response.status, 429)
      assert.ok(response.headers.get('retry-after'))
    })
  })

test('wrong options of the password reset fail at start', () => {
  const database = openDatabase('sqlite::memory:')
  const mailer = createMailer({ url: 'memory:', from })
  const accounts = (options: object) => () => createAccounts({ database, secret: 'x'.repeat(40), ...options })
  const publicUrl = 'https://shop.example.org'
  for (const [options, message] of [
    [{ passwordReset: { mailer } }, /publicUrl is missing: set it to the URL of the server/],
    [{ publicUrl: 'shop.example.org', passwordReset: { mailer } }, /publicUrl is "shop\.example\.org": set it/],
    [{ publicUrl, passwordReset: {} }, /passwordReset\.mailer is missing: give it the result of createMailer\(\)/],
    [
      { publicUrl, passwordReset: { mailer, lifetime: 10 } },
      /passwordReset\.lifetime is 10: use a whole number from 300/,
    ],
    [{ publicUrl, passwordReset: { mailer, perAccount: 'often' } }, /passwordReset\.perAccount is "often": use a rate/],
    [{ publicUrl, passwordReset: { mailer }, loginPath: null }, /passwordReset needs the login pages/],
  ] as const)
    assert.throws(accounts(options), message)
})

test('in production, what sends links needs PUBLIC_URL, and other commands do not', async context => {
  const mailer = createMailer({ url: 'memory:', from })
  const file = { databaseUrl: 'sqlite::memory:', production: true, passwordReset: { mailer } }
  const settings = readSettings({ file: { ...file, secretKey: 'x'.repeat(40) } })
  const services = openServices({ ...settings, secretKey: settings.secretKey! })
  context.after(() => services.close())
  await migrateDatabase(services, {})
  const message =
    'PUBLIC_URL: must be set if passwordReset, providers or secondFactor.passkeys are, because they depend on it'
  for (const start of [createService, (given: Services) => serve(given, {}), (given: Services) => runJobs(given, {})])
    await assert.rejects(async () => start(services), { message })
})
