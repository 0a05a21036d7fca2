// The package.json of the published package, made from that of the repository, whose `exports` and `bin` name sources.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

type Versions = Readonly<Record<string, string>>

/** The parts of the repository's package.json that the build reads. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly license: string
  readonly type: string
  readonly engines: Versions
  readonly bin: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, string>>
  /** The inner doors, through which the storeys import each other. */
  readonly imports: Readonly<Record<string, string>>
  /** The packages that the service of this repository needs, in exact versions. */
  readonly dependencies: Versions
  /** The ranges for which users of the package install a version themselves. */
  readonly peerDependencies: Versions
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>
}

export const readManifest = (root: string): Manifest => JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** The package.json of the published package. Peers are dependencies of the repository only. */
export function createManifest(manifest: Manifest) {
  const { name, version, description, license, type, engines, peerDependencies, peerDependenciesMeta } = manifest
  return {
    ...{ name, version, description, license, type, engines },
    bin: mapValues(manifest.bin, toBuilt),
    exports: mapValues(manifest.exports, file =>
      file.endsWith('.ts') ? { types: toBuilt(file).replace(/\.js$/, '.d.ts'), default: toBuilt(file) } : file,
    ),
    // The code is bundled; only the declarations still name the inner doors.
    imports: mapValues(manifest.imports, file => ({ types: toBuilt(file).replace(/\.js$/, '.d.ts') })),
    dependencies: Object.fromEntries(
      Object.entries(manifest.dependencies).filter(([dependency]) => !(dependency in peerDependencies)),
    ),
    ...{ peerDependencies, peerDependenciesMeta },
  }
}

/** `src/index.ts` → `lib/framework/index.js`. */
const toBuilt = (file: string): string => file.replace(/^(\.\/)?src\//, '$1lib/').replace(/\.ts$/, '.js')

const mapValues = <From, To>(values: Readonly<Record<string, From>>, map: (value: From) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value)]))
