// kill -9 in the middle of writes: of the service on SQLite, of the service on PostgreSQL, and of PostgreSQL itself. What a
// killed process has written survives in the kernel, so the power of the disk below SQLite is cut as well, and the
// connections are asked whether their commits wait for the disk.
//
// It fails with: `pragma synchronous = off` or `normal` (database/sqlite-connection.ts) by the pragma and, alone, by the
// power cut; `synchronous_commit=off` in the connections' options (database/postgres-pool.ts) by the setting and, alone, by
// the kill of PostgreSQL.

import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../support/free-port.ts'
import { defineFault, Skip } from './fault.ts'
import { checkFile } from './support/check-file.ts'
import { checkPostgresDurability, checkSqliteDurability, durabilityArgs, noteDurability } from './support/durability.ts'
import { openClient } from './support/http.ts'
import { acknowledged, compare, createLedger, type Ledger } from './support/ledger.ts'
import { powerDisk } from './support/mounts.ts'
import { startOwnPostgres } from './support/postgres.ts'
import { type FaultService, newFolder, startService } from './support/service.ts'
import { until } from './support/until.ts'
import { createUsers } from './support/users.ts'
import { startWriters } from './support/writers.ts'

const rounds = { sqlite: 20, power: 5, postgres: 5 }
const diskSize = 64 * 1024 * 1024

/** A service that is started again on the same port and the same database. */
interface Setting {
  readonly databaseUrl: string
  readonly token: string
  readonly ledger: Ledger
  start(): Promise<FaultService>
}

export default defineFault({
  name: 'kill -9 and power cut during writes',
  promise:
    'Every acknowledged write has been flushed to the disk and is there byte for byte, every other one is whole or absent, and the next start needs no help.',
  async run() {
    const onSqlite = await killOnSqlite()
    const withoutPower = await cutPower()
    const onPostgres = await killOnPostgres()
    return `${onSqlite}; ${withoutPower}; ${onPostgres}`
  },
})

export const deadline = 600

async function killOnSqlite(): Promise<string> {
  const file = `${await newFolder()}/service.db`
  const setting = await createSetting(`sqlite:${file}`)
  const tally = createTally()
  let logs = 0
  let service = await setting.start()
  for (let round = 0; round < rounds.sqlite; round++) {
    await tally.writeAndKill(setting, service, async () => {
      await checkSqliteDurability(service, file)
      await service.stop('SIGKILL')
      if (existsSync(`${file}-wal`) && statSync(`${file}-wal`).size > 0) logs++
    })
    service = await setting.start()
    tally.note(service.milliseconds)
    await tally.compare(setting, service)
    checkFile(file)
  }
  await service.stop()
  assert.ok(logs > rounds.sqlite / 2, `only ${logs} kills left a write-ahead log to take up`)
  return `SQLite, service killed ${rounds.sqlite} times, ${logs} times with a write-ahead log to take up: ${tally.text(setting)}, \`integrity_check\` and \`foreign_key_check\` clean each time`
}

async function cutPower(): Promise<string> {
  const disk = await powerDisk(diskSize).catch(skipped)
  if (typeof disk === 'string') return `SQLite, no power cut (${disk})`
  const file = `${disk.folder}/service.db`
  const setting = await createSetting(`sqlite:${file}`)
  const tally = createTally()
  let service = await setting.start()
  for (let round = 0; round < rounds.power; round++) {
    await tally.writeAndKill(setting, service, async () => {
      await service.stop('SIGKILL')
      await disk.cutPower()
    })
    service = await setting.start()
    tally.note(service.milliseconds)
    await tally.compare(setting, service)
    checkFile(file)
  }
  await service.stop()
  return `SQLite, power of the disk cut ${rounds.power} times: ${tally.text(setting)}, \`integrity_check\` and \`foreign_key_check\` clean each time`
}

// The rest of the fault goes on without a disk of its own.
function skipped(error: unknown): string {
  if (error instanceof Skip) return error.message
  throw error
}

async function killOnPostgres(): Promise<string> {
  // A commit that does not wait for the disk is written this much later, so that the kill loses it.
  const postgres = await startOwnPostgres({ settings: { wal_writer_delay: '10s' } })
  const setting = await createSetting(postgres.url)
  await noteDurability(postgres)
  const [ofService, ofServer] = [createTally(), createTally()]
  let service = await setting.start()
  for (let round = 0; round < rounds.postgres; round++) {
    await ofService.writeAndKill(setting, service, async () => void (await service.stop('SIGKILL')))
    service = await setting.start()
    ofService.note(service.milliseconds)
    await ofService.compare(setting, service)
  }
  const texts = [`PostgreSQL, service killed ${rounds.postgres} times: ${ofService.text(setting)}`]
  const { pid } = service
  for (let round = 0; round < rounds.postgres; round++) {
    await ofServer.writeAndKill(setting, service, postgres.kill)
    await postgres.start()
    const start = performance.now()
    const client = openClient(service.origin)
    await until('the service reads again', async () => (await client.get('/directory/users/', setting)).status === 200)
    client.close()
    ofServer.note(performance.now() - start)
    await ofServer.compare(setting, service)
  }
  assert.ok(service.isRunning() && service.pid === pid, 'the service has outlived PostgreSQL')
  await checkPostgresDurability(postgres)
  texts.push(`PostgreSQL killed ${rounds.postgres} times under the same service: ${ofServer.text(setting)}`)
  await service.stop()
  await postgres.stop()
  return texts.join('; ')
}

async function createSetting(databaseUrl: string): Promise<Setting> {
  const [token] = await createUsers(databaseUrl, { username: 'admin', superuser: true })
  const port = await freePort()
  return {
    databaseUrl,
    token: token!,
    ledger: createLedger(),
    start: () => startService({ databaseUrl, port, nodeArgs: durabilityArgs }),
  }
}

function createTally() {
  let [writes, unanswered, done, slowest] = [0, 0, 0, 0]
  return {
    note(milliseconds: number) {
      slowest = Math.max(slowest, milliseconds)
    },
    /** Kills at a random moment of the writing. */
    async writeAndKill({ token, ledger }: Setting, { origin }: FaultService, kill: () => Promise<void>) {
      const before = acknowledged(ledger)
      const writers = await startWriters({ origins: [origin], token, ledger })
      await until('writes are acknowledged', () => acknowledged(ledger) > before, { pause: 5 })
      await delay(randomInt(50, 1500))
      await kill()
      await writers.ended
      writes += acknowledged(ledger) - before
    },
    /** Everything that was ever written is compared: what one start has kept, the next might lose. */
    async compare({ token, ledger, databaseUrl }: Setting, { origin }: FaultService) {
      const client = openClient(origin)
      const settled = await compare(ledger.entries, client, token, databaseUrl)
      unanswered += settled.unanswered
      done += settled.done
      client.close()
    },
    text: ({ ledger }: Setting) =>
      `${writes} acknowledged writes all there (${ledger.entries.length} users and snippets compared), of ${unanswered} without an answer ${done} done wholly and the rest not at all, ready again after ${(slowest / 1000).toFixed(2)} s at most`,
  }
}
