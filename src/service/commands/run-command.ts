// Runs one command: reads the settings, opens and closes the services, and prints an error as one line.

import { demoSettings } from '../demo/demo.ts'
import type { WatchedProcess } from '../development/watched-process.ts'
import { warn } from '../logging/standard-streams.ts'
import { formatError, formatOwnStack } from '../processes/error-messages.ts'
import { openServices, type Services } from '../services.ts'
import { readOrCreateSecret } from '../settings/secret-key.ts'
import { readSettings, type ServiceOptions, type Settings, SettingsError } from '../settings/settings.ts'
import { defaultConfig, readConfig } from './read-config.ts'

/** The options of every command, and the flags that are settings. */
export interface CommonOptions {
  readonly database?: string
  readonly config?: string
  readonly profile?: readonly string[]
  readonly port?: string
  readonly host?: string
  readonly workers?: string
  readonly demo?: boolean
  /** Set if `dev` runs this process. */
  readonly watched?: WatchedProcess
}

/** The command's options, and the config that applies if there is no config file. */
export interface CommandSource {
  readonly options: CommonOptions
  readonly loadDefault: () => Promise<ServiceOptions>
}

/** Milliseconds after which a failed command exits, even if connections are still open. */
const maxExitTime = 1000

/** Runs a command that uses the services. If it fails, prints the error and sets the exit code to 1. */
export function runWithServices(source: CommandSource, command: (services: Services) => Promise<void>): Promise<void> {
  return runWithSettings(source, async settings => {
    let hasEnded = false
    // A command that fails because of this error prints it; the delay prevents a second message.
    const onError = (error: Error) => void setTimeout(() => hasEnded || warn(`warning: ${error.message}`), 100).unref()
    const services = openServices({ ...settings, secretKey: readOrCreateSecret(settings, warn) }, { onError })
    try {
      await command(services)
    } finally {
      hasEnded = true
      await services.close()
    }
  })
}

/** Runs a command that uses only the settings. If it fails, prints the error and sets the exit code to 1. */
export async function runWithSettings(
  { options, loadDefault }: CommandSource,
  command: (settings: Settings) => Promise<void>,
): Promise<void> {
  let settings: Settings | undefined
  const run = async () => {
    settings = readSettings({
      flags: {
        databaseUrl: options.database,
        profiles: options.profile,
        port: options.port,
        host: options.host,
        workers: options.workers,
      },
      environment: process.env,
      file: {
        ...(options.demo && demoSettings),
        ...((await readConfig(options.config)) ?? (await readDefault(loadDefault))),
      },
      isDemo: options.demo ?? false,
    })
    await command(settings)
  }
  await runCommand(run, error => [formatError(error, settings), ...(options.watched ? formatOwnStack(error) : [])])
}

/** Runs a command. If it fails, prints the error and sets the exit code to 1. */
export async function runCommand(
  command: () => Promise<void>,
  format: (error: unknown) => readonly string[] = error => [formatError(error)],
): Promise<void> {
  try {
    await command()
  } catch (error) {
    warn(`resource-api: ${format(error).join('\n')}`)
    process.exitCode = 1
    // A half-open connection may keep the process alive.
    setTimeout(() => process.exit(), maxExitTime).unref()
  }
}

// The default may need a package that is not installed, but most often the command runs in the wrong folder.
async function readDefault(loadDefault: CommandSource['loadDefault']): Promise<ServiceOptions> {
  try {
    return await loadDefault()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new SettingsError(
      `there is no ${defaultConfig} in ${process.cwd()}: go to the folder of your project, name the file with --config, or write a project with "resource-api new <folder>" (without a config file, this command runs the demonstration service, which cannot be loaded: ${reason})`,
      { cause: error },
    )
  }
}
