// The real service as a process of its own. Whatever a fault leaves behind, run.ts ends: nothing here is detached.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { until } from './until.ts'

/** Milliseconds. On a busy machine, what a service refuses for want of time would be taken for the effect of a fault. */
const overloadDelay = 60_000

/** The secret of every service here, so that a user made by `createUser` has a token that each knows. */
export const secretKey = 'a secret that only the faults have'

export interface ServeOptions {
  readonly databaseUrl: string
  /** Settings by environment variable; nothing else of the environment reaches the service. */
  readonly environment?: Readonly<Record<string, string>>
  /** Settings that have no variable, as the config file would have them: `{ limits: { connections: 10 } }`. */
  readonly config?: Readonly<Record<string, unknown>>
  /** Further arguments of `serve`. */
  readonly args?: readonly string[]
  /** Arguments of Node itself: `['--import', …]`. */
  readonly nodeArgs?: readonly string[]
  /** What stands before the command, such as `['setpriv', '--reuid=65534', …]`. */
  readonly prefix?: readonly string[]
  /** Default: a free one. */
  readonly port?: number
  /** Both its outputs are appended to this file; default: to pipes, which this process reads. */
  readonly outputFile?: string
  /** How long it may take until it listens, in milliseconds; default 20,000. */
  readonly within?: number
}

/** How a process ended, and all that it said. */
export interface Ending {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** A command that may or may not have ended. */
export interface Running {
  readonly pid: number
  readonly ended: Promise<Ending>
  /** Is it still there? */
  isRunning(): boolean
  /** All that it has said so far, its log and its messages. */
  output(): string
  signal(name: NodeJS.Signals): void
  /** Signals, default SIGTERM, and waits for its end. */
  stop(name?: NodeJS.Signals): Promise<Ending>
}

/** A service that answers. */
export interface FaultService extends Running {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string
  readonly port: number
  /** From its start until it listened. */
  readonly milliseconds: number
}

const repository = fileURLToPath(new URL('../../..', import.meta.url))
export const program = join(repository, 'src/service/cli.ts')

/** A new folder; run.ts removes it after the fault. */
export const newFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'fault-'))

/** Starts a service and waits until it listens; throws where it ends before. */
export async function startService(options: ServeOptions): Promise<FaultService> {
  const start = performance.now()
  const running = await spawnService(options)
  const origin = await until(
    'the service listens',
    () => {
      const [, url] = /^Listening on (http:\S+)$/m.exec(running.output()) ?? []
      return url ?? (running.isRunning() ? undefined : 'ended')
    },
    { within: options.within ?? 20_000, pause: 10 },
  )
  if (origin === 'ended') throw new Error(`the service ended at its start: ${(await running.ended).stderr}`)
  return { ...running, origin, port: Number(new URL(origin).port), milliseconds: performance.now() - start }
}

/** Starts a service that may not get as far as to listen. */
export async function spawnService(options: ServeOptions): Promise<Running> {
  const {
    databaseUrl,
    environment = {},
    config = {},
    args = [],
    nodeArgs = [],
    prefix = [],
    port = 0,
    outputFile,
  } = options
  const folder = await newFolder()
  const file = join(folder, 'fault.config.ts')
  const limits = { overloadDelay, ...(config.limits as object | undefined) }
  await writeFile(file, `export default ${JSON.stringify({ ...config, limits })}\n`)
  const command = [
    ...prefix,
    process.execPath,
    '--conditions=source',
    ...nodeArgs,
    program,
    'serve',
    '--config',
    file,
    ...args,
  ]
  const settings = { DATABASE_URL: databaseUrl, SECRET_KEY: secretKey, PORT: String(port), LOG_LEVEL: 'warn' }
  const env = { ...baseEnvironment(), ...settings, ...environment }
  return spawnCommand(command, { cwd: folder, env, outputFile })
}

interface CommandOptions {
  readonly cwd?: string | undefined
  readonly env?: Readonly<Record<string, string>>
  readonly outputFile?: string | undefined
}

/** Any command, watched. */
export function spawnCommand(
  [file, ...args]: readonly string[],
  { cwd, env = baseEnvironment(), outputFile }: CommandOptions = {},
): Running {
  const output = outputFile === undefined ? 'pipe' : openSync(outputFile, 'a')
  const running = watch(spawn(file!, args, { cwd, env, stdio: ['ignore', output, output] }), outputFile)
  if (output !== 'pipe') closeSync(output)
  commands.push(running)
  return running
}

const commands: Running[] = []

/** The last words of the last commands, to print where a fault fails. */
export const lastWords = (): string =>
  commands
    .slice(-3)
    .map(running => {
      const state = running.isRunning() ? 'running' : 'ended'
      return `--- process ${running.pid}, ${state}:\n${running.output().slice(-1500)}`
    })
    .join('\n')

function baseEnvironment(): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    TMPDIR: tmpdir(),
    NODE_COMPILE_CACHE: join(repository, 'node_modules/.cache/node'),
  }
}

function watch(child: ChildProcess, outputFile: string | undefined): Running {
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', text => {
      output[name] += text
    })
  const ended = once(child, 'close').then(([code, signal]) => ({ ...output, code, signal }) as Ending)
  return {
    pid: child.pid!,
    ended,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    output: () => (outputFile === undefined ? output.stdout + output.stderr : readFileSync(outputFile, 'utf8')),
    signal: name => void child.kill(name),
    stop(name = 'SIGTERM') {
      child.kill(name)
      return ended
    },
  }
}
