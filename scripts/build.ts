/**
 * `npm run build` writes the whole package for the registry into `dist/` or the given folder: `npm pack ./dist` packs it.
 *
 *   node scripts/build.ts [folder]
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { bundleEntryPoints, bundlePeers } from './bundle.ts'
import { copyAssets, copyDocuments } from './package-files.ts'
import { createManifest, type Manifest, readManifest } from './package-manifest.ts'

const root = join(import.meta.dirname, '..')

/** Programs that the package starts by their URL; an entry point does not import them. */
const programs = ['src/profiles/snippets/highlighting/worker.ts']

async function build(out: string): Promise<void> {
  const manifest = readManifest(root)
  const lib = join(out, 'lib')
  rmSync(out, { recursive: true, force: true })
  mkdirSync(lib, { recursive: true })
  writeDeclarations(lib)
  await bundleEntryPoints({
    root,
    lib,
    sources: [...findSources(manifest), ...programs],
    external: findInstalled(manifest),
  })
  await bundlePeers({ root, lib })
  copyAssets(join(root, 'src'), lib)
  copyDocuments(root, out)
  cpSync(join(root, 'templates'), join(out, 'templates'), { recursive: true })
  writeFileSync(join(out, 'package.json'), `${JSON.stringify(createManifest(manifest), undefined, 2)}\n`)
}

function writeDeclarations(lib: string): void {
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const args = [tsc, '-p', 'tsconfig.build.json', '--outDir', lib]
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
  if (status !== 0) throw new Error('The declarations could not be written; the messages of tsc are above.')
}

const findSources = ({ exports, bin }: Manifest): readonly string[] =>
  [...Object.values(exports), ...Object.values(bin)].filter(file => file.endsWith('.ts'))

/** The packages that are installed with this one or by its users; all others become part of it. */
const findInstalled = ({ dependencies, peerDependencies }: Manifest): readonly string[] => [
  ...Object.keys(dependencies),
  ...Object.keys(peerDependencies),
]

await build(resolve(process.argv[2] ?? join(root, 'dist')))
