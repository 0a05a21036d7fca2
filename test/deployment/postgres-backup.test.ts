// Backs up PostgreSQL while the service writes, restores the backup, and runs the service on the result.

import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { appendFile, chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import pg from 'pg'
import { directory } from 'resource-api/directory'
import type { Services } from 'resource-api/service'
import { snippets } from 'resource-api/snippets'
import { withServiceOn } from '../cli/service-on.ts'
import type { Client } from '../support/client.ts'
import { freePort } from '../support/free-port.ts'
import { eventually } from '../support/patience.ts'
import { createPlace, createPostgres, initialize, type Place, type RestartableServer } from '../support/postgres.ts'
import { createDatabase } from '../support/service.ts'
import { keepWriting } from './keep-writing.ts'

const run = promisify(execFile)
const options = { profiles: [directory({ pageSize: 100_000 }), snippets()] }
const groups = '/directory/groups/'

test('a base backup and the archived WAL restore every acknowledged write', async context => {
  const place = await createPlace()
  const servers: RestartableServer[] = []
  // A server that runs writes files while its folder is removed.
  context.after(async () => {
    for (const server of servers) await server.stop()
    await place.remove()
  })
  await initialize(place, 'data')
  const archive = join(place.folder, 'archive')
  await run('mkdir', [archive], place.owner as object)
  const archiving = ['archive_mode=on', `archive_command=test ! -f ${archive}/%f && cp %p ${archive}/%f`]
  const server = createPostgres(place, 'data', await freePort(), archiving)
  servers.push(server)
  await server.start()
  const backup = await withServiceOn(
    server.url,
    async (client, services) => {
      const token = await createUser(services)
      const writing = keepWriting(client, token)
      await writing.until(20)
      const label = await copyFiles(place, server.url, () => writing.until(writing.acknowledged.length + 10))
      await writing.until(writing.acknowledged.length + 10)
      await writing.stop()
      await archiveLog(server.url)
      return { token, label, names: writing.acknowledged }
    },
    options,
  )
  await server.stop()

  const { folder, owner } = place
  const files = join(folder, 'restored')
  await run('mkdir', ['-m', '0700', files], owner as object)
  await run('tar', ['-xf', join(folder, 'base.tar'), '-C', files], owner as object)
  await writeAs(owner, join(files, 'backup_label'), backup.label)
  await writeAs(owner, join(files, 'recovery.signal'), '')
  await appendFile(join(files, 'postgresql.auto.conf'), `restore_command = 'cp ${archive}/%f %p'\n`)
  const restored = createPostgres(place, 'restored', await freePort(), [])
  servers.push(restored)
  await restored.start()
  await eventually(async () => !(await queryValue(restored.url, 'select pg_is_in_recovery()')), 'the WAL is replayed')
  await withServiceOn(restored.url, client => checkRestored(client, backup.token, backup.names), options)
})

test('a dump contains every write that was acknowledged before pg_dump started', {
  skip: whyNoDump(),
}, async context => {
  const [source, target] = [await createDatabase(), await createDatabase()]
  context.after(() => Promise.all([source.remove(), target.remove()]))
  const file = join(await temporaryFolder(context), 'resource-api.dump')
  const written = await withServiceOn(
    source.url,
    async (client, services) => {
      const token = await createUser(services)
      const writing = keepWriting(client, token)
      await writing.until(20)
      const names = [...writing.acknowledged]
      await run('pg_dump', ['--format=custom', `--file=${file}`, source.url])
      await writing.until(writing.acknowledged.length + 1)
      await writing.stop()
      return { token, names }
    },
    options,
  )
  await run('pg_restore', ['--exit-on-error', '--no-owner', `--dbname=${target.url}`, file])
  await withServiceOn(target.url, client => checkRestored(client, written.token, written.names), options)
})

async function writeAs({ uid, gid }: Place['owner'], file: string, text: string): Promise<void> {
  await writeFile(file, text)
  if (uid !== undefined && gid !== undefined) await chown(file, uid, gid)
}

async function createUser(services: Services): Promise<string> {
  await services.migrate()
  return services.database.transaction(async connection => {
    const user = { username: 'ann', passwordHash: '!', isStaff: false, isSuperuser: false, isActive: true }
    return services.accounts.tokens.getOrCreate(await services.accounts.users.create(user, connection), connection)
  })
}

// Copies the files between pg_backup_start and pg_backup_stop, because the npm package does not contain pg_basebackup.
// Returns the backup label, which a restore needs.
async function copyFiles({ folder, owner }: Place, url: string, whileCopying: () => Promise<void>): Promise<string> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`select pg_backup_start('test', true)`)
    const excluded = ['./pg_wal/*', './postmaster.*'].map(name => `--exclude=${name}`)
    // tar exits with 1 if files change meanwhile; the WAL contains those changes.
    await run('tar', ['-cf', 'base.tar', ...excluded, '-C', 'data', '.'], { ...owner, cwd: folder } as object).catch(
      error => assert.equal(error.code, 1, error),
    )
    await whileCopying()
    const { rows } = await client.query('select labelfile from pg_backup_stop()')
    return rows[0].labelfile
  } finally {
    await client.end()
  }
}

async function archiveLog(url: string): Promise<void> {
  const lastSegment = await queryValue(url, 'select pg_walfile_name(pg_switch_wal())')
  const isArchived = `select last_archived_wal >= '${lastSegment}' from pg_stat_archiver`
  await eventually(async () => (await queryValue(url, isArchived)) === true, 'the WAL is archived')
}

async function queryValue(url: string, sql: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return Object.values((await client.query(sql)).rows[0])[0]
  } finally {
    await client.end()
  }
}

async function checkRestored(client: Client, token: string, names: readonly string[]): Promise<void> {
  assert.ok(names.length >= 20)
  const { results } = (await client.get(groups, { token })).json()
  const restoredNames = new Set(results.map(({ name }: { name: string }) => name))
  assert.deepEqual(
    names.filter(name => !restoredNames.has(name)),
    [],
  )
  assert.equal((await client.post(groups, { token, json: { name: 'after' } })).status, 201)
}

// pg_dump refuses a newer server. The tests run PostgreSQL 18, unless TEST_POSTGRES_URL names another server.
function whyNoDump(): string | false {
  const server = Number(process.env.TEST_POSTGRES_VERSION ?? 18)
  try {
    const [version] = /\d+/.exec(execFileSync('pg_dump', ['--version'], { encoding: 'utf8' }))!
    return Number(version) < server && `pg_dump has version ${version}, and the server ${server}`
  } catch {
    return 'pg_dump is not installed'
  }
}

async function temporaryFolder(context: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'resource-api-dump-'))
  context.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}
