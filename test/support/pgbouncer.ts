// A real pgbouncer, if it is installed: npm has no package for it.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { freePort } from './free-port.ts'
import { eventually } from './patience.ts'

export interface TestPooler {
  /** The URL of a database, through the pooler. */
  through(url: string): string
  stop(): Promise<void>
}

const nobody = 65_534

/** The path of the program; undefined if it is not installed. */
export const pgbouncer: string | undefined = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
  .map(folder => join(folder, 'pgbouncer'))
  .find(existsSync)

/** Starts pgbouncer in transaction mode in front of this server; `settings` are additional lines of its configuration. */
export async function startPgbouncer(url: string, settings: readonly string[] = []): Promise<TestPooler> {
  const folder = await mkdtemp(join(tmpdir(), 'resource-api-pgbouncer-'))
  const port = await freePort()
  const file = join(folder, 'pgbouncer.ini')
  await chmod(folder, 0o755)
  await writeFile(file, configuration(new URL(url), port, settings))
  // pgbouncer refuses to run as root.
  const owner = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {}
  const server = spawn(pgbouncer!, ['-q', file], { stdio: 'ignore', cwd: folder, ...owner })
  await untilListening(port)
  return {
    through: text => Object.assign(new URL(text), { port: String(port) }).href,
    async stop() {
      server.kill('SIGTERM')
      if (server.exitCode === null) await once(server, 'exit')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const configuration = ({ hostname, port, username }: URL, listenPort: number, settings: readonly string[]): string =>
  [
    '[databases]',
    `* = host=${hostname} port=${port} user=${username}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${listenPort}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    'default_pool_size = 3',
    ...settings,
    '',
  ].join('\n')

async function untilListening(port: number): Promise<void> {
  await eventually(async () => {
    const socket = connect(port, '127.0.0.1')
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    return isOpen
  }, 'pgbouncer listens')
}
