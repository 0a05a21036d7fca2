// Decides which copies of shared packages the process loads, for the config file too, so that no class exists twice.
//
// The published package contains Kysely and Zod as few files, because Node takes longer to find, read and link their 350
// modules than to run them (decision 030). They are used if exactly the bundled versions are installed.

import { existsSync, readFileSync } from 'node:fs'
import { findPackageJSON, registerHooks } from 'node:module'

interface BundledPeer {
  readonly name: string
  readonly version: string
  /** The file of each import, relative to the index. */
  readonly modules: Readonly<Record<string, string>>
}

/** The build writes this file; a clone has none. */
const index = new URL('./peers/index.json', import.meta.url)

/** Must be called before Kysely, Zod and the config file are imported. */
export function registerModuleHooks(): void {
  const bundled = findBundled()
  registerHooks({
    resolve(specifier, context, next) {
      const url = bundled.get(specifier)
      if (url !== undefined) return { url, shortCircuit: true }
      // A config file in any folder gets the copy that runs it.
      return next(specifier, isOwn(specifier) ? { ...context, parentURL: import.meta.url } : context)
    },
  })
}

const isOwn = (specifier: string): boolean => specifier === 'resource-api' || specifier.startsWith('resource-api/')

/** The URL of each import that a bundle can replace. */
function findBundled(): ReadonlyMap<string, string> {
  if (!existsSync(index)) return new Map()
  const peers: readonly BundledPeer[] = JSON.parse(readFileSync(index, 'utf8'))
  const modules = peers.filter(isInstalled).flatMap(peer => Object.entries(peer.modules))
  return new Map(modules.map(([specifier, file]) => [specifier, new URL(file, index).href]))
}

function isInstalled({ name, version }: BundledPeer): boolean {
  const file = findPackageJSON(name, import.meta.url)
  return file !== undefined && JSON.parse(readFileSync(file, 'utf8')).version === version
}
