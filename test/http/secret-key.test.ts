// SECRET_KEY: its fingerprint is recorded in the database, a different secret is refused, and rotate-secret changes it.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { cursor } from 'resource-api'
import { directory } from 'resource-api/directory'
import { createService, openServices, readSettings, type ServiceOptions, type Services } from 'resource-api/service'
import { snippets } from 'resource-api/snippets'
import { UnreadableToken } from '../../src/accounts/tokens/single-tokens.ts'
import { SettingsError } from '../../src/service/settings/settings-error.ts'
import { findCsrfToken, loginUrl, openBrowser } from '../support/browser.ts'
import { type Client, injectClient } from '../support/client.ts'
import { createDatabase, createFile, password, type Storage } from '../support/service.ts'
import { countRows, dumpTables } from '../support/tables.ts'

const [a, b, c] = ['a', 'b', 'c'].map(letter => letter.repeat(40)) as [string, string, string]

interface Opener {
  /** Opens services with this secret and these fallbacks on the test's database. */
  open(secretKey: string, ...secretKeyFallbacks: string[]): Services
}

/** Defines a test for each kind of database, with a new database each. */
function testOnEachDatabase(name: string, run: (opener: Opener) => Promise<void>): void {
  for (const [kind, create] of [
    ['SQLite', createFile],
    ['PostgreSQL', createDatabase],
  ] as const satisfies readonly (readonly [string, () => Promise<Storage>])[]) {
    test(`${name} (${kind})`, async () => {
      const storage = await create()
      const opened: Services[] = []
      try {
        await run({
          open(secretKey, ...secretKeyFallbacks) {
            const profiles = [directory(), snippets({ pagination: cursor({ pageSize: 1, ordering: 'id' }) })]
            const file: ServiceOptions = { databaseUrl: storage.url, secretKeyFallbacks, profiles }
            const services = openServices({ ...readSettings({ file: { ...file, logLevel: 'silent' } }), secretKey })
            opened.push(services)
            return services
          },
        })
      } finally {
        await Promise.all(opened.map(services => services.close()))
        await storage.remove()
      }
    })
  }
}

async function createUser(services: Services, username: string): Promise<{ id: number; token: string }> {
  const id = await services.database.transaction(connection => services.accounts.users.create({ username }, connection))
  return { id, token: await requestToken(services, id) }
}

const requestToken = (services: Services, id: number): Promise<string> =>
  services.database.transaction(connection => services.accounts.tokens.getOrCreate(id, connection))

/** Creates this many users with tokens. */
const createUsers = ({ database, accounts }: Services, count: number): Promise<void> =>
  database.transaction(async connection => {
    for (let index = 0; index < count; index++) {
      const id = await accounts.users.create({ username: `user${index}` }, connection)
      await accounts.tokens.getOrCreate(id, connection)
    }
  })

const deleteFingerprint = ({ database }: Services): Promise<unknown> =>
  database.transaction(({ kysely }) => kysely.deleteFrom('secret_fingerprints').execute())

const isRefusal = (error: unknown): boolean =>
  error instanceof SettingsError &&
  /^SECRET_KEY: .*earlier key in SECRET_KEY_FALLBACKS.*rotate-secret".*rotate-secret --lost"$/.test(error.message)

suite('the recorded fingerprint', () => {
  testOnEachDatabase(
    'RES-TOKEN-r1: a process with another secret does not start, and replaces no token',
    async ({ open }) => {
      const [first, withOtherSecret] = [open(a), open(b)]
      await first.prepare()
      const { id, token } = await createUser(first, 'ann')
      const dumpBefore = await dumpTables(first.database)
      await assert.rejects(withOtherSecret.prepare(), isRefusal)
      await assert.rejects(withOtherSecret.accounts.secretRecord.check(), isRefusal)
      await assert.rejects(requestToken(withOtherSecret, id), UnreadableToken)
      assert.equal(await dumpTables(first.database), dumpBefore)
      assert.equal(await requestToken(first, id), token)
      await open(a).prepare()
    },
  )

  testOnEachDatabase(
    'RES-TOKEN-r1: only one of several first starts with different secrets succeeds',
    async ({ open }) => {
      const services = [a, b, c, 'd'.repeat(40)].map(secret => open(secret))
      await services[0]!.migrate()
      for (let round = 0; round < 5; round++) {
        await deleteFingerprint(services[0]!)
        const results = await Promise.allSettled(services.map(services => services.accounts.secretRecord.claim()))
        assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
        for (const result of results) if (result.status === 'rejected') assert.ok(isRefusal(result.reason))
      }
    },
  )

  testOnEachDatabase(
    'RES-TOKEN-r1: without a recorded fingerprint, only a secret that decrypts the tokens is accepted',
    async ({ open }) => {
      const [first, withOtherSecret] = [open(a), open(b)]
      await first.prepare()
      await createUser(first, 'ann')
      await deleteFingerprint(first)
      await assert.rejects(withOtherSecret.accounts.secretRecord.claim(), isRefusal)
      await first.accounts.secretRecord.claim()
      await deleteFingerprint(first)
      await open(b, a).accounts.secretRecord.claim()
      await assert.rejects(first.accounts.secretRecord.check(), isRefusal)
      await deleteFingerprint(first)
      await first.database.transaction(({ kysely }) => kysely.deleteFrom('tokens').execute())
      await withOtherSecret.accounts.secretRecord.claim()
      await assert.rejects(first.accounts.secretRecord.claim(), isRefusal)
    },
  )

  testOnEachDatabase('RES-TOKEN-r1: the recorded fingerprint contains no part of a secret', async ({ open }) => {
    const services = open(a, b)
    await services.prepare()
    const rows = await services.database.kysely.selectFrom('secret_fingerprints').selectAll().execute()
    assert.equal(rows.length, 1)
    assert.match(JSON.stringify(rows), /\[\\"[\w-]{22}\\"\]/)
    assert.doesNotMatch(JSON.stringify(rows), /aaa|bbb/)
  })
})

