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
  throttleMigrations,
} from 'resource-api'
import { openServices, readSettings } from 'resource-api/service'
import { accountTables } from '../../src/accounts/migrations.ts'
import { createSessions } from '../../src/accounts/sessions.ts'
import { createUsers } from '../../src/accounts/users.ts'
import defaultService from '../../src/seed/default-service.ts'
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
        await migrate(database, [accountTables])
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
        await migrate(database, [accountTables])
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
        await migrate(database, [accountTables])
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
        await assert.rejects(migrate(database, [accountTables, shop]), {
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

// Databases have recorded these digests, or those of the functions before (own-tables.test.ts). If one differs, because a step was
// edited or Kysely writes other SQL, then every database says that the step has changed: undo that, name the digest in
// `formerDigests`, or count up the version in step-outline.ts.
const digests = {
  'accounts/0001_accounts': '1-2yBxxAEvL4NxVDeqmi9W1LG2tLiiWRCJAv8yMTUvMuA',
  'accounts/0003_sessions': '1-k2RUaQfPRDz1YZdDbUIvVA2C4osaFhWZrhWIM54RZrY',
  'accounts/0003_username_keys': '1-m3n8jQUhGTXBNi2ungG4-y-W0mwIstsG3JRa-9YLcew',
  'accounts/0005_named_tokens': '1-fPU6mmsge7YYgRRDndLFeifRQ8npWV_MQRmGXlvnOIM',
  'accounts/0006_permissions': '1-t6Ar22GtDYd4njHdjt8jnX3cBjJgsxLR2k0DBZBzsvM',
  'accounts/0007_session_keys': '1-_91OKDtoNN-G76Q87tv-xmGx9M0fPFlMCdpLMfGfgNs',
  'accounts/0008_remote_identities': '1-E-JzzHL9jz4_aMoMN3tMfUG4Glyhe98y1J_OrPZ3aSo',
  'accounts/0009_secret_fingerprints': '1-j7dcJ4MGZR50mLU6KHJMA3-fbGTRBIKq1c2fLe_g-AQ',
  'accounts/0010_last_login': '1-knO-Jj9Z3gG_Bj6MrtahuXNlVniIwEthY2E4xf758pU',
  'accounts/0011_provider_accounts': '1-4SeFSoLGlCiULSxg5DD09b2lu1EURW1X3iZiVQL1NEQ',
  'accounts/0012_second_factors': '1-o66gV2d802joMGb-NFkmtYNtxKq3cs-gLGoBrqo1yy8',
  'accounts/0013_passkeys': '1-8-GhBcB8CiCMqLAE4DzCj4XfIWULCL5Nu570iCp5WUI',
  'accounts/0014_provider_sessions': '1-X3HYgXFRjEEHynkjVlPBX7p-jNd5MKHca1lXlPbajyU',
  'accounts/0016_saved_views': '1-UBf-VEXFFzuIWFas3ex4MRhwW7UgNnkCqQCDDYzEOl8',
  'audit/0001_audit_log': '1-MB9bA3PC2F_kFbT9NWODCJsgFxYiMbFrLWj6yn_JBYg',
  'audit/0002_changes': '1-fopUJLCh7T2gP4uXQbsOdvYj9eJ-bTO7GY59x2xHyEk',
  'idempotency/0001_responses': '1-Fk1sQ_5I7gS8dw5CpZwYS9POhLbsxmsrPGcHsNOnGrs',
  'snippets/0001_snippets': '1-vBhyycTLHHuDwYvA0xELmjXr6w8a0W3U3WNuGXKJBpM',
}
// Only PostgreSQL has tables that are not logged, and the index of email addresses has another expression there.
const ownDigests: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  SQLite: {
    'accounts/0015_email_index': '1-4szC9jxmiFsonu8hy0VssQapjxnVZyrIIX61RKIpfz0',
    'throttles/0001_rates': '1-vg0oUEBbBIA-uxAfQ0-qlujkdG1GOoKTig2307i1UxE',
  },
  PostgreSQL: {
    'accounts/0015_email_index': '1-BhRYGIsc9EqYjoHfYDak5ZvYzg3S_XTqCKfrOaoxHJ8',
    'throttles/0001_rates': '1-xhEb7hFvzb_WM9Ks24zq7f0nV4YwVXVJtbEvR_MMzmw',
  },
}

for (const [name, create] of storages)
  test(`SVC-p1: the digests of our own steps are those that databases have recorded, ${name}`, async context => {
    const storage = await create()
    const settings = readSettings({ file: { ...defaultService, databaseUrl: storage.url } })
    const services = openServices({ ...settings, secretKey: 'x'.repeat(40) })
    context.after(async () => {
      await services.close()
      await storage.remove()
    })
    await services.migrate()
    const { kysely } = services.database
    await migrate(services.database, [throttleMigrations])
    const rows = await kysely.selectFrom('resource_api_migrations').select(['name', 'digest']).execute()
    const recorded = Object.fromEntries(rows.map(row => [row.name, row.digest]))
    assert.deepEqual(recorded, { ...digests, ...ownDigests[name] })
  })

/** The account migrations before this one. */
const migrationsBefore = (step: string): readonly OwnedMigrations[] => {
  const { owner, steps } = accountTables
  return [{ owner, steps: Object.fromEntries(Object.entries(steps).filter(([name]) => name < step)) }]
}
