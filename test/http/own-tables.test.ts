// The tables of the framework and of its profiles are declared, and their steps are data. Databases of the version before, whose steps
// were functions, stay as they are.

import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { type Database, idempotencyMigrations, migrate, openDatabase, throttleMigrations } from 'resource-api'
import { accountTables } from 'resource-api/accounts'
import { openServices, readSettings } from 'resource-api/service'
import { auditTables } from '../../src/accounts/audit/audit-table.ts'
import { describeDifferences } from '../../src/core/database/schema/describe-differences.ts'
import { toComparable } from '../../src/core/database/schema/testing.ts'
import type { OwnedMigrations, SchemaState } from '../../src/core/index.ts'
import { snippetTables } from '../../src/seed/snippets/snippet-table.ts'
import { listProblems } from '../../src/service/migrations/check-steps.ts'
import { makeSteps } from '../../src/service/migrations/make.ts'
import { readOwners } from '../../src/service/migrations/owners.ts'
import { previousOwners, previousThrottles } from '../support/previous-steps.ts'
import { createDatabase, createFile, defaultService } from '../support/service.ts'

const owners: readonly OwnedMigrations[] = [accountTables, auditTables, idempotencyMigrations, snippetTables]
const declaredOwners = [accountTables, auditTables, snippetTables]

const time = '2031-01-01T00:00:00.000000Z'
const user = { email: '', password: 'hash', is_active: true, is_staff: false, is_superuser: false, date_joined: time }
const change = { action: 'update', resource: 'snippets', object_table: 'snippets', object_key: '1', object_name: 'a' }
const snippet = { created: time, code: 'a', linenos: true, language: 'c', style: 'vs', highlighted: '<b>a</b>' }

/** Rows of each table. */
const rows: Readonly<Record<string, readonly object[]>> = {
  users: [
    { id: 1, username: 'ann', username_key: 'ANN', remote_identity: null, ...user },
    { id: 2, username: 'Zoë', username_key: null, remote_identity: 'zoë', ...user, password: null },
  ],
  groups: [{ id: 1, name: 'readers' }],
  user_groups: [{ user_id: 1, group_id: 1 }],
  user_permissions: [{ user_id: 1, permission: 'snippets.add' }],
  group_permissions: [{ group_id: 1, permission: 'snippets.delete' }],
  tokens: [{ user_id: 1, digest: 'a', sealed: 'b', created: time }],
  named_tokens: [
    { id: 1, user_id: 1, name: 'ci', digest: 'c', created: time, expires: null, last_used: time },
    { id: 2, user_id: 2, name: '', digest: 'd', created: time, expires: time, last_used: null },
  ],
  sessions: [{ id: 7, digest: 'e', user_id: 1, created: time, last_used: time }],
  provider_accounts: [{ id: 2, user_id: 1, issuer: 'https://a.example', subject: 's', created: time }],
  second_factors: [{ user_id: 1, sealed: 'b', last_step: 59_000_000, created: time }],
  recovery_codes: [{ user_id: 1, digest: 'f' }],
  provider_sessions: [{ session_id: 7, issuer: 'https://a.example', subject: 's', sid: null }],
  passkeys: [
    { id: 1, user_id: 1, credential: 'c', public_key: 'p', transports: '[]', counter: 4, name: 'a', created: time },
  ],
  saved_views: [{ id: 3, user_id: 1, name: 'Staff', list: '/admin/users/', query: 'is_staff=true', is_shared: true }],
  used_once: [{ key: 'k', expires: time }],
  secret_fingerprints: [{ id: 1, fingerprints: '[]' }],
  audit_log: [
    { id: 1, created: time, event: 'login', outcome: 'failure', user: 'x', address: null, target: '/', status: 400 },
    { id: 2, created: time, event: 'object changed', outcome: 'success', target: '/', ...change, changes: '{}' },
  ],
  idempotent_responses: [{ key: 'k', body: 'b', response: '{}', expires: 2 ** 41 }],
  snippets: [
    { id: 3, owner_id: 1, title: 'a', ...snippet },
    { id: 5, owner_id: 2, title: '', ...snippet },
  ],
  rates: [{ key: 'k', used: 3, ends: 2 ** 41 }],
}

