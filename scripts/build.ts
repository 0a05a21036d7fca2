/**
 * `npm run build` writes the whole package for the registry into `dist/` or the given folder: `npm pack ./dist` packs it.
 *
 *   node scripts/build.ts [folder]
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { buildLibrary } from './build-library.ts'
import { copyDocuments } from './package-files.ts'

const root = join(import.meta.dirname, '..')

async function build(out: string): Promise<void> {
  const lib = join(out, 'lib')
  rmSync(out, { recursive: true, force: true })
  mkdirSync(lib, { recursive: true })
  writeDeclarations(lib)
  copyDocuments(root, out)
  // The documents link to the manifest of the repository, which this replaces.
  await buildLibrary(root, out)
}

function writeDeclarations(lib: string): void {
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const args = [tsc, '-p', 'tsconfig.build.json', '--outDir', lib]
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
  if (status !== 0) throw new Error('The declarations could not be written; the messages of tsc are above.')
}

await build(resolve(process.argv[2] ?? join(root, 'dist')))
