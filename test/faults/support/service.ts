// Starts the real service as a process. run.ts ends processes that a fault leaves behind, because none is detached.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { formatConfig } from '../../support/config-file.ts'
import { until } from './until.ts'

/**
 * Milliseconds; long, so that rejections due to a busy machine are not mistaken for effects of a fault.
 */
const overloadDelay = 60_000

/** The secret of all services in these tests, so that they accept the tokens of `createUsers`. */
export const secretKey = 'a secret that only the faults have'

export interface ServeOptions {
  readonly databaseUrl: string
  /** Settings by environment variable. The service gets no other variables of the tests. */
  readonly environment?: Readonly<Record<string, string>>
  /** Settings for the config file, such as `{ limits: { connections: 10 } }`. */
  readonly config?: Readonly<Record<string, unknown>>
  /** The setting `profiles` of the config file, as in `formatConfig`; default: both profiles. */
  readonly profiles?: string
  /** Further arguments of `serve`. */
  readonly args?: readonly string[]
  /** Arguments of Node itself: `['--import', …]`. */
  readonly nodeArgs?: readonly string[]
  /** The words before the command, such as `['setpriv', '--reuid=65534', …]`. */
  readonly prefix?: readonly string[]
  /** Default: a free port. */
  readonly port?: number
  /** A file to which both outputs are appended; default: pipes, which this process reads. */
  readonly outputFile?: string
}

/** The exit and the output of a process. */
export interface Ending {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** A command that is running or has exited. */
export interface Running {
  readonly pid: number
  readonly ended: Promise<Ending>
  isRunning(): boolean
  /** Returns the output so far, from both streams. */
  output(): string
  signal(name: NodeJS.Signals): void
  /** Sends a signal, default SIGTERM, and waits for the exit. */
  stop(name?: NodeJS.Signals): Promise<Ending>
}

/** A service that listens. */
export interface FaultService extends Running {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string
  readonly port: number
  /** The time from the start of the process until it listened. */
  readonly milliseconds: number
}

const repository = fileURLToPath(new URL('../../..', import.meta.url))
export const program = join(repository, 'src/cli.ts')

/** A new folder; run.ts removes it after the fault. */
export const newFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'fault-'))

/** Starts a service and waits until it listens; throws if it exits before. */
export async function startService(options: ServeOptions): Promise<FaultService> {
  const start = performance.now()
  const running = await spawnService(options)
  const origin = await until(
    'the service listens',
    () => {
      const [, url] = /^Listening on (http:\S+)$/m.exec(running.output()) ?? []
      return url ?? (running.isRunning() ? undefined : 'ended')
    },
    { pause: 10 },
  )
  if (origin === 'ended') throw new Error(`the service exited at start: ${(await running.ended).stderr}`)
  return { ...running, origin, port: Number(new URL(origin).port), milliseconds: performance.now() - start }
}

/** Starts a service, which may exit before it listens. */
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
  await writeFile(file, formatConfig(`...${JSON.stringify({ ...config, limits })}, ${options.profiles ?? ''}`))
  const command = [...prefix, process.execPath, ...nodeArgs, program, 'serve', '--config', file, ...args]
  const log = { LOG_LEVEL: 'warn', ACCESS_LOG: 'false' }
  const settings = { DATABASE_URL: databaseUrl, SECRET_KEY: secretKey, PORT: String(port), ...log }
  const env = { ...baseEnvironment(), ...settings, ...environment }
  return spawnCommand(command, { cwd: folder, env, outputFile })
}

interface CommandOptions {
  readonly cwd?: string | undefined
  readonly env?: Readonly<Record<string, string>>
  readonly outputFile?: string | undefined
}

/** Starts any command, and collects its output. */
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

/** Ends the commands that a failure has left running. */
export function killCommands(): void {
  for (const running of commands) if (running.isRunning()) running.signal('SIGKILL')
}

/** Formats the last output of the last commands, to print when a fault fails. */
export const formatLastOutput = (): string =>
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