/** The functions wrote SQL without quotation marks, and PostgreSQL calls a UNIQUE constraint `…_key`: a declared index ends with `…_unique`. */
const toDeclared = (tables: SchemaState['tables']): SchemaState['tables'] =>
  Object.fromEntries(
    Object.entries(tables).map(([name, table]) => {
      const indexes = Object.entries(table.indexes).map(([index, { where, ...state }]) => {
        const parts = [name, ...state.columns]
        return [
          index === [...parts, 'key'].join('_') ? [...parts, 'unique'].join('_') : index,
          { ...state, ...(where !== undefined && { where: String(where).replaceAll('"', '') }) },
        ] as const
      })
      return [name, { ...table, indexes: Object.fromEntries(indexes) }]
    }),
  )

const readTables = async ({ kysely, dialect }: Database) =>
  (await dialect.schema.readState(kysely, Object.keys(rows))).tables

/** All rows, and the records of the steps. */
async function readRows({ kysely }: Database): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const found: Record<string, readonly unknown[]> = {}
  for (const table of [...Object.keys(rows), 'resource_api_migrations'])
    found[table] = (await sql`select * from ${sql.table(table)} order by 1, 2`.execute(kysely)).rows
  return found
}

for (const [name, createStorage] of Object.entries({ SQLite: createFile, PostgreSQL: createDatabase }))
  suite(`own tables, ${name}`, () => {
    async function open(context: TestContext, migrations: readonly OwnedMigrations[]) {
      const storage = await createStorage()
      const database = openDatabase(storage.url)
      context.after(async () => {
        await database.close()
        await storage.remove()
      })
      await migrate(database, migrations)
      return { url: storage.url, database }
    }

    test('SVC-p1: a database whose steps were functions keeps all rows and tables, and has nothing to apply', async context => {
      const { url, database } = await open(context, [...previousOwners, previousThrottles])
      await database.transaction(async ({ kysely }) => {
        for (const [table, values] of Object.entries(rows))
          for (const row of values) {
            const toStored = (value: unknown) =>
              name === 'SQLite' && typeof value === 'boolean' ? Number(value) : value
            const stored = Object.entries(row).map(([column, value]) => [column, toStored(value)])
            await kysely.insertInto(table).values(Object.fromEntries(stored)).execute()
          }
      })
      const before = [await readRows(database), await readTables(database)]

      const settings = readSettings({ file: { ...defaultService, databaseUrl: url } })
      const services = openServices({ ...settings, secretKey: 'x'.repeat(40) })
      context.after(() => services.close())
      assert.deepEqual((await services.inspectMigrations()).problems, [])
      const { missing, unknown } = await services.compareMigrations()
      // SQLite counts in a file of its own, which is new.
      const rates = name === 'SQLite' ? [{ owner: 'throttles', steps: ['0001_rates'] }] : []
      assert.deepEqual([missing, unknown], [rates, []])
      for (const mode of [undefined, 'production', 'development'] as const)
        assert.deepEqual(await services.migrate({ mode }), [])
      assert.deepEqual([await readRows(database), await readTables(database)], before)
      assert.deepEqual(await services.compareMigrations(), { missing: [], unknown: [] })
    })

    test('SVC-p1: the steps make the tables that the functions made', async context => {
      const [before, now] = await Promise.all([
        open(context, [...previousOwners, previousThrottles]),
        open(context, [...owners, throttleMigrations]),
      ])
      assert.deepEqual(toDeclared(await readTables(now.database)), toDeclared(await readTables(before.database)))
    })

    for (const declared of declaredOwners)
      test(`the steps of ${declared.owner} make its declared tables, so that make and check find nothing`, async context => {
        const [owner] = await readOwners([declared])
        assert.deepEqual(listProblems(owner!), [])
        assert.deepEqual(await makeSteps([owner!], {}, undefined), { steps: [], questions: [] })
        const { dialect } = (await open(context, [])).database
        for (const migrations of [owners, previousOwners]) {
          const { database } = await open(context, migrations)
          const found = toDeclared(await readTables(database))
          assert.deepEqual(describeDifferences(declared.state.tables, found, toComparable(dialect)), [])
        }
      })
  })
