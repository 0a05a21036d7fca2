// kill -9 during writes: of the service on SQLite, of the service on PostgreSQL, and of PostgreSQL. The kernel keeps
// what a killed process has written, so the test also cuts the power of the disk below SQLite, and checks that commits
// of the service's connections wait for the disk.
//
// This test has failed with each of these defects: `pragma synchronous = off` or `normal`
// (src/core/database/sqlite/sqlite-connection.ts) by the pragma and, alone, by the power cut; `synchronous_commit=off` in
// the connections' options (src/core/database/postgres/postgres-pool.ts) by the setting and, alone, by the kill of
// PostgreSQL.

import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../support/free-port.ts'
import { defineFault, Skip } from './fault.ts'
import { checkFile } from './support/check-file.ts'
import {
  checkPostgresDurability,
  checkSqliteDurability,
  durabilityArgs,
  recordDurability,
} from './support/durability.ts'
import { openClient } from './support/http.ts'
import { compare, countAcknowledged, createLedger, type Ledger } from './support/ledger.ts'
import { mountPowerDisk } from './support/mounts.ts'
import { startOwnPostgres } from './support/postgres.ts'
import { type FaultService, newFolder, startService } from './support/service.ts'
import { until } from './support/until.ts'
import { createUsers } from './support/users.ts'
import { startWriters } from './support/writers.ts'

const diskSize = 64 * 1024 * 1024

/** The database and the port with which the service is restarted. */
interface Setting {
  readonly databaseUrl: string
  readonly token: string
  readonly ledger: Ledger
  start(): Promise<FaultService>
}

export default defineFault({
  name: 'kill -9 and power cut during writes',
  promise:
    'Every acknowledged write has been flushed to disk and is stored byte for byte, every other write is complete or absent, and the next start needs no repair.',
  // Rounds.
  scale: { full: { sqlite: 20, power: 5, postgres: 5 }, short: { sqlite: 2, power: 1, postgres: 1 } },
  async run({ sqlite, power, postgres }) {
    const onSqlite = await killOnSqlite(sqlite)
    const withoutPower = await cutPower(power)
    const onPostgres = await killOnPostgres(postgres)
    return `${onSqlite}; ${withoutPower}; ${onPostgres}`
  },
})

async function killOnSqlite(rounds: number): Promise<string> {
  const file = `${await newFolder()}/service.db`
  const setting = await createSetting(`sqlite:${file}`)
  const tally = createTally()
  let logs = 0
  let service = await setting.start()
  for (let round = 0; round < rounds; round++) {
    await tally.writeAndKill(setting, service, async () => {
      await checkSqliteDurability(service, file)
      await service.stop('SIGKILL')
      if (existsSync(`${file}-wal`) && statSync(`${file}-wal`).size > 0) logs++
    })
    service = await setting.start()
    tally.recordTime(service.milliseconds)
    await tally.compare(setting, service)
    checkFile(file)
  }
  await service.stop()
  assert.ok(logs > rounds / 2, `only ${logs} kills left a write-ahead log to recover`)
  return `SQLite, service killed ${rounds} times, ${logs} times with a write-ahead log to recover: ${tally.text(setting)}, \`integrity_check\` and \`foreign_key_check\` clean each time`
}

async function cutPower(rounds: number): Promise<string> {
  const disk = await mountPowerDisk(diskSize).catch(readSkipMessage)
  if (typeof disk === 'string') return `SQLite, no power cut (${disk})`
  const file = `${disk.folder}/service.db`
  const setting = await createSetting(`sqlite:${file}`)
  const tally = createTally()
  let service = await setting.start()
  for (let round = 0; round < rounds; round++) {
    await tally.writeAndKill(setting, service, async () => {
      await service.stop('SIGKILL')
      await disk.cutPower()
    })
    service = await setting.start()
    tally.recordTime(service.milliseconds)
    await tally.compare(setting, service)
    checkFile(file)
  }
  await service.stop()
  return `SQLite, power of the disk cut ${rounds} times: ${tally.text(setting)}, \`integrity_check\` and \`foreign_key_check\` clean each time`
}

// Without a separate disk, the other services of this test still run.
function readSkipMessage(error: unknown): string {
  if (error instanceof Skip) return error.message
  throw error
}

async function killOnPostgres(rounds: number): Promise<string> {
  // The WAL writer flushes only this often, so that a kill loses commits that did not wait for the disk.
  const postgres = await startOwnPostgres({ settings: { wal_writer_delay: '10s' } })
  const setting = await createSetting(postgres.url)
  await recordDurability(postgres)
  const [serviceTally, serverTally] = [createTally(), createTally()]
  let service = await setting.start()
  for (let round = 0; round < rounds; round++) {
    await serviceTally.writeAndKill(setting, service, async () => void (await service.stop('SIGKILL')))
    service = await setting.start()
    serviceTally.recordTime(service.milliseconds)
    await serviceTally.compare(setting, service)
  }
  const texts = [`PostgreSQL, service killed ${rounds} times: ${serviceTally.text(setting)}`]
  const { pid } = service
  for (let round = 0; round < rounds; round++) {
    await serverTally.writeAndKill(setting, service, postgres.kill)
    await postgres.start()
    const start = performance.now()
    const client = openClient(service.origin)
    await until('the service reads again', async () => (await client.get('/directory/users/', setting)).status === 200)
    client.close()
    serverTally.recordTime(performance.now() - start)
    await serverTally.compare(setting, service)
  }
  assert.ok(service.isRunning() && service.pid === pid, 'the service survives the kill of PostgreSQL')
  await checkPostgresDurability(postgres)
  texts.push(`PostgreSQL killed ${rounds} times under the same service: ${serverTally.text(setting)}`)
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
    recordTime(milliseconds: number) {
      slowest = Math.max(slowest, milliseconds)
    },
    /** Kills at a random moment during writes. */
    async writeAndKill({ token, ledger }: Setting, { origin }: FaultService, kill: () => Promise<void>) {
      const before = countAcknowledged(ledger)
      const writers = await startWriters({ origins: [origin], token, ledger })
      await until('writes are acknowledged', () => countAcknowledged(ledger) > before, { pause: 5 })
      await delay(randomInt(50, 1500))
      await kill()
      await writers.ended
      writes += countAcknowledged(ledger) - before
    },
    /** Compares everything that was ever written, because a later restart might lose earlier writes. */
    async compare({ token, ledger, databaseUrl }: Setting, { origin }: FaultService) {
      const client = openClient(origin)
      const settled = await compare(ledger.entries, client, token, databaseUrl)
      unanswered += settled.unanswered
      done += settled.done
      client.close()
    },
    text: ({ ledger }: Setting) =>
      `${writes} acknowledged writes all stored (${ledger.entries.length} users and snippets compared), of ${unanswered} without a response ${done} complete and the others absent, ready again after ${(slowest / 1000).toFixed(2)} s at most`,
  }
}
