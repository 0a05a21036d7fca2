// Where the running package comes from. A version number leads a new project to the same package only if that is a registry.

import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** A file of a registry, such as `https://registry.example.org/resource-api/-/resource-api-1.0.0.tgz`. */
const registryFile = /^https?:\/\/.*\/-\/[^/]+\.tgz$/

/**
 * Whether the package in the folder `root` was installed from a registry. False for a clone and for a built package that is
 * not installed, and if npm installed it from a file, another URL or a repository.
 */
export function isFromRegistry(root: string): boolean {
  const modules = dirname(root)
  if (basename(modules) !== 'node_modules') return false
  const resolved = readInstalled(modules)[`node_modules/${basename(root)}`]?.resolved
  return resolved === undefined || registryFile.test(resolved)
}

type Installed = Readonly<Record<string, { readonly resolved?: string } | undefined>>

// Other package managers and `npm install --global` do not write this file.
function readInstalled(modules: string): Installed {
  try {
    return JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8')).packages
  } catch {
    return {}
  }
}
