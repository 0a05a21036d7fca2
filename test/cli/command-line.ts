// Runs the real command line in child processes, with a temporary folder for the database and other files.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { program } from '../support/built-program.ts'
import { createDatabase } from '../support/service.ts'

export interface RunOptions {
  /** A program and its first arguments, such as `['npm', 'start']`; default: the executable of this package. */
  readonly command?: readonly [string, ...string[]]
  /** The standard input of the command; default: empty. */
  readonly input?: string
  /** Environment variables in addition to DATABASE_URL. */
  readonly environment?: Readonly<Record<string, string>>
  /** The descriptor of an open file for standard output; default: a pipe, whose content is collected. */
  readonly output?: number
}

/** The exit code and the output of a command. */
export interface Outcome {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A running command. */
export interface Running {
  readonly pid: number
  /** Resolves with the first match in its output; rejects if the command exits without one. */
  until(pattern: RegExp): Promise<RegExpExecArray>
  stop(signal?: NodeJS.Signals): Promise<Outcome>
  /** Closes the reading end of standard output, as `head` does. */
  closeOutput(): void
  readonly ended: Promise<Outcome>
}

export interface CommandLine {
  readonly folder: string
  readonly databaseUrl: string
  run(args: readonly string[], options?: RunOptions): Promise<Outcome>
  start(args: readonly string[], options?: RunOptions): Running
}

const repository = fileURLToPath(new URL('../..', import.meta.url))

/** Creates a command line in a new folder. After the test, running commands are killed and the folder is deleted. */
export async function commandLine(context: TestContext): Promise<CommandLine> {
  const folder = await mkdtemp(join(tmpdir(), 'resource-api-cli-'))
  const databaseUrl = `sqlite:${join(folder, 'test.db')}`
  const children: Started[] = []
  const start: CommandLine['start'] = (args, options = {}) => {
    const { command = [process.execPath, program], input = '', environment = {}, output } = options
    const env = { ...baseEnvironment(), DATABASE_URL: databaseUrl, ...environment }
    const [file, ...first] = command
    const child = spawn(file, [...first, ...args], {
      cwd: folder,
      env,
      stdio: ['pipe', output ?? 'pipe', 'pipe'],
      // A group of its own: all that the command starts can be killed.
      detached: options.command !== undefined,
    })
    children.push({ child, target: options.command === undefined ? child.pid! : -child.pid! })
    // A command that does not read its input may exit before the input is written.
    child.stdin!.on('error', () => undefined).end(input)
    return watch(child)
  }
  context.after(async () => {
    await Promise.all(children.map(kill))
    await rm(folder, { recursive: true, force: true })
  })
  return { folder, databaseUrl, start, run: (args, options) => start(args, options).ended }
}

/** The URLs of a SQLite and a PostgreSQL database for the commands of a test. */
export const databases: Readonly<Record<string, (context: TestContext, cli: CommandLine) => Promise<string>>> = {
  SQLite: async (_context, cli) => cli.databaseUrl,
  async PostgreSQL(context) {
    const { url, remove } = await createDatabase()
    context.after(remove)
    return url
  },
}

// The environment of the tests must not affect the settings. The compile cache halves the start time.
function baseEnvironment(): Record<string, string> {
  return { PATH: process.env.PATH ?? '', NODE_COMPILE_CACHE: join(repository, 'node_modules/.cache/node') }
}

interface Started {
  readonly child: ChildProcess
  /** The id of the process; negative if it leads a group. */
  readonly target: number
}

// A group may exist longer than the process that leads it.
async function kill({ child, target }: Started): Promise<void> {
  const isRunning = child.exitCode === null && child.signalCode === null
  if (!isRunning && target > 0) return
  try {
    process.kill(target, 'SIGKILL')
  } catch {
    // All of the group has ended.
  }
  if (isRunning) await once(child, 'exit')
}

function watch(child: ChildProcess): Running {
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', text => {
      output[name] += text
      child.emit('output')
    })
  }
  const ended = once(child, 'close').then(([code]) => ({ ...output, code: code as number | null }))
  return {
    pid: child.pid!,
    ended,
    until: pattern => waitFor(child, () => pattern.exec(output.stderr) ?? pattern.exec(output.stdout), ended),
    closeOutput: () => void child.stdout?.destroy(),
    stop(signal = 'SIGTERM') {
      child.kill(signal)
      return ended
    },
  }
}

async function waitFor(
  child: ChildProcess,
  find: () => RegExpExecArray | null,
  ended: Promise<Outcome>,
): Promise<RegExpExecArray> {
  const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>()
  const check = () => {
    const match = find()
    if (match !== null) resolve(match)
  }
  child.on('output', check)
  ended.then(({ code, stderr }) => reject(new Error(`the command exited with ${code}: ${stderr}`)))
  check()
  return promise
}
