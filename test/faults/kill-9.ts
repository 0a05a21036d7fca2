// kill -9 in the middle of writes: of the service on SQLite, of the service on PostgreSQL, and of PostgreSQL itself.

import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../support/free-port.ts'
import { defineFault } from './fault.ts'
import { checkFile } from './support/check-file.ts'
import { openClient } from './support/http.ts'
import { acknowledged, compare, createLedger, type Ledger } from './support/ledger.ts'
import { startOwnPostgres } from './support/postgres.ts'
import { type FaultService, newFolder, startService } from './support/service.ts'
import { until } from './support/until.ts'
import { createUsers } from './support/users.ts'
import { startWriters } from './support/writers.ts'

const rounds = { sqlite: 20, postgres: 5 }

/** A service that is started again on the same port and the same database. */
interface Setting {
  readonly databaseUrl: string
  readonly token: string
  readonly ledger: Ledger
  start(): Promise<FaultService>
}

export default defineFault({
  name: 'kill -9 during writes',
  promise:
    'Every acknowledged write is there byte for byte, every other one is whole or absent, and the next start needs no help.',
  async run() {
    const onSqlite = await killOnSqlite()
    const onPostgres = await killOnPostgres()
    return `${onSqlite}; ${onPostgres}`
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

async function killOnPostgres(): Promise<string> {
  const postgres = await startOwnPostgres()
  const setting = await createSetting(postgres.url)
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
    start: () => startService({ databaseUrl, port }),
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
