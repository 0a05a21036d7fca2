// Runs one fault in a separate process, and afterwards removes its processes, mounts and files, even if it crashed.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { childrenOf } from './process.ts'
import type { Message, Outcome } from './report.ts'

const program = fileURLToPath(new URL('run-one.ts', import.meta.url))
// These faults mount file systems. Without root, they run in a user namespace if the machine allows it, and skip
// otherwise.
const mounting = new Set(['disk-full', 'kill-9'])

/** A fault that takes longer hangs. It is no promise, so it is much longer than any fault takes on a busy machine. */
const maxTime = 3_600_000

/** Runs a fault until it ends or hangs. */
export async function runInProcess(name: string, file: string, isShort: boolean): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'resource-api-faults-'))
  // Other users need access, because servers that refuse to run as root run as another user.
  await chmod(folder, 0o755)
  const [command, ...args] = [
    ...mountNamespacePrefix(name),
    process.execPath,
    program,
    file,
    ...(isShort ? ['--short'] : []),
  ]
  const child = spawn(command!, args, {
    detached: true,
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  if (running.size === 0) for (const signal of signals) process.on(signal, interrupt)
  running.set(child, folder)
  try {
    return await watch(name, child)
  } finally {
    await clear(child, folder)
    running.delete(child)
    if (running.size === 0) for (const signal of signals) process.off(signal, interrupt)
  }
}

/** The processes of the faults that run, and their folders. */
const running = new Map<ChildProcess, string>()
const signals = ['SIGINT', 'SIGTERM'] as const

async function interrupt(signal: NodeJS.Signals): Promise<void> {
  await Promise.allSettled([...running].map(([child, folder]) => clear(child, folder)))
  process.exit(signal === 'SIGINT' ? 130 : 143)
}

async function clear(child: ChildProcess, folder: string): Promise<void> {
  await endAll(child)
  await rm(folder, removal)
}

// A process that was just killed may still be writing a file.
const removal = { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }

function mountNamespacePrefix(name: string): readonly string[] {
  const flags = process.getuid?.() === 0 ? '-m' : mounting.has(name) ? '-rm' : undefined
  if (flags === undefined) return []
  return spawnSync('unshare', [flags, 'true']).status === 0 ? ['unshare', flags] : []
}

function watch(name: string, child: ChildProcess): Promise<Outcome> {
  const start = performance.now()
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  let about: Pick<Outcome, 'fault' | 'promise'> = { fault: name, promise: '' }
  const end = (result: Outcome['result'], finding: string) => {
    clearTimeout(timer)
    resolve({ name, ...about, result, finding, seconds: (performance.now() - start) / 1000 })
  }
  const timer = setTimeout(() => end('broken', `the fault had not ended after ${maxTime / 60_000} minutes`), maxTime)
  child.on('message', (message: Message) => {
    if ('result' in message) end(message.result, message.finding)
    else about = message
  })
  child.once('error', error => end('broken', error.message))
  child.once('exit', (code, signal) => end('broken', `the process of the fault exited with ${signal ?? code}`))
  return promise
}

// The fault and its children are one process group; processes that have left the group are found by their parents.
async function endAll(child: ChildProcess): Promise<void> {
  const { pid } = child
  if (pid === undefined) return
  const left = await listDescendants(pid)
  const exited = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined
  for (const target of [-pid, ...left]) {
    try {
      process.kill(target, 'SIGKILL')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
  await exited
}

async function listDescendants(pid: number): Promise<readonly number[]> {
  const children = await childrenOf(pid).catch(() => [])
  return [...children, ...(await Promise.all(children.map(listDescendants))).flat()]
}
