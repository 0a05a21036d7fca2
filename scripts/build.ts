/**
 * `npm run build` builds the package for publication, in `dist/` or in the given folder.
 *
 *   node scripts/build.ts [folder]
 */
import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { bundle } from './bundle.ts'

const root = join(import.meta.dirname, '..')
const out = resolve(process.argv[2] ?? join(root, 'dist'))

/** Files that are not TypeScript. */
const files = ['framework/browsable/files']

rmSync(out, { recursive: true, force: true })
const tsc = join(root, 'node_modules/typescript/bin/tsc')
const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', out], {
  cwd: root,
  stdio: 'inherit',
})
if (status === 0) {
  for (const file of files) cpSync(join(root, 'src', file), join(out, file), { recursive: true })
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  await bundle(join(out, 'cli.js'), Object.keys(dependencies))
}
process.exitCode = status ?? 1
