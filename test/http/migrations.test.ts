// A database is brought to the newest form once, however many processes begin at the same time.

import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { accountMigrations } from '../../src/accounts/migrations.ts'
import { createSessions } from '../../src/accounts/sessions.ts'
import { createUsers } from '../../src/accounts/users.ts'
import { ConstraintViolation } from '../../src/framework/database/database.ts'
import { type Migrations, migrate } from '../../src/framework/database/migrate.ts'
import { openDatabase } from '../../src/framework/database/open.ts'
import { formatDateTime } from '../../src/framework/fields/date-time.ts'
import { openParts } from '../../src/service/services.ts'
import { readSettings } from '../../src/service/settings/settings.ts'
import { createDatabase, createFile, type Storage } from '../support/service.ts'
import { dumpTables } from '../support/tables.ts'

const kinds: readonly (readonly [name: string, create: () => Promise<Storage>])[] = [
  ['SQLite', createFile],
  ['PostgreSQL', createDatabase],
]

for (const [name, create] of kinds) {
  suite(name, () => {
    test('SVC-p1: four that migrate a new database at once do it once, and it stays done', async () => {
      const storage = await create()
      const settings = readSettings({ file: { databaseUrl: storage.url, secretKey: 'x'.repeat(40) } })
      const all = Array.from({ length: 4 }, () => openParts({ ...settings, secretKey: settings.secretKey! }))
      try {
        const steps = await Promise.all(all.map(parts => parts.migrate()))
        const [applied, ...others] = steps.toSorted((a, b) => b.length - a.length)
        assert.deepEqual(applied!.slice(0, 2), ['0001_accounts', '0002_snippets'])
        assert.deepEqual(others, [[], [], []])
        const [parts] = all
        await parts!.database.transaction(connection => parts!.users.create({ username: 'ann' }, connection))
        const rows = await dumpTables(parts!.database)
        assert.deepEqual(await Promise.all(all.map(other => other.migrate())), [[], [], [], []])
        assert.equal(await dumpTables(parts!.database), rows)
      } finally {
        await Promise.all(all.map(parts => parts.close()))
        await storage.remove()
      }
    })

    test('RES-GAP-b1: of users with like names from before, all stay, and no further one comes', async () => {
      const storage = await create()
      const database = openDatabase(storage.url)
      try {
        const { '0001_accounts': first, ...others } = accountMigrations
        await migrate(database, { '0001_accounts': first! })
        const rows = ['ann', 'Bob', 'ANN', 'bob'].map(username => ({ username, date_joined: '2031-01-01T00:00:00Z' }))
        await database.transaction(({ kysely }) => kysely.insertInto('users').values(rows).execute())
        await migrate(database, { '0001_accounts': first!, ...others })
        const users = createUsers({ database })
        for (const { username } of rows) assert.equal((await users.find(username))?.username, username)
        for (const username of ['ann', 'Ann', 'BOB']) {
          const made = database.transaction(connection => users.create({ username }, connection))
          await assert.rejects(made, ConstraintViolation)
        }
      } finally {
        await database.close()
        await storage.remove()
      }
    })

    test('AUTH-SCH-r3: sessions from before have keys, and go on', async () => {
      const storage = await create()
      const database = openDatabase(storage.url)
      try {
        await migrate(database, stepsBefore('0007_session_keys'))
        const id = 'x'.repeat(43)
        await database.transaction(async connection => {
          const user_id = await createUsers({ database }).create({ username: 'ann' }, connection)
          const created = formatDateTime(new Date())!
          const row = { digest: hash('sha256', id), user_id, created, last_used: created }
          await connection.kysely.insertInto('sessions').values(row).execute()
        })
        await migrate(database, accountMigrations)
        const sessions = createSessions({ database })
        assert.equal((await sessions.find(id))?.username, 'ann')
        await sessions.end(id)
        assert.equal(await sessions.find(id), undefined)
      } finally {
        await database.close()
        await storage.remove()
      }
    })

    test('AUTH-SCH-r4: accounts from before keep their remote identity where they have neither a password nor rights', async () => {
      const storage = await create()
      const database = openDatabase(storage.url)
      try {
        await migrate(database, stepsBefore('0008_remote_identities'))
        await database.transaction(async ({ kysely }) => {
          const yes = name === 'SQLite' ? 1 : true
          const rows = [
            { username: 'zoë' },
            { username: 'password', password: 'x' },
            { username: 'staff', is_staff: yes },
            { username: 'superuser', is_superuser: yes },
            { username: 'granted' },
            { username: 'editor' },
            { username: 'reader' },
          ]
          const ids = new Map<string, number>()
          for (const row of rows) {
            const values = { ...row, date_joined: '2031-01-01T00:00:00Z' }
            const { id } = await kysely.insertInto('users').values(values).returning('id').executeTakeFirstOrThrow()
            ids.set(row.username, id)
          }
          await kysely
            .insertInto('groups')
            .values([{ name: 'editors' }, { name: 'readers' }])
            .execute()
          const groups = await kysely.selectFrom('groups').select('id').orderBy('name').execute()
          const [editors, readers] = groups.map(({ id }) => id as number)
          const permission = 'snippets.delete'
          await kysely.insertInto('group_permissions').values({ group_id: editors, permission }).execute()
          await kysely
            .insertInto('user_permissions')
            .values({ user_id: ids.get('granted'), permission })
            .execute()
          await kysely
            .insertInto('user_groups')
            .values([
              { user_id: ids.get('editor'), group_id: editors },
              { user_id: ids.get('reader'), group_id: readers },
            ])
            .execute()
        })
        await migrate(database, accountMigrations)
        const users = createUsers({ database })
        const found = async (identity: string) => (await users.findRemote(identity))?.username
        assert.deepEqual([await found('zoë'), await found('reader')], ['zoë', 'reader'])
        for (const identity of ['password', 'staff', 'superuser', 'granted', 'editor', 'Reader'])
          assert.equal(await found(identity), undefined, identity)
      } finally {
        await database.close()
        await storage.remove()
      }
    })

    test('SVC-p1: a step that fails leaves nothing behind', async () => {
      const storage = await create()
      const settings = readSettings({ file: { databaseUrl: storage.url, secretKey: 'x'.repeat(40) } })
      const parts = openParts({ ...settings, secretKey: settings.secretKey! })
      const { database } = parts
      try {
        await database.transaction(({ kysely }) => sql`create table snippets (id integer)`.execute(kysely))
        await assert.rejects(parts.migrate(), /snippets.* already exists/)
        await assert.rejects(sql`select * from users`.execute(database.kysely), /users/)
        await database.transaction(({ kysely }) => sql`drop table snippets`.execute(kysely))
        assert.deepEqual((await parts.migrate()).slice(0, 2), ['0001_accounts', '0002_snippets'])
      } finally {
        await parts.close()
        await storage.remove()
      }
    })
  })
}

/** The steps of accounts before this one. */
const stepsBefore = (step: string): Migrations =>
  Object.fromEntries(Object.entries(accountMigrations).filter(([name]) => name < step))
