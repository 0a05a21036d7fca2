// The files that a new project begins with: real ones, in the folder `templates` of the package, where they are tested.

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { completeManifest, type Manifest, type ManifestOptions } from './manifest.ts'
import type { PackedPackage } from './pack-package.ts'

/** The folders in `templates`. */
export type TemplateName = 'service' | 'minimal'

/** The content of each file of a project, by the file's name. */
export type ProjectFiles = ReadonlyMap<string, string | Uint8Array>

export interface ProjectOptions extends Omit<ManifestOptions, 'dependency'> {
  /** The package itself, if it was not installed from a registry: it becomes a file of the project. */
  readonly packed?: PackedPackage | undefined
}

/** The folder of this package. */
export const packageRoot = fileURLToPath(new URL('../../', import.meta.url))

/** The names of the files whose names in a project npm would not publish, or Node and TypeScript would look for. */
const projectNames: Readonly<Record<string, string>> = {
  '_package.json': 'package.json',
  _gitignore: '.gitignore',
  _dockerignore: '.dockerignore',
}

/** Reads the files of a template, completed for one project. */
export function readProjectFiles(template: TemplateName, { packed, ...options }: ProjectOptions): ProjectFiles {
  const folder = join('templates', template)
  const dependency = packed === undefined ? readOwnVersion() : `file:${packed.name}`
  const complete = (text: string) => text.replaceAll('{{name}}', options.name)
  const files = listFiles(join(packageRoot, folder)).map((file): [string, string | Uint8Array] => [
    projectNames[file] ?? complete(file),
    file === '_package.json'
      ? completeManifest(readManifest(join(folder, file)), { ...options, dependency })
      : complete(read(join(folder, file))),
  ])
  return new Map(packed === undefined ? files : [...files, [packed.name, packed.content]])
}

/** The files of a folder and of the folders in it, as paths with slashes. */
const listFiles = (folder: string): readonly string[] =>
  readdirSync(folder, { encoding: 'utf8', recursive: true })
    .filter(path => statSync(join(folder, path)).isFile())
    .map(path => path.replaceAll('\\', '/'))
    .sort()

/** The version of this package. */
export const readOwnVersion = (): string => readManifest('package.json').version

/** The manifest of a template, with the versions of the packages that a project needs. */
export const readTemplateManifest = (template: TemplateName): Manifest =>
  readManifest(join('templates', template, '_package.json'))

const readManifest = (path: string): Manifest => JSON.parse(read(path))

const read = (path: string): string => readFileSync(join(packageRoot, path), 'utf8')
