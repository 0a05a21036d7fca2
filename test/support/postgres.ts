// The tests' PostgreSQL servers: those of the test kit, and a primary with its replica.

import { execFile } from 'node:child_process'
import { appendFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import {
  createPlace,
  createPostgres,
  initialize,
  type Place,
  type RestartableServer,
} from '../../src/testing/postgres-server.ts'
import { freePort } from './free-port.ts'

export {
  createPlace,
  createPostgres,
  initialize,
  type Place,
  type PostgresServer as TestPostgres,
  type RestartableServer,
  startPostgres,
} from '../../src/testing/postgres-server.ts'

/** A primary and its streaming replica. */
export interface TestReplication {
  readonly primary: RestartableServer
  readonly replica: RestartableServer
  /** Stops both, and removes everything. */
  remove(): Promise<void>
}

/** Starts a new, empty primary, and a replica that begins with a copy of its files. */
export async function startReplication(): Promise<TestReplication> {
  const place = await createPlace()
  await initialize(place, 'primary')
  const [primaryPort, replicaPort] = [await freePort(), await freePort()]
  await copyData(place, 'primary', 'replica', primaryPort)
  const primary = createPostgres(place, 'primary', primaryPort, ['wal_keep_size=64MB'])
  // Replay does not wait for reads.
  const replica = createPostgres(place, 'replica', replicaPort, ['max_standby_streaming_delay=0'])
  await primary.start()
  await replica.start()
  return {
    primary,
    replica,
    async remove() {
      await Promise.all([replica.stop(), primary.stop()])
      await place.remove()
    },
  }
}

// The primary has not run yet, so its files do not change; the replica receives all later changes.
async function copyData({ folder, owner }: Place, from: string, to: string, port: number): Promise<void> {
  await promisify(execFile)('cp', ['-a', join(folder, from), join(folder, to)], owner as object)
  const connection = `primary_conninfo = 'host=127.0.0.1 port=${port} user=postgres'\n`
  await appendFile(join(folder, to, 'postgresql.auto.conf'), connection)
  await writeFile(join(folder, to, 'standby.signal'), '')
}
