// Backs up SQLite while the service writes, and restores the backup as docs/deployment.md describes.

import assert from 'node:assert/strict'
import { copyFile, open, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { backupDatabase } from '../../src/service/commands/backup.ts'
import { type CommandLine, commandLine, type Running } from '../cli/command-line.ts'
import { type Client, connectTo } from '../support/client.ts'
import { formatConfig } from '../support/config-file.ts'
import { password } from '../support/service.ts'
import { keepWriting } from './keep-writing.ts'

const environment = { SECRET_KEY: 'r4Tq0hJ8sWb2nYcV6rXzT4mLpDfGaE1uRi9oQt7y', PORT: '0', LOG_LEVEL: 'silent' }
const toFile = (databaseUrl: string): string => databaseUrl.slice('sqlite:'.length)
const groups = '/directory/groups/'

async function serve(cli: CommandLine): Promise<{ service: Running; client: Client }> {
  const service = cli.start(['serve'], { environment })
  const [, origin] = await service.until(/^Listening on (http:\S+)$/m)
  return { service, client: connectTo(origin!) }
}

const logIn = async (client: Client): Promise<string> =>
  (await client.post('/api-token-auth/', { json: { username: 'ann', password } })).json().token

const listGroupNames = async (client: Client, token: string): Promise<ReadonlySet<string>> =>
  new Set((await client.get(groups, { token })).json().results.map(({ name }: { name: string }) => name))

test('a backup during writes contains all writes acknowledged before it, and can be restored as documented', async context => {
  const cli = await commandLine(context)
  await writeFile(
    join(cli.folder, 'resource-api.config.ts'),
    formatConfig('profiles: [directory({ pageSize: 100_000 }), snippets()]'),
  )
  await cli.run(['createuser', 'ann'], { input: `${password}\n`, environment })
  const { service, client } = await serve(cli)
  const token = await logIn(client)
  const writing = keepWriting(client, token)
  await writing.until(50)
  const acknowledgedBefore = [...writing.acknowledged]
  const { code, stderr } = await cli.run(['backup', 'copy.db'], { environment })
  assert.equal(code, 0, stderr)
  assert.match(stderr, /^Wrote copy\.db: \d+ bytes, checked\.\nThe copy does not contain SECRET_KEY/)
  const acknowledgedAtBackup = writing.acknowledged.length
  await writing.until(acknowledgedAtBackup + 20)
  await writing.stop()
  client.close()
  const copy = join(cli.folder, 'copy.db')
  assert.equal((await stat(copy)).mode & 0o777, 0o600)
  assert.deepEqual(
    (await readdir(cli.folder)).filter(name => name.startsWith('copy')),
    ['copy.db'],
  )

  // Remove the files that a crash leaves next to the database: they belong to the old database.
  await service.stop('SIGKILL')
  const file = toFile(cli.databaseUrl)
  assert.ok((await stat(`${file}-wal`)).size > 0)
  for (const suffix of ['', '-wal', '-shm']) await rm(file + suffix)
  await copyFile(copy, file)
  const restored = await serve(cli)
  context.after(() => restored.client.close())
  const names = await listGroupNames(restored.client, token)
  assert.deepEqual(
    acknowledgedBefore.filter(name => !names.has(name)),
    [],
  )
  assert.ok(
    names.size <= acknowledgedAtBackup + 1 && names.size < writing.acknowledged.length,
    'the backup shows the moment of the command',
  )
  assert.equal(await logIn(restored.client), token)
  assert.equal((await restored.client.post(groups, { token, json: { name: 'after' } })).status, 201)
})

test('a damaged database is not backed up, and an existing file is not overwritten', async context => {
  const { folder, databaseUrl } = await commandLine(context)
  const inFolder = (name: string) => join(folder, name)
  const [file, existing, target] = [toFile(databaseUrl), inFolder('kept.db'), inFolder('new.db')]
  const created = new DatabaseSync(file)
  created.exec('create table t (x text)')
  for (let row = 0; row < 100; row++) created.prepare('insert into t values (?)').run('x'.repeat(1000))
  created.close()
  await writeFile(existing, 'kept')
  await backupDatabase({ databaseUrl }, target)
  await rm(target)
  await damage(file)
  const backupUrl = (url: string) => backupDatabase({ databaseUrl: url }, target)
  await assert.rejects(backupDatabase({ databaseUrl }, existing), /kept\.db: already exists: name a new file$/)
  await assert.rejects(backupDatabase({ databaseUrl }, target), /the database is damaged|malformed/)
  await assert.rejects(backupDatabase({ databaseUrl }, inFolder('no/new.db')), /cannot be written \(ENOENT\)$/)
  await assert.rejects(
    backupUrl(`sqlite:${inFolder('none.db')}`),
    /^CommandError: DATABASE_URL: the file .*none\.db does not exist$/,
  )
  await assert.rejects(
    backupUrl('postgres://ann:secret@host/name'),
    /^CommandError: backup: works only with SQLite; .*pg_dump/,
  )
  const files = (await readdir(folder)).filter(name => !name.startsWith('test.db'))
  assert.deepEqual(files, ['kept.db'])
})

async function damage(file: string): Promise<void> {
  const handle = await open(file, 'r+')
  await handle.write(Buffer.alloc(8192, 0xff), 0, 8192, 16_384)
  await handle.close()
}
