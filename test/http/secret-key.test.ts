// The secret of a service: recorded with the data, refused where it is another one, and changed on purpose.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { UnreadableToken } from '../../src/accounts/tokens/single-tokens.ts'
import { cursor } from '../../src/framework/index.ts'
import { createService } from '../../src/service/create-service.ts'
import { openParts, type Parts } from '../../src/service/services.ts'
import { readSettings, type ServiceOptions, SettingsError } from '../../src/service/settings/settings.ts'
import { loginUrl, openBrowser, tokenIn } from '../support/browser.ts'
import { type Client, injectClient } from '../support/client.ts'
import { createDatabase, createFile, password, type Storage } from '../support/service.ts'
import { countRows, dumpTables } from '../support/tables.ts'

const [a, b, c] = ['a', 'b', 'c'].map(letter => letter.repeat(40)) as [string, string, string]

interface Opener {
  /** Parts with this secret and its fallbacks on the database of the test. */
  open(secretKey: string, ...secretKeyFallbacks: string[]): Parts
}

/** Defines a test with a new database, once for each kind. */
function testOnEach(name: string, run: (opener: Opener) => Promise<void>): void {
  for (const [kind, create] of [
    ['SQLite', createFile],
    ['PostgreSQL', createDatabase],
  ] as const satisfies readonly (readonly [string, () => Promise<Storage>])[]) {
    test(`${name} (${kind})`, async () => {
      const storage = await create()
      const opened: Parts[] = []
      try {
        await run({
          open(secretKey, ...secretKeyFallbacks) {
            const snippetPagination = cursor({ pageSize: 1 })
            const file: ServiceOptions = { databaseUrl: storage.url, secretKeyFallbacks, snippetPagination }
            const parts = openParts({ ...readSettings({ file: { ...file, logLevel: 'silent' } }), secretKey })
            opened.push(parts)
            return parts
          },
        })
      } finally {
        await Promise.all(opened.map(parts => parts.close()))
        await storage.remove()
      }
    })
  }
}

async function createUser(parts: Parts, username: string): Promise<{ id: number; token: string }> {
  const id = await parts.database.transaction(connection => parts.users.create({ username }, connection))
  return { id, token: await showToken(parts, id) }
}

const showToken = (parts: Parts, id: number): Promise<string> =>
  parts.database.transaction(connection => parts.tokens.getOrCreate(id, connection))

/** Inserts as many users with tokens, fast. */
async function createUsers(parts: Parts, count: number): Promise<void> {
  for (let index = 0; index < count; index++) await createUser(parts, `user${index}`)
}

const forgetRecord = ({ database }: Parts): Promise<unknown> =>
  database.transaction(({ kysely }) => kysely.deleteFrom('secret_fingerprints').execute())

const refused = (error: unknown): boolean =>
  error instanceof SettingsError &&
  /^SECRET_KEY: .*earlier key in SECRET_KEY_FALLBACKS.*rotate-secret".*rotate-secret --lost"$/.test(error.message)

suite('the record', () => {
  testOnEach('RES-TOKEN-r1: a process with another secret does not start, and replaces no token', async ({ open }) => {
    const [first, other] = [open(a), open(b)]
    await first.prepare()
    const { id, token } = await createUser(first, 'ann')
    const kept = await dumpTables(first.database)
    await assert.rejects(other.prepare(), refused)
    await assert.rejects(other.secretRecord.check(), refused)
    await assert.rejects(showToken(other, id), UnreadableToken)
    assert.equal(await dumpTables(first.database), kept)
    assert.equal(await showToken(first, id), token)
    await open(a).prepare()
  })

  testOnEach(
    'RES-TOKEN-r1: of two first starts with different secrets, one wins and the other is refused',
    async ({ open }) => {
      const all = [a, b, c, 'd'.repeat(40)].map(secret => open(secret))
      await all[0]!.migrate()
      for (let round = 0; round < 5; round++) {
        await forgetRecord(all[0]!)
        const ends = await Promise.allSettled(all.map(parts => parts.secretRecord.claim()))
        assert.equal(ends.filter(({ status }) => status === 'fulfilled').length, 1)
        for (const end of ends) if (end.status === 'rejected') assert.ok(refused(end.reason))
      }
    },
  )

  testOnEach(
    'RES-TOKEN-r1: a database without a record takes the secret that decrypts its tokens',
    async ({ open }) => {
      const [first, other] = [open(a), open(b)]
      await first.prepare()
      await createUser(first, 'ann')
      await forgetRecord(first)
      await assert.rejects(other.secretRecord.claim(), refused)
      await first.secretRecord.claim()
      await forgetRecord(first)
      await open(b, a).secretRecord.claim()
      await assert.rejects(first.secretRecord.check(), refused)
      await forgetRecord(first)
      await first.database.transaction(({ kysely }) => kysely.deleteFrom('tokens').execute())
      await other.secretRecord.claim()
      await assert.rejects(first.secretRecord.claim(), refused)
    },
  )

  testOnEach('RES-TOKEN-r1: the record holds neither a secret nor a part of one', async ({ open }) => {
    const parts = open(a, b)
    await parts.prepare()
    const rows = await parts.database.kysely.selectFrom('secret_fingerprints').selectAll().execute()
    assert.equal(rows.length, 1)
    assert.match(JSON.stringify(rows), /\[\\"[\w-]{22}\\"\]/)
    assert.doesNotMatch(JSON.stringify(rows), /aaa|bbb/)
  })
})

