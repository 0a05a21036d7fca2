// Reads the steps of an owner from a folder, in which each file exports one step.

import { readdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { DeclaredStep } from './declared-step.ts'
import type { LoadedMigrations, MigrationStep, Migrations, OwnedMigrations } from './migrations.ts'

const loadedOwners = new WeakMap<OwnedMigrations, Promise<LoadedMigrations>>()

/** Reads the steps of the owners, once in each process. Rejects with an Error that names a wrong file. */
export const loadOwners = (owners: readonly OwnedMigrations[]): Promise<readonly LoadedMigrations[]> =>
  Promise.all(owners.map(loadOwner))

export function loadOwner(owner: OwnedMigrations): Promise<LoadedMigrations> {
  const earlier = loadedOwners.get(owner)
  if (earlier !== undefined) return earlier
  const loading = readSteps(owner.steps).then(steps => ({ ...owner, steps: checkSteps(owner.owner, steps) }))
  loadedOwners.set(owner, loading)
  loading.catch(() => loadedOwners.delete(owner))
  return loading
}

// Node runs TypeScript without checking types.
function checkSteps(owner: string, steps: Migrations): Migrations {
  for (const [name, step] of Object.entries(steps))
    if (!isStep(step))
      throw new Error(
        `the step "${name}" of the migrations of "${owner}" is no step: write \`step({ … })\`, or a function`,
      )
  return steps
}

/** Reads the steps of a folder, in the order of their names; returns steps that are no folder. */
export async function readSteps(steps: OwnedMigrations['steps']): Promise<Migrations> {
  if (typeof steps !== 'string' && !(steps instanceof URL)) return steps
  const folder = findFolder(steps)
  const found: [name: string, step: MigrationStep][] = []
  for (const file of await listFiles(folder)) {
    const path = resolve(folder, file)
    const name = parseName(path, file)
    if (found.some(([other]) => other === name))
      throw new Error(`${path}: another file has the step "${name}" too: remove one`)
    found.push([name, await importStep(path)])
  }
  return Object.fromEntries(found)
}

const findFolder = (folder: string | URL): string =>
  typeof folder === 'string' && !folder.startsWith('file:') ? resolve(folder) : fileURLToPath(folder)

const ignored = /^(?:\.|index\.)|\.(?:d\.[cm]?ts|map)$|\.test\./

async function listFiles(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return entries
      .filter(entry => !entry.isDirectory() && !ignored.test(entry.name))
      .map(({ name }) => name)
      .toSorted()
  } catch (error) {
    throw new Error(`the folder ${folder} with migration steps cannot be read: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

function parseName(path: string, file: string): string {
  const [, name] = /^(\d{4,}_[A-Za-z0-9_-]+)\.(?:ts|js|mts|mjs)$/.exec(file) ?? []
  if (name !== undefined) return name
  throw new Error(
    `${path}: this is not the name of a step: write four digits, an underscore and a name, as in 0002_article_state.ts; or move the file to another folder`,
  )
}

async function importStep(path: string): Promise<MigrationStep> {
  const module = await importFile(path)
  if (!('default' in module))
    throw new Error(`${path}: the file has no default export: write \`export default step({ … })\``)
  if (isStep(module.default)) return module.default
  throw new Error(`${path}: the default export is not a step: write \`export default step({ … })\`, or a function`)
}

async function importFile(path: string): Promise<{ readonly default?: unknown }> {
  try {
    return await import(pathToFileURL(path).href)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`${path}: the step cannot be read: ${reason}`, { cause: error })
  }
}

const properties: ReadonlySet<string> = new Set<keyof DeclaredStep>([
  'after',
  'uses',
  'change',
  'run',
  'state',
  'back',
  'keep',
  'replaces',
  'formerNames',
  'formerDigests',
])

const isStep = (value: unknown): value is MigrationStep =>
  typeof value === 'function' ||
  (typeof value === 'object' && value !== null && Object.keys(value).every(name => properties.has(name)))
