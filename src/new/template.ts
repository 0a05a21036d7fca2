// The files that a new project begins with: real ones, in the folder `templates` of the package, where they are tested.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { completeManifest, type Manifest, type ManifestOptions } from './manifest.ts'

/** The folders in `templates`. */
export type TemplateName = 'service' | 'minimal'

/** The content of each file of a project, by the file's name. */
export type ProjectFiles = ReadonlyMap<string, string>

const packageRoot = fileURLToPath(new URL('../../', import.meta.url))

/** The names of the files whose names in a project npm would not publish, or Node and TypeScript would look for. */
const projectNames: Readonly<Record<string, string>> = { '_package.json': 'package.json', _gitignore: '.gitignore' }

/** Reads the files of a template, completed for one project. */
export function readProjectFiles(template: TemplateName, options: Omit<ManifestOptions, 'version'>): ProjectFiles {
  const folder = join('templates', template)
  return new Map(
    readdirSync(join(packageRoot, folder)).map(file => [
      projectNames[file] ?? file,
      file === '_package.json'
        ? completeManifest(readManifest(join(folder, file)), {
            ...options,
            version: readManifest('package.json').version,
          })
        : read(join(folder, file)).replaceAll('{{name}}', options.name),
    ]),
  )
}

/** The manifest of a template, with the versions of the packages that a project needs. */
export const readTemplateManifest = (template: TemplateName): Manifest =>
  readManifest(join('templates', template, '_package.json'))

const readManifest = (path: string): Manifest => JSON.parse(read(path))

const read = (path: string): string => readFileSync(join(packageRoot, path), 'utf8')