suite('fallbacks', () => {
  const ask = async <Result>(parts: Parts, work: (client: Client) => Promise<Result>): Promise<Result> => {
    const app = await createService(parts)
    try {
      return await work(injectClient(app))
    } finally {
      await app.close()
    }
  }

  testOnEach(
    'RES-TOKEN-r1, AUTH-SCH-4: tokens, forms and cursors of an earlier secret are accepted',
    async ({ open }) => {
      const first = open(a)
      await first.prepare()
      const { id, token } = await createUser(first, 'ann')
      await first.users.setPassword(id, password)
      const { cookies, form, next } = await ask(first, async client => {
        for (const code of ['1', '2']) await client.post('/snippet/snippets/', { token, json: { code } })
        const browser = openBrowser(client)
        const csrf = tokenIn(await browser.get(loginUrl))
        const page = (await client.get('/snippet/snippets/')).json()
        return {
          cookies: browser.header,
          form: { username: 'ann', password, csrfmiddlewaretoken: csrf },
          next: page.next.replace('http://localhost', ''),
        }
      })
      const statuses = (parts: Parts) =>
        ask(parts, async client => [
          (await client.post(loginUrl, { headers: cookies, form })).status,
          (await client.get(next)).status,
        ])
      const changed = open(b, c, a)
      await changed.prepare()
      assert.deepEqual(await statuses(changed), [302, 200])
      assert.equal(await showToken(changed, id), token)
      assert.deepEqual(await statuses(open(b)), [403, 404])
    },
  )
})

suite('rotate-secret', () => {
  testOnEach(
    'RES-TOKEN-r1: everything is encrypted anew, once, and the earlier secret is refused',
    async ({ open }) => {
      const first = open(a)
      await first.prepare()
      const users = [await createUser(first, 'ann'), await createUser(first, 'bob')]
      const changed = open(b, a)
      await changed.prepare()
      const third = await createUser(changed, 'cid')
      assert.deepEqual(await changed.secretRecord.rotate({ lost: false }), { encrypted: 2, lost: 0 })
      const kept = await dumpTables(changed.database)
      assert.deepEqual(await changed.secretRecord.rotate({ lost: false }), { encrypted: 0, lost: 0 })
      assert.equal(await dumpTables(changed.database), kept)
      const alone = open(b)
      await alone.prepare()
      for (const { id, token } of [...users, third]) assert.equal(await showToken(alone, id), token)
      await assert.rejects(open(a).prepare(), refused)
    },
  )

  testOnEach(
    'RES-TOKEN-r1: what was encrypted before an interruption stays so, and the rest follows',
    async ({ open }) => {
      const [first, changed] = [open(a), open(b, a)]
      await first.prepare()
      await createUsers(first, 501)
      const { id } = await createUser(first, 'last')
      const setSealed = (sealed: string) =>
        first.database.transaction(({ kysely }) =>
          kysely.updateTable('tokens').set({ sealed }).where('user_id', '=', id).execute(),
        )
      const query = first.database.kysely.selectFrom('tokens').select('sealed').where('user_id', '=', id)
      const { sealed } = await query.executeTakeFirstOrThrow()
      await setSealed('v1.damaged')
      await assert.rejects(changed.secretRecord.rotate({ lost: false }), refused)
      await setSealed(sealed)
      assert.deepEqual(await changed.secretRecord.rotate({ lost: false }), { encrypted: 2, lost: 0 })
      assert.equal(await countRows(first.database, 'tokens'), 502)
    },
  )

  testOnEach(
    'RES-TOKEN-r1: where the earlier secret is lost, tokens work until they would be shown',
    async ({ open }) => {
      const [first, changed] = [open(a), open(b)]
      await first.prepare()
      const { id, token } = await createUser(first, 'ann')
      await assert.rejects(changed.secretRecord.rotate({ lost: false }), refused)
      assert.deepEqual(await changed.secretRecord.rotate({ lost: true }), { encrypted: 0, lost: 1 })
      await changed.prepare()
      assert.equal((await changed.tokens.find(token))?.user.id, id)
      const shown = await showToken(changed, id)
      assert.notEqual(shown, token)
      assert.equal(await changed.tokens.find(token), undefined)
      assert.equal(await showToken(changed, id), shown)
    },
  )
})
