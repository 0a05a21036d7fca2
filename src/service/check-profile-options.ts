// Checks the options of a profile. A config file runs without being type-checked, so the compiler may not have seen them.

import type { ProfileOptions, ProfileParts } from './profile-options.ts'
import { SettingsError } from './settings/settings-error.ts'

// The types ensure that no name is missing.
const partNames: Readonly<Record<keyof ProfileParts, true>> = {
  resources: true,
  views: true,
  pagination: true,
  parameters: true,
  strict: true,
  unknownFields: true,
  describesLists: true,
  suggestsIndexes: true,
  trailingSlash: true,
  envelope: true,
  put: true,
  openapi: true,
  permissions: true,
  bodySize: true,
  pages: true,
  catalogues: true,
  jobs: true,
  admin: true,
  fixtures: true,
  configure: true,
  metrics: true,
  close: true,
}

const optionNames: Readonly<Record<keyof ProfileOptions, true>> = {
  ...partNames,
  title: true,
  description: true,
  mount: true,
  settings: true,
  migrations: true,
  tables: true,
  idempotencyKeys: true,
  examples: true,
  demo: true,
  deploymentProblems: true,
  open: true,
}

/** Throws SettingsError for an unknown option, and for settings without a schema of Zod. */
export function checkProfileOptions(name: string, options: object): void {
  const where = `profile(${JSON.stringify(name)})`
  if (typeof name !== 'string' || Object(options) !== options)
    throw new SettingsError(`${where}: must have a name and options, such as profile('shop', { resources: [orders] })`)
  checkNames(where, options, optionNames)
  const { settings, tables, migrations } = options as GivenOptions
  if (tables !== undefined && migrations !== undefined)
    throw new SettingsError(`${where}: has tables and migrations: move the migrations to tables({ …, migrations })`)
  if (settings !== undefined && typeof settings.schema?.strict !== 'function')
    throw new SettingsError(`${where}: settings.schema must be an object schema of Zod, such as z.object({ … })`)
}

interface GivenOptions {
  readonly settings?: { readonly schema?: { readonly strict?: unknown } }
  readonly tables?: unknown
  readonly migrations?: unknown
}

/** Throws SettingsError if `open` of a profile did not return parts. */
export function checkProfileParts(name: string, parts: unknown): void {
  const where = `open() of profile(${JSON.stringify(name)})`
  if (typeof parts !== 'object' || parts === null || parts instanceof Promise)
    throw new SettingsError(`${where}: must return an object such as { resources: [orders] }, and not a promise`)
  checkNames(where, parts, partNames)
}

function checkNames(where: string, given: object, known: Readonly<Record<string, true>>): void {
  const unknown = Object.keys(given).find(name => !Object.hasOwn(known, name))
  if (unknown !== undefined)
    throw new SettingsError(`${where}: unknown option "${unknown}"; the options are ${Object.keys(known).join(', ')}`)
  const { configure } = given as { readonly configure?: unknown }
  if (configure !== undefined && typeof configure !== 'function')
    throw new SettingsError(`${where}: configure must be a function, such as configure: app => app.register(plugin)`)
}
