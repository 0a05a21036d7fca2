// Decides which copies of shared packages the config file gets: those of the command line, so that no class exists twice.
//
// The published package contains Kysely and Zod, in few files, because Node takes longer to find, read and link their 350
// modules than to run them (decision 030). A config file, or a package that it imports, gets these copies too, unless
// another version is installed for it.

import { existsSync, readFileSync } from 'node:fs'
import { findPackageJSON, registerHooks } from 'node:module'

interface BundledPeer {
  readonly name: string
  readonly version: string
  /** The file of each import, relative to the index. */
  readonly modules: Readonly<Record<string, string>>
}

/** The build writes this file; a clone has none. */
const index = new URL('../../peers/index.json', import.meta.url)

/** Must be called before the config file is imported, and only then: a hook slows down every later import. */
export function registerModuleHooks(): void {
  const bundled = readBundled()
  registerHooks({
    resolve(specifier, context, next) {
      const replacement = bundled.get(specifier)
      if (replacement !== undefined && !hasOtherVersion(replacement.peer, context.parentURL))
        return { url: replacement.url, shortCircuit: true }
      // A config file in any folder gets the copy that runs it.
      return next(specifier, isOwn(specifier) ? { ...context, parentURL: import.meta.url } : context)
    },
  })
}

const isOwn = (specifier: string): boolean => specifier === 'resource-api' || specifier.startsWith('resource-api/')

interface Replacement {
  readonly url: string
  readonly peer: BundledPeer
}

/** The replacement of each import for which there is a bundle. */
function readBundled(): ReadonlyMap<string, Replacement> {
  if (!existsSync(index)) return new Map()
  const peers: readonly BundledPeer[] = JSON.parse(readFileSync(index, 'utf8'))
  return new Map(
    peers.flatMap(peer =>
      Object.entries(peer.modules).map(([specifier, file]) => [specifier, { url: new URL(file, index).href, peer }]),
    ),
  )
}

// A config file in a folder without packages finds no version, and gets the bundle.
function hasOtherVersion({ name, version }: BundledPeer, importer: string | undefined): boolean {
  if (importer === undefined || !importer.startsWith('file:')) return false
  const found = findVersion(name, importer)
  return found !== undefined && found !== version
}

/** The version of a package that a module would import; undefined if it would find none. */
function findVersion(name: string, importer: string): string | undefined {
  try {
    const file = findPackageJSON(name, importer)
    return file === undefined ? undefined : JSON.parse(readFileSync(file, 'utf8')).version
  } catch {
    // Node explains a missing or broken package when it is imported.
    return undefined
  }
}
