// `resource-api new <folder>`: writes a small project to begin with. The command also runs on versions of Node that cannot
// run the project, so it imports only modules of Node.

import { basename, resolve } from 'node:path'
import { NewError } from './new-error.ts'
import { packPackage } from './pack-package.ts'
import { toPackageName } from './package-name.ts'
import { isFromRegistry } from './package-source.ts'
import { checkFolder, writeFiles } from './project-folder.ts'
import { packageRoot, readOwnVersion, readProjectFiles, readTemplateManifest, type TemplateName } from './template.ts'

const usage = `Usage: resource-api new <folder> [--minimal]

Writes a small project into a new or empty folder: a service with accounts, pages and administration, its tables and a
test. It installs nothing. If resource-api itself was not installed from a registry, the project contains its package.

Options:
  --minimal   a Fastify application with one resource, without accounts
`

export interface NewOptions {
  /** The version of the machine's Node if it is too old for the project, which then gets its own. */
  readonly oldNode: string | undefined
}

/** Runs the command. If it fails, nothing has changed, the error is printed, and the exit code is 1. */
export function runNew(args: readonly string[], options: NewOptions): void {
  try {
    process.stdout.write(args.some(arg => arg === '--help' || arg === '-h') ? usage : writeProject(args, options))
  } catch (error) {
    if (!(error instanceof NewError)) throw error
    console.error(`resource-api: new: ${error.message}`)
    process.exitCode = 1
  }
}

// Returns what to tell the user.
function writeProject(args: readonly string[], { oldNode }: NewOptions): string {
  const { folder, template } = readArguments(args)
  const name = choosePackageName(folder, template)
  checkFolder(folder)
  const packed = isFromRegistry(packageRoot) ? undefined : packPackage(packageRoot)
  const files = readProjectFiles(template, { name, addNode: oldNode !== undefined, packed })
  writeFiles(folder, files)
  return formatResult({ folder, name, files: [...files.keys()], template, oldNode, packed: packed?.name })
}

interface NewArguments {
  readonly folder: string
  readonly template: TemplateName
}

function readArguments(args: readonly string[]): NewArguments {
  const unknown = args.find(arg => arg.startsWith('-') && arg !== '--minimal')
  if (unknown !== undefined) throw new NewError(`${unknown}: unknown option: the only one is --minimal`)
  const [folder, ...others] = args.filter(arg => !arg.startsWith('-'))
  if (!folder) throw new NewError('no folder is named: resource-api new <folder>')
  if (others.length > 0) throw new NewError(`"${others[0]}": name one folder only`)
  return { folder, template: args.includes('--minimal') ? 'minimal' : 'service' }
}

function choosePackageName(folder: string, template: TemplateName): string {
  const folderName = basename(resolve(folder))
  const name = toPackageName(folderName)
  if (name === undefined)
    throw new NewError(`${folder}: "${folderName}" cannot be the name of an npm package: use letters from a to z`)
  if (name in readTemplateManifest(template).dependencies)
    throw new NewError(`${folder}: the project needs the package "${name}", so it needs another name itself`)
  return name
}

interface Result extends NewArguments, NewOptions {
  readonly name: string
  readonly files: readonly string[]
  /** The name of the file that contains this package, if it is a file of the project. */
  readonly packed: string | undefined
}

function formatResult({ folder, name, files, template, oldNode, packed }: Result): string {
  const path = resolve(folder)
  const node = readTemplateManifest(template).devDependencies.node
  return [
    `Wrote ${files.length} files to ${path}: ${files.join(', ')}.`,
    ...(name === basename(path) ? [] : [`The package is named ${name}, which npm accepts as a name.`]),
    ...(oldNode === undefined
      ? []
      : [`The project needs a newer Node than ${oldNode}: npm installs ${node} for its scripts.`]),
    ...(packed === undefined
      ? []
      : [`resource-api ${readOwnVersion()} was not installed from a registry: npm installs it from ${packed}.`]),
    'Nothing is installed yet. Next:',
    '',
    ...(path === process.cwd() ? [] : [`  cd ${quote(folder)}`]),
    '  npm install',
    '  npm test',
    '  npm run dev',
    '',
  ].join('\n')
}

const quote = (path: string): string => (/^[\w./~@%+,:=-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`)
