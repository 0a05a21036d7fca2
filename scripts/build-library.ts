// Writes what a program needs to import the package or to run its executable: the build without declarations and documents.

import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundleEntryPoints, bundleForBrowsers } from './bundle.ts'
import { copyAssets } from './package-files.ts'
import { createManifest, type Manifest, readManifest } from './package-manifest.ts'

/** Programs that the package starts by their URL; an entry point does not import them. */
const programs = ['src/seed/snippets/highlighting/worker.ts']

/** The entry point that also runs in browsers. */
const browserSource = './src/client.ts'

/** Bundles the package of the repository `root` into the folder `out`. */
export async function buildLibrary(root: string, out: string): Promise<void> {
  const manifest = readManifest(root)
  const lib = join(out, 'lib')
  mkdirSync(lib, { recursive: true })
  await bundleEntryPoints({
    root,
    lib,
    sources: [...findSources(manifest).filter(source => source !== browserSource), ...programs],
  })
  await bundleForBrowsers(root, lib, browserSource)
  copyAssets(join(root, 'src'), lib)
  // An earlier build may have had other files.
  rmSync(join(out, 'templates'), { recursive: true, force: true })
  cpSync(join(root, 'templates'), join(out, 'templates'), { recursive: true })
  writeFileSync(join(out, 'package.json'), `${JSON.stringify(createManifest(manifest), undefined, 2)}\n`)
}

const findSources = ({ exports, bin }: Manifest): readonly string[] =>
  [...Object.values(exports), ...Object.values(bin)].filter(file => file.endsWith('.ts'))
