// Starts the service with unusable databases: damaged or foreign files, and servers with errors.
//
// This test has failed with each of these defects: a journal mode that is set too early (`openHandle` in
// src/core/database/sqlite/sqlite-connection.ts), a damaged or foreign file that is replaced or changed
// (`explainUnusable` in sqlite-errors.ts there, `readHistory` in src/core/database/migrations/history.ts), a failed
// migration that is not rolled back, a missing check of the encoding (`checkEncoding` in migrate.ts there), and messages
// that hide the reason or contain the password.

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { defineFault } from './fault.ts'
import { badFiles } from './support/bad-files.ts'
import { startBadServers } from './support/bad-servers.ts'
import { startDeadline } from './support/machine.ts'
import { newFolder, type Running, spawnService, startService } from './support/service.ts'
import { assertUntouched, hashContent, snapshot } from './support/snapshot.ts'
import { createUsers } from './support/users.ts'

/** Milliseconds. */
const maxStartTime = 20_000

export default defineFault({
  name: 'unusable database at start',
  promise:
    'The service prints one line with the database, the reason and the fix, and exits with 1; no existing file or table is changed.',
  // Every nth unusable database.
  scale: { full: { every: 1 }, short: { every: 4 } },
  async run({ every }) {
    const good = await createGood()
    const lines = [...(await tryFiles(good, every)), ...(await tryServers(every))]
    for (const [name, line] of lines) console.log(`         ${name}: ${line}`)
    await startWithoutDatabase()
    const names = lines.map(([name]) => name).join(', ')
    return `${lines.length} of them rejected in one line with exit code 1, no file or table changed: ${names}; an empty file and a missing folder become a new database`
  },
})

type Refusal = readonly [name: string, line: string]

/** Creates a valid database with 300 users. */
async function createGood(): Promise<string> {
  const file = `${await newFolder()}/good.db`
  const users = Array.from({ length: 300 }, (_, number) => ({ username: `user${number}` }))
  await createUsers(`sqlite:${file}`, ...users)
  return file
}

async function tryFiles(good: string, every: number): Promise<readonly Refusal[]> {
  const refusals: Refusal[] = []
  for (const [name, { prepare, expected, hasLog = false }] of takeEvery(every, badFiles)) {
    const folder = await newFolder()
    const other = await prepare(`${folder}/service.db`, good)
    const path = typeof other === 'string' ? other : `${folder}/service.db`
    const place = path.startsWith(folder) ? folder : dirname(path)
    const readState = () => (hasLog ? hashContent(path) : snapshot(place))
    const before = await readState()
    const line = await readRefusal({ databaseUrl: `sqlite:${path}` })
    assert.match(line, expected, name)
    assert.ok(line.includes(place), `${name}: the line names the file: ${line}`)
    assertUntouched(name, before, await readState())
    refusals.push([name, line.replaceAll(place, '…')])
  }
  return refusals
}

const takeEvery = <Value>(every: number, all: Readonly<Record<string, Value>>) =>
  Object.entries(all).filter((_, index) => index % every === 0)

async function tryServers(every: number): Promise<readonly Refusal[]> {
  const servers = await startBadServers()
  const before = await servers.content()
  const refusals: Refusal[] = []
  for (const [name, { url, expected }] of takeEvery(every, servers.all)) {
    const line = await readRefusal({ databaseUrl: url })
    assert.match(line, expected, name)
    assert.doesNotMatch(line, /hunter/)
    refusals.push([name, line.replaceAll(/:\d{4,5}/g, ':…')])
    assert.deepEqual(await servers.content(), before, `${name}: every database is as it was`)
  }
  await servers.stop()
  return refusals
}

/** Returns the line that the service prints before it exits with 1. */
async function readRefusal(options: Parameters<typeof spawnService>[0]): Promise<string> {
  const running: Running = await spawnService(options)
  const cancel = startDeadline(maxStartTime, () => running.signal('SIGKILL'))
  const { code, stdout, stderr } = await running.ended
  cancel()
  assert.deepEqual([code, stdout], [1, ''], stderr)
  assert.match(stderr, /^resource-api: DATABASE_URL: [^\n]+\n$/)
  return stderr.trim()
}

async function startWithoutDatabase(): Promise<void> {
  const folder = await newFolder()
  await writeFile(`${folder}/empty.db`, '')
  for (const path of ['empty.db', 'a/new/folder/service.db']) {
    const service = await startService({ databaseUrl: `sqlite:${folder}/${path}` })
    assert.equal((await service.stop()).code, 0)
  }
}
