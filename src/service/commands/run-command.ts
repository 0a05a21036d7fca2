// Runs one command: reads the settings, opens and closes the services, and prints an error as one line.

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { demoSettings } from '../demo/demo.ts'
import { warn } from '../logging/standard-streams.ts'
import { openServices, type Services } from '../services.ts'
import { secretKey } from '../settings/secret-key.ts'
import { readSettings, type ServiceOptions, type Settings, SettingsError } from '../settings/settings.ts'
import { formatError } from './error-messages.ts'

/** Options that every command has, and flags that are settings. */
export interface CommonOptions {
  readonly database?: string
  readonly config?: string
  readonly profile?: readonly string[]
  readonly port?: string
  readonly host?: string
  readonly workers?: string
  readonly demo?: boolean
}

/** A command that has failed ends after so many milliseconds, even if connections are still open. */
const longestEnd = 1000

const defaultConfig = 'resource-api.config.ts'

/** Opens the services for one command; sets the exit code to 1 when it fails. */
export function runWithServices(options: CommonOptions, command: (services: Services) => Promise<void>): Promise<void> {
  return runWithSettings(options, async settings => {
    let hasEnded = false
    // A command that fails because of this error ends at once, and prints it itself.
    const onError = (error: Error) => void setTimeout(() => hasEnded || warn(`warning: ${error.message}`), 100).unref()
    const services = openServices({ ...settings, secretKey: secretKey(settings, warn) }, { onError })
    try {
      await command(services)
    } finally {
      hasEnded = true
      await services.close()
    }
  })
}

/** For a command that opens nothing; sets the exit code to 1 when it fails. */
export async function runWithSettings(
  options: CommonOptions,
  command: (settings: Settings) => Promise<void>,
): Promise<void> {
  let settings: Settings | undefined
  try {
    settings = readSettings({
      flags: {
        databaseUrl: options.database,
        profiles: options.profile,
        port: options.port,
        host: options.host,
        workers: options.workers,
      },
      environment: process.env,
      file: { ...(options.demo && demoSettings), ...(await readConfig(options.config)) },
    })
    await command(settings)
  } catch (error) {
    warn(`resource-api: ${formatError(error, settings)}`)
    process.exitCode = 1
    // A connection that failed half-way may still be open.
    setTimeout(() => process.exit(), longestEnd).unref()
  }
}

async function readConfig(file: string | undefined): Promise<ServiceOptions> {
  if (file === undefined && !existsSync(defaultConfig)) return {}
  const path = resolve(file ?? defaultConfig)
  if (!existsSync(path)) throw new SettingsError(`--config: there is no file ${path}`)
  const module = (await import(pathToFileURL(path).href)) as { default?: ServiceOptions }
  if (typeof module.default !== 'object') {
    throw new SettingsError(`${path}: must end with "export default defineService({ … })"`)
  }
  return module.default
}
