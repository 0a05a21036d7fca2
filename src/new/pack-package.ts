// Packs the running package into the file that a registry would serve.

import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { NewError } from './new-error.ts'

export interface PackedPackage {
  /** Such as `resource-api-1.0.0.tgz`. */
  readonly name: string
  readonly content: Uint8Array
}

/** Packs the package in the folder `root`. A clone is built first. Throws NewError if that fails. */
export function packPackage(root: string): PackedPackage {
  const folder = mkdtempSync(join(tmpdir(), 'resource-api-new-'))
  try {
    const script = join(root, 'scripts/build.ts')
    const packed = join(folder, 'packed')
    mkdirSync(packed)
    pack(existsSync(script) ? build(script, join(folder, 'built')) : root, packed)
    const [name] = readdirSync(packed)
    return { name: name!, content: readFileSync(join(packed, name!)) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function build(script: string, folder: string): string {
  console.error('Building resource-api from this clone, because it was not installed from a registry…')
  check('the package could not be built', spawnSync(process.execPath, [script, folder], { encoding: 'utf8' }))
  return folder
}

const pack = (root: string, folder: string): void =>
  check('npm could not pack the package', runNpm(['pack', root, '--pack-destination', folder, '--ignore-scripts']))

/** Runs the npm that started this process, or that of the PATH. */
function runNpm(args: readonly string[]): SpawnSyncReturns<string> {
  const { npm_execpath: npm } = process.env
  if (npm !== undefined && /^npm-cli\.c?js$/.test(basename(npm)))
    return spawnSync(process.execPath, [npm, ...args], { encoding: 'utf8' })
  return spawnSync('npm', args, { encoding: 'utf8', shell: process.platform === 'win32' })
}

function check(problem: string, { error, status, stdout, stderr }: SpawnSyncReturns<string>): void {
  if (status === 0) return
  throw new NewError(`${problem}: ${error?.message ?? `${stdout}${stderr}`.trim()}`)
}
