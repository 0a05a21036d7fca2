// The process that `dev` starts and restarts. It reports the files that it imports, and stops when `dev` says so.

import { existsSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { ignoreStopSignals } from '../processes/stop-signal.ts'
import { stopMessage } from '../processes/worker-messages.ts'
import { readVersion } from './file-versions.ts'
import { type FileMessage, listeningMessage } from './messages.ts'

export interface WatchedProcess {
  /** Resolves when `dev` stops or restarts this process, or has died. */
  readonly stopped: Promise<void>
  /** Tells `dev` that the server listens. */
  reportListening(): void
  /** Tells `dev` to restart this process when the folder gets or loses a file. */
  watchFolder(path: string): void
}

/** Connects this process to `dev`. Must be called before the config file, which may not exist yet, is imported. */
export function connectToParent(config: string): WatchedProcess {
  // A terminal sends SIGINT to both processes.
  ignoreStopSignals()
  const { promise: stopped, resolve } = Promise.withResolvers<void>()
  let isListening = false
  const stop = () => (isListening ? resolve() : process.exit())
  process.on('message', message => void (message === stopMessage && stop())).on('disconnect', stop)
  // Only the server keeps this process alive.
  process.channel?.unref()
  reportImports(config)
  return {
    stopped,
    reportListening() {
      isListening = true
      process.send?.(listeningMessage)
    },
    watchFolder(path) {
      // A folder that does not exist yet may appear.
      const watched = existsSync(path) ? `${path}${sep}.` : path
      process.send?.({ file: { path: watched, version: readVersion(watched) } } satisfies FileMessage)
    },
  }
}

// A file is reported before it is read, so that `dev` notices each change since then; and before it is found, so that a
// missing file is reported too.
function reportImports(config: string): void {
  const reported = new Set<string>()
  const report = (url: string | undefined) => {
    if (url === undefined || !url.startsWith('file:') || reported.has(url)) return
    reported.add(url)
    const path = fileURLToPath(url.replace(/[?#].*$/s, ''))
    if (path.includes(`${sep}node_modules${sep}`)) return
    process.send?.({ file: { path, version: readVersion(path) } } satisfies FileMessage)
  }
  report(pathToFileURL(config).href)
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const isPath = /^(?:\.{0,2}\/|file:)/.test(specifier)
      if (isPath) report(URL.parse(specifier, context.parentURL)?.href)
      const resolved = nextResolve(specifier, context)
      report(resolved.url)
      return resolved
    },
  })
}
