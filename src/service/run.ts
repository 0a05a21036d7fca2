// Runs one command: settings are read, the parts opened and closed, and what goes wrong is one clear line.

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ConstraintViolation } from '../framework/database/database.ts'
import { demoSettings } from './demo/demo.ts'
import { secretKey } from './secret-key.ts'
import { openParts, type Parts } from './service.ts'
import { readSettings, type ServiceOptions, SettingsError } from './settings.ts'

/** Options that every command has, and flags that are settings. */
export interface CommonOptions {
  readonly database?: string
  readonly config?: string
  readonly profile?: readonly string[]
  readonly port?: string
  readonly host?: string
  readonly demo?: boolean
}

/** A mistake of whoever typed the command; its message is all there is to say. */
export class CommandError extends Error {
  override name = 'CommandError'
}

const defaultConfig = 'resource-api.config.ts'

/** Opens the parts for one command; sets the exit code to 1 when it fails. */
export async function run(options: CommonOptions, command: (parts: Parts) => Promise<void>): Promise<void> {
  try {
    const settings = readSettings({
      flags: {
        databaseUrl: options.database,
        profiles: options.profile,
        port: options.port,
        host: options.host,
      },
      environment: process.env,
      file: { ...(options.demo && demoSettings), ...(await readConfig(options.config)) },
    })
    const parts = openParts({ ...settings, secretKey: secretKey(settings, warn) })
    try {
      await command(parts)
    } finally {
      await parts.close()
    }
  } catch (error) {
    warn(`resource-api: ${explain(error)}`)
    process.exitCode = 1
  }
}

/** Says something to people, where it does not mix with what a program reads. */
export function warn(line: string): void {
  process.stderr.write(`${line}\n`)
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

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof CommandError || error instanceof SettingsError) return error.message
  const cause =
    error.cause instanceof Error ? `: ${error.cause.message || (error.cause as { code?: string }).code}` : ''
  if (error instanceof ConstraintViolation) return error.message
  return process.env.DEBUG ? (error.stack ?? error.message) : `${error.message}${cause}`
}
