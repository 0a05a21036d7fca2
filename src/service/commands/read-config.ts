// Imports the config file. Each mistake in it is one line that names the file, where possible its line, and the fix.

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { listOwnFrames } from '../processes/own-frames.ts'
import { type ServiceOptions, SettingsError } from '../settings/settings.ts'

export const defaultConfig = 'resource-api.config.ts'

/** Returns the default export of the config file; undefined if no file is named and the default does not exist. */
export async function readConfig(file: string | undefined): Promise<ServiceOptions | undefined> {
  if (file === undefined && !existsSync(defaultConfig)) return undefined
  const path = resolve(file ?? defaultConfig)
  if (!existsSync(path)) throw new SettingsError(`--config: the file ${path} does not exist`)
  if (!/\.[cm]?[jt]s$/.test(path))
    throw new SettingsError(`${path}: must be a TypeScript or JavaScript module (.ts, .js)`)
  const options = (await importModule(path)).default as ServiceOptions | null | undefined
  if (typeof options !== 'object' || options === null)
    throw new SettingsError(`${path}: must end with "export default defineService({ … })"`)
  return options
}

/** Imports a module of the application. Rejects with SettingsError, which names its mistake. */
export async function importModule(path: string): Promise<Readonly<Record<string, unknown>>> {
  shareOwnModules()
  try {
    return await import(pathToFileURL(path).href)
  } catch (error) {
    throw new SettingsError(explainImport(error, path), { cause: error })
  }
}

// A config file in any folder gets the copy of this package that runs it.
function shareOwnModules(): void {
  registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, /^resource-api(?:\/|$)/.test(specifier) ? { ...context, parentURL: import.meta.url } : context),
  })
}

function explainImport(error: unknown, path: string): string {
  if (!(error instanceof Error)) return `${path}: threw ${JSON.stringify(error)}`
  const { message } = error
  const [, missing, name, importer] = /^Cannot find (package|module) '(.+?)' imported from (.+)$/.exec(message) ?? []
  if (missing === 'package')
    return `${importer}: imports the package ${name}, which is not installed: npm install ${name}`
  if (missing === 'module') return `${importer}: imports ${name}, which does not exist`
  return `${findLocation(error, path)}: ${message}`
}

function findLocation(error: Error, path: string): string {
  const { stack = '' } = error
  const isSyntaxError = error instanceof SyntaxError
  const syntaxError = isSyntaxError ? (readSyntaxError(stack) ?? readSyntaxError(checkSyntax(path))) : undefined
  if (isSyntaxError) return syntaxError ?? `${path}, or a file that it imports`
  const [frame] = listOwnFrames(error)
  return /\(?((?:file:\/\/)?[^()\s]+:\d+:\d+)\)?$/.exec(frame ?? '')?.[1]?.replace(/^file:\/\//, '') ?? path
}

// Node puts the file and the line of a syntax error before the stack.
function readSyntaxError(text: string): string | undefined {
  const [, file = '', line] = /^(file:\/\/\S+|\/.+|[A-Z]:\\.+):(\d+)\n/.exec(text) ?? []
  return line === undefined ? undefined : `${file.startsWith('file:') ? fileURLToPath(file) : file}:${line}`
}

// For JavaScript, Node does so only if the error ends the process.
const checkSyntax = (path: string): string =>
  spawnSync(process.execPath, ['--check', path], { encoding: 'utf8' }).stderr
