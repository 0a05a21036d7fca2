// The command `dev`: like `serve`, in one process that is restarted when the config file changes, or a file that it
// imports. Responses contain the causes of errors, so it refuses to run in production.

import { resolve } from 'node:path'
import { forkCommand, runDevelopment } from '../development/run-development.ts'
import { connectToParent } from '../development/watched-process.ts'
import { warn } from '../logging/standard-streams.ts'
import { findFolder } from '../migrations/owners.ts'
import { CommandError } from '../processes/error-messages.ts'
import { defaultConfig } from './read-config.ts'
import { type CommandSource, type CommonOptions, runWithServices } from './run-command.ts'

/** Whether `dev` starts a server for the first time. */
export type ServerStart = 'first' | 'again'

/** The options of `dev`. */
export interface DevOptions extends CommonOptions {
  /** True: a new step runs at once, also if the steps do not make the declared tables. */
  readonly apply?: boolean
}

interface DevSource extends CommandSource {
  readonly options: DevOptions
}

/** Restarts the process that serves until a stop signal; or, with the hidden option `--watched <start>`, serves. */
export async function dev(source: DevSource, start?: ServerStart): Promise<void> {
  if (start !== undefined && process.connected) return serveWatched(source, start)
  const problem = findMisuse(source.options)
  if (problem === undefined) return runDevelopment(nextStart => forkCommand(['--watched', nextStart]))
  warn(`resource-api: ${problem}`)
  process.exitCode = 1
}

function findMisuse({ workers }: CommonOptions): string | undefined {
  if (workers !== undefined) return '--workers: dev runs one process: remove the option, or use "resource-api serve"'
  return process.env.NODE_ENV === 'production' ? `NODE_ENV: ${inProduction}` : undefined
}

const inProduction = 'dev does not run in production, because it shows the causes of errors: use "resource-api serve"'

async function serveWatched({ options, loadDefault }: DevSource, start: ServerStart): Promise<void> {
  const watched = connectToParent(resolve(options.config ?? defaultConfig))
  await runWithServices({ options: { ...options, workers: '1', watched }, loadDefault }, async services => {
    if (services.settings.production) throw new CommandError(`production: ${inProduction}`)
    for (const owner of services.owners) {
      const folder = findFolder(owner.steps)
      if (folder !== undefined) watched.watchFolder(resolve(folder))
    }
    const { serve } = await import('./serve.ts')
    await serve(services, {
      demo: start === 'first' && options.demo === true,
      watched,
      confirm: options.apply ? applyAtOnce : process.stdin.isTTY ? waitForEnter : undefined,
    })
  })
}

async function applyAtOnce(text: string): Promise<boolean> {
  warn(text)
  return true
}

// If a file changes meanwhile, this process is killed. So the terminal stays in its usual mode.
async function waitForEnter(text: string): Promise<boolean> {
  warn(`${text}\nPress Enter to apply this step now, or change a file.`)
  const { promise, resolve } = Promise.withResolvers<boolean>()
  process.stdin.once('data', () => resolve(true)).once('end', () => resolve(false))
  const isConfirmed = await promise
  process.stdin.pause()
  return isConfirmed
}
