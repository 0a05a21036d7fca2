// Starts a server as users do: as a separate process, from JavaScript that was built beforehand.

import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { secretKey } from './service.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const built = fileURLToPath(new URL('results/build/', import.meta.url))

export const programs = {
  service: join(built, 'package/lib/cli.js'),
  opponent: join(built, 'bench/opponents/serve.js'),
} as const

/** The environment of `resource-api serve`. */
export const serviceEnvironment = { LOG_LEVEL: 'silent', SECRET_KEY: secretKey } as const

/** Builds the service, as `npm run build` does, and the opponents; throws if that fails. */
export function buildPrograms(): void {
  removePrograms()
  runNode('scripts/build.ts', join(built, 'package'))
  runNode('node_modules/typescript/bin/tsc', '-p', 'bench/opponents')
}

/** Removes the built files, so that the type checker does not find them. */
export const removePrograms = (): void => rmSync(built, { recursive: true, force: true })

function runNode(...args: readonly string[]): void {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
  if (status !== 0) throw new Error(`${args.join(' ')} failed`)
}

export interface StartOptions {
  readonly args: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly port: number
  /** A path whose response is 200. */
  readonly path: string
}

export interface Program {
  /** From the start of the process to its first response. */
  readonly milliseconds: number
  /** The memory (RSS) of its processes, in MB. */
  memory(): Promise<number>
  close(): Promise<void>
}

const maxStartTime = 30_000

/** Starts a program and waits for its first response; throws if there is none. */
export async function startProgram({ args, environment = {}, port, path }: StartOptions): Promise<Program> {
  const start = performance.now()
  const child = spawn(process.execPath, args, { env: { ...usualEnvironment(), ...environment }, stdio: 'ignore' })
  try {
    while (!(await isReady(port, path))) {
      if (child.exitCode !== null) throw new Error(`${args[0]} exited with ${child.exitCode}`)
      if (performance.now() - start > maxStartTime) throw new Error(`${args[0]} does not respond`)
      await delay(1)
    }
  } catch (error) {
    await stopProcess(child)
    throw error
  }
  return {
    milliseconds: performance.now() - start,
    memory: () => readMemory(child.pid!),
    close: () => stopProcess(child),
  }
}

// Settings in the environment of the benchmark must not affect the measured programs.
function usualEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env
  return { ...(PATH && { PATH }), ...(HOME && { HOME }), ...(TMPDIR && { TMPDIR }) }
}

function isReady(port: number, path: string): Promise<boolean> {
  return new Promise(resolve => {
    const options = { port, path, host: '127.0.0.1', agent: false, headers: { host: 'localhost' } }
    get(options, response => resolve(response.resume().statusCode === 200)).once('error', () => resolve(false))
  })
}

async function readMemory(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,rss='])
  const rows = stdout
    .trim()
    .split('\n')
    .map(line => line.trim().split(/\s+/).map(Number) as [number, number, number])
  const kilobytes = rows
    .filter(([own, parent]) => own === pid || parent === pid)
    .reduce((sum, [, , rss]) => sum + rss, 0)
  return (kilobytes * 1024) / 1e6
}

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit', { signal: AbortSignal.timeout(10_000) })
  child.kill('SIGTERM')
  await exit.catch(() => child.kill('SIGKILL'))
}