suite('fallbacks', () => {
  const withClient = async <Result>(services: Services, work: (client: Client) => Promise<Result>): Promise<Result> => {
    const app = await createService(services)
    try {
      return await work(injectClient(app))
    } finally {
      await app.close()
    }
  }

  testOnEachDatabase(
    'RES-TOKEN-r1, AUTH-SCH-4: tokens, forms and cursors from an earlier secret are accepted',
    async ({ open }) => {
      const first = open(a)
      await first.prepare()
      const { id, token } = await createUser(first, 'ann')
      await first.accounts.users.setPassword(id, password)
      const { cookies, form, next } = await withClient(first, async client => {
        for (const code of ['1', '2']) await client.post('/snippet/snippets/', { token, json: { code } })
        const browser = openBrowser(client)
        const csrf = findCsrfToken(await browser.get(loginUrl))
        const page = (await client.get('/snippet/snippets/')).json()
        return {
          cookies: browser.header,
          form: { username: 'ann', password, csrfmiddlewaretoken: csrf },
          next: page.next.replace('http://localhost', ''),
        }
      })
      const statuses = (services: Services) =>
        withClient(services, async client => [
          (await client.post(loginUrl, { headers: cookies, form })).status,
          (await client.get(next)).status,
        ])
      const changed = open(b, c, a)
      await changed.prepare()
      assert.deepEqual(await statuses(changed), [302, 200])
      assert.equal(await requestToken(changed, id), token)
      assert.deepEqual(await statuses(open(b)), [403, 404])
    },
  )
})

suite('rotate-secret', () => {
  testOnEachDatabase(
    'RES-TOKEN-r1: all tokens are encrypted again once, and then the earlier secret is refused',
    async ({ open }) => {
      const first = open(a)
      await first.prepare()
      const users = [await createUser(first, 'ann'), await createUser(first, 'bob')]
      const changed = open(b, a)
      await changed.prepare()
      const third = await createUser(changed, 'cid')
      assert.deepEqual(await changed.accounts.secretRecord.rotate({ lost: false }), { encrypted: 2, lost: 0 })
      const dumpBefore = await dumpTables(changed.database)
      assert.deepEqual(await changed.accounts.secretRecord.rotate({ lost: false }), { encrypted: 0, lost: 0 })
      assert.equal(await dumpTables(changed.database), dumpBefore)
      const rotated = open(b)
      await rotated.prepare()
      for (const { id, token } of [...users, third]) assert.equal(await requestToken(rotated, id), token)
      await assert.rejects(open(a).prepare(), isRefusal)
    },
  )

  testOnEachDatabase(
    'RES-TOKEN-r1: after an interruption, the next run encrypts the remaining tokens',
    async ({ open }) => {
      const [first, changed] = [open(a), open(b, a)]
      await first.prepare()
      await createUsers(first, 501)
      const { id } = await createUser(first, 'last')
      const setSealedToken = (sealed: string) =>
        first.database.transaction(({ kysely }) =>
          kysely.updateTable('tokens').set({ sealed }).where('user_id', '=', id).execute(),
        )
      const query = first.database.kysely.selectFrom('tokens').select('sealed').where('user_id', '=', id)
      const { sealed } = await query.executeTakeFirstOrThrow()
      await setSealedToken('v1.damaged')
      await assert.rejects(changed.accounts.secretRecord.rotate({ lost: false }), isRefusal)
      await setSealedToken(sealed)
      assert.deepEqual(await changed.accounts.secretRecord.rotate({ lost: false }), { encrypted: 2, lost: 0 })
      assert.equal(await countRows(first.database, 'tokens'), 502)
    },
  )

  testOnEachDatabase(
    'RES-TOKEN-r1: if the earlier secret is lost, a token works until its user requests it, and is then replaced',
    async ({ open }) => {
      const [first, changed] = [open(a), open(b)]
      await first.prepare()
      const { id, token } = await createUser(first, 'ann')
      await assert.rejects(changed.accounts.secretRecord.rotate({ lost: false }), isRefusal)
      assert.deepEqual(await changed.accounts.secretRecord.rotate({ lost: true }), { encrypted: 0, lost: 1 })
      await changed.prepare()
      assert.equal((await changed.accounts.tokens.find(token))?.user.id, id)
      const newToken = await requestToken(changed, id)
      assert.notEqual(newToken, token)
      assert.equal(await changed.accounts.tokens.find(token), undefined)
      assert.equal(await requestToken(changed, id), newToken)
    },
  )
})
