// Upgrades a service from the version before migrations had owners: all rows stay, and the service uses them. The files
// in test/support/earlier-version were made by running that version.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { type Database, openDatabase } from 'resource-api'
import { createService, openServices, readSettings } from 'resource-api/service'
import { injectClient } from '../support/client.ts'
import { createDatabase, createFile, defaultService, password, type Storage } from '../support/service.ts'

const readEarlier = (file: string) =>
  readFile(new URL(`../support/earlier-version/${file}.sql`, import.meta.url), 'utf8')

async function loadFile(path: string, file: string): Promise<void> {
  const database = new DatabaseSync(path)
  database.exec(await readEarlier(file))
  database.close()
}

interface Earlier {
  create(): Promise<Storage>
  /** The URL of the database with the counts of throttles. */
  ratesUrl(url: string): string
  /** What the clients of the earlier version have. */
  readonly tokens: Readonly<Record<'ann' | 'zoë', string>>
  readonly session: string
}

const earlierVersions: Readonly<Record<string, Earlier>> = {
  SQLite: {
    async create() {
      const storage = await createFile()
      const path = storage.url.slice('sqlite:'.length)
      await loadFile(path, 'sqlite')
      await loadFile(`${path}-rates`, 'sqlite-rates')
      return storage
    },
    ratesUrl: url => `${url}-rates`,
    tokens: { ann: '17e8036eba31c44c70f5b83400f49baaca0876d6', zoë: 'c097ca53e80bb28f4dfdbe42a1dafe0d9326219c' },
    session: 'N22ARardg8XfuRQb0qR9KbGNNiVpDTOpaCbKDBOrEp4',
  },
  PostgreSQL: {
    async create() {
      const storage = await createDatabase()
      const client = new pg.Client({ connectionString: storage.url })
      await client.connect()
      await client.query(await readEarlier('postgresql'))
      await client.end()
      return storage
    },
    ratesUrl: url => url,
    tokens: { ann: '117700c73f77407abf75ba2e2cc80635ce4e8ba9', zoë: '374b556b3b6575c7d8c7a0ea1847f9f7d4d68d06' },
    session: '5tKpyKveCvuk--xiYe6d29JKXntornCgL2nsNv1tp_4',
  },
}

const tableOfMigrations = /^(?:kysely_migration|kysely_migration_lock|resource_api_migrations)$/

/** All rows of all tables, except those that record migrations. */
async function readRows(url: string): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const database = openDatabase(url)
  const rows: Record<string, readonly unknown[]> = {}
  for (const table of (await database.catalogue.names()).toSorted()) {
    if (tableOfMigrations.test(table)) continue
    rows[table] = (await sql`select * from ${sql.table(table)} order by 1, 2`.execute(database.kysely)).rows
  }
  await database.close()
  return rows
}

const copyRow = (row: unknown): object => ({ ...(row as object) })

const readNames = async ({ kysely }: Database) =>
  (await kysely.selectFrom('resource_api_migrations').select('name').orderBy('name').execute()).map(({ name }) => name)

