// The first process of `dev`: runs the server in a second process, and restarts it when a file changes that it imported.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { relative } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { warn } from '../logging/standard-streams.ts'
import { closingTime } from '../processes/running-service.ts'
import { waitForStopSignal } from '../processes/stop-signal.ts'
import { stopMessage } from '../processes/worker-messages.ts'
import { createFileWatcher, type FileWatcher } from './file-watcher.ts'
import { isFileMessage, listeningMessage } from './messages.ts'
import { developmentStopTime } from './stop-time.ts'

/** A server that has not exited this many seconds after its own time limit is killed. */
const margin = 2

/** Runs the server until a stop signal. `startServer` starts it, for the first time or again. */
export async function runDevelopment(startServer: (start: 'first' | 'again') => ChildProcess): Promise<void> {
  let isStopping = false
  const stopped = waitForStopSignal().then((): undefined => {
    isStopping = true
  })
  for (let start: 'first' | 'again' = 'first'; !isStopping; start = 'again') {
    const watcher = createFileWatcher()
    const server = followServer(startServer(start), watcher)
    const exited = server.exited.then(() => undefined)
    let changed = await Promise.race([stopped, watcher.changed, exited])
    if (changed === undefined && !isStopping) {
      warn('The server has exited: waiting for a change.')
      changed = await Promise.race([stopped, watcher.changed])
    }
    if (changed !== undefined) warn(`Restarting: ${relative('', changed)} changed.`)
    await server.stop()
    watcher.close()
  }
}

interface Server {
  readonly exited: Promise<unknown>
  /** Stops the process, and resolves after its exit. */
  stop(): Promise<void>
}

function followServer(child: ChildProcess, watcher: FileWatcher): Server {
  let isListening = false
  const kill = () => void child.kill('SIGKILL')
  const exited = once(child, 'exit').finally(() => process.off('exit', kill))
  process.on('exit', kill)
  child.on('message', message => {
    if (message === listeningMessage) isListening = true
    if (isFileMessage(message)) watcher.add(message.file)
  })
  return {
    exited,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const timeLimit = 1000 * (developmentStopTime + closingTime + margin)
      if (isListening) {
        // The process may exit meanwhile, which is what is wanted.
        child.send(stopMessage, () => undefined)
        await Promise.race([exited, delay(timeLimit, undefined, { ref: false })])
      }
      kill()
      await exited
    },
  }
}

/** Runs this command again in another process, which shares the terminal, with these arguments in addition. */
export const forkCommand = (args: readonly string[]): ChildProcess =>
  fork(process.argv[1]!, [...process.argv.slice(2), ...args])
