// Migrations run once, even if several processes start them at the same time.

import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import {
  ConstraintViolation,
  formatDateTime,
  type MigrationStep,
  migrate,
  type OwnedMigrations,
  openDatabase,
} from 'resource-api'
import { accountMigrations, createSessions, createUsers } from 'resource-api/accounts'
import { openServices, readSettings } from 'resource-api/service'
import defaultService from '../../src/default-service.ts'
import { createDatabase, createFile, type Storage } from '../support/service.ts'
import { dumpTables } from '../support/tables.ts'

const storages: readonly (readonly [name: string, create: () => Promise<Storage>])[] = [
  ['SQLite', createFile],
  ['PostgreSQL', createDatabase],
]

for (const [name, create] of storages) {
  const owners = ['accounts', 'audit', ...(name === 'SQLite' ? [] : ['throttles']), 'idempotency', 'snippets']
  suite(name, () => {
    test('SVC-p1: four concurrent processes apply each migration once, and later runs apply none', async () => {
      const storage = await create()
      const settings = readSettings({
        file: { ...defaultService, databaseUrl: storage.url, secretKey: 'x'.repeat(40) },
      })
      const services = Array.from({ length: 4 }, () => openServices({ ...settings, secretKey: settings.secretKey! }))
      try {
        const steps = await Promise.all(services.map(services => services.migrate()))
        const [applied, ...otherRuns] = steps.toSorted((a, b) => b.length - a.length)
        assert.deepEqual(
          applied!.map(({ owner }) => owner),
          owners,
        )
        assert.deepEqual(otherRuns, [[], [], []])
        const [first] = services
        await first!.database.transaction(connection => first!.accounts.users.create({ username: 'ann' }, connection))
        const rows = await dumpTables(first!.database)
        assert.deepEqual(await Promise.all(services.map(other => other.migrate())), [[], [], [], []])
        assert.equal(await dumpTables(first!.database), rows)
      } finally {
        await Promise.all(services.map(services => services.close()))
        await storage.remove()
      }
    })

    test('RES-GAP-b1: existing usernames that differ only in case are kept, but a new one is refused', async () => {
      const storage = await create()
      const database = openDatabase(storage.url)
      try {
        await migrate(database, migrationsBefore('0003'))
        const rows = ['ann', 'Bob', 'ANN', 'bob'].map(username => ({ username, date_joined: '2031-01-01T00:00:00Z' }))
        await database.transaction(({ kysely }) => kysely.insertInto('users').values(rows).execute())
        await migrate(database, [accountMigrations])
        const users = createUsers({ database })
        for (const { username } of rows) assert.equal((await users.find(username))?.username, username)
        for (const username of ['ann', 'Ann', 'BOB']) {
          const creation = database.transaction(connection => users.create({ username }, connection))
          await assert.rejects(creation, ConstraintViolation)
        }
      } finally {
        await database.close()
        await storage.remove()
      }
    })

    test('AUTH-SCH-r3: sessions that existed before session keys stay valid, and can be ended', async () => {
      const storage = await create()
      const database = openDatabase(storage.url)
      try {
        await migrate(database, migrationsBefore('0007_session_keys'))
        const id = 'x'.repeat(43)
        await database.transaction(async connection => {
          const user_id = await createUsers({ database }).create({ username: 'ann' }, connection)
          const created = formatDateTime(new Date())!
          const row = { digest: hash('sha256', id), user_id, created, last_used: created }
          await connection.kysely.insertInto('sessions').values(row).execute()
        })
        await migrate(database, [accountMigrations])
        const sessions = createSessions({ database })
        assert.equal((await sessions.find(id))?.username, 'ann')
        await sessions.end(id)
        assert.equal(await sessions.find(id), undefined)
      } finally {
        await database.close()
        await storage.remove()
      }
    })

    test('AUTH-SCH-r4: existing accounts keep a remote identity only without a password and permissions', async () => {
      const storage = await create()
      const database = openDatabase(storage.url)
      try {
        await migrate(database, migrationsBefore('0008_remote_identities'))
        await database.transaction(async ({ kysely }) => {
          const sqlTrue = name === 'SQLite' ? 1 : true
          const rows = [
            { username: 'zoë' },
            { username: 'password', password: 'x' },
            { username: 'staff', is_staff: sqlTrue },
            { username: 'superuser', is_superuser: sqlTrue },
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
        await migrate(database, [accountMigrations])
        const users = createUsers({ database })
        const findUsername = async (identity: string) => (await users.findByRemoteIdentity(identity))?.username
        assert.deepEqual([await findUsername('zoë'), await findUsername('reader')], ['zoë', 'reader'])
        for (const identity of ['password', 'staff', 'superuser', 'granted', 'editor', 'Reader'])
          assert.equal(await findUsername(identity), undefined, identity)
      } finally {
        await database.close()
        await storage.remove()
      }
    })

    test('SVC-p1: a failed migration changes nothing', async () => {
      const storage = await create()
      const settings = readSettings({
        file: { ...defaultService, databaseUrl: storage.url, secretKey: 'x'.repeat(40) },
      })
      const services = openServices({ ...settings, secretKey: settings.secretKey! })
      const { database } = services
      try {
        await database.transaction(({ kysely }) => sql`create table snippets (id integer)`.execute(kysely))
        await assert.rejects(
          services.migrate(),
          /already has a table "snippets", which the step "0001_snippets" of "snippets" creates/,
        )
        await assert.rejects(sql`select * from users`.execute(database.kysely), /users/)
        await database.transaction(({ kysely }) => sql`drop table snippets`.execute(kysely))
        assert.deepEqual(
          (await services.migrate()).map(({ owner }) => owner),
          owners,
        )
      } finally {
        await services.close()
        await storage.remove()
      }
    })

    test('SVC-p1: a table of an application that exists beside those of the accounts is a clear error', async () => {
      const storage = await create()
      const database = openDatabase(storage.url)
      try {
        const createUsersTable: MigrationStep = async (kysely, { key }) =>
          kysely.schema.createTable('users').addColumn('id', key).execute()
        const shop: OwnedMigrations = { owner: 'shop', steps: { '0001_users': createUsersTable } }
        await assert.rejects(migrate(database, [accountMigrations, shop]), {
          name: 'UnusableDatabase',
          message:
            'the database already has a table "users", which the step "0001_users" of "shop" creates: a step of "accounts" or "shop" has created it: choose another name for the table of "shop"',
        })
        assert.deepEqual(await database.catalogue.names(), [])
      } finally {
        await database.close()
        await storage.remove()
      }
    })
  })
}

test('SVC-p1: on SQLite, a start with the database of another program leaves no new file behind', async context => {
  const storage = await createFile()
  context.after(storage.remove)
  const path = storage.url.slice('sqlite:'.length)
  const other = new DatabaseSync(path)
  other.exec('create table users (id integer)')
  other.close()
  const settings = readSettings({ file: { databaseUrl: storage.url, secretKey: 'x'.repeat(40) } })
  const services = openServices({ ...settings, secretKey: settings.secretKey! })
  await assert.rejects(services.migrate(), /table "users", .* it is the database of another program/)
  await services.close()
  assert.deepEqual(await readdir(dirname(path)), [basename(path)])
})

/** The account migrations before this one. */
const migrationsBefore = (step: string): readonly OwnedMigrations[] => {
  const { owner, steps } = accountMigrations
  return [{ owner, steps: Object.fromEntries(Object.entries(steps).filter(([name]) => name < step)) }]
}