for (const [name, { create, ratesUrl, tokens, session }] of Object.entries(earlierVersions)) {
  suite(name, () => {
    test('SVC-p1: a database whose steps have no digests keeps all rows, and gets them', async context => {
      const storage = await create()
      context.after(storage.remove)
      const settings = readSettings({ file: { ...defaultService, databaseUrl: storage.url, logLevel: 'silent' } })
      const services = openServices({ ...settings, secretKey: 'x'.repeat(40) })
      context.after(() => services.close())
      await services.prepare()
      // The previous version had only the columns `name` and `applied`.
      const readSteps = async () =>
        (await services.database.kysely
          .selectFrom('resource_api_migrations')
          .selectAll()
          .orderBy('name')
          .execute()) as {
          readonly name: string
          readonly applied: string
          readonly digest?: string
        }[]
      const steps = await readSteps()
      for (const column of ['digest', 'creations'])
        await services.database.transaction(({ kysely }) =>
          kysely.schema.alterTable('resource_api_migrations').dropColumn(column).execute(),
        )
      const before = await readRows(storage.url)
      assert.deepEqual(await services.compareMigrations(), { missing: [], unknown: [] })
      assert.deepEqual((await services.inspectMigrations()).problems, [])
      assert.deepEqual(await services.migrate(), [])
      assert.deepEqual(await readRows(storage.url), before)
      const toDigests = (list: typeof steps) => list.map(({ name, applied, digest }) => [name, applied, digest])
      assert.deepEqual(toDigests(await readSteps()), toDigests(steps))
      assert.deepEqual((await services.inspectMigrations()).problems, [])
    })

    test('SVC-p1: an upgraded service keeps all rows, and serves the clients of the earlier version', async context => {
      const storage = await create()
      context.after(storage.remove)
      const urls = [...new Set([storage.url, ratesUrl(storage.url)])]
      const readAll = () => Promise.all(urls.map(readRows))
      const before = await readAll()
      const tables = before.flatMap(rows => Object.keys(rows))
      for (const table of ['users', 'tokens', 'named_tokens', 'sessions', 'snippets', 'audit_log', 'rates'])
        assert.ok(tables.includes(table), table)

      let now = Date.parse('2031-01-01T00:30:00Z')
      const clock = () => new Date(now++)
      const settings = readSettings({ file: { ...defaultService, databaseUrl: storage.url, logLevel: 'silent' } })
      const services = openServices({ ...settings, secretKey: 'x'.repeat(40) }, { clock })
      await services.prepare()
      const [main, ...others] = await readAll()
      const { idempotent_responses: responses, provider_accounts: people, ...known } = main!
      const {
        second_factors: factors,
        recovery_codes: codes,
        passkeys,
        used_once: used,
        provider_sessions: begun,
        saved_views: views,
        ...rows
      } = known
      const noChange = {
        action: null,
        resource: null,
        object_table: null,
        object_key: null,
        object_name: null,
        changes: null,
      }
      const events = before[0]!.audit_log!.map(row => ({ ...(row as object), ...noChange }))
      const accounts = before[0]!.users!.map(row => ({ ...(row as object), last_login: null }))
      const upgraded = { ...rows, audit_log: rows.audit_log!.map(copyRow), users: rows.users!.map(copyRow) }
      const [first, ...rest] = before
      assert.deepEqual(
        [people, begun, factors, codes, passkeys, used, views, responses, [upgraded, ...others]],
        [[], [], [], [], [], [], [], [], [{ ...first, audit_log: events, users: accounts }, ...rest]],
      )
      assert.deepEqual(await services.migrate(), [])
      assert.deepEqual(await services.compareMigrations(), { missing: [], unknown: [] })
      const names = await services.database.catalogue.names()
      assert.deepEqual(
        names.filter(table => tableOfMigrations.test(table)),
        ['resource_api_migrations'],
      )
      assert.deepEqual(await readNames(services.database), [
        'accounts/0001_accounts',
        'accounts/0003_sessions',
        'accounts/0003_username_keys',
        'accounts/0005_named_tokens',
        'accounts/0006_permissions',
        'accounts/0007_session_keys',
        'accounts/0008_remote_identities',
        'accounts/0009_secret_fingerprints',
        'accounts/0010_last_login',
        'accounts/0011_provider_accounts',
        'accounts/0012_second_factors',
        'accounts/0013_passkeys',
        'accounts/0014_provider_sessions',
        'accounts/0015_email_index',
        'accounts/0016_saved_views',
        'audit/0001_audit_log',
        'audit/0002_changes',
        'idempotency/0001_responses',
        'snippets/0001_snippets',
        ...(name === 'SQLite' ? [] : ['throttles/0001_rates']),
      ])

      const app = await createService(services, clock)
      const client = injectClient(app)
      assert.equal((await client.get('/readyz')).status, 200)
      const snippets = await client.get('/snippet/snippets/')
      assert.deepEqual(
        snippets
          .json()
          .map(({ id, title, code, owner }: Readonly<Record<string, unknown>>) => [id, title, code, owner]),
        [
          [1, "Zoë's", 'print("ä")', 'Zoë'],
          [2, "Zoë's", 'one = 1\ntwo = 2', 'Zoë'],
        ],
      )
      const created = await client.post('/snippet/snippets/', { token: tokens.zoë, json: { code: 'three = 3' } })
      assert.deepEqual([created.status, created.json().id, created.json().owner], [201, 3, 'Zoë'])
      const users = await client.get('/directory/users/', { headers: { cookie: `sessionid=${session}` } })
      assert.deepEqual([users.status, users.json().count], [200, 3])
      const login = await client.post('/api-token-auth/', { json: { username: 'ann', password } })
      assert.deepEqual([login.status, login.json().token], [200, tokens.ann])
      await app.close()
      await services.close()
    })
  })
}
