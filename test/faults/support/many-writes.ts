// The fault `killed-jobs` on a larger scale: `node test/faults/support/many-writes.ts <file> [orders] [seconds]` stores orders in batches, on
// SQLite and on PostgreSQL in turn, until each database has had so many (default 100,000), or the time (default an hour) is over.
// Each batch begins with an empty database, and counts only if each promise was kept. The file has the sums so far, so a later run
// continues. With `TMPDIR=/dev/shm`, it does not wait for the disk, which a killed process does not need.

import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Counts, killDuringJobs } from '../killed-jobs.ts'
import { startOwnPostgres } from './postgres.ts'
import { killCommands } from './service.ts'

const [file, orders = '100000', seconds = '3600'] = process.argv.slice(2)
if (file === undefined) throw new Error('The first argument must be the file of the sums.')

const batch = 20_000
const end = Date.now() + Number(seconds) * 1000
const folder = join(tmpdir(), `many-writes-${process.pid}`)
process.env.TMPDIR = folder

type Sums = Readonly<Record<'sqlite' | 'postgres', Counts>>

const nothing: Counts = { orders: 0, kills: 0, repeated: 0, takenOver: 0, connections: 0, repeatedMessages: 0 }
const readSums = async (): Promise<Sums> =>
  JSON.parse(await readFile(file, 'utf8').catch(() => JSON.stringify({ sqlite: nothing, postgres: nothing })))

const add = (one: Counts, other: Counts): Counts => ({
  orders: one.orders + other.orders,
  kills: one.kills + other.kills,
  repeated: one.repeated + other.repeated,
  takenOver: one.takenOver + other.takenOver,
  connections: one.connections + other.connections,
  // Sums that were written before do not have it.
  repeatedMessages: (one.repeatedMessages ?? 0) + other.repeatedMessages,
})

async function runBatch(kind: keyof Sums, missing: number): Promise<void> {
  const scale = { rounds: 5, orders: Math.min(batch, missing), writers: 16, pause: 10_000 }
  const counts = await (kind === 'sqlite' ? onSqlite(scale) : onPostgres(scale))
  const sums = await readSums()
  const changed = { ...sums, [kind]: add(sums[kind], counts) }
  await writeFile(file!, `${JSON.stringify(changed, undefined, 2)}\n`)
  console.log(new Date().toISOString(), kind, JSON.stringify(changed[kind]))
}

const onSqlite = (scale: Parameters<typeof killDuringJobs>[1]) => killDuringJobs(`sqlite:${folder}/jobs.db`, scale)

async function onPostgres(scale: Parameters<typeof killDuringJobs>[1]): Promise<Counts> {
  const postgres = await startOwnPostgres()
  try {
    return await killDuringJobs(postgres.url, scale)
  } finally {
    await postgres.stop()
  }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    killCommands()
    process.exit(1)
  })

const kinds = ['sqlite', 'postgres'] as const
const findMissing = async (kind: keyof Sums) => Number(orders) - (await readSums())[kind].orders

try {
  for (let index = 0; Date.now() < end; index++) {
    const missing = await Promise.all(kinds.map(findMissing))
    if (missing.every(count => count <= 0)) break
    if (missing[index % 2]! <= 0) continue
    await mkdir(folder)
    await runBatch(kinds[index % 2]!, missing[index % 2]!)
    await rm(folder, { recursive: true })
  }
} finally {
  killCommands()
  await rm(folder, { recursive: true, force: true })
}
